"""Every escape of the table: through podfence it is refused by name and nothing happens on the host; past podfence it works,
so that the proof proves something."""

import io
import os
import tarfile

from check import check, contains, equal, skip
from clients import API, LIBPOD
from escape_table import SECRET, table
from wire import Socket
from world import LABEL


def _directory(world):
    host = world.engine.host_directory("host-things")
    (host / "secret").write_text(SECRET + "\n")
    (host / "up").mkdir()
    (host / "work").mkdir()
    (host / "owned").mkdir()
    with tarfile.open(host / "image.tar", "w") as tar:
        entry = tarfile.TarInfo("file")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"data"))
    account = world.engine.account
    for path in [host, *host.iterdir()]:
        os.chown(path, account.pw_uid, account.pw_gid)
    return host


def _clean(world):
    """Past the proxy, whatever an escape may have made."""
    for path in ("containers/escape?force=true&timeout=0", "pods/escape?force=true", "volumes/trap?force=true",
                 "volumes/own?force=true", "networks/escape?force=true", "secrets/escape", "images/localhost/stolen?force=true"):
        world.engine.direct.delete(f"{LIBPOD}/{path}")
    world.engine.direct.post(f"{LIBPOD}/images/prune")


def _attempt(socket: Socket, escape):
    """The request and, where it makes a container, its run. The answer to the request, and the container's output."""
    libpod = escape.path.startswith("/libpod/")
    prefix = LIBPOD.removesuffix("/libpod") if libpod else API
    content, path = escape.content, escape.path
    if path == "/containers/create":
        path += "?name=escape"
    elif path == "/libpod/containers/create":
        content = {**content, "name": "escape"}
    answer = socket.post(prefix + path, content, fields=escape.fields)
    if escape.follow and answer.status < 400:
        made = socket.post(f"{API}/containers/create?name=escape", escape.follow)
        if made.status >= 400:
            return made, ""
    if answer.status >= 400 or not (escape.follow or "containers/create" in path):
        return answer, ""
    socket.post(f"{API}/containers/escape/start")
    socket.post(f"{API}/containers/escape/wait", timeout=15)
    logs = socket.get(f"{LIBPOD}/containers/escape/logs?stdout=true&stderr=true")
    return answer, logs.text


def _worked(escape, output):
    return bool(escape.shown and escape.shown in output) or bool(escape.effect and escape.effect())


def setup(world):
    """p10's volume has a file that must not be read."""
    p10, it = world.p10, world.neighbour
    p10.docker("exec", it.container, "sh", "-c", "echo volume-canary > /data/file")
    return _directory(world)


def test_bare(world):
    """Past the proxy each escape works, or the table says why not on this Podman."""
    setup(world)
    for number in range(len(table(world, "/"))):
        host = _directory(world)
        escape = table(world, host)[number]
        answer, output = _attempt(world.engine.direct, escape)
        if escape.no_bite:
            skip(escape.name, "cannot be shown to work past podfence: " + escape.no_bite)
        else:
            check(_worked(escape, output), f"{escape.name} works past podfence", f"{answer}\noutput {output[:300]!r}")
        _clean(world)


def test_podfence(world):
    host = setup(world)
    for escape in table(world, host):
        answer, output = _attempt(world.p1, escape)
        check(400 <= answer.status < 500, f"{escape.name} is refused", answer)
        check(not _worked(escape, output), f"{escape.name} has no effect", f"{answer}\noutput {output[:300]!r}")
        if answer.status >= 400 and not escape.hidden:
            document = answer.json()
            contains(document["cause"], ".", f"{escape.name}: the refusal has a rule id")
            contains(document["message"], escape.names, f"{escape.name}: the refusal names what was wrong")
            check(answer.field("x-podfence-request-id"), f"{escape.name}: the refusal has a request id")
        elif answer.status >= 400:
            # The name of a volume is taken for everybody, so that one is told as taken.
            check(answer.status in (404, 409), f"{escape.name} is hidden", answer)
        equal(world.engine.direct.get(f"{LIBPOD}/containers/escape/json").status, 404,
              f"{escape.name} leaves no container")
        equal(sorted(path.name for path in host.iterdir()), ["image.tar", "owned", "secret", "up", "work"],
              f"{escape.name} leaves the host's directory as it was")
        if answer.status < 400:
            _clean(world)
            host = _directory(world)
    volumes = world.engine.podman("volume", "ls", "-q").split()
    check("trap" not in volumes and "own" not in volumes, "no volume was made by a refused request", volumes)
    world.unharmed()


def test_environment_is_out_of_reach(world):
    """Nothing that p1 can ask for shows the environment of the service."""
    p1 = world.p1
    p1.docker("run", "-d", "--name", "web", "localhost/bb:latest", "sleep", "100")
    for words in (("exec", "web", "env"), ("exec", "-e", "PODFENCE_CANARY", "web", "env"), ("inspect", "web"), ("info",),
                  ("run", "--rm", "-e", "PODFENCE_CANARY", "localhost/bb:latest", "env")):
        ran = p1.docker(*words)
        check("engine-environment" not in ran.out + ran.err, f"{' '.join(words)} shows nothing of the service", ran)
    for words in (("info",), ("run", "--rm", "-e", "PODFENCE*", "localhost/bb:latest", "env"),
                  ("run", "--rm", "--env-host", "localhost/bb:latest", "env")):
        ran = p1.podman(*words)
        check("engine-environment" not in ran.out + ran.err, f"podman {' '.join(words)} shows nothing of the service", ran)
    p1.docker("rm", "-f", "web")


def test_own_label_of_another(world):
    """p1 cannot make a thing that is p10's, nor one that is nobody's."""
    direct = world.engine.direct
    for path, content, fetch in (
            (f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "Labels": {LABEL: "p10"}}, "containers/made"),
            (f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "labels": {LABEL: "p10"}}, "containers/made"),
            (f"{LIBPOD}/containers/create", {"image": "localhost/bb:latest", "name": "made", "labels": {LABEL: ""}}, "containers/made"),
            (f"{LIBPOD}/pods/create", {"name": "made", "labels": {LABEL: "p10"}}, "pods/made"),
            (f"{API}/volumes/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "volumes/made"),
            (f"{LIBPOD}/volumes/create", {"Name": "made", "Label": {LABEL: "p10"}}, "volumes/made"),
            (f"{LIBPOD}/volumes/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "volumes/made"),
            (f"{API}/networks/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "networks/made"),
            (f"{LIBPOD}/networks/create", {"name": "made", "labels": {LABEL: "p10"}}, "networks/made")):
        answer = world.p1.post(path, content)
        check(400 <= answer.status < 500, f"{path} with p10's label", answer)
        equal(direct.get(f"{LIBPOD}/{fetch}/json").status, 404, f"{path} with p10's label makes nothing")
    for labels in ({}, None, {LABEL: "p1"}):
        answer = world.p1.post(f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "Labels": labels})
        equal(answer.status, 201, f"create with labels {labels}")
        document = direct.get(f"{LIBPOD}/containers/made/json").json()
        equal(document["Config"]["Labels"].get(LABEL), "p1", f"create with labels {labels} carries the project's label")
        world.p1.delete(f"{API}/containers/made?force=true")
