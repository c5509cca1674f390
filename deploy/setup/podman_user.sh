# shellcheck shell=bash
# A user who can run rootless Podman, also on a machine without systemd. Sourced behind packages.sh, never run. Nothing that
# exists is changed: a user's own containers.conf and storage.conf stay as they are.

podman_subid_count=65536
# Words before every command of a Podman user; the tests enter another root with them. Needs root.
podman_entry=()

# The first id behind every range of FILE, at least 1000000.
next_subid() {
  awk -F: 'BEGIN { next_id = 1000000 } { end = $2 + $3; if (end > next_id) next_id = end } END { print next_id }' "$1"
}

# Gives USER a range of subordinate ids of its own where it has none.
ensure_subids() {
  local user=$1 first
  if ! grep -qs "^$user:" /etc/subuid; then
    as_root touch /etc/subuid
    first=$(next_subid /etc/subuid)
    as_root usermod --add-subuids "$first-$((first + podman_subid_count - 1))" "$user"
  fi
  if ! grep -qs "^$user:" /etc/subgid; then
    as_root touch /etc/subgid
    first=$(next_subid /etc/subgid)
    as_root usermod --add-subgids "$first-$((first + podman_subid_count - 1))" "$user"
  fi
}

runtime_directory() { echo "/run/user/$(id -u "$1")"; }

home_directory() { getent passwd "$1" | cut -d: -f6; }

ensure_runtime_directory() {
  local user=$1 directory
  directory=$(runtime_directory "$user")
  [ ! -d "$directory" ] || return 0
  if [ -d /run/systemd/system ]; then
    as_root loginctl enable-linger "$user"
    local _
    for _ in $(seq 50); do [ -d "$directory" ] && return; sleep 0.1; done
  fi
  as_root install -d -o "$user" -g "$(id -gn "$user")" -m 700 "$directory"
}

# Rootless networks and storage open these two; Debian's udev gives them to everybody, machines without udev do not.
ensure_devices() {
  local device
  for device in /dev/net/tun /dev/fuse; do
    [ ! -e "$device" ] || [ "$(stat -c %a "$device")" = 666 ] || as_root chmod 0666 "$device"
  done
}

# as_podman_user USER COMMAND...: runs it as USER with the environment Podman needs and nothing else of ours.
as_podman_user() {
  local user=$1
  shift
  local environment=(env -i HOME="$(home_directory "$user")" USER="$user" XDG_RUNTIME_DIR="$(runtime_directory "$user")"
    PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin LANG=C.UTF-8)
  if [ "$(id -un)" = "$user" ]; then
    (cd / && "${environment[@]}" "$@")
  else
    (cd / && as_root "${podman_entry[@]}" runuser -u "$user" -- "${environment[@]}" "$@")
  fi
}

# The lines of containers.conf that this machine needs, none on an ordinary one.
machine_containers_conf() {
  local files
  files=$(ulimit -Hn)
  if [ "$files" != unlimited ] && [ "$files" -lt 1048576 ]; then
    # Podman asks for more than the hard limit and the container does not start.
    printf '[containers]\ndefault_ulimits = ["nofile=1024:4096", "nproc=4096:8192"]\n'
  fi
  local engine=''
  [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] || engine+='runtime = "runc"'$'\n'  # crun refuses hybrid cgroups
  [ -d /run/systemd/system ] || engine+='cgroup_manager = "cgroupfs"'$'\n''events_logger = "file"'$'\n'
  [ -z "$engine" ] || printf '[engine]\n%s' "$engine"
}

# Podman records the driver in the store, so this comes before its first call; a user with a store is left alone.
ensure_configuration() {
  local user=$1 home lines
  home=$(home_directory "$user")
  lines=$(machine_containers_conf)
  as_podman_user "$user" mkdir -p "$home/.config/containers"
  if [ -n "$lines" ] && ! as_podman_user "$user" test -e "$home/.config/containers/containers.conf"; then
    printf '%s\n' "$lines" | as_podman_user "$user" tee "$home/.config/containers/containers.conf" >/dev/null
  fi
  if ! as_podman_user "$user" test -e "$home/.config/containers/storage.conf" &&
    ! as_podman_user "$user" test -e "$home/.local/share/containers/storage" && [ ! -e /etc/containers/storage.conf ]; then
    printf '[storage]\ndriver = "overlay"\n' |
      as_podman_user "$user" tee "$home/.config/containers/storage.conf" >/dev/null
  fi
}

# The user namespace must exist before a service starts: else the first Podman forks the service into a new one, and ending
# the process one knows leaves the service alive. Podman's first command on a new machine has been seen to fail once; and
# where a machine went down under running containers, Podman looks for the namespace of processes that are gone until a
# migration tells it that they are.
ensure_user_namespace() {
  local user=$1 said _
  for _ in $(seq 5); do
    ! said=$(as_podman_user "$user" podman unshare true 2>&1) || return 0
    case $said in *"could not find any running process"*) as_podman_user "$user" podman system migrate >/dev/null 2>&1 || true ;; esac
    sleep 1
  done
  echo "Podman of $user cannot make its user namespace: $said" >&2
  return 1
}

# ensure_podman_user USER: makes the user if there is none (root only), and everything above. Can be repeated.
ensure_podman_user() {
  local user=$1
  id "$user" >/dev/null 2>&1 || as_root useradd --create-home --shell /bin/bash "$user"
  ensure_subids "$user"
  ensure_runtime_directory "$user"
  ensure_devices
  ensure_configuration "$user"
  ensure_user_namespace "$user"
}

# import_busybox_image USER NAME: an image that needs no registry. Kept if it is there.
import_busybox_image() {
  local user=$1 name=$2 tree applet
  ! as_podman_user "$user" podman image exists "$name" 2>/dev/null || return 0
  tree=$(mktemp -d)
  mkdir -p "$tree/bin" "$tree/etc" "$tree/tmp"
  cp /bin/busybox "$tree/bin/"
  for applet in $(/bin/busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$tree/bin/$applet"; done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
  tar -C "$tree" --owner 0 --group 0 -c . |
    as_podman_user "$user" podman import --change 'CMD ["/bin/sh"]' - "$name" >/dev/null 2>&1
  rm -r "$tree"
}

# answers SOCKET: does an engine answer there?
answers() { [ "$(curl -s -m 5 --unix-socket "$1" http://d/_ping 2>/dev/null)" = OK ]; }

# podman_service USER SOCKET: starts a service and leaves its pid in $podman_service_pid. End it with a TERM.
podman_service() {
  local user=$1 socket=$2 _
  ensure_user_namespace "$user"
  # shellcheck disable=SC2016  # expanded by the inner shell
  as_podman_user "$user" setsid --fork sh -c 'echo $$ >"$1.pid"; exec podman system service --time 0 "unix://$1"' sh "$socket" \
    >/dev/null 2>&1 </dev/null
  for _ in $(seq 100); do
    if answers "$socket"; then
      # shellcheck disable=SC2034  # read by those who source this
      podman_service_pid=$(as_podman_user "$user" cat "$socket.pid")
      return 0
    fi
    sleep 0.2
  done
  echo "podman system service of $user does not answer on $socket" >&2
  return 1
}
