"""A hostile client owns what is in its workspace: while requests are made and containers start, it changes `sub` between a
directory, a symbolic link to a directory of the host, a link to `..`, and nothing, as fast as it can. What a container writes
never holds the secret, and nothing is made on the host. Podman 5.4 opens paths below a workspace beneath a volume; on older ones
such paths are refused, and the workspace itself is mounted. The last topic shows that the race is real: past podfence it is won."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from check import check, contains, equal, lacks
from clients import API, LIBPOD
from wire import request
from world import IMAGE

SECRET = "host-secret-of-the-races"
# Of the flipper, which runs as the Podman user: RENAME_EXCHANGE by the C library, as any program could do it.
FLIPPER = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
os.chdir(sys.argv[1])
flips, going = 0, True
def end(*_):
    global going
    going = False
signal.signal(signal.SIGTERM, end)
def swap(other):
    if libc.renameat2(-100, b"sub", -100, other, 2):
        raise OSError(ctypes.get_errno(), "renameat2")
while going:
    for other in (b".secret", b".secret", b".up", b".up"):
        swap(other)
        flips += 1
    os.rename("sub", ".away")
    os.rename(".away", "sub")
    flips += 2
print(flips)
"""


def version(world):
    """Of the engine: major and minor."""
    return tuple(int(word) for word in world.engine.direct.get(f"{LIBPOD}/version").json()["Version"].split(".")[:2])


def has_sub_paths(world):
    return version(world) >= (5, 4)


class Place:
    """p1's workspace with what the flipper needs, and the secret beside it."""

    def __init__(self, world):
        engine = world.engine
        self.engine = engine
        self.workspace = engine.home / "workspace-p1"
        self.secret = engine.home / "races-secret"

    def fill(self):
        self.engine.host_directory(self.secret.name)
        (self.secret / "canary").write_text(SECRET + "\n")
        self.user("find", ".", "-mindepth", "1", "-delete")
        self.user("mkdir", "sub")
        self.user("sh", "-c", "echo inside >sub/canary; echo root >canary")
        self.user("ln", "-s", str(self.secret), ".secret")
        self.user("ln", "-s", "..", ".up")
        self.user("ln", "-s", ".", ".here")
        return self

    def user(self, *words):
        options = {**self.engine.as_user(), "cwd": str(self.workspace)}
        return subprocess.run(words, check=True, stdin=subprocess.DEVNULL, **options)

    def listing(self):
        """All that a request might make: what lies beside the workspace, and in the secret directory."""
        return sorted(os.listdir(self.engine.home)), sorted(os.listdir(self.secret)), sorted(os.listdir(self.workspace))

    @contextmanager
    def flipping(self):
        process = subprocess.Popen([sys.executable, "-c", FLIPPER, str(self.workspace)], stdout=subprocess.PIPE, text=True,
                                   **self.engine.as_user())
        try:
            yield process
            check(process.poll() is None, "the flipper is still at work")
        finally:
            process.send_signal(signal.SIGTERM)
            flips = int(process.communicate(timeout=20)[0] or 0)
        check(flips > 1000, f"the flipper has changed `sub` {flips} times")


def _creates(source, target):
    """The create of a container in every form: path and content."""
    for path, content in (
            (f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"Binds": [f"{source}:{target}"]}}),
            (f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"Binds": [f"{source}:{target}:ro"]}}),
            (f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {
                "Mounts": [{"Type": "bind", "Source": source, "Target": target}]}}),
            (f"{LIBPOD}/containers/create", {"image": IMAGE, "mounts": [
                {"type": "bind", "source": source, "destination": target, "options": ["rbind"]}]}),
            (f"{LIBPOD}/pods/create", {"name": "races", "mounts": [
                {"type": "bind", "source": source, "destination": target, "options": ["ro"]}]})):
        yield path, content


def test_requests(world):
    """1,500 creates that name what is no workspace, while it changes: each is refused, Podman hears of none, and nothing is made."""
    place, p1 = Place(world).fill(), world.p1
    before, rounds, wrong = place.listing(), 0, []
    sources = ["/workspace/sub/../../races-secret", "/workspace/sub/..", "/workspace/sub/.", "/workspace//sub", "/workspace/../races-secret",
               str(place.workspace / "sub"), str(place.secret), "/workspace/sub//", "/workspace/./sub", "/workspace/sub/canary/../.."]
    if not has_sub_paths(world):
        sources += ["/workspace/sub", "/workspace/sub/", "/workspace/sub/canary", "/workspace/.here/sub", "/workspace/sub/new/directory"]
    made = len(p1.get(f"{LIBPOD}/containers/json?all=true").json())
    with place.flipping(), p1.connect() as connection:
        while rounds < 1500:
            for source in sources:
                for path, content in _creates(source, "/x"):
                    connection.send(request("POST", path, content))
                    answer = connection.receive()
                    rounds += 1
                    if answer.status != 403 or not answer.json()["cause"].startswith("mount."):
                        wrong.append((source, path, answer))
    equal(wrong[:3], [], f"all of {rounds} creates are refused")
    equal(place.listing(), before, "nothing was made on the host")
    equal(len(p1.get(f"{LIBPOD}/containers/json?all=true").json()), made, "no container was made")


def _racers(world, count):
    """Containers that mount what the flipper changes, end at once, and are started again by Podman."""
    source, look = ("/workspace/sub", "cat /x/canary") if has_sub_paths(world) else ("/workspace", "cat /x/sub/canary /x/sub/races-secret/canary")
    script = f"{look} 2>&1; echo >/x/made-$$ 2>/dev/null; echo round"
    for number in range(count):
        target, content = list(_creates(source, "/x"))[(0, 2, 3)[number % 3]]
        name = f"racer-{number}"
        if "Image" in content:
            content.update({"Cmd": ["sh", "-c", script], "User": "0"})
            content["HostConfig"]["RestartPolicy"] = {"Name": "always"}
            target += f"?name={name}"
        else:
            content.update({"name": name, "command": ["sh", "-c", script], "restart_policy": "always"})
        yield name, target, content


def _logs(world, name):
    return world.engine.podman("logs", name, check=False)


def test_starts(world):
    """Creates, starts and restarts by requests, and restarts by Podman's own restart policy, 500 in all."""
    place, p1 = Place(world).fill(), world.p1
    before, answers, rounds = place.listing(), {}, 0
    wanted, end = 500, time.monotonic() + 60

    def note(answer, allowed):
        answers[answer.status] = answers.get(answer.status, 0) + 1
        check(answer.status in allowed, f"an answer of {allowed}", answer)
        lacks(answer.text, str(place.workspace), "the host's path is not in the answer")
        lacks(answer.text, SECRET, "the secret is not in the answer")
    racers = list(_racers(world, 3))
    with place.flipping():
        made = set()
        while rounds < wanted and time.monotonic() < end:
            for name, target, content in racers:
                if name not in made:
                    answer = p1.post(target, content)
                    note(answer, (201, 409))
                    made |= {name} if answer.status == 201 else set()
                else:
                    verb = ("start", "restart?t=0")[rounds % 2]
                    # 500: Podman found a link that leads out of the workspace, or nothing, right behind podfence's look.
                    note(p1.post(f"{API}/containers/{name}/{verb}"), (204, 304, 409, 500))
                rounds += 1
            time.sleep(0.2)
            rounds = max(rounds, sum(answers.values()) + sum(_logs(world, name).count("round") for name in made))
    outputs = "".join(_logs(world, name) for name, _, _ in racers)
    starts = outputs.count("round")
    check(starts >= 30, f"{starts} containers have run, {answers}")
    lacks(outputs, SECRET, f"no output of {starts} starts holds the secret")
    contains(outputs, "inside", "some starts saw the directory of the workspace")
    for name, _, _ in racers:
        p1.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
    place.user("sh", "-c", "rm -f made-* sub/made-*")
    equal(place.listing(), before, "nothing was made on the host")
    print(f"  {starts} starts, answers {json.dumps(answers, sort_keys=True)}")


def test_race_is_real(world):
    """Past podfence a bind of the path itself shows the secret when it is swapped between create and start, and when it is
    swapped between restarts: on this Podman as well."""
    place, direct = Place(world).fill(), world.engine.direct
    for number in range(5):
        name, script = f"bare-{number}", "cat /x/canary; sleep 1; exit 1"
        answer = direct.post(f"{API}/containers/create?name={name}", {
            "Image": IMAGE, "Cmd": ["sh", "-c", script],
            "HostConfig": {"Binds": [f"{place.workspace}/sub:/x:ro"], "RestartPolicy": {"Name": "always"}}})
        equal(answer.status, 201, "past podfence the container is made")
        if number % 2:
            direct.post(f"{API}/containers/{name}/start")
            _swap(place)
            time.sleep(4)
        else:
            _swap(place)
            direct.post(f"{API}/containers/{name}/start")
            time.sleep(1)
        contains(_logs(world, name), SECRET, f"the race is won without podfence ({'restart' if number % 2 else 'start'})")
        direct.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
        _swap(place)


def _swap(place):
    place.user("sh", "-c", "mv sub .away && mv .secret sub && mv .away .secret")
