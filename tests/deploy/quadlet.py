"""podfence in a container on a Debian 13 machine, in front of the Podman of an ordinary user: the image from the package, Quadlet, and the
DaemonSet of Kubernetes by `podman kube play`."""

import contextlib
import shutil
import subprocess
from pathlib import Path

from check import check, contains, equal, lacks, until
from machine import Machine

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
USER = "podman"
SOCKET = "/run/user/1000/podfence/demo/podman.sock"


@contextlib.contextmanager
def stage(options):
    machine = Machine("trixie")
    try:
        subprocess.run([DEPLOY / "container" / "build", "--root", options.package, machine.shared / "root.tar"], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy(DEPLOY / "container" / "Containerfile", machine.shared)
        machine.boot()
        equal(machine.add_podman_user(USER), "1000", "the user's id is that of the examples")
        # Quadlet waits for a network, which is the host's here and up already.
        machine.run("systemctl --user mask podman-user-wait-network-online.service", user=USER)
        for name in ("podman", "podfence", "podfence-state"):
            machine.run(f"mkdir -p -m 700 /run/user/1000/{name}", user=USER)
        machine.write(f"/home/{USER}/.config/podfence/podfence.json", (DEPLOY / "examples/user/podfence.json").read_text(), user=USER)
        yield machine
    finally:
        machine.stop()


def ping(machine):
    return machine.run(f"curl -s -m 20 -o /dev/null -w '%{{http_code}}' --unix-socket {SOCKET} http://d/_ping", user=USER, check=False)


def hello(machine):
    return machine.run(f"podman --remote --url unix://{SOCKET} run --rm localhost/hello:latest echo hello", user=USER, check=False).strip()


def test_image(machine):
    said = machine.run("podman build --tag localhost/podfence:latest /host", user=USER)
    contains(said, "localhost/podfence:latest", "the image can be built without a registry")
    said = machine.run("podman run --rm --network none localhost/podfence:latest version", user=USER)
    contains(said, "podfence 0.", "the program runs in it")
    equal(machine.run("podman image inspect --format '{{.Config.User}}' localhost/podfence:latest", user=USER).strip(), "65532:65532",
          "as an ordinary user")
    content = machine.run("tar -tf /host/root.tar")
    for name in ("bin/sh", "bin/bash", "bin/dpkg", "bin/perl"):
        lacks(content, f"./usr/{name}\n", f"there is no /{name} in it")
    size = int(machine.run("podman image inspect --format '{{.Size}}' localhost/podfence:latest", user=USER))
    check(size < 100e6, "it is small", size)


def test_quadlet(machine):
    folder = f"/home/{USER}/.config/containers/systemd"
    machine.write(f"{folder}/podfence.container", (DEPLOY / "quadlet" / "podfence.container").read_text(), user=USER)
    said = machine.run(f"QUADLET_UNIT_DIRS={folder} /usr/lib/systemd/user-generators/podman-user-generator --user --dryrun 2>&1", user=USER)
    contains(said, "ExecStart=/usr/bin/podman run --name podfence", "Quadlet makes a unit of it")
    lacks(said, "unsupported", "and knows every key")
    machine.run("systemctl --user daemon-reload; systemctl --user start podfence.service", user=USER)
    equal(machine.run("systemctl --user show -P ActiveState podfence.service", user=USER).strip(), "active", "it starts, and is ready")
    equal(ping(machine), "200", "a client is served")
    equal(hello(machine), "hello", "and a container of its runs")
    contains(machine.run(f"podman --remote --url unix://{SOCKET} run --rm -v /:/host localhost/hello:latest true", user=USER, check=False),
             "mount.host-path", "what is not its is refused")
    lacks(machine.run(f"podman --remote --url unix://{SOCKET} ps --all --format '{{{{.Names}}}}'", user=USER), "podfence",
          "podfence's own container is hidden from its clients")
    process = machine.run("podman inspect --format '{{.State.Pid}}' podfence", user=USER).strip()
    status = " ".join(machine.run(f"grep -E '^(Uid|NoNewPrivs|CapEff|Seccomp):' /proc/{process}/status").split())
    contains(status, "Uid: 1000 1000 1000 1000", "it is the user, and no other")
    contains(status, "CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2", "without privileges")
    machine.run("systemctl --user restart podfence.service", user=USER)
    equal(hello(machine), "hello", "a restart is survived, by the ledger too")
    machine.run("systemctl --user stop podfence.service", user=USER)
    check(machine.succeeds(f"test -d {SOCKET.rsplit('/', 1)[0]}"), "the directory of the sockets stays, for those who have it mounted")


def test_daemon_set(machine):
    machine.run("mkdir -p .local/state/podfence && podman unshare true", user=USER)
    machine.write(f"/home/{USER}/daemonset.yaml", (DEPLOY / "examples/kubernetes/daemonset.yaml").read_text(), user=USER)
    # Kubernetes means ids of the node; in a rootless Podman that is this mode.
    said = machine.run("podman kube play --userns keep-id daemonset.yaml", user=USER)
    check(until(lambda: ping(machine) == "200", 30, 0.5), "podman kube play starts it, and a client is served",
          said + machine.run("podman ps -a; podman logs podfence-pod-podfence", user=USER, check=False))
    equal(hello(machine), "hello", "and a container of its runs")
    machine.run("podman kube down daemonset.yaml", user=USER)
    check(until(lambda: ping(machine) != "200", 10), "and ends it")
