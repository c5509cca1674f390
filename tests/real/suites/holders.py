"""Two projects that hold one image, by the same name of a registry or by names of their own: what one takes away, the other
keeps, whatever verb it is and whatever both do at once. PODFENCE_ROUNDS says how often both do."""

import os
import random
import threading

from check import check, equal
from clients import API, LIBPOD, ok, says
from images import TAR, docker_archive, tar_of, _id, _name, _names, _sees
from wire import Closed, query, request
from world import LABEL

ROUNDS = int(os.environ.get("PODFENCE_ROUNDS", "40"))


def _mine(world):
    return _name(world, "team/mine:latest")


said = [""]   # by the last request that failed


def _well(project, target, content=None, fields=()):
    """Was the whole answer that it was done? One that is broken off tells nothing."""
    try:
        answer = project.post(target, content, fields=fields)
    except Closed as closed:
        said[0] = f"broken off: {closed}"
        return False
    if answer.status in (200, 201) and '"error"' not in answer.text:
        return True
    said[0] = repr(answer)
    return False


def _pull(project, name):
    return _well(project, f"{LIBPOD}/images/pull" + query(reference=name))


def _tag(project, image, name):
    repository, tag = name.rsplit(":", 1)
    return _well(project, f"{API}/images/{image}/tag" + query(repo=repository, tag=tag))


def _untag(project, image, name=""):
    named = query(repo=name.rsplit(":", 1)[0], tag=name.rsplit(":", 1)[1]) if name else ""
    return project.post(f"{LIBPOD}/images/{image}/untag{named}")


def _removals(world, own, identifier):
    """Every way to take an image, or a name of it, away. `own`: a name that p1 gave."""
    p1, mine = world.p1, _mine(world)
    dangling = {"dangling": ["false"]}
    return {
        "rmi of the common name": lambda: p1.delete(f"{API}/images/{mine}"),
        "rmi of the common name by force": lambda: p1.delete(f"{LIBPOD}/images/{mine}?force=true"),
        "rmi of its own name": lambda: p1.delete(f"{API}/images/{own}"),
        "rmi by id": lambda: p1.delete(f"{API}/images/{identifier}"),
        "rmi by id and force": lambda: p1.delete(f"{API}/images/{identifier}?force=true"),
        "libpod rmi by id and force": lambda: p1.delete(f"{LIBPOD}/images/{identifier}?force=true"),
        "rmi of many by force": lambda: p1.delete(f"{LIBPOD}/images/remove" + query(images=[identifier, own, mine], force=True)),
        "rmi of all": lambda: p1.delete(f"{LIBPOD}/images/remove" + query(all=True, force=True)),
        "untag of all names": lambda: _untag(p1, identifier),
        "untag of the common name": lambda: _untag(p1, identifier, mine),
        "prune of all": lambda: p1.post(f"{API}/images/prune" + query(filters=dangling)),
        "libpod prune of all": lambda: p1.post(f"{LIBPOD}/images/prune" + query(all=True)),
        "untag and prune": lambda: (_untag(p1, identifier), p1.post(f"{LIBPOD}/images/prune")),
        "its own name over another image": lambda: _tag(p1, "localhost/other:latest", own),
    }


def _drop_all(project, keep=()):
    for name in _names(project):
        if name not in keep and not name.startswith("localhost/"):
            project.delete(f"{LIBPOD}/images/{name}")


def test_removal_leaves_the_other(world):
    p1, p10, mine = world.p1, world.p10, _mine(world)
    own, theirs = _name(world, "p1/own:1"), _name(world, "p10/theirs:1")
    check(_pull(p10, mine), "p10 has the image")
    check(_tag(p10, mine, theirs), "by two names")
    identifier = _id(world, mine)
    container = p10.post(f"{LIBPOD}/containers/create", {"image": mine, "command": ["true"]}).json()["Id"]
    before = _names(p10)
    for what in _removals(world, own, identifier):
        check(_pull(p1, mine), f"{what}: p1 has it too")
        check(_tag(p1, mine, own), f"{what}: by a name of its own")
        _removals(world, own, identifier)[what]()
        equal(_names(p10), before, f"{what}: p10 has its names")
        equal({_id(world, name) for name in (mine, theirs)}, {identifier}, f"{what}: and they mean what they meant")
        check(_sees(p10, identifier), f"{what}: p10 sees it by its id")
        equal(p10.get(f"{LIBPOD}/containers/{container}/exists").status, 204, f"{what}: its container is there")
    says(p10.docker("run", "--rm", theirs, "echo", "alive"), "alive")
    _drop_all(p1)
    p10.delete(f"{LIBPOD}/containers/{container}?force=true")
    # Where p10 has no name of its own, and p1 had the only one.
    check(_pull(p1, mine) and _tag(p1, mine, own), "p1 has it again")
    _untag(p10, identifier)
    for what in ("rmi of the common name by force", "rmi of its own name", "untag of all names", "libpod rmi by id and force"):
        _removals(world, own, identifier)[what]()
        check(_sees(p10, identifier), f"{what}: p10 holds an image that has no name any more")
    check(not _sees(p1, identifier), "p1 does not")
    p10.delete(f"{LIBPOD}/images/{identifier}")
    equal(_id(world, identifier), None, "the last one that holds it takes it away")


def test_a_moved_name(world):
    """A name of a registry comes to mean another image when one of them pulls again: the other keeps what it got."""
    p1, p10, engine = world.p1, world.p10, world.engine
    name = _name(world, "holders/moving:1")
    for version in ("one", "two"):
        engine.build(name, f"LABEL version={version}")
        engine.podman("push", "-q", name)
        engine.podman("rmi", name)
        if version == "one":
            check(_pull(p1, name) and _pull(p10, name), "both have it")
            first = _id(world, name)
    check(_pull(p1, name), "p1 pulls the newer one")
    second = _id(world, name)
    check(first != second, "it is another image")
    check(_sees(p10, first) and not _sees(p10, second) and not _sees(p10, name), "p10 has the one that it got, and no other")
    check(_sees(p1, first) and _sees(p1, second), "p1 has both")
    for image in (name, first, second):
        p1.delete(f"{LIBPOD}/images/{image}?force=true")
    check(_sees(p10, first), "p1 takes both away, and p10 keeps its own")
    check(_pull(p10, name) and _sees(p10, second), "p10 pulls what the name means now")
    for image in (name, first, second):
        p10.delete(f"{LIBPOD}/images/{image}?force=true")
    equal([_id(world, image) for image in (first, second)], [None, None], "nobody's then")


def _at_once(*acts):
    barrier, results = threading.Barrier(len(acts)), [None] * len(acts)

    def run(number):
        barrier.wait()
        results[number] = acts[number]()
    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_a_pull_that_was_left(world):
    """Whoever begins a pull and leaves has no right to its name: the host user has an image there."""
    p1, direct, name = world.p1, world.engine.direct, _name(world, "host/left:1")
    direct.post(f"{LIBPOD}/images/localhost/other:latest/tag" + query(repo=name.rsplit(":", 1)[0], tag="1"))
    before = _id(world, name)
    check(_pull(p1, _mine(world)), "p1 has an image")
    for path in (f"{LIBPOD}/images/pull" + query(reference=name), f"{API}/images/create" + query(fromImage=name)):
        for _ in range(5):
            connection = p1.connect()
            connection.send(request("POST", path))
            connection.close()
            check(not _tag(p1, _mine(world), name), f"{path}: the name is not p1's")
        check(not _pull(p1, name), f"{path}: there is none in the registry")
        check(not _tag(p1, _mine(world), name), f"{path}: nor is it then")
        equal(_id(world, name), before, f"{path}: the host's name stands")
    direct.delete(f"{LIBPOD}/images/{name}")


def test_both_at_once(world):
    """p1 takes the image away while p10 gets it, or names it. What p10 is told it has, it has."""
    p1, p10, mine, chance = world.p1, world.p10, _mine(world), random.Random(int(os.environ.get("PODFENCE_SEED", "1")))
    own, theirs = _name(world, "p1/own:1"), _name(world, "p10/theirs:1")
    archived = _name(world, "p10/loaded:1")
    layer = tar_of([("both", b"hold it")])
    # The same image for both, without a name, and by a name of p10's.
    nameless, named = tar_of(docker_archive([], layer)), tar_of(docker_archive([archived], layer))

    def load(project, archive):
        return _well(project, f"{LIBPOD}/images/load", archive, TAR)

    done = {}
    for round in range(1, ROUNDS + 1):
        held = round % 2 == 0
        check(_pull(p1, mine) and _tag(p1, mine, own), f"{round}: p1 has it", said[0])
        identifier = _id(world, mine)
        if held:
            check(_pull(p10, mine), f"{round}: p10 has it")
        what = chance.choice(list(_removals(world, own, identifier)))
        get = (lambda: _tag(p10, mine, theirs)) if held else (lambda: _pull(p10, mine))
        name = theirs if held else mine
        _, got = _at_once(_removals(world, own, identifier)[what], get)
        case = f"{round}: {what}, while p10 {'tags' if held else 'pulls'} it"
        done[f"{'tag' if held else 'pull'} {got}"] = done.get(f"{'tag' if held else 'pull'} {got}", 0) + 1
        # Podman itself can fail over a removal at the same moment; then it is said, and works when it is asked again.
        check(got or (not held and get()), f"{case}: p10 gets it", said[0])
        check(_sees(p10, name) and _id(world, name) == identifier, f"{case}: and has it", (_id(world, name), identifier))

        check(load(p1, nameless), f"{round}: p1 loads one without a name")
        loaded = _names_without(p1)
        removal = (lambda: p1.delete(f"{LIBPOD}/images/{loaded[0]}?force=true")) if round % 4 < 2 \
            else (lambda: p1.post(f"{LIBPOD}/images/prune"))
        _, got = _at_once(removal, lambda: load(p10, named))
        check(not got or _sees(p10, archived), f"{round}: what p10 has loaded it has, while p1 removes the same image")
        done[f"load {got}"] = done.get(f"load {got}", 0) + 1
        _drop_all(p1)
        _drop_all(p10, keep=(world.neighbour.image,))
        for image in _names_without(p1):
            p1.delete(f"{LIBPOD}/images/{image}")
    print(f"{ROUNDS} rounds: {done}", flush=True)


def _names_without(project):
    """Ids of the images that have no name for the project."""
    return [image["Id"] for image in project.get(f"{LIBPOD}/images/json").json() if not image.get("RepoTags")]


def test_clean_up(world):
    world.clear(world.p1)
    _drop_all(world.p1)
    _drop_all(world.p10, keep=(world.neighbour.image,))
    for project in (world.p1, world.p10):
        for image in _names_without(project):
            project.delete(f"{LIBPOD}/images/{image}")
    world.unharmed()
