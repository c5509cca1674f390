"""Prune and batch removal as p1: p1's own go, p10's stay, and the report has the shape that Podman's own has."""

import json

from check import check, contains, equal, lacks
from clients import API, LIBPOD, ok, wait_for_end
from wire import query
from world import IMAGE, LABEL, SLEEP


def _stopped(world, name="done"):
    world.p1.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": name, "command": ["true"], "labels": {"kind": "done"}})
    world.p1.post(f"{LIBPOD}/containers/{name}/start")
    wait_for_end(world.p1, name)


def _make(world):
    """One unused thing of each kind of p1, and a container that runs."""
    p1 = world.p1
    _stopped(world)
    p1.post(f"{LIBPOD}/volumes/create", {"Name": "data", "Labels": {"kind": "done"}})
    p1.post(f"{LIBPOD}/networks/create", {"name": "net", "labels": {"kind": "done"}})
    ok(p1.podman("pod", "create", "--name", "pod"))
    ok(p1.podman("pod", "start", "pod"))
    ok(p1.podman("pod", "stop", "-t", "1", "pod"))


def _p10_unused(world):
    """Things of p10 that a prune would take: stopped, unused, unlabelled."""
    p10 = world.p10
    p10.post(f"{LIBPOD}/volumes/create", {"Name": "unused-canary", "Labels": {"kind": "done"}})
    p10.post(f"{LIBPOD}/networks/create", {"name": "unused-canary", "labels": {"kind": "done"}})
    p10.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": "done-canary", "command": ["true"], "labels": {"kind": "done"}})
    p10.post(f"{LIBPOD}/containers/done-canary/start")
    wait_for_end(p10, "done-canary")
    ok(p10.podman("pod", "create", "--name", "stopped-canary"))
    ok(p10.podman("pod", "start", "stopped-canary"))
    ok(p10.podman("pod", "stop", "-t", "1", "stopped-canary"))


def _p10_kept(world, what):
    direct = world.engine.direct
    for path in ("volumes/unused-canary", "networks/unused-canary", "containers/done-canary", "pods/stopped-canary"):
        equal(direct.get(f"{LIBPOD}/{path}/json").status, 200, f"{what} leaves p10's {path}")
    world.unharmed(f"{what} leaves p10's things")


def shape(value):
    """A JSON value with the leaves replaced by their types."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


PRUNES = [(f"{API}/containers/prune", "containers/done"), (f"{LIBPOD}/containers/prune", "containers/done"),
          (f"{API}/volumes/prune", "volumes/data"), (f"{LIBPOD}/volumes/prune", "volumes/data"),
          (f"{API}/networks/prune", "networks/net"), (f"{LIBPOD}/networks/prune", "networks/net"),
          (f"{LIBPOD}/pods/prune", "pods/pod")]


def test_prune(world):
    _p10_unused(world)
    for path, gone in PRUNES:
        _make(world)
        equal(world.engine.direct.get(f"{LIBPOD}/{gone}/json").status, 200, f"{gone} is there before {path}")
        answer = world.p1.post(path)
        equal(answer.status, 200, path)
        equal(world.engine.direct.get(f"{LIBPOD}/{gone}/json").status, 404, f"{path} removes {gone}")
        lacks(answer.text, "canary", f"{path} reports nothing of p10's")
        _p10_kept(world, path)
        world.clear(world.p1)


def test_prune_reports(world):
    """The shape of each report, compared with Podman's own: asked past the proxy, for p1's label only where Podman listens
    to filters. Pods are left out, since Podman prunes everybody's whatever the filter."""
    for path, _ in PRUNES:
        if "/pods/" in path:
            continue
        _make(world)
        through = world.p1.post(path)
        world.clear(world.p1)
        _make(world)
        bare = world.engine.direct.post(path + query(filters={"label": [f"{LABEL}=p1"]}))
        equal((through.status, shape(through.json())), (bare.status, shape(bare.json())), f"{path} reports as Podman does")
        equal(through.field("content-type"), bare.field("content-type"), f"{path} has Podman's content type")
        world.clear(world.p1)
    _p10_kept(world, "the comparison")


def test_prune_filters(world):
    """The client's own filters still hold."""
    for path, kept in PRUNES:
        if "/pods/" in path:
            continue
        _make(world)
        for filters in ({"label": ["kind=other"]}, {"label": {"kind=other": True}}):
            answer = world.p1.post(path + query(filters=filters))
            check(answer.status == 200, f"{path} {filters}", answer)
            equal(world.engine.direct.get(f"{LIBPOD}/{kept}/json").status, 200, f"{path} {filters} leaves {kept}")
        world.p1.post(path + query(filters={"label": ["kind=done"]}))
        equal(world.engine.direct.get(f"{LIBPOD}/{kept}/json").status, 404, f"{path} label=kind=done removes {kept}")
        _p10_kept(world, f"{path} with filters")
        world.clear(world.p1)


def test_prune_tricks(world):
    """Ways in which a client could try to replace the filter that keeps a prune within its project."""
    p10 = json.dumps({"label": [f"{LABEL}=p10"]})
    form = f"filters={p10}".encode()
    for path, _ in PRUNES:
        for suffix, content, fields in (
                (query(filters=p10), None, ()),
                ("", form, (("Content-Type", "application/x-www-form-urlencoded"),)),
                (query(filters={"label": ["kind=done"]}), form, (("Content-Type", "application/x-www-form-urlencoded"),)),
                (query(filters=[json.dumps({"label": ["kind=done"]}), p10]), None, ()),
                (query(Filters=p10), None, ()), (query(FILTERS=p10), None, ()),
                (query(filters={"label": ["kind=done"]}) + "&" + query(Filters=p10)[1:], None, ()),
                ("?filter%C5%BF=" + query(x=p10)[3:], None, ()),
                ("?filters%5B%5D=" + query(x=p10)[3:], None, ()),
                ("?filters=%7B%22label%22%3A%7B%22kind%3Ddone%22%3Afalse%7D%7D", None, ()),
                ("?filters=null", None, ()), ("?filters=%zz", None, ()), ("?all=true;filters=x", None, ()),
                (query(filters={"label!": [f"{LABEL}=p1"]}), None, ()),
                (query(filters={"label": ["kind=done", f"{LABEL}=p10"]}), None, ()),
                (query(all=True), None, ()), (query(filters={"all": ["true"]}), None, ()),
                (query(external=True, build=True), None, ())):
            world.p1.post(path + suffix, content, fields=fields)
        _p10_kept(world, f"tricks with {path}")


def test_image_removal(world):
    """Removal of images: shared ones and p10's stay whatever is asked."""
    p1, registry, direct = world.p1, world.engine.registry_name, world.engine.direct
    p1.post(f"{LIBPOD}/images/prune?all=true")  # p1's own, of other suites
    before = sorted(tag for image in direct.get(f"{LIBPOD}/images/json").json() for tag in image.get("RepoTags") or [])
    bb = direct.get(f"{LIBPOD}/images/{IMAGE}/json").json()["Id"]
    foreign = world.neighbour.ids["image"]
    for method, path in (("DELETE", f"{API}/images/{IMAGE}"), ("DELETE", f"{API}/images/{IMAGE}?force=true"),
                         ("DELETE", f"{API}/images/{bb}?force=true"), ("DELETE", f"{API}/images/bb"),
                         ("DELETE", f"{LIBPOD}/images/{IMAGE}?force=true"), ("DELETE", f"{LIBPOD}/images/{bb[:12]}?force=true"),
                         ("DELETE", f"{LIBPOD}/images/remove?images={IMAGE}&images={foreign}&force=true"),
                         ("DELETE", f"{LIBPOD}/images/remove?all=true"), ("DELETE", f"{LIBPOD}/images/remove?all=true&force=true"),
                         ("DELETE", f"{LIBPOD}/images/remove"), ("DELETE", f"{API}/images/{foreign}?force=true"),
                         ("POST", f"{API}/images/prune"), ("POST", f"{LIBPOD}/images/prune"),
                         ("POST", f"{LIBPOD}/images/prune?all=true"), ("POST", API + "/images/prune" + query(filters={"dangling": ["false"]})),
                         ("POST", API + "/images/prune" + query(filters={"dangling": {"false": True}})),
                         ("POST", f"{LIBPOD}/system/prune"), ("POST", f"{LIBPOD}/system/prune?all=true&volumes=true")):
        answer = p1.call(method, path)
        after = sorted(tag for image in direct.get(f"{LIBPOD}/images/json").json() for tag in image.get("RepoTags") or [])
        equal(after, before, f"{method} {path} leaves shared and foreign images ({answer.status})")
    name = f"{registry}/team/mine:latest"
    ok(p1.docker("pull", name))
    answer = p1.post(f"{LIBPOD}/images/prune?all=true")
    equal(answer.status, 200, "image prune all")
    lacks(p1.docker("images", "--format", "{{.Repository}}").out, "team/mine", "image prune all removes one's own unused image")
    _p10_kept(world, "removal of images")


def test_image_held_by_both(world):
    """p1 and p10 pulled the same image: p1's removal takes p1's hold only."""
    p1, p10, name = world.p1, world.p10, f"{world.engine.registry_name}/team/mine:latest"
    for project in (p10, p1):
        ok(project.docker("pull", name))
    for words in (("rmi", name), ("rmi", "-f", name)):
        p1.docker(*words)
        ok(p10.docker("image", "inspect", name), f"{' '.join(words[:-1])} of p1 leaves p10 the image")
    identifier = json.loads(p10.docker("image", "inspect", name).out)[0]["Id"]
    p1.docker("rmi", "-f", identifier)
    ok(p10.docker("run", "--rm", name, "true"), "p10 still runs the image")
    ok(p10.docker("rmi", name))


def test_batch_image_report(world):
    p1, name = world.p1, f"{world.engine.registry_name}/team/mine:latest"
    p1.docker("pull", name)
    through = p1.delete(f"{LIBPOD}/images/remove" + query(images=[name, "absent"]))
    world.engine.podman("pull", "-q", name)
    bare = world.engine.direct.delete(f"{LIBPOD}/images/remove" + query(images=[name, "absent"]))
    equal((through.status, sorted(through.json())), (bare.status, sorted(bare.json())), "batch image removal reports as Podman does")
    contains(str(through.json()), "absent", "the report names what was not there")


def test_forced_network_removal(world):
    """Podman would remove every container on the network, whosever it is."""
    ok(world.p1.podman("network", "create", "net"))
    ok(world.p1.podman("run", "-d", "--name", "web", "--network", "net", IMAGE, *SLEEP))
    identifier = world.p1.get(f"{LIBPOD}/networks/net/json").json()["id"]
    for name in ("net", identifier):
        for path in (f"{API}/networks/{name}", f"{LIBPOD}/networks/{name}", f"{LIBPOD}/networks/{name}?force=true"):
            answer = world.p1.delete(path)
            check(answer.status >= 400, f"DELETE {path} of a network in use", answer)
    for path in ("networks/net", "containers/web"):
        equal(world.engine.direct.get(f"{LIBPOD}/{path}/json").status, 200, f"{path} is still there")
    world.clear(world.p1)


def test_clean_up(world):
    podman = world.engine.podman
    podman("rm", "-f", "done-canary")
    podman("pod", "rm", "-f", "stopped-canary")
    podman("volume", "rm", "unused-canary")
    podman("network", "rm", "unused-canary")
    world.unharmed()
