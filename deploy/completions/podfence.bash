# shellcheck shell=bash
# Completion of podfence for bash. Made by deploy/package/pages.
_podfence() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' options='' command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'check-config dashboard explain gc help ledger project reload replay schema serve version watch' -- "$word")
    return
  fi
  case $command in
    ledger) words='forget list repair show' ;;
    project) words='add list remove renew show' ;;
  esac
  if [ -n "$words" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      return
    fi
    command+=" ${COMP_WORDS[2]}"
  fi
  case $before in
    --policy) mapfile -t COMPREPLY < <(compgen -W 'builder ci-runner control-plane read-only' -f -- "$word"); return ;;
    --teardown) mapfile -t COMPREPLY < <(compgen -W 'none stop remove' -f -- "$word"); return ;;
    --admin|--against|--audit-log|--config|--facts|--file|--save|--socket|--state|--upstream) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  case $command in
    'serve') options='--policy --socket --upstream --share-image --state --audit-log --config --project' ;;
    'check-config') options='--config' ;;
    'explain') options='--policy --socket --upstream --share-image --state --facts --from-audit --json --config --project' ;;
    'replay') options='--policy --socket --share-image --facts --against --format --text --save --config --project' ;;
    'project add') options='--policy --json --file --config --admin' ;;
    'project remove') options='--json --teardown --config --admin' ;;
    'project list') options='--json --config --admin' ;;
    'project show') options='--json --config --admin' ;;
    'project renew') options='--json --config --admin' ;;
    'gc') options='--json --dry-run --config --admin' ;;
    'reload') options='--json --config --admin' ;;
    'watch') options='--json --config --admin --project --denied --rule --recent' ;;
    'dashboard') options='--json --config --admin --listen' ;;
    'ledger list') options='--state --format --config --project' ;;
    'ledger show') options='--state --format --config --project' ;;
    'ledger forget') options='--state --format --config --project --yes' ;;
    'ledger repair') options='--upstream --state --dry-run --config' ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _podfence podfence
