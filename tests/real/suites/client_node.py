"""Libraries for node: dockerode, and testcontainers with its reaper and without. The reaper is a stand-in of ours, since there is no registry
to have the real one from: what counts is the socket that it is given."""

import os
import subprocess

from check import check, contains, equal, lacks, until
from clients import LIBPOD
from fleet import HERE, Client, node, run_program
from world import IMAGE

REAPER = "localhost/reaper:latest"


def _program(world, name, **environment):
    for helper in ("claims.js",):
        with open(HERE / "node" / helper) as source, open(f"{world.p1.home}/{helper}", "w") as target:
            target.write(source.read())
    told = {"IMAGE": IMAGE, "REGISTRY": world.engine.registry_name, **({} if world.bare else {"FENCED": "1"}), **environment}
    return run_program(Client(world.p1, node(), **told), f"node/{name}")


def _context(world):
    """What testcontainers builds an image from."""
    folder = f"{world.p1.home}/made"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/Dockerfile", "w") as file:
        file.write(f'FROM {IMAGE}\nRUN echo "made for a test" > /made\n')
    return folder


def _names(world, what, key):
    return sorted(str(one[key]) for one in world.p1.get(f"{LIBPOD}/{what}/json?all=true").json())


def test_dockerode(world):
    _program(world, "dockerode_day.js")
    world.clear(world.p1)


def test_testcontainers_without_the_reaper(world):
    _program(world, "testcontainers_day.js", CONTEXT=_context(world), TESTCONTAINERS_RYUK_DISABLED="true")
    equal([name for name in _names(world, "containers", "Names") if "web" not in name], [], "a test that stops its containers leaves none")
    world.clear(world.p1)


def _reaper_image(world):
    """Offered by p1's own build, as it would be pulled by p1."""
    folder = f"{world.p1.home}/reaper"
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["g++", "-std=c++20", "-O1", "-static", "-o", f"{folder}/reaper", str(HERE / "node" / "reaper.cpp")], check=True)
    with open(f"{folder}/Dockerfile", "w") as file:
        file.write("FROM scratch\nCOPY reaper /reaper\nEXPOSE 8080\nCMD [\"/reaper\"]\n")
    ran = world.p1.run("env", "DOCKER_BUILDKIT=0", world.p1.programs["docker"], "build", "-t", REAPER, folder)
    check(ran.code == 0, "the reaper's image is built", ran)


def test_testcontainers_with_the_reaper(world):
    """The reaper mounts what it takes for the engine's socket: it gets the project's own, sees that project, and tidies up."""
    _reaper_image(world)
    for asked in ("/var/run/docker.sock", world.p1.path):
        _program(world, "testcontainers_day.js", CONTEXT=_context(world), RYUK_CONTAINER_IMAGE=REAPER,
                 TESTCONTAINERS_DOCKER_SOCKET_OVERRIDE=asked)
        reaper = next((one for one in world.p1.get(f"{LIBPOD}/containers/json?all=true").json()
                       if (one.get("Labels") or {}).get("org.testcontainers.ryuk") == "true" or "ryuk" in str(one["Names"])), None)
        if not check(reaper, f"the reaper runs, with {asked}"):
            continue
        mounts = world.engine.direct.get(f"{LIBPOD}/containers/{reaper['Id']}/json").json()["Mounts"]
        equal([(one["Source"], one["Destination"]) for one in mounts], [(world.p1.path, "/var/run/docker.sock")],
              "the reaper is given the project's own socket")
        check(until(lambda: _names(world, "containers", "Names") == [str(reaper["Names"])], 15), "the reaper removes every container of the test",
              _names(world, "containers", "Names"))
        check(until(lambda: not [name for name in _names(world, "networks", "name") if name != "podman"], 10), "and its network",
              _names(world, "networks", "name"))
        said = world.p1.docker("logs", reaper["Id"]).out
        contains(said, "sees container", "the reaper sees its project")
        contains(said, "removed /networks/", "and has removed a network")
        for canary in world.p1.canaries:
            lacks(said, canary, "and nothing of another")
        world.clear(world.p1)
        world.unharmed()
    world.p1.docker("rmi", REAPER)
