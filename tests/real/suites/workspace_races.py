"""A hostile client owns what is in its workspace: while requests are made and containers start, it changes `sub` between a
directory, a symbolic link to a directory of the host, a link to `..`, and nothing, as fast as it can. What a container writes
never holds the secret, and nothing is made on the host. Podman 5.4 opens paths below a workspace beneath a volume; on older ones
such paths are refused, and the workspace itself is mounted. The last topic shows that the race is real: past podfence it is won."""

import collections
import ctypes
import multiprocessing
import os
import subprocess
import time
from contextlib import contextmanager

from check import check, contains, equal, lacks, until
from clients import API, LIBPOD
from wire import request
from world import IMAGE

SECRET = "host-secret-of-the-races"
RENAME_EXCHANGE = 2


def _flip(directory, account, going, flips):
    """Runs as the Podman user: what a program of the client does, in a container or beside it."""
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.chdir(directory)
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    while going.value:
        for other in (b".secret", b".secret", b".up", b".up"):
            if renameat2(-100, b"sub", -100, other, RENAME_EXCHANGE):
                raise OSError(ctypes.get_errno(), "renameat2")
        os.rename("sub", ".away")
        os.rename(".away", "sub")
        flips.value += 6


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

    def swap(self):
        self.user("sh", "-c", "mv sub .away && mv .secret sub && mv .away .secret")

    def listing(self):
        """All that a request might make: what lies beside the workspace, and in the secret directory."""
        return sorted(os.listdir(self.engine.home)), sorted(os.listdir(self.secret)), sorted(os.listdir(self.workspace))

    @contextmanager
    def flipping(self):
        processes = multiprocessing.get_context("fork")
        going, flips = processes.Value("b", True), processes.Value("q", 0)
        process = processes.Process(target=_flip, args=(self.workspace, self.engine.account, going, flips), daemon=True)
        process.start()
        try:
            yield
            check(process.is_alive(), "the flipper is still at work")
        finally:
            going.value = False
            process.join(20)
        check(flips.value > 1000 and process.exitcode == 0, f"the flipper has changed `sub` {flips.value} times")


def _creates(source, target):
    """The create of a container in every form: path and content, without its image."""
    for path, content in (
            (f"{API}/containers/create", {"HostConfig": {"Binds": [f"{source}:{target}"]}}),
            (f"{API}/containers/create", {"HostConfig": {"Binds": [f"{source}:{target}:ro"]}}),
            (f"{API}/containers/create", {"HostConfig": {"Mounts": [{"Type": "bind", "Source": source, "Target": target}]}}),
            (f"{LIBPOD}/containers/create", {"mounts": [
                {"type": "bind", "source": source, "destination": target, "options": ["rbind"]}]}),
            (f"{LIBPOD}/pods/create", {"name": "races", "mounts": [
                {"type": "bind", "source": source, "destination": target, "options": ["ro"]}]})):
        yield path, content


def test_requests(world):
    """2,000 creates that name what is no workspace, while it changes: each is refused, Podman hears of none, and nothing is made."""
    place, p1 = Place(world).fill(), world.p1
    before, rounds, wrong = place.listing(), 0, []
    sources = ["/workspace/sub/../../races-secret", "/workspace/sub/..", "/workspace/sub/.", "/workspace//sub", "/workspace/../races-secret",
               str(place.workspace / "sub"), str(place.secret), "/workspace/sub//", "/workspace/./sub", "/workspace/sub/canary/../.."]
    if not has_sub_paths(world):
        sources += ["/workspace/sub", "/workspace/sub/", "/workspace/sub/canary", "/workspace/.here/sub", "/workspace/sub/new/directory"]
    made = len(p1.get(f"{LIBPOD}/containers/json?all=true").json())
    with place.flipping(), p1.connect() as connection:
        while rounds < 2000:
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
        if "HostConfig" in content:
            content.update({"Image": IMAGE, "Cmd": ["sh", "-c", script]})
            content["HostConfig"]["RestartPolicy"] = {"Name": "always"}
            target += f"?name={name}"
        else:
            content.update({"image": IMAGE, "name": name, "command": ["sh", "-c", script], "restart_policy": "always"})
        yield name, target, content


def test_starts(world):
    """Creates, starts and restarts by requests for 40 seconds, beside restarts by Podman's own restart policy: as many as the
    machine can do."""
    place, p1 = Place(world).fill(), world.p1
    before, racers, made, answers = place.listing(), list(_racers(world, 3)), set(), collections.Counter()
    end = time.monotonic() + 40
    with place.flipping():
        while time.monotonic() < end:
            for name, target, content in racers:
                verb = ("start", "restart?t=0")[sum(answers.values()) % 2]
                answer = p1.post(f"{API}/containers/{name}/{verb}") if name in made else p1.post(target, content)
                made |= {name} if answer.status == 201 else set()
                answers[answer.status] += 1
                # 500: Podman has found a link that leads out of the workspace, or nothing, right behind podfence's look.
                check(answer.status in (201, 204, 304, 409, 500), "an answer that is expected", answer)
                for text, what in ((str(place.workspace), "the host's path"), (SECRET, "the secret")):
                    if text in answer.text:
                        lacks(answer.text, text, f"{what} is not in the answer")
    outputs = "".join(world.engine.podman("logs", name, check=False) for name, _, _ in racers)
    for name, _, _ in racers:
        p1.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
    starts = outputs.count("round")
    check(starts >= 30, f"{starts} containers have run, {answers}")
    lacks(outputs, SECRET, f"no output of {starts} starts holds the secret")
    contains(outputs, "inside", "some starts saw the directory of the workspace")
    place.user("sh", "-c", "rm -f made-* sub/made-*")
    equal(place.listing(), before, "nothing was made on the host")
    print(f"  {sum(answers.values())} requests {dict(sorted(answers.items()))}, {starts} starts")


def test_race_is_real(world):
    """Past podfence a bind of the path itself shows the secret when it is swapped between create and start, or between restarts."""
    place, direct = Place(world).fill(), world.engine.direct
    for name, swapped_before in (("bare-start", "start"), ("bare-again", "start"), ("bare-restart", "restart")):
        answer = direct.post(f"{API}/containers/create?name={name}", {
            "Image": IMAGE, "Cmd": ["sh", "-c", "cat /x/canary; sleep 0.5"],
            "HostConfig": {"Binds": [f"{place.workspace}/sub:/x:ro"], "RestartPolicy": {"Name": "always"}}})
        equal(answer.status, 201, "past podfence the container is made")
        if swapped_before == "start":
            place.swap()
        direct.post(f"{API}/containers/{name}/start")
        if swapped_before == "restart":
            place.swap()
        seen = until(lambda: SECRET in world.engine.podman("logs", name), 30, 0.5)
        check(seen, f"the race is won without podfence: swapped before a {swapped_before}", world.engine.podman("logs", name))
        direct.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
        place.swap()
