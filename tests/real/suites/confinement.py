"""What somebody could do who has taken podfence over: a debugger calls functions within a running podfence, as code of an intruder
would. Only root can: podfence lets no debugger of its own user in."""

import os
import re
import signal
import socket
import subprocess
from pathlib import Path

from check import check, equal, until
from clients import API, LIBPOD
from fence import Fence
from world import IMAGE

EPERM, EACCES = 1, 13
O_RDONLY, O_RDWR_CREAT = 0, 0o102
AF_UNIX, AF_INET, SOCK_STREAM = 1, 2, 1


class Stage:
    def __init__(self, world):
        self.engine = world.engine
        self.fence = Fence(world.engine, world.podfence, world.programs, {"c1": {}}, name="confined")
        self.admin = str(world.engine.runtime / "confined" / "admin" / "admin.sock")
        logs = self.fence.folder / "logs"
        self.fence.audit_path = logs / "audit.log"
        self.fence.settings |= {"admin": self.admin, "audit": {"to": str(self.fence.audit_path)}}
        logs.mkdir(parents=True)
        os.chown(logs, world.engine.account.pw_uid, world.engine.account.pw_gid)
        self.fence.start()

    @property
    def pid(self):
        return self.fence.process.pid

    def inside(self, *calls):
        """Results of calls of the C library within podfence, each with its error number: `open("/etc/passwd", 0)`. None where the
        process ended."""
        words = ["gdb", "-nx", "-batch", "-p", str(self.pid), "-ex", "set confirm off", "-ex", "set unwindonsignal on"]
        for call in calls:
            name, arguments = call.split("(", 1)
            words += ["-ex", f"print ((int(*)()){name})({arguments}", "-ex", "print *((int*(*)())__errno_location)()"]
        ran = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        numbers = [int(number) for number in re.findall(r"^\$\d+ = (-?\d+)$", ran.stdout, re.MULTILINE)]
        if len(numbers) != 2 * len(calls):
            return None
        return list(zip(numbers[::2], numbers[1::2]))


_stages = {}


def _stage(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def _status(pid, name):
    return re.search(rf"^{name}:\s*(.*)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]


def test_it_is_told(world):
    """In the log, in the metrics and by the kernel."""
    stage = _stage(world)
    found = re.search(r"confined: system calls by seccomp, connections by the connector, files by Landlock, version (\d+)",
                      stage.fence.log())
    check(found, "the log says what podfence gave up", stage.fence.log())
    ran = subprocess.run(["curl", "-s", "--unix-socket", stage.admin, "http://d/metrics"], capture_output=True, text=True)
    check('podfence_confinement{by="seccomp"} 1' in ran.stdout and f'podfence_confinement{{by="landlock"}} {found[1]}' in ran.stdout,
          "so do the metrics", ran.stdout[:600])
    connector = int(Path(f"/proc/{stage.pid}/task/{stage.pid}/children").read_text().split()[0])
    for pid, what in ((stage.pid, "podfence"), (connector, "its connector")):
        equal((_status(pid, "Seccomp"), _status(pid, "NoNewPrivs"), _status(pid, "CapEff")), ("2", "1", "0" * 16),
              f"the kernel says so of {what}")
    equal(sorted(os.listdir(f"/proc/{connector}/fd")), ["0", "1", "2", "3", "4"],
          "the connector has no file but its channel, and the pipe that tells its end")
    limits = Path(f"/proc/{stage.pid}/limits").read_text()
    check(re.search(r"Max core file size +0 +0 ", limits), "no core dump is written", limits)
    check(re.search(r"Max data size +(\d{9,11}) +\1 ", limits), "memory has an end", limits)


def test_files(world):
    """What the user may read and write, podfence may not, beyond what it serves from."""
    stage = _stage(world)
    home, account = stage.engine.home, stage.engine.account
    secret = home / "secret-of-the-user"
    secret.write_text("secret")
    os.chown(secret, account.pw_uid, account.pw_gid)
    read = stage.inside(f'open("{secret}", {O_RDONLY})', f'open("/etc/passwd", {O_RDONLY})', f'open("{home}/planted", {O_RDWR_CREAT}, 0600)',
                        f'open("{home}/.config/containers/registries.conf", {O_RDWR_CREAT}, 0600)', f'open("/proc/{stage.pid}/mem", 2)',
                        f'unlink("{secret}")', f'symlink("/", "{stage.fence.folder}/state/root")')
    check(read, "the calls are made")
    equal(read and read[:6], [(-1, EACCES)] * 6, "files of the user are out of reach")
    equal(read and read[6], (-1, EPERM), "and no link to them is made")
    check(secret.exists() and not (home / "planted").exists(), "nothing has come of it")
    state = stage.inside(f'open("{stage.fence.folder}/state/probe", {O_RDWR_CREAT}, 0600)', f'unlink("{stage.fence.folder}/state/probe")')
    check(state and state[0][0] >= 0 and state[1][0] == 0, "its state is not: the calls are really made", state)


def test_connections(world):
    """Nobody but Podman is called: not the user's own services, not the network."""
    stage = _stage(world)
    path = stage.engine.runtime / "bus"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        os.chmod(path, 0o777)
        address = '(char*)"' + "\\001\\000" + str(path) + '"'
        made = stage.inside(f"socket({AF_UNIX}, {SOCK_STREAM}, 0)")
        check(made and made[0][0] >= 0, "a socket can be made", made)
        called = stage.inside(f"connect({made[0][0]}, {address}, 110)", f"socket({AF_INET}, {SOCK_STREAM}, 0)", f"close({made[0][0]})")
        equal(called and called[:2], [(-1, EPERM), (-1, EPERM)], "it cannot be connected, and none of the network can be had")
        listener.settimeout(0.5)
        try:
            listener.accept()
            check(False, "nobody comes to a listener beside Podman")
        except TimeoutError:
            check(True, "nobody comes to a listener beside Podman")
    path.unlink()


def test_programs(world):
    """A program is not started, a process not made, a process not signalled; whoever tries the first ends podfence."""
    stage = _stage(world)
    bystander = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, **stage.engine.as_user())
    tried = stage.inside("fork()", f"kill({bystander.pid}, 9)", "setuid(0)")
    equal(tried, [(-1, EPERM)] * 3, "no process is made or signalled, no user changed")
    equal(bystander.poll(), None, "the other process of the user lives")
    bystander.terminate()
    bystander.wait()
    ended = stage.inside('execve("/bin/true", 0, 0)')
    code = stage.fence.process.wait(10)
    equal((ended, code), (None, -signal.SIGSYS), "a program is not started: the kernel ends podfence")
    stage.fence.start()


def test_work_goes_on(world):
    """All kinds of work that need a file, a connection or a signal, under confinement; the other suites run so as well."""
    stage = _stage(world)
    client = stage.fence.projects["c1"]
    made = client.post(f"{API}/containers/create?name=confined", {"Image": IMAGE, "Cmd": ["echo", "out"]})
    equal(made.status, 201, "a container is made")
    stage.fence.process.send_signal(signal.SIGUSR1)
    stage.fence.process.send_signal(signal.SIGHUP)
    check(until(lambda: "was opened again" in stage.fence.log() and "was read again" in stage.fence.log(), 5),
          "the audit log is opened and the configuration read again", stage.fence.log()[-400:])

    def ask(method, target, body=None):
        content = [] if body is None else ["-d", body]
        ran = subprocess.run(["curl", "-s", "--unix-socket", stage.admin, "-X", method, *content, f"http://d{target}"],
                             capture_output=True, text=True)
        return ran.stdout
    added = ask("PUT", "/projects/late", "{}")
    check('"id":"late"' in added, "a project is added, and its directory made", added)
    removed = ask("DELETE", "/projects/late?teardown=none")
    check("cause" not in removed, "and removed", removed)
    elsewhere = stage.engine.home / "elsewhere"
    refused = ask("PUT", "/projects/late", f'{{"socket": "{elsewhere}/podman.sock"}}')
    check("docs/confinement.md" in refused and "Permission denied" in refused, "a socket out of reach is refused with the way out",
          refused)
    check(not elsewhere.exists(), "nothing is left of it")
    equal(client.delete(f"{LIBPOD}/containers/confined?force=true").status, 200, "the container goes")


def test_the_connector_is_needed(world):
    """Without it podfence ends, rather than to serve errors."""
    stage = _stage(world)
    connector = int(Path(f"/proc/{stage.pid}/task/{stage.pid}/children").read_text().split()[0])
    os.kill(connector, signal.SIGTERM)
    equal(stage.fence.projects["c1"].get(f"{API}/version").status, 200, "SIGTERM is nothing to it")
    os.kill(connector, signal.SIGKILL)
    check(stage.fence.process.wait(10) == 1, "podfence ends with it")
    check("the process that connects to Podman for podfence has ended" in stage.fence.log(), "and says why", stage.fence.log()[-300:])
    stage.fence.settings["insecure_unconfined"] = True
    stage.fence.start()
    check("insecure_unconfined is on" in stage.fence.log() and _status(stage.pid, "Seccomp") == "0", "the opening opens, and is told",
          stage.fence.log())
    stage.fence.stop()
