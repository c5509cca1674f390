# shellcheck shell=bash disable=SC2034
# The Debian packages podfence needs, the one list of them, and how they get onto a machine. Sourced, never run.

# To build podfence.
packages_build=(
  g++                                # compiler, C++20
  cmake                              # build system, 3.25
  ninja-build                        # build tool of the presets
  libboost1.81-dev                   # Asio and Beast: sockets and HTTP
  libboost-program-options1.81-dev   # command line
  libssl-dev                         # random request ids; TLS of the control plane
  libsqlite3-dev                     # ledger
  libarchive-dev                     # uploaded archives: build contexts and images
  liblzma-dev                        # those that are packed by xz
  libseccomp-dev                     # system calls that podfence gives up
  rapidjson-dev                      # JSON
  libyaml-cpp-dev                    # Kubernetes YAML
  libre2-dev                         # clients' patterns of names
  prometheus-cpp-dev                 # metrics
  doctest-dev                        # unit tests
)

# To run rootless Podman behind it.
packages_podman=(
  podman           # the engine
  runc             # OCI runtime that also works with cgroup v1 and hybrid cgroups
  uidmap           # newuidmap and newgidmap: user namespaces of ordinary users
  slirp4netns      # network of rootless containers
  netavark         # networks that users create
  aardvark-dns     # names on those networks
  iptables         # called by netavark
  catatonit        # init of pods and of `--init`
  fuse-overlayfs   # storage where the kernel has no overlay for ordinary users
  busybox-static   # content of the first image, so that no registry is needed
  ca-certificates  # pulls from registries
  curl             # asks the sockets whether they answer
)

# Only for tests/run.
packages_test=(
  ccache          # second builds
  clang-format    # format check
  clang-tidy      # lint
  shellcheck      # lint of shell scripts
  clang           # libFuzzer: the harness of docs/fuzzing.md
  libclang-rt-14-dev  # likewise
  afl++           # likewise, another fuzzer
  python3         # language of the tests with real Podman
  bzip2           # compressions of archives
  xz-utils
  zstd
  docker-compose  # a client of theirs
  python3-docker  # likewise: docker-py
  python3-jsonschema  # second reader of the audit log
  openssl         # certificates
  gdb             # does what an intruder in podfence would do
  socat           # TLS for podman --remote, which has none
  valgrind        # instructions of a request (tests/bench/instructions)
  chromium        # a browser, for the operator's page
  chromium-driver
  fonts-dejavu-core                    # letters for it
  mmdebstrap      # Debian machines that deploy/ is tried on, Debian 13's Podman and clients, the container's root
  dpkg-dev        # the Debian package: what it depends on
  file            # likewise
  golang-go       # second reader of what is sent: the decoders of Podman's own language (tests/differential)
  golang-github-gorilla-mux-dev        # Podman's router
  golang-github-gorilla-schema-dev     # its reader of queries
  golang-github-json-iterator-go-dev   # JSON of Podman 6
)

# Everything of root's is done through here.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages PACKAGE...: installs what is missing and nothing else; asks for no password when nothing is.
install_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  echo "installing: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# The mirror that apt uses here for this machine's own release; it has others too.
apt_mirror() {
  local codename
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # apt's variables
  apt-get indextargets --format '$(CODENAME) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$codename" '!uri && ($1 == release || $2 == release) { uri = $NF } END { print uri; exit !uri }'
}

# How apt reaches it: proxies, and whether it trusts the clock.
apt_transport() { apt-config dump --format '%F "%v";%n' | grep -E '^Acquire::(https?::|Check-|Retries)' || true; }

# debian_root RELEASE TARGET OPTION...: a root file system by mmdebstrap, a directory or a tar, from where apt gets its packages here.
debian_root() {
  local release=$1 target=$2 settings
  shift 2
  settings=$(mktemp)
  apt_transport >"$settings"
  mmdebstrap --quiet --aptopt="$settings" --aptopt='APT::Install-Recommends "false"' "$@" "$release" "$target" "$(apt_mirror)"
  rm "$settings"
}

# once PATH COMMAND...: the command makes PATH, unless it is there already. Others who want it wait meanwhile.
once() {
  mkdir -p "$(dirname "$1")"
  (flock 9 && { [ -e "$1" ] || "${@:2}"; }) 9>"$1.lock"
}

# unpacked_program FOLDER PACKAGE PROGRAM: prints the path of a program, the machine's own or else one that is unpacked
# into FOLDER. The package is not installed: that would start its daemon.
unpacked_program() {
  local folder=$1 package=$2 program=$3
  command -v "$program" && return
  once "$folder/usr/bin/$program" unpack "$folder" "$package" >&2 && echo "$folder/usr/bin/$program"
}

unpack() {
  cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "$2" && dpkg-deb -x "$2"_*.deb . && rm "$2"_*.deb
}

# docker_client FOLDER: a docker command line client.
docker_client() { unpacked_program "$1" docker.io docker; }
