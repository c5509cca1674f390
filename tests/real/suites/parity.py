"""The same requests past podfence and through it: the answers are the same, but for what exchanges/differences.py gives a reason for.
docs/compatibility.md is made from that table."""

import json
import re
from pathlib import Path

from check import check
from exchanges import containers, images, objects, system
from exchanges.compare import differences
from exchanges.differences import DIFFERENCES, Difference, allowed
from exchanges.play import Exchange, Side
from fence import SHARED

ENDPOINTS = Path(__file__).resolve().parents[3] / "docs" / "endpoints.md"
STORIES = (containers.by_docker, containers.by_libpod, objects.volumes_by_docker, objects.volumes_by_libpod, objects.networks_by_docker,
           objects.networks_by_libpod, objects.pods, objects.secrets, images.by_docker, images.by_libpod, images.manifests, system.kube,
           system.events_by_docker, system.events_by_libpod, system.about_the_engine)
_used, _asked = set(), set()


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
    for socket in (world.engine.direct, project):
        side = Side(socket, world)
        sides.append([side.play(exchange) for exchange in story()])
        _tidy(world, socket)
    return zip(story(), *sides)


LEFT = """libpod/containers/web libpod/containers/tty libpod/containers/echo libpod/containers/user libpod/containers/brief libpod/containers/well
libpod/containers/renamed libpod/containers/lost libpod/pods/group libpod/pods/spare libpod/volumes/data libpod/volumes/implied libpod/networks/net
libpod/networks/side libpod/secrets/word libpod/manifests/localhost%2Fmany:latest libpod/images/localhost%2Fkept:one libpod/images/localhost%2Fkept:two
libpod/images/localhost%2Fbuilt:one libpod/images/localhost%2Fbuilt:two libpod/images/localhost%2Fparity:one libpod/images/localhost%2Floaded:one""".split()


def _tidy(world, socket):
    """What a story left behind, if it went wrong."""
    for path in LEFT:
        socket.delete(f"/v4.0.0/{path}?force=true")


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
        check(endpoint in _asked, f"{endpoint} has an exchange")


def test_every_difference(world):
    """What need not be allowed is not."""
    engine = world.engine.direct.get("/version").json()["Version"][0]
    for number, row in enumerate(DIFFERENCES):
        if engine in row.engines and not world.bare:
            check(row in _used, f"difference {number} is one: {row.reason}, {row.what} {row.paths} of {row.endpoints}"[:200])
