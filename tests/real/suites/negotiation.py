"""Versions of the API, what an engine says of itself in its headers, warnings, progress, and the texts that clients look for in errors: through
podfence as from Podman."""

import re

from check import check, contains, equal, until
from clients import API, LIBPOD, ok
from fleet import Client, debian13, docker28
from wire import query
from world import IMAGE

DOCKER = ("1.24", "1.25", "1.30", "1.35", "1.40", "1.41", "1.42", "1.44", "1.47", "1.51", "1.99")
PODMAN = ("1.0.0", "2.0.0", "3.0.0", "3.4.4", "4.0.0", "4.3.1", "4.9.4", "5.0.0", "5.4.2", "5.7.0", "6.0.0", "9.9.9")
SAID = ("api-version", "libpod-api-version", "buildkit-version", "builder-version", "ostype", "server", "cache-control", "pragma",
        "content-type", "docker-experimental", "libpod-buildah-version")


def _both(world, method, target, content=None):
    return [socket.call(method, target, content) for socket in (world.engine.direct, world.p1)]


def _same(world, method, target, content=None, what=""):
    """Status and JSON are Podman's."""
    direct, through = _both(world, method, target, content)
    equal((through.status, through.text), (direct.status, direct.text), what or f"{method} {target} is Podman's")
    return through


def test_ping(world):
    """Which version there is: the first thing that any client asks."""
    targets = ["/_ping", "/libpod/_ping", *(f"/v{version}/_ping" for version in DOCKER + PODMAN), *(f"/v{version}/libpod/_ping" for version in PODMAN)]
    for target in targets:
        for method in ("GET", "HEAD"):
            direct, through = _both(world, method, target)
            equal((through.status, through.content, {name: through.field(name) for name in SAID}),
                  (direct.status, direct.content, {name: direct.field(name) for name in SAID}), f"{method} {target}")
    answer = world.p1.head("/_ping")
    equal((answer.status, answer.content), (200, b""), "HEAD _ping")
    check(re.fullmatch(r"1\.\d+", answer.field("api-version")), "Api-Version", answer.fields)
    check(re.fullmatch(r"\d+\.\d+\.\d+", answer.field("libpod-api-version")), "Libpod-API-Version", answer.fields)
    check(re.match(r"Libpod/\d+\.\d+\.\d+ \(linux\)", answer.field("server")), "Server", answer.fields)


def test_versions(world):
    """Old versions and those to come are answered as Podman answers them."""
    for version in DOCKER:
        for path in ("/version", "/containers/json", "/images/absent/json", "/containers/absent/json", "/volumes/absent", "/networks/absent"):
            direct, through = _both(world, "GET", f"/v{version}{path}")
            equal(through.status, direct.status, f"/v{version}{path}")
    for version in PODMAN:
        for path in ("/version", "/containers/json", "/pods/json", "/images/absent/json", "/containers/absent/json", "/volumes/absent/json"):
            direct, through = _both(world, "GET", f"/v{version}/libpod{path}")
            equal(through.status, direct.status, f"/v{version}/libpod{path}")
    for path in ("/version", f"{API}/version", f"{LIBPOD}/version"):
        direct, through = _both(world, "GET", path)
        for name in ("Version", "ApiVersion", "MinAPIVersion", "Os", "Arch"):
            equal(through.json().get(name), direct.json().get(name), f"{path} tells {name}")
        equal([part["Name"] for part in through.json()["Components"]], [part["Name"] for part in direct.json()["Components"]], f"{path} tells the parts")


def test_headers(world):
    """What is Podman's answer says which engine it comes from."""
    for path in ("/version", "/info", f"{API}/containers/json", f"{API}/images/json", f"{LIBPOD}/pods/json", f"{LIBPOD}/info"):
        direct, through = _both(world, "GET", path)
        for name in ("api-version", "libpod-api-version", "server", "content-type"):
            equal(through.field(name), direct.field(name), f"{path}: {name}")


def test_clients_of_every_version(world):
    """The docker command held to a version of the API: it does its work, also with the oldest."""
    for major, words in (("26", debian13("docker")), ("28", docker28())):
        for version in ("1.24", "1.30", "1.40"):
            docker = Client(world.p1, words, DOCKER_API_VERSION=version)
            equal(ok(docker("version", "--format", "{{.Client.APIVersion}}")).text, version, f"docker {major} with {version}")
            ok(docker("run", "-d", "--name", "old", IMAGE, "sh", "-c", "echo up; sleep 100"))
            equal(docker("exec", "old", "sh", "-c", "echo out; exit 7").code, 7, f"docker {major} with {version}: exec tells the exit code")
            check(until(lambda: docker("logs", "old").out == "up\n", 5), f"docker {major} with {version}: logs")
            equal(ok(docker("ps", "--format", "{{.Names}}")).text, "old", f"docker {major} with {version}: ps")
            ok(docker("rm", "-f", "old"))
    docker = Client(world.p1, docker28(), DOCKER_API_VERSION="1.51")
    equal(docker("ps", "-q").code, 0, "a version that Podman does not know is taken")


def test_warnings(world):
    """Lists of warnings are lists, and hold what Podman says."""
    direct, through = _both(world, "POST", f"{API}/containers/create", {"Image": IMAGE})
    equal((through.status, through.json()["Warnings"]), (direct.status, direct.json()["Warnings"]), "Warnings of a container")
    world.engine.direct.delete(f"{API}/containers/{direct.json()['Id']}?force=1")
    direct, through = _both(world, "GET", f"{API}/volumes")
    equal((through.status, through.json().get("Warnings")), (direct.status, direct.json().get("Warnings")), "Warnings of the volumes")
    direct, through = _both(world, "POST", f"{LIBPOD}/containers/create", {"image": IMAGE})
    equal((through.status, through.json()["Warnings"]), (direct.status, direct.json()["Warnings"]), "libpod: Warnings of a container")
    world.engine.direct.delete(f"{LIBPOD}/containers/{direct.json()['Id']}?force=true")
    world.clear(world.p1)


def _shape(lines):
    """Which members each line has; ids and numbers are not compared."""
    return [(sorted(line), re.sub(r"[0-9a-f]{12,}", "ID", str(line.get("status", line.get("stream", ""))))) for line in lines]


def test_progress(world):
    """Pull, push and build tell of themselves line by line, in both families."""
    name = f"{world.engine.registry_name}/team/spare"
    absent = f"{world.engine.registry_name}/team/absent"
    for target in (f"{API}/images/create" + query(fromImage=name, tag="latest"), f"{LIBPOD}/images/pull" + query(reference=f"{name}:latest"),
                   f"{LIBPOD}/images/pull" + query(reference=f"{name}:latest", quiet=True), f"{API}/images/create" + query(fromImage=absent, tag="latest"),
                   f"{LIBPOD}/images/pull" + query(reference=f"{absent}:latest")):
        answers = []
        for socket in (world.engine.direct, world.p1):
            answers.append(socket.post(target))
            socket.delete(f"{LIBPOD}/images/{name}:latest")
        direct, through = answers
        if direct.status == 200:
            equal((through.status, _shape(through.lines())), (200, _shape(direct.lines())), f"{target} tells what Podman tells")
            check(through.lines(), f"{target} tells something", through)
        else:   # Podman 5 says `message` alone here
            equal((through.status, through.json()["message"]), (direct.status, direct.json()["message"]), f"{target} says what Podman says")


def test_errors(world):
    """What clients look for in what is not there, or is there already: status, cause and sentence."""
    p1 = world.p1
    ok(p1.docker("run", "-d", "--name", "web", IMAGE, "sleep", "1000"))
    ok(p1.docker("volume", "create", "data"))
    ok(p1.docker("network", "create", "net"))
    absent = "0123456789ab" * 5 + "cdef"
    for method, target, content, text in (
            ("GET", f"{API}/images/absent:latest/json", None, "No such image"),
            ("POST", f"{API}/containers/create", {"Image": "localhost/absent:latest"}, "o such image"),
            ("GET", f"{API}/containers/absent/json", None, "no such container"),
            ("POST", f"{API}/containers/absent/start", None, "no such container"),
            ("POST", f"{API}/containers/absent/exec", {"Cmd": ["true"]}, "no such container"),
            ("DELETE", f"{API}/containers/absent", None, "no such container"),
            ("GET", f"{API}/exec/{absent}/json", None, "no such exec session"),
            ("GET", f"{API}/volumes/absent", None, "no such volume"),
            ("DELETE", f"{API}/volumes/absent", None, "no such volume"),
            ("GET", f"{API}/networks/absent", None, "network not found"),
            ("DELETE", f"{API}/networks/absent", None, "network not found"),
            ("GET", f"{LIBPOD}/images/absent:latest/json", None, "image not known"),
            ("GET", f"{LIBPOD}/containers/absent/json", None, "no such container"),
            ("GET", f"{LIBPOD}/pods/absent/json", None, "no such pod"),
            ("GET", f"{LIBPOD}/volumes/absent/json", None, "no such volume"),
            ("GET", f"{LIBPOD}/networks/absent/json", None, "network not found"),
            ("GET", f"{LIBPOD}/secrets/absent/json", None, "no such secret"),
            ("GET", f"{LIBPOD}/manifests/localhost/absent/json", None, ""),
            ("POST", f"{API}/containers/create?name=web", {"Image": IMAGE}, "already in use"),
            ("POST", f"{LIBPOD}/containers/create", {"image": IMAGE, "name": "web"}, "already in use"),
            ("POST", f"{LIBPOD}/volumes/create", {"Name": "data"}, "volume already exists"),
            ("POST", f"{LIBPOD}/networks/create", {"name": "net"}, "already"),
            ("POST", f"{API}/networks/create", {"Name": "net"}, "already"),
            ("DELETE", f"{API}/containers/web", None, "running"),
            ("POST", f"{API}/containers/web/start", None, "")):
        direct, through = _both(world, method, target, content)
        equal(through.status, direct.status, f"{method} {target}: the status is Podman's")
        contains(through.text, text, f"{method} {target} says what clients look for")
        contains(direct.text, text, f"{method} {target}: which is Podman's") if text else None
        if through.content and through.status >= 400:
            equal(sorted(through.json()), sorted(direct.json()), f"{method} {target}: the members of the error")
    world.clear(p1)
    world.unharmed()
