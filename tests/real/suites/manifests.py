"""Manifest lists of two projects: podman --remote and raw requests. Podman before 5.0 gets a podfence that is open for them."""

import json

from check import check, contains, equal, until
from clients import LIBPOD, fails, ok, says, shows
from fence import SHARED
from wire import query
from world import IMAGE

LIST = "localhost/many:latest"


def _is_old(world):
    return int(world.engine.direct.get("/version").json()["Version"].split(".")[0]) < 5


def _open(world):
    """Two projects that may make manifest lists on this Podman."""
    registries = [world.engine.registry_name, "docker.io"]
    return world.another("manifests", {"p1": {}, "p10": {}},
                         defaults={"images": {"shared": SHARED, "registries": registries, "insecure_manifests": True}})


def _members(project, name=LIST):
    document = project.get(f"{LIBPOD}/manifests/{name}/json").json()
    return [(one["digest"], one["platform"]["architecture"]) for one in document.get("manifests") or []]


def test_podman_remote(world):
    registry = world.engine.registry_name
    with _open(world) as fence:
        p1 = fence.projects["p1"]
        podman = p1.podman
        ok(podman("manifest", "create", "many"))
        fails(podman("manifest", "create", "many"), part="already in use")
        ok(podman("manifest", "exists", "many"))
        fails(podman("manifest", "exists", "other"), 1)
        equal(_members(p1), [], "a new list is empty")
        ok(podman("manifest", "add", "many", IMAGE))
        ok(podman("manifest", "add", "many", f"docker://{registry}/team/mine:latest"))
        document = json.loads(ok(podman("manifest", "inspect", "many")).out)
        equal(len(document["manifests"]), 2, "one image from here and one of a registry")
        first = document["manifests"][0]["digest"]
        changed = {"operation": "annotate", "images": [first], "arch": "arm64", "annotation": ["role=first"]}
        equal(p1.put(f"{LIBPOD}/manifests/{LIST}", changed).status, 200, "annotate")
        contains(_members(p1), (first, "arm64"), "annotate")
        ok(podman("manifest", "remove", "many", first))
        equal(len(_members(p1)), 1, "remove")
        ok(podman("manifest", "push", "--all", "many", f"docker://{registry}/team/many:1"))
        ok(podman("manifest", "rm", "many"))
        fails(podman("manifest", "exists", "many"), 1)
        fails(podman("manifest", "rm", "many"))
        ok(podman("pull", "-q", f"{registry}/team/many:1"), "what was pushed can be pulled")
        says(podman("run", "--rm", f"{registry}/team/many:1", "echo", "pulled"), "pulled")
        ok(podman("rmi", f"{registry}/team/many:1"))


def test_create_with_members(world):
    with _open(world) as fence:
        p1 = fence.projects["p1"]
        podman = p1.podman
        ok(podman("manifest", "create", "many", f"containers-storage:{IMAGE}"))
        equal([architecture for _, architecture in _members(p1)], ["amd64"], "made with an image")
        ok(podman("manifest", "create", "--amend", "many", f"docker://{world.engine.registry_name}/team/mine:latest"))
        equal(len(_members(p1)), 2, "amended")
        fails(podman("tag", IMAGE, "many"), part="image.tag-taken")
        fails(podman("run", "--rm", "many", "true"))
        ok(podman("manifest", "rm", "many"))
        ok(podman("tag", IMAGE, "many"), "its name is free again")
        ok(podman("rmi", "many"))


def test_what_is_refused(world):
    p10_image = world.neighbour.image
    with _open(world) as fence:
        p1 = fence.projects["p1"]
        ok(p1.podman("manifest", "create", "many"))
        for image, rule in ((f"containers-storage:{p10_image}", "image not known"),
                            (f"containers-storage:@{world.neighbour.ids['image']}", "manifest.member"),
                            ("dir:/tmp/x", "manifest.member"), ("docker-archive:/tmp/x.tar", "manifest.member"),
                            ("oci:/tmp/x", "manifest.member"), ("docker://127.0.0.1:1/x", "registry.refused"),
                            ("docker://quay.io/x/y", "registry.refused")):
            for method, target in (("PUT", f"{LIBPOD}/manifests/{LIST}"), ("POST", f"{LIBPOD}/manifests/localhost/another")):
                answer = p1.call(method, target, {"operation": "update", "images": [image]})
                check(answer.status in (403, 404) and answer.json()["cause"] == rule, f"{method} with {image}", answer)
        for destination in ("dir:/tmp/podfence-pushed", "docker-archive:/tmp/podfence-pushed.tar", "127.0.0.1:1/x:1", "quay.io/x/y:1"):
            answer = p1.post(f"{LIBPOD}/manifests/{LIST}/registry/" + destination.replace("/", "%2F"))
            check(answer.status in (400, 403) and answer.json()["cause"] in ("image.reference", "registry.refused"),
                  f"push to {destination}", answer)
        equal(_members(p1), [], "nothing has come into the list")
        ok(p1.podman("manifest", "rm", "many"))
        old = p1.post(f"/v3.4.0/libpod/manifests/create?name=many")
        equal((old.status, old.json()["cause"]), (404, "endpoint.old-manifest"), "endpoints of old versions")


def test_another_projects(world):
    with _open(world) as fence:
        p1, p10 = fence.projects["p1"], fence.projects["p10"]
        ok(p10.podman("manifest", "create", "many", f"containers-storage:{IMAGE}"))
        members = _members(p10)
        for name in (LIST, "many"):
            for method, tail, content in (("GET", "/json", None), ("GET", "/exists", None), ("DELETE", "", None),
                                          ("PUT", "", {"operation": "update", "images": [IMAGE]}),
                                          ("PUT", "", {"operation": "remove", "images": [members[0][0]]}),
                                          ("POST", f"/registry/{world.engine.registry_name}%2Fx%2Fy:1", None)):
                foreign = p1.call(method, f"{LIBPOD}/manifests/{name}{tail}", content)
                absent = p1.call(method, f"{LIBPOD}/manifests/{name.replace('many', 'none')}{tail}", content)
                equal(foreign.status, 404, f"{method} {name}{tail}")
                equal(foreign.text.replace("many", "none"), absent.text, "foreign and absent are told alike")
        for amend in ("", "?amend=true"):
            taken = p1.post(f"{LIBPOD}/manifests/{LIST}{amend}")
            equal((taken.status, taken.json()["cause"]), (403, "image.tag-taken"), f"create over it {amend}")
        taken = p1.post(f"{LIBPOD}/images/{IMAGE}/tag" + query(repo="localhost/many", tag="latest"))
        equal((taken.status, taken.json()["cause"]), (403, "image.tag-taken"), "an image does not get its name")
        equal(_members(p10), members, "it is as it was")
        ok(p10.podman("manifest", "rm", "many"))


def _layerless(project):
    """An image without layers and without a name: what a build from nothing leaves."""
    answer = project.podman("build", "--force-rm=false", "-q", "-", data="FROM scratch\nLABEL layers=none\n")
    return ok(answer).text.splitlines()[-1]


def _lists(world):
    return [world.engine.direct.get(target).status for target in ("/v1.41/images/json", f"{LIBPOD}/images/json", f"{LIBPOD}/system/df")]


def test_everybodys_lists(world):
    """Podman before 5.0 lists nobody's images while a manifest list is there beside an image without layers and name."""
    p1, direct = world.p1, world.engine.direct
    identifier = _layerless(p1)
    equal(_lists(world), [200] * 3, "without a manifest list all is well")
    made = p1.post(f"{LIBPOD}/manifests/localhost/many")
    if _is_old(world):
        equal((made.status, made.json()["cause"]), (403, "manifest.engine"), "refused on this Podman")
        equal(direct.post(f"{LIBPOD}/manifests/{LIST}").status, 201, "past podfence it is made")
        equal(_lists(world), [500] * 3, "and nobody's images are listed")
        direct.delete(f"{LIBPOD}/manifests/{LIST}")
    else:
        equal(made.status, 201, "served on this Podman")
        equal(_lists(world), [200] * 3, "an empty list")
        ok(p1.podman("manifest", "add", "many", f"docker://{world.engine.registry_name}/team/mine:latest"))
        equal(_lists(world), [200] * 3, "a member that is not here")
        ok(p1.podman("manifest", "rm", "many"))
    equal(_lists(world), [200] * 3, "all is well again")
    ok(p1.podman("rmi", identifier))


def test_prune_leaves_members(world):
    """A prune of all images takes no member of a list, and not what the list stands for."""
    with _open(world) as fence:
        p1 = fence.projects["p1"]
        ok(p1.podman("manifest", "create", "many", f"containers-storage:{IMAGE}"))
        ok(p1.podman("image", "prune", "-af"))
        equal(world.engine.direct.get(f"{LIBPOD}/images/{IMAGE}/exists").status, 204, "the shared image is there")
        ok(p1.podman("manifest", "exists", "many"))
        ok(p1.podman("manifest", "rm", "many"))
        equal(world.engine.direct.get(f"{LIBPOD}/images/{IMAGE}/exists").status, 204, "and still is")
    world.unharmed()
