"""`podfence doctor` on the real machine: what it says of a host that is in order, and that it notices when one thing is not."""

import json
import os
import subprocess
from contextlib import contextmanager

from check import check, contains, equal, until
from clients import API, LIBPOD
from engine import end, free_port
from wire import query

UNSOUND = 7
CHECKS = {"podman", "versions", "rootless", "ids", "cgroups", "network", "seccomp", "lingering", "socket", "projects", "ledger",
          "workspaces", "clock", "files"}
BUSYBOX = "localhost/bb:latest"


def _run(world, *words, before=()):
    command = [*before, str(world.fence.folder / "podfence"), "doctor", *words]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, **world.engine.as_user())


def _config(world):
    return "--config", str(world.fence.folder / "podfence.json")


def _lines(world, check_name, **options):
    """What it says of one thing."""
    ran = _run(world, *_config(world), "--json", **options)
    lines = [each for each in json.loads(ran.stdout)["checks"] if each["check"] == check_name]
    check(all(("mend" in each) == (each["level"] != "OK") for each in lines), "what is not well has something that mends it", lines)
    failed = any(each["level"] == "FAIL" for each in json.loads(ran.stdout)["checks"])
    equal(ran.returncode, UNSOUND if failed else 0, "the exit code")
    return lines


def _says(world, check_name, level, text, **options):
    lines = _lines(world, check_name, **options)
    check(any(each["level"] == level and text in each["what"] for each in lines), f"{check_name}: {level} {text}", lines)


@contextmanager
def _mode(path, mode):
    before = os.stat(path).st_mode
    os.chmod(path, mode)
    try:
        yield
    finally:
        os.chmod(path, before & 0o7777)


def _start_again(world):
    """What doctor says to do when ledger and Podman differ. The suites before this one take secrets and images away behind podfence's back."""
    end(world.fence.process)
    world.fence.start()


def test_in_order(world):
    _start_again(world)
    ran = _run(world, *_config(world))
    text = ran.stdout
    for line in ("OK    podman      Podman ", "OK    rootless    ", "OK    ids         ", "OK    network     ", "OK    seccomp     ",
                 "OK    socket      nobody but ", "OK    projects    the sockets of 2 project(s)", "OK    ledger      ",
                 "OK    workspaces  3 workspace(s)"):
        contains(text, line, "this machine is in order")
    equal({each["check"] for each in json.loads(_run(world, *_config(world), "--json").stdout)["checks"]}, CHECKS, "all checks")


def test_without_configuration(world):
    ran = _run(world, "--upstream", world.engine.socket_path)
    contains(ran.stdout, "OK    socket ", "Podman's socket is looked at")
    contains(ran.stdout, "WARN  ledger ", "there is no ledger at the usual place")
    ran = _run(world, "--upstream", "/run/nobody.sock")
    equal(ran.returncode, UNSOUND, "no Podman is a failure")
    contains(ran.stdout, "FAIL  podman      Podman does not answer on /run/nobody.sock: No such file or directory", "and told")


def test_socket_of_everybody(world):
    with _mode(world.engine.runtime, 0o755), _mode(world.engine.socket_path, 0o666):
        _says(world, "socket", "FAIL", "can be opened by everybody")
    with _mode(world.engine.runtime, 0o777):
        _says(world, "socket", "FAIL", "another socket in its place")
    _says(world, "socket", "OK", "nobody but")


def test_socket_in_a_container(world):
    podman = world.engine.podman
    podman("run", "-d", "--name", "spy", "-v", f"{world.engine.socket_path}:/podman.sock", BUSYBOX, "sleep", "1000")
    try:
        _says(world, "socket", "FAIL", "the container spy has Podman's own socket")
    finally:
        podman("rm", "-f", "-t", "0", "spy")


def test_socket_on_tcp(world):
    address = f"tcp:127.0.0.1:{free_port()}"
    service = subprocess.Popen(world.engine.podman_words("system", "service", "--time", "0", address), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=world.engine.home,
                               env=world.engine.environment(), start_new_session=True)
    try:
        told = until(lambda: [each for each in _lines(world, "socket") if address in each["what"]], 20)
        check(told and told[0]["level"] == "FAIL", "a service on TCP is told", told)
    finally:
        end(service)


def test_project_socket(world):
    path = world.fence.sockets["p1"]
    with _mode(world.engine.runtime, 0o755), _mode(os.path.dirname(os.path.dirname(path)), 0o755), _mode(os.path.dirname(path), 0o755), \
            _mode(path, 0o666):
        _says(world, "projects", "WARN", "the socket of project p1 can be opened by everybody")


def test_ledger(world):
    name = f"{world.engine.registry_name}/team/mine:latest"
    world.p1.post(f"{LIBPOD}/images/pull" + query(reference=name))
    _start_again(world)
    _says(world, "ledger", "OK", "and Podman agree")
    world.engine.podman("rmi", name)
    _says(world, "ledger", "WARN", "differ in")
    _start_again(world)
    _says(world, "ledger", "OK", "and Podman agree")
    world.p1.delete(f"{API}/images/{name}")


def test_workspace(world):
    place = world.engine.home / "workspace-p1"
    aside = world.engine.home / "workspace-aside"
    place.rename(aside)
    try:
        _says(world, "workspaces", "FAIL", f"the workspace {place} of project p1 is no directory")
        place.symlink_to(aside)
        _says(world, "workspaces", "FAIL", "symbolic link")
        place.unlink()
    finally:
        aside.rename(place)
    owner = os.stat(place)
    os.chown(place, 0, 0)
    try:
        _says(world, "workspaces", "WARN", "belongs to uid 0")
    finally:
        os.chown(place, owner.st_uid, owner.st_gid)
    with _mode(place, 0o777):
        _says(world, "workspaces", "WARN", "written by every user")


def test_files(world):
    _says(world, "files", "WARN", "600 files may be open", before=("prlimit", "--nofile=600:600"))
