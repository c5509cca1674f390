# shellcheck shell=bash
# Completion of podfence for bash. Made by deploy/package/pages.
_podfence() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' options='' command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'check-config dashboard doctor explain gc help ledger project reload replay schema serve verify version watch' -- "$word")
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
    'serve') options='--policy --socket --upstream --share-image --state --audit-log --project --config' ;;
    'check-config') options='--config' ;;
    'explain') options='--policy --socket --upstream --share-image --state --facts --from-audit --json --project --config' ;;
    'replay') options='--policy --socket --share-image --facts --against --format --text --save --project --config' ;;
    'project add') options='--policy --json --admin --file --config' ;;
    'project remove') options='--json --admin --teardown --config' ;;
    'project list') options='--json --admin --config' ;;
    'project show') options='--json --admin --config' ;;
    'project renew') options='--json --admin --config' ;;
    'gc') options='--json --admin --dry-run --config' ;;
    'reload') options='--json --admin --config' ;;
    'watch') options='--json --project --admin --config --denied --rule --recent' ;;
    'dashboard') options='--json --admin --config --listen' ;;
    'verify') options='--socket --upstream --json --project --admin --image --config' ;;
    'doctor') options='--upstream --state --json --config' ;;
    'ledger list') options='--state --format --project --config' ;;
    'ledger show') options='--state --format --project --config' ;;
    'ledger forget') options='--state --format --project --config --yes' ;;
    'ledger repair') options='--upstream --state --dry-run --config' ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _podfence podfence
