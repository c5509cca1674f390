"""`podfence verify`: it passes against podfence, every family fails against Podman's own socket in the place of podfence's, and
whatever becomes of a run, everything is as it was before."""

import json
import os
import signal
import subprocess
from collections import Counter
from functools import wraps

from check import check, contains, equal, until
from clients import API, LIBPOD
from engine import end
from wire import Socket

UNSOUND, FAILED = 7, 1
FAMILIES = {"label", "foreign", "list", "events", "prune", "mount", "namespace", "privilege", "port", "build", "tag", "exec",
            "framing", "hijack", "limit"}


def _whosever_names(test):
    """Projects with private names would be told nothing new."""
    @wraps(test)
    def once(world):
        if world.names == "shared":
            test(world)
    return once


def _words(fence, *words):
    return [str(fence.folder / "podfence"), "verify", *words]


def _verify(world, fence, *words):
    return subprocess.run(_words(fence, *words), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
                          **world.engine.as_user())


def _start(world, fence, *words):
    return subprocess.Popen(_words(fence, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, **world.engine.as_user())


def _config(fence):
    return ["--config", str(fence.folder / "podfence.json")]


def _raw(world):
    """Podman's socket in the place of a project's: by another name, since nobody may name the same socket for both."""
    raw = world.engine.runtime / "raw.sock"
    if not raw.is_symlink():
        raw.symlink_to(world.engine.socket_path)
    return ["--project", "p1", "--socket", str(raw), "--upstream", world.engine.socket_path]


def _state(world):
    """All that there is, of everybody."""
    direct = world.engine.direct
    listed = {"containers/json?all=true": ("Id", "Names", "State", "StartedAt"), "pods/json": ("Id", "Name", "Status"),
              "volumes/json": ("Name", "CreatedAt"), "networks/json": ("id", "name"), "secrets/json": ("ID", "UpdatedAt"),
              "images/json?all=true": ("Id", "RepoTags")}
    seen = {what: sorted(str([each.get(name) for name in names]) for each in direct.get(f"{LIBPOD}/{what}").json() or [])
            for what, names in listed.items()}
    # Podman makes this image with the first pod of all.
    seen["images/json?all=true"] = [line for line in seen["images/json?all=true"] if "podman-pause" not in line]
    return seen


def _report(ran):
    return json.loads(ran.stdout)


def _live(world):
    """Things of p1 that stand beside a run: what a prune of everything would take is among them."""
    for name in ("live-a", "live-b"):
        made = world.p1.post(f"{API}/containers/create?name={name}", {"Image": "localhost/bb:latest", "Cmd": ["sleep", "1000"]})
        equal(made.status, 201, f"p1 makes {name}")
    world.p1.post(f"{API}/containers/live-a/start")
    world.p1.post(f"{API}/volumes/create", {"Name": "live-volume"})
    world.p1.post(f"{API}/networks/create", {"Name": "live-net"})


def _told(outcomes):
    return "\n".join(f"{each['result']} {each['family']}: {each['what']}: {each['tried']} -> {each['seen']}" for each in outcomes)


def _passed(ran_code, report, said=""):
    others = [each for each in report["probes"] if each["result"] != "PASS"]
    check(ran_code == 0 and not others, "every probe passes", said + _told(others))
    check(report["passed"] >= 50, "so many probes", report["passed"])
    equal({each["family"] for each in report["probes"]}, FAMILIES, "of all families")
    equal((report["left"], report["broken_off"]), ([], ""), "nothing is left")


def test_sound(world):
    """Against podfence every probe passes, beside live projects and behind a run that was killed; one run at a time."""
    _live(world)
    before, mine = _state(world), world.neighbour.state()
    killed = _started(world, world.fence, *_raw(world))
    killed.kill()
    killed.communicate()
    check(_state(world) != before, "something is left behind by a run that was killed")
    process = _started(world, world.fence, *_config(world.fence), "--project", "p1")
    second = _verify(world, world.fence, *_raw(world))
    equal(second.returncode, FAILED, "a second run meanwhile is refused")
    contains(second.stderr, "another podfence verify is running", "and told why")
    out, err = process.communicate(timeout=600)
    lines = [line.split() for line in (process.first + out).splitlines() if not line.startswith(" ")]
    check(process.returncode == 0 and all(words[0] == "PASS" for words in lines[:-1]), "every probe passes", err + process.first + out)
    equal(" ".join(lines[-1]), f"{len(lines) - 1} passed, 0 failed, 0 could not be tried", "the numbers")
    equal({words[1] for words in lines[:-1]}, FAMILIES, "of all families")
    equal(_state(world), before, "everything is as it was before, without what the killed run left")
    equal(world.neighbour.state(), mine, "so is p10")
    world.unharmed()
    world.clear(world.p1)


@_whosever_names
def test_raw(world):
    """Against Podman itself every family fails with evidence, and everything is removed again."""
    before = _state(world)
    ran = _verify(world, world.fence, *_raw(world), "--json")
    report = _report(ran)
    equal(ran.returncode, UNSOUND, "the exit code")
    failed = Counter(each["family"] for each in report["probes"] if each["result"] == "FAIL")
    equal(set(failed), FAMILIES, "every family fails")
    others = [each for each in report["probes"] if each["result"] != "FAIL"]
    print(f"verify: {report['failed']} of {len(report['probes'])} probes fail against Podman itself")
    check(report["failed"] >= 60, "nearly all probes fail", _told(others))
    for each in report["probes"]:
        if each["result"] == "FAIL":
            check(each["seen"] and each["tried"] and each["means"].startswith("a client can "), "with evidence", each)
    equal((report["left"], report["broken_off"]), ([], ""), "nothing is left")
    equal(_state(world), before, "everything is as it was before")
    world.unharmed()


def _started(world, fence, *words):
    """A run in the middle of it."""
    process = _start(world, fence, *words)
    process.first = "".join(process.stdout.readline() for _ in range(12))
    return process


def _for_people(text):
    """What was tried and seen, and at the end what to do at once."""
    contains(text, "FAIL  label       a container that says it is the decoy's\n", "a line for each probe")
    contains(text, "tried: POST /v4.0.0/libpod/containers/create {", "what was tried")
    contains(text, "-new was made", "what was seen")
    contains(text, "means: a client can make things that count as another project's", "what it means")
    check(text.splitlines()[-1].startswith("AT ONCE: take "), "the last line says what to do", text[-400:])


@_whosever_names
def test_interrupted(world):
    """A signal, or a reader who goes away, in the middle: everything is removed."""
    before = _state(world)
    for number in (signal.SIGINT, signal.SIGTERM):
        process = _started(world, world.fence, *_raw(world))
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        contains(out, "broken off: by a signal", f"{number.name} is told")
        equal(process.returncode, UNSOUND, f"what failed before {number.name} counts")
        _for_people(process.first + out)
        equal(_state(world), before, f"everything is as it was before {number.name}")
    process = _started(world, world.fence, *_config(world.fence), "--project", "p1")
    process.stdout.close()
    process.wait(300)
    equal(_state(world), before, "everything is as it was before the reader went away")


@_whosever_names
def test_podman_goes_away(world):
    """In the middle: that is told, and the next run removes what was left."""
    before = _state(world)
    path = str(world.engine.runtime / "relay.sock")
    relay = subprocess.Popen(["socat", f"UNIX-LISTEN:{path},fork,backlog=128", f"UNIX-CONNECT:{world.engine.socket_path}"],
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **world.engine.as_user())
    until(lambda: os.path.exists(path))
    process = _started(world, world.fence, *_raw(world)[:-1], path)
    end(relay)
    out, _ = process.communicate(timeout=300)
    equal(process.returncode, UNSOUND, "what failed before counts")
    contains(out, "broken off: Podman does not ", "it is told")
    contains(out, "left behind: what is called podfence-verify-", "so is what is left")
    process = _started(world, world.fence, *_raw(world))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    equal(_state(world), before, "the next run has removed it")


def test_operators_socket(world):
    """The decoy is a project of podfence's then; and what a project may not do at all is told, not passed over."""
    admin = world.engine.runtime / "verify-admin.sock"
    fence = world.another("verify", {"v1": {}, "looker": {"policy": "read-only"}})
    fence.settings.update({"admin": str(admin), "policies": str(world.engine.scratch / "verify-policies")})
    policies = world.engine.scratch / "verify-policies"
    policies.mkdir(exist_ok=True)
    (policies / "read-only.json").write_text('{"access": "read"}')
    before = _state(world)
    with fence:
        process = _started(world, fence, *_config(fence), "--project", "v1")
        process.kill()
        process.communicate()
        equal(len(_projects(admin)), 3, "a killed run leaves its decoy project")
        ran = _verify(world, fence, *_config(fence), "--project", "v1", "--json")
        report = _report(ran)
        _passed(ran.returncode, report, ran.stderr)
        decoys = [line for line in map(json.loads, fence.audit()) if line.get("project") == report["run"]]
        check(any(line.get("listener") == "teardown" for line in decoys), "the decoy is torn down by podfence", len(decoys))
        equal(_projects(admin), ["looker", "v1"], "both decoy projects are gone")
        ran = _verify(world, fence, *_config(fence), "--project", "looker", "--json")
        report = _report(ran)
        check(ran.returncode == 0 and report["failed"] == 0, "a project that only reads passes", ran.stderr + _told(report["probes"]))
        skipped = [each for each in report["probes"] if each["result"] == "SKIP"]
        check(len(skipped) > 20, "what it may not make is not counted as passed", len(skipped))
        check(all("cannot be made" in each["seen"] or "not served" in each["seen"] for each in skipped), "and the reason is told",
              _told(skipped))
        check(report["passed"] > 20, "the others pass", report["passed"])
    equal(_state(world), before, "everything is as it was before")


def _projects(admin):
    return sorted(each["id"] for each in Socket(str(admin)).get("/projects").json()["projects"])


def test_wrong_places(world):
    """What cannot prove anything is no success."""
    ran = _verify(world, world.fence, "--project", "p1", "--socket", "/run/nobody.sock", "--upstream", world.engine.socket_path)
    equal(ran.returncode, FAILED, "no podfence there")
    contains(ran.stderr, "podfence does not answer on /run/nobody.sock", "is told")
    ran = _verify(world, world.fence, "--project", "p1", "--socket", world.fence.sockets["p1"], "--upstream", "/run/nobody.sock")
    equal(ran.returncode, FAILED, "no Podman there")
    contains(ran.stderr, "Podman does not answer on /run/nobody.sock", "is told")
