"""Libraries for node: dockerode, and testcontainers with its reaper and without. The reaper is a stand-in of ours, since there is no registry
to have the real one from: what counts is the socket that it is given."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

from check import check, contains, equal, until
from clients import LIBPOD, ok
from fleet import HERE, Client, node, run_program
from world import IMAGE

REAPER = "localhost/reaper:latest"


def _program(project, world, name, **environment):
    told = {"IMAGE": IMAGE, "REGISTRY": world.engine.registry_name, "FENCED": "" if world.bare else "1", **environment}
    return run_program(Client(project, node(), **told), f"node/{name}", least=8)


@contextmanager
def _tester(world):
    """A project whose containers are on a network of its own by default: Podman joins those to another network, as testcontainers wants it,
    and no others. Its names are its own: testcontainers gives its networks names that look like ids."""
    with world.another("testers", {"tester": {"names": "private", "network": {"default": "project"}}}) as fence:
        project = fence.projects["tester"]
        project.canaries = world.p1.canaries
        context = Path(project.home) / "context"
        context.mkdir()
        (context / "Dockerfile").write_text(f'FROM {IMAGE}\nRUN echo "made for a test" > /made\n')
        yield project, str(context)
        world.clear(project)
    world.unharmed()


def _names(project, what, key):
    listed = project.get(f"{LIBPOD}/{what}/json{'?all=true' if what == 'containers' else ''}").json()
    return sorted(str(one[key]) for one in listed if one[key] not in ("podman", "podfence.tester"))


def test_dockerode(world):
    _program(world.p1, world, "dockerode_day.js")
    world.clear(world.p1)


def test_testcontainers_without_the_reaper(world):
    with _tester(world) as (project, context):
        _program(project, world, "testcontainers_day.js", CONTEXT=context, TESTCONTAINERS_RYUK_DISABLED="true")
        equal(_names(project, "containers", "Names"), [], "a test that stops its containers leaves none")


def _make_reaper_image(project):
    folder = Path(project.home) / "reaper"
    folder.mkdir()
    subprocess.run(["g++", "-std=c++20", "-O1", "-static", "-o", str(folder / "reaper"), str(HERE / "node" / "reaper.cpp")], check=True)
    (folder / "Dockerfile").write_text('FROM scratch\nCOPY reaper /reaper\nEXPOSE 8080\nCMD ["/reaper"]\n')
    ok(project.run("env", "DOCKER_BUILDKIT=0", project.programs["docker"], "build", "-t", REAPER, str(folder)))


def test_testcontainers_with_the_reaper(world):
    """The reaper mounts what it takes for the engine's socket: it gets the project's own, sees that project, and tidies up."""
    with _tester(world) as (project, context):
        _make_reaper_image(project)
        for asked in ("/var/run/docker.sock", project.path):
            _program(project, world, "testcontainers_day.js", CONTEXT=context, RYUK_CONTAINER_IMAGE=REAPER, TESTCONTAINERS_DOCKER_SOCKET_OVERRIDE=asked)
            reapers = [name for name in _names(project, "containers", "Names") if "ryuk" in name]
            if not check(len(reapers) == 1, f"the reaper runs, with {asked}", reapers):
                continue
            name = reapers[0].strip("[]'")
            mounts = world.engine.direct.get(f"{LIBPOD}/containers/tester..{name}/json").json()["Mounts"]
            equal([(one["Source"], one["Destination"]) for one in mounts], [(project.path, "/var/run/docker.sock")],
                  "the reaper is given the project's own socket")
            check(until(lambda: _names(project, "containers", "Names") == reapers, 60), "the reaper removes every container of the test",
                  f"{_names(project, 'containers', 'Names')}\n{project.docker('logs', name).out}")
            check(until(lambda: _names(project, "networks", "name") == [], 10), "and its network", _names(project, "networks", "name"))
            said = ok(project.docker("logs", name)).out
            contains(said, f"sees container /{name}", "the reaper sees its project")
            contains(said, "removed /networks/", "and says what it has removed")
            ok(project.docker("rm", "-f", name))
        ok(project.docker("rmi", REAPER))
