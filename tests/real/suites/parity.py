"""The same requests past podfence and through it: the answers are the same, but for what exchanges/differences.py gives a reason for.
docs/compatibility.md is made from that table."""

import json
import re
from pathlib import Path
from urllib.parse import quote

from check import check, skip
from clients import LIBPOD
from exchanges import containers, images, objects, system
from exchanges.compare import differences
from exchanges.differences import DIFFERENCES, Difference, allowed
from exchanges.play import Exchange, Side
from fence import SHARED

ENDPOINTS = Path(__file__).resolve().parents[3] / "docs" / "endpoints.md"
STORIES = (containers.by_docker, containers.by_libpod, objects.volumes_by_docker, objects.volumes_by_libpod, objects.networks_by_docker,
           objects.networks_by_libpod, objects.pods, objects.secrets, images.by_docker, images.by_libpod, images.manifests, system.kube,
           system.events_by_docker, system.events_by_libpod, system.about_the_engine)
# What Podman itself refuses here, and why. Of these the refusals are the same.
NOT_HERE = {
    "cgroups of version 2 are needed": {
        "POST /containers/{name}/pause", "POST /containers/{name}/unpause", "POST /libpod/containers/{name}/pause",
        "POST /libpod/containers/{name}/unpause", "POST /libpod/pods/{name}/pause", "GET /libpod/containers/stats", "GET /libpod/pods/stats",
        "POST /containers/{name}/update", "POST /libpod/containers/{name}/update"},
    "a later Podman is needed": {
        "POST /libpod/exec/{id}/remove", "POST /libpod/networks/{name}/update", "GET /libpod/secrets/{name}/exists",
        "POST /libpod/volumes/{name}/import", "GET /libpod/volumes/{name}/export"},
    "Podman 4.3 looks for members in registries": {"PUT /libpod/manifests/{name:.*}"}}
_used, _asked, _served = set(), set(), set()


def served():
    text = ENDPOINTS.read_text().split("## Served", 1)[1].split("## Refused")[0]
    return {f"{method} {path}" for method, path in re.findall(r"^\| ([A-Z]+) \| `([^`]+)` \|", text, re.M)}


def compared(exchange, direct, fenced, number):
    unexplained = []
    for path, what, left, right in differences(direct, fenced):
        row = allowed(Difference(exchange.endpoint, path, what, left, right, (direct, fenced)))
        if row:
            _used.add(row)
        else:
            unexplained.append(f"{what} {path}: {json.dumps(left)[:300]} -> {json.dumps(right)[:300]}")
    _asked.add(exchange.endpoint)
    if isinstance(direct["status"], int) and direct["status"] < 400:
        _served.add(exchange.endpoint)
    check(not unexplained, f"{number} {exchange.endpoint} {exchange.at} {exchange.query}"[:200], "\n".join(unexplained))


def _fence(world):
    """Of its own, open for what p1 of the world is not: on Podman before 5.0 manifest lists are refused."""
    images = {"shared": SHARED, "registries": [world.engine.registry_name, "docker.io"], "insecure_manifests": True}
    return world.another("parity", {"p1": {}}, defaults={"images": images})


def played(world, story):
    """One side after the other, since both make the same names."""
    if story is images.manifests and not world.bare:
        with _fence(world) as fence:
            return _played(world, story, fence.projects["p1"])
    return _played(world, story, world.p1)


def _played(world, story, project):
    sides = []
    _tidy(world, world.engine.direct)
    for socket in (world.engine.direct, project):
        side = Side(socket, world)
        sides.append([side.play(exchange) for exchange in story()])
        _tidy(world, socket)
    return zip(story(), *sides)


# What stories make, by the collections of libpod.
MADE = {"containers": "web tty echo user brief well member group-web renamed lost", "pods": "group spare", "volumes": "vault implied", "networks": "net side",
        "secrets": "word", "images": "localhost/kept:one localhost/kept:two localhost/built:one localhost/built:two localhost/parity:one "
                                     "localhost/loaded:one localhost/many:latest"}


def _tidy(world, socket):
    """What stories make, and an image that suites before them may have left."""
    made = MADE | {"images": f"{MADE['images']} {world.engine.registry_name}/team/mine:latest"}
    for kind, names in made.items():
        there = world.engine.direct.get(f"{LIBPOD}/{kind}/json" + ("?all=true" if kind == "containers" else "")).text
        for name in names.split():
            if f'"{name}"' in there:
                socket.delete(f"{LIBPOD}/{kind}/{quote(name, safe='')}?force=true")


def _topic(story):
    def told(world):
        for number, (exchange, direct, fenced) in enumerate(played(world, story)):
            compared(exchange, direct, fenced, number)
    return told


for _story in STORIES:
    globals()[f"test_{_story.__module__.split('.')[1]}_{_story.__name__}"] = _topic(_story)


def test_what_is_not_there(world):
    """Clients go by the texts: `No such image` makes them pull."""
    rows = {}
    for story in STORIES:
        for exchange in story():
            rows.setdefault(exchange.endpoint, exchange)
    sides = [Side(socket, world) for socket in (world.engine.direct, world.p1)]
    for endpoint, row in rows.items():
        if "{" in endpoint and endpoint != "POST /libpod/manifests/{name:.*}":   # which makes it
            asked = Exchange(endpoint, "absent", row.query, row.content, row.fields)
            compared(asked, *(side.play(asked) for side in sides), "absent")


def test_every_endpoint(world):
    for endpoint in sorted(served()):
        why = next((reason for reason, endpoints in NOT_HERE.items() if endpoint in endpoints), None)
        if why and endpoint in _asked - _served:
            skip(endpoint, why)
        else:
            check(endpoint in _served, f"{endpoint} has an exchange that Podman serves")


def test_every_difference(world):
    """What need not be allowed is not."""
    engine = world.engine.direct.get("/version").json()["Version"][0]
    for number, row in enumerate(DIFFERENCES):
        if engine in row.engines and not world.bare:
            check(row in _used, f"difference {number} is one: {row.reason}, {row.what} {row.paths} of {row.endpoints}"[:200])
