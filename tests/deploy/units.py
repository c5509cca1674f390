"""The package on a Debian 12 machine that systemd runs: installed, its units started, stopped, and used by clients, and taken away."""

import contextlib
import json
import re
import shutil

from check import check, contains, equal, until
from machine import Machine

USER = "builder"
# What systemd-analyze security says at most (0 is best): what keeps it from less are the user and the address families that it needs.
EXPOSURE = {"podfence@builder.service": 2.0}

# The warnings of lintian that stand: about uploads to Debian.
LINTIAN_ACCEPTED = ("initial-upload-closes-no-bugs",)


@contextlib.contextmanager
def stage(options):
    machine = Machine("bookworm")
    try:
        shutil.copy(options.package, machine.shared / "podfence.deb")
        machine.boot()
        machine.identity = machine.add_podman_user(USER)
        yield machine
    finally:
        machine.stop()


def ping(machine, path, user=USER):
    return machine.run(f"curl -s -m 20 -o /dev/null -w '%{{http_code}}' --unix-socket {path} http://d/_ping", user=user, check=False)


def docker_run(machine, path, words, user=USER):
    return machine.run(f"podman --remote --url unix://{path} run --rm {words}", user=user, check=False)


def state(machine, unit, user=None):
    """[ActiveState, SubState, StatusText]"""
    manager = "systemctl --user" if user else "systemctl"
    return machine.run(f"for name in ActiveState SubState StatusText; do {manager} show -P $name {unit}; done", user=user).split("\n")


def configure(machine, example, path, owner):
    text = machine.run(f"cat /usr/share/doc/podfence/examples/{example}").replace("/run/user/1001", f"/run/user/{machine.identity}")
    machine.write(path, text, user=owner)


def test_install(machine):
    said = machine.run("dpkg --install /host/podfence.deb")
    check("error" not in said.lower(), "the package can be installed on a fresh machine", said)
    contains(machine.run("podfence version"), "podfence 0.", "and the program runs there")
    said = [line for line in machine.run("lintian --allow-root --tag-display-limit 0 /host/podfence.deb", check=False).splitlines()
            if not any(tag in line for tag in LINTIAN_ACCEPTED)]
    equal(said, [], "lintian finds nothing in it")
    for name in ("builder", "ci-runner", "control-plane", "read-only"):
        machine.write("/tmp/c.json", json.dumps({"projects": {"p1": {"policy": name}}}))
        contains(machine.run("podfence check-config /tmp/c.json"), "loads", f"the profile {name} is found by its name")
    for page in ("1 podfence", "5 podfence.json"):
        contains(machine.run(f"man {page}"), "NAME", f"man {page} shows it")
        equal(machine.run(f"man --warnings {page} 2>&1 >/dev/null; mandoc -T lint -W warning $(man -w {page})", check=False), "",
              f"nothing is wrong in it")
    said = machine.run("find /usr/share/doc/podfence/examples -name '*.json'").split()
    check(len(said) >= 3, "examples are there", said)


def test_units_are_well_formed(machine):
    configure(machine, "system/builder.json", f"/etc/podfence/{USER}.json", "root")
    machine.run("cp /usr/share/doc/podfence/examples/system/podfence-p2.socket /etc/systemd/system/; systemctl daemon-reload")
    said = machine.run("systemd-analyze verify podfence@builder.service podfence-p2.socket 2>&1 | grep -i podfence || true")
    equal(said.strip(), "", "systemd-analyze finds nothing in the units of the system")
    machine.run("systemctl --user daemon-reload", user=USER)
    said = machine.run("systemd-analyze --user verify podfence.service podfence@demo.socket 2>&1 | grep -i podfence || true", user=USER)
    equal(said.strip(), "", "nor in those of users")
    for unit, most in EXPOSURE.items():
        said = machine.run(f"systemd-analyze security --no-pager {unit}")
        level = float(re.search(r"exposure level for \S+ (\d+\.\d+)", said).group(1))
        check(level <= most, f"the exposure of {unit} is at most {most}", said[-2500:])


def test_user_unit(machine):
    socket = f"/run/user/{machine.identity}/podfence/demo/podman.sock"
    configure(machine, "user/podfence.json", f"/home/{USER}/.config/podfence/podfence.json", USER)
    machine.run("systemctl --user daemon-reload; systemctl --user enable --now podfence.service", user=USER)
    active, sub, status = state(machine, "podfence.service", USER)[:3]
    equal((active, sub), ("active", "running"), "it starts, and says that it is ready")
    equal(status, f"in front of /run/user/{machine.identity}/podman/podman.sock", "and in front of what")
    equal(docker_run(machine, socket, "localhost/hello:latest echo hello").strip(), "hello", "a container runs behind it")
    contains(docker_run(machine, socket, "-v /:/host localhost/hello:latest true"), "mount.host-path", "and refused what is not its")
    inode = machine.run(f"stat -c %i {socket}")
    following = machine.run("""
        ask() { curl -s -m 20 -o /dev/null -w '%{http_code}\\n' --unix-socket """ + socket + """ http://d/_ping || echo failed; }
        (for n in $(seq 60); do ask; sleep 0.02; done) &
        sleep 0.2; systemctl --user restart podfence.service; wait""", user=USER)
    equal(set(following.split()), {"200"}, "no client is turned away while it is started again")
    equal(machine.run(f"stat -c %i {socket}"), inode, "its socket is the same file behind that")
    before = machine.run("systemctl --user show -P MainPID podfence.service", user=USER)
    machine.run("systemctl --user reload podfence.service", user=USER)
    check(until(lambda: "SIGHUP: the configuration was read again" in machine.run(
        "journalctl --no-pager -o cat _SYSTEMD_USER_UNIT=podfence.service"), 10), "reload is heard")
    equal(machine.run("systemctl --user show -P MainPID podfence.service", user=USER), before, "by the same process")
    machine.write(f"/home/{USER}/.config/systemd/user/podfence.service.d/watchdog.conf", "[Service]\nWatchdogSec=3\n", user=USER)
    machine.run("systemctl --user daemon-reload; systemctl --user restart podfence.service", user=USER)
    machine.run("kill -STOP $(systemctl --user show -P MainPID podfence.service)", user=USER)
    check(until(lambda: machine.run("systemctl --user show -P NRestarts podfence.service", user=USER).strip() == "1", 60, 1),
          "one that hangs is started again by the watchdog")
    check(until(lambda: ping(machine, socket) == "200", 20), "and serves")
    machine.run("systemctl --user disable --now podfence.service", user=USER)
    equal(state(machine, "podfence.service", USER)[0], "inactive", "it ends")


def test_socket_activation(machine):
    socket = f"/run/user/{machine.identity}/podfence/demo/podman.sock"
    machine.run("systemctl --user enable --now podfence@demo.socket", user=USER)
    equal(state(machine, "podfence.service", USER)[0], "inactive", "podfence does not run before it is needed")
    equal(ping(machine, socket), "200", "the first client is served")
    equal(state(machine, "podfence.service", USER)[0], "active", "by a podfence that was started for it")
    equal(ping(machine, f"/run/user/{machine.identity}/podfence/watch/podman.sock"), "200", "other projects have sockets of podfence's own")
    machine.run("systemctl --user stop podfence.service", user=USER)
    equal(ping(machine, socket), "200", "it is started again by the next client")
    machine.run("systemctl --user disable --now podfence@demo.socket; systemctl --user stop podfence.service", user=USER)
    check(not machine.succeeds(f"test -e {socket}"), "the socket is gone with its unit")


def test_ready_means_podman_answers(machine):
    machine.run("systemctl --user stop podman.socket podman.service; systemctl --user mask podman.socket", user=USER)
    machine.run("systemctl start --no-block podfence@builder.service")
    check(until(lambda: "waits for Podman" in state(machine, "podfence@builder.service")[2], 30), "without Podman it waits, and says so",
          machine.run("systemctl status podfence@builder.service", check=False))
    equal(state(machine, "podfence@builder.service")[0], "activating", "and is not ready")
    machine.run("systemctl --user unmask podman.socket; systemctl --user start podman.socket", user=USER)
    check(until(lambda: state(machine, "podfence@builder.service")[0] == "active", 30), "it is ready when Podman answers")
    machine.run("systemctl stop podfence@builder.service")


def test_system_unit(machine):
    machine.run("systemctl enable --now podfence@builder.service")
    equal(state(machine, "podfence@builder.service")[:2], ["active", "running"], "it starts, and says that it is ready")
    p1, p2 = (f"/run/podfence/builder/{project}/podman.sock" for project in ("p1", "p2"))
    equal(ping(machine, p1), "200", "a client is served")
    equal(docker_run(machine, p1, "localhost/hello:latest echo hello").strip(), "hello", "a container runs behind it")
    machine.run("systemctl restart podfence@builder.service")
    equal(ping(machine, p1), "200", "also behind a restart")
    log = "/var/log/podfence/builder/audit.log"
    owner = machine.run(f"stat -c '%U %a' /run/podfence/builder/p1 /var/lib/podfence/builder/ledger.sqlite {log}")
    equal(owner, "builder 700\nbuilder 600\nbuilder 600\n", "its files are the user's only")
    contains(machine.run(f"cat {log}"), '"target":"/_ping"', "the audit log is written")
    machine.write("/etc/logrotate.d/podfence", machine.run("cat /usr/share/doc/podfence/logrotate/podfence").replace(
        "/var/log/podfence/audit.log", log).replace("podfence.service", "podfence@builder.service"))
    machine.run("logrotate --force /etc/logrotate.d/podfence")
    ping(machine, p1)
    check(until(lambda: machine.succeeds(f"test -s {log} && test -s {log}.1"), 10),
          "and rotated", machine.run("ls -l /var/log/podfence/builder; journalctl --no-pager -o cat -u podfence@builder | tail -5"))
    process = machine.run("systemctl show -P MainPID podfence@builder.service").strip()
    status = machine.run(f"grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd|Uid):' /proc/{process}/status").split()
    equal(status[1], machine.identity, "it runs as the user")
    contains(" ".join(status), "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2", "without privileges")
    check(machine.run(f"nsenter -t {process} -m touch /etc/x 2>&1", check=False).strip().endswith("Read-only file system"),
          "the system is read-only for it")
    machine.run("systemctl stop podfence@builder.service; systemctl enable --now podfence-p2.socket")
    equal(machine.run(f"stat -c '%U %G %a' {p2}").strip(), "builder builder 660", "a socket unit chooses who may connect")
    equal(ping(machine, p2), "200", "and the first client of it starts podfence")
    equal(ping(machine, p1), "200", "which serves the others too")
    machine.run("systemctl disable --now podfence-p2.socket podfence@builder.service")


def test_journal(machine):
    """The audit log in the journal, and the command by which docs/audit.md looks for refusals there."""
    path = f"/etc/podfence/{USER}.json"
    configured = machine.run(f"cat {path}")
    in_journal = re.sub(r'"to": "[^"]*"', '"to": "journald"', configured)
    check(in_journal != configured, "the example has an audit log", configured)
    machine.write(path, in_journal)
    machine.run("systemctl start podfence@builder.service")
    socket = f"/run/podfence/{USER}/p1/podman.sock"
    contains(docker_run(machine, socket, "-v /:/host localhost/hello:latest true"), "mount.host-path", "a refusal")
    told = until(lambda: machine.run("journalctl -t podfence PODFENCE_DECISION=refuse PODFENCE_PROJECT=p1 -o cat", check=False).strip(), 10)
    lines = [json.loads(line) for line in told.splitlines()]
    check(lines and all((line["decision"], line["project"]) == ("refuse", "p1") for line in lines), "the journal finds the refusals of a project", told)
    check(any(line["rule"] == "mount.host-path" for line in lines), "that one among them", told)
    machine.run("systemctl stop podfence@builder.service")
    machine.write(path, configured)


def test_completions(machine):
    said = machine.run("source /usr/share/bash-completion/completions/podfence; COMP_WORDS=(podfence project re); COMP_CWORD=2; _podfence; "
                       "echo ${COMPREPLY[@]}; COMP_WORDS=(podfence serve --s); COMP_CWORD=2; _podfence; echo ${COMPREPLY[@]}")
    equal(said.split("\n")[:2], ["remove renew", "--socket --share-image --state"], "bash completes commands and options")
    said = machine.run("fish -c 'complete -C \"podfence project re\"; complete -C \"podfence serve --s\"'")
    equal([line.split("\t")[0] for line in said.splitlines()], ["remove", "renew", "--share-image", "--socket", "--state"], "so does fish")
    # What zsh's completion system would be asked to offer.
    asked = ("compadd() { print -rl -- $@ }; _arguments() { print -rl -- $@ }; CURRENT=3; words=(podfence %s); "
             "source /usr/share/zsh/vendor-completions/_podfence")
    contains(machine.run(f"zsh -f -c '{asked % 'project re'}'"), "\nrenew\n", "and zsh: commands")
    contains(machine.run(f"zsh -f -c '{asked % 'serve --s'}'"), "--socket=[where clients connect", "and options, with what they mean")


def test_remove(machine):
    machine.run("dpkg --purge podfence")
    equal(machine.run("find /usr /lib -path '*podfence*' -print -quit").strip(), "", "nothing of the package stays")
