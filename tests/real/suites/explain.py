"""`podfence explain --upstream`: beside the podfence that serves, with its ledger and the same engine. What is told is what
the client reads and what Podman gets, and telling changes nothing."""

import json
import subprocess

from check import check, contains, equal, lacks
from clients import API, LIBPOD
from wire import query
from world import IMAGE, LABEL

REFUSED = 4


def _run(world, method, target, content=None, words=()):
    data = b"" if content is None else json.dumps(content).encode()
    length = f"Content-Length: {len(data)}\r\n" if data else ""
    bytes_ = f"{method} {target} HTTP/1.1\r\nHost: d\r\n{length}\r\n".encode() + data
    scratch = world.engine.scratch
    command = [str(scratch / "podfence"), "explain", "--config", str(scratch / "podfence.json"), "--project", "p1",
               "--upstream", world.engine.socket_path, *words]
    return subprocess.run(command, input=bytes_, capture_output=True, **world.engine.as_user())


def _explained(world, method, target, content=None, code=0):
    ran = _run(world, method, target, content, ["--json"])
    check(ran.returncode == code, f"explaining {method} {target} ends with {code}", ran)
    return json.loads(ran.stdout)


def _state(world):
    podman = world.engine.podman
    return [sorted(podman(*words).split()) for words in (("ps", "-aq"), ("volume", "ls", "-q"), ("network", "ls", "-q"),
                                                         ("images", "-q"), ("pod", "ps", "-q"))]


def test_hidden(world):
    """The operator learns whose it is; the client reads the same as for what does not exist."""
    neighbour = world.neighbour
    for target, truth in ((f"{API}/containers/{neighbour.container}/json", "belongs to the project p10"),
                          (f"{API}/volumes/{neighbour.volume}", "belongs to the project p10"),
                          (f"{API}/networks/{neighbour.network}", "belongs to the project p10"),
                          (f"{LIBPOD}/pods/{neighbour.pod}/json", "belongs to the project p10"),
                          (f"{LIBPOD}/exec/{neighbour.ids['exec']}/json", "in a container that is not this project's"),
                          (f"{API}/images/{neighbour.image}/json", "this project may not see it"),
                          (f"{API}/containers/nothing/json", "does not exist")):
        told = _explained(world, "GET", target, code=REFUSED)
        equal(told["decision"], "hide", f"{target} is hidden")
        contains(told["truth"], truth, f"{target}: the truth")
        answer = world.p1.get(target)
        equal((told["answer"]["status"], told["answer"]["content"]), (answer.status, answer.json()), f"{target}: what is read")


def test_ledger(world):
    """Of the podfence that is running."""
    name = f"{world.engine.registry_name}/team/mine:latest"
    world.p1.post(f"{LIBPOD}/images/pull" + query(reference=name))
    told = _explained(world, "GET", f"{API}/images/{name}/json")
    equal([(each["kind"], each["ownership"]) for each in told["references"]], [("image", "own")], "a pulled image is own")
    check("notes" in told and not any("ledger" in note for note in told["notes"]), "the ledger was read", told)
    world.p1.delete(f"{API}/images/{name}")
    told = _explained(world, "GET", f"{API}/images/{name}/json", code=REFUSED)
    equal(told["decision"], "hide", "an image that was removed again is hidden")


def test_create(world):
    """What is told to be sent is what the engine is given."""
    body = {"Image": IMAGE, "Cmd": ["true"], "Domainname": "", "HostConfig": {"Binds": ["explained:/data", "/workspace:/src:ro"]}}
    before = _state(world)
    told = _explained(world, "POST", f"{API}/containers/create?name=explained", body)
    equal(_state(world), before, "explaining makes nothing")
    equal(told["volumes"], ["explained"], "the volume is made first")
    equal([each["client"] for each in told["sources"]], ["/workspace"], "the workspace is looked at first")
    changes = {each["where"]: each for each in told["content"]}
    equal(changes.get(f"/Labels/{LABEL}", {}).get("after"), "p1", "the label is told")
    image = world.engine.direct.get(f"{LIBPOD}/images/{IMAGE}/json").json()["Id"]
    equal(changes.get("/Image", {}).get("after"), image, "the image is told by its id")
    answer = world.p1.post(f"{API}/containers/create?name=explained", body)
    check(answer.status == 201, "the same request is served", answer)
    made = world.engine.direct.get(f"{LIBPOD}/containers/explained/json").json()
    equal(made["Config"]["Labels"].get(LABEL), "p1", "the container has the label")
    sources = sorted(mount.get("Source", "") for mount in made["Mounts"] if mount["Destination"] == "/src")
    equal(sources, [each["host"] for each in told["sources"]], "the workspace is mounted from where it was told")
    pruned = _explained(world, "POST", f"{LIBPOD}/containers/prune")
    equal([each["target"].rsplit("/", 1)[1] for each in pruned["requests"]], [made["Id"]], "a prune removes what is own")
    check(world.engine.direct.get(f"{LIBPOD}/containers/explained/json").status == 200, "and explaining it does not")
    world.clear(world.p1)


def test_text(world):
    """The form for people, and the place in the configuration."""
    audited = len(world.audit())
    ran = _run(world, "POST", f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"Binds": ["/etc:/etc"]}})
    equal(ran.returncode, REFUSED, "the exit code of a refusal")
    text = ran.stdout.decode()
    contains(text, "mount.host-path, 403", "the rule")
    contains(text, "podfence.json:1: /projects/p1/workspace says it", "where the policy says so")
    lacks(text, "canary", "nothing of the neighbour's")
    equal(len(world.audit()), audited, "explaining writes no audit line")
    world.unharmed()
