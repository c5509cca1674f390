"""Builds on a real engine by docker, docker-compose and podman --remote: they work, and reach nothing of others'."""

import json
import os
import re
import tarfile
import tempfile
import time
from contextlib import contextmanager

from check import check, contains, equal, lacks, skip
from clients import API, LIBPOD, fails, ok, says, shows
from wire import query, request
from world import IMAGE, LABEL, SLEEP

CACHE_LABEL = "podfence.cache"
TAR = [("Content-Type", "application/x-tar")]


@contextmanager
def _context(**files):
    """A directory with these files; a name's `__` is a slash, and `_` a dot."""
    with tempfile.TemporaryDirectory(prefix="podfence-build-") as directory:
        for name, text in files.items():
            path = os.path.join(directory, name.replace("__", "/").replace("_", "."))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        yield directory


def _docker_build(project):
    return lambda *words, **options: project.run("env", "DOCKER_BUILDKIT=0", project.programs["docker"], "build", *words, **options)


def _builders(project):
    """Both clients, each with what short names begin with there."""
    return (("docker", _docker_build(project), "docker.io/library/"),
            ("podman", lambda *words, **options: project.podman("build", *words, **options), "localhost/"))


def _inspect(world, name):
    return world.engine.direct.get(f"{LIBPOD}/images/{name}/json").json()


def test_everyday(world):
    """Stages, arguments, ignored files, targets, labels, quiet, several tags, a file of another name."""
    p1 = world.p1
    for client, build, prefix in _builders(p1):
        with _context(Dockerfile=f"""# a comment
ARG BASE={IMAGE}
FROM $BASE AS first
ARG WHO=nobody
RUN echo "made for $WHO" > /made && \\
    # in between
    echo second >> /made
FROM {IMAGE} AS last
COPY --from=first /made /made
COPY . /context/
ENV GREETING="hello  you"
LABEL mine=yes
ENTRYPOINT ["cat"]
CMD ["/made"]
""", _dockerignore="ignored\n", ignored="x", kept="y", other="FROM scratch\nCOPY kept /\n") as directory:
            name = f"app-{client}"
            ok(build("-t", f"{name}:1", "-t", f"{name}:2", "--build-arg", "WHO=you", "--label", "given=1", directory, timeout=180))
            says(p1.docker("run", "--rm", f"{prefix}{name}:1"), "made for you\nsecond", f"{client}: what was built runs")
            shows(p1.docker("run", "--rm", f"{prefix}{name}:2", "/context/kept"), "y")
            listing = ok(p1.docker("run", "--rm", "--entrypoint", "ls", f"{prefix}{name}:1", "-a", "/context")).out
            lacks(listing, "ignored\n", f"{client}: what is ignored is not copied")
            lacks(listing, ".podfence", f"{client}: nor is what podfence writes")
            image = _inspect(world, f"{prefix}{name}:1")
            labels = image["Labels"]
            equal((labels.get("mine"), labels.get("given"), labels.get(LABEL)), ("yes", "1", "p1"), f"{client}: labels")
            contains(image["Config"]["Env"], "GREETING=hello  you", f"{client}: environment")
            ok(build("--target", "first", "-t", f"{name}:first", directory, timeout=180))
            says(p1.docker("run", "--rm", f"{prefix}{name}:first", "cat", "/made"), "made for nobody\nsecond", f"{client}: --target")
            ok(build("-f", os.path.join(directory, "other"), "-q", "-t", f"{name}:other", directory, timeout=180))
            ok(p1.docker("rmi", f"{prefix}{name}:1", f"{prefix}{name}:2", f"{prefix}{name}:first", f"{prefix}{name}:other"))
            fails(p1.docker("image", "inspect", f"{prefix}{name}:1"), what=f"{client}: it can be removed")


def test_failing(world):
    """What is wrong is said, the exit code tells it, and nothing is left."""
    p1 = world.p1
    for client, build, prefix in _builders(p1):
        with _context(Dockerfile=f"FROM {IMAGE}\nRUN exit 3\n") as directory:
            ran = fails(build("-t", "broken:1", directory), what=f"{client}: a step that fails ends the build")
            contains(ran.out + ran.err, "exit 3", f"{client}: and is named")
            fails(p1.docker("image", "inspect", f"{prefix}broken:1"), what=f"{client}: its name is not there")
            check(prefix + "broken:1" not in json.dumps(world.p1.get(f"{API}/images/json?all=1").json()), f"{client}: nor in the list")
        with _context(Dockerfile="FRUM x\n") as directory:
            fails(build(directory), part="dockerfile.instruction", what=f"{client}: a file that cannot be read")
        with _context(nothing="x") as directory:
            answer = p1.post(f"{API}/build", _tar(nothing="x"), fields=TAR)
            equal((answer.status, "build.file-absent" in answer.text), (400, True), "a context without a Dockerfile")


def _tar(**files):
    import io
    import tarfile
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def _raw(project, dockerfile, **parameters):
    return project.post(f"{API}/build" + query(**parameters), _tar(Dockerfile=dockerfile), timeout=180, fields=TAR)


def test_others(world):
    """Images of the other project, in every place of a file that names one; by name, id and part of one."""
    p1, theirs = world.p1, world.neighbour.ids["image"]
    nobody = "0123456789ab" * 5 + "cdef"
    for reference in (theirs, theirs[:12], f"sha256:{theirs}"):
        for file in (f"FROM {reference}\n", f"FROM {IMAGE}\nCOPY --from={reference} /bin/busybox /x\n",
                     f"FROM {IMAGE}\nRUN --mount=type=bind,from={reference},target=/x ls /x\n",
                     f"ARG X={reference}\nFROM ${{X}}\n"):
            def anonymous(text):
                return text.replace(theirs, nobody).replace(theirs[:12], nobody[:12])
            absent, answer = _raw(p1, anonymous(file)), _raw(p1, file)
            hidden = anonymous(answer.text)
            equal((answer.status, hidden), (absent.status, absent.text), f"{file.splitlines()[-1]!r}: foreign is absent")
    answer = _raw(p1, f"FROM {IMAGE}\nRUN echo {theirs}\n", nocache=1)
    contains(answer.text, "Successfully built", "a step may print what it likes")
    equal(p1.get(f"{API}/images/{theirs}/json").status, 404, "which gives nobody the image")
    answer = _raw(p1, f"FROM {IMAGE}\nRUN echo {theirs} && exit 1\n", nocache=1)
    equal(p1.get(f"{API}/images/{theirs}/json").status, 404, "nor when the build ends with it")


def test_names(world):
    """A build takes no name from anybody."""
    p1, p10 = world.p1, world.p10
    file = f"FROM {IMAGE}\nLABEL x=y\n"
    ok(_build_of(p10, file, "theirs:built"))
    before = _inspect(world, "docker.io/library/theirs:built")["Id"]
    for name in ("theirs:built", "docker.io/library/theirs:built", world.neighbour.image, IMAGE):
        answer = _raw(p1, file, t=name)
        equal(answer.status, 403, f"t={name}")
        check("image.tag-taken" in answer.text or "image.shared" in answer.text, f"t={name} says why", answer)
    equal(_inspect(world, "docker.io/library/theirs:built")["Id"], before, "the name of the other project has not moved")
    equal(p1.get(f"{API}/images/theirs:built/json").status, 404, "what another project built is absent")
    lacks(p1.get(f"{API}/images/json?all=1").text, "theirs", "and in no list")
    answer = p1.post(f"{API}/images/create?fromImage=theirs&tag=built", timeout=60)
    equal(_inspect(world, "docker.io/library/theirs:built")["Id"], before, "a pull does not move it either")
    ok(p10.docker("rmi", "theirs:built"))


def _build_of(project, file, tag):
    with _context(Dockerfile=file) as directory:
        return _docker_build(project)("-t", tag, directory, timeout=180)


def test_cache(world):
    """A project uses its own layers again, and never another's; not even where that one knows what they look like."""
    p1, p10 = world.p1, world.p10
    file = f"FROM {IMAGE}\nRUN cat /proc/sys/kernel/random/uuid > /drawn\n"
    drawn = {}
    for name, project in (("p1", p1), ("again", p1), ("p10", p10)):
        ok(_build_of(project, file, f"drawn-{name}:1"))
        drawn[name] = ok(project.docker("run", "--rm", f"drawn-{name}:1", "cat", "/drawn")).text
    equal(drawn["again"], drawn["p1"], "the second build takes the layer of the first")
    check(drawn["p10"] != drawn["p1"], "another project's build does not", drawn)
    forged = (f'FROM {IMAGE}\nLABEL "{CACHE_LABEL}"="{_inspect(world, "docker.io/library/drawn-p10:1")["Labels"][CACHE_LABEL]}"\n'
              "RUN echo poisoned > /drawn\n")
    ok(_build_of(p1, forged, "forged:1"))
    ok(_build_of(p10, file, "drawn-p10:2"))
    equal(ok(p10.docker("run", "--rm", "drawn-p10:2", "cat", "/drawn")).text, drawn["p10"], "a label that looks like another's is none")
    for project in (p1, p10):
        listing = project.get(f"{API}/images/json?all=1").text
        other = "p10" if project is p1 else "p1:"
        lacks(listing, f"drawn-{other}", "images of builds are in the lists of their own project only")
    for name, project in (("drawn-p1:1", p1), ("drawn-again:1", p1), ("forged:1", p1), ("drawn-p10:1", p10), ("drawn-p10:2", p10)):
        project.docker("rmi", name)


def test_cache_mounts(world):
    """RUN --mount=type=cache is the project's own."""
    file = f"FROM {IMAGE}\nRUN --mount=type=cache,id=shared,target=/c echo from-p10 > /c/left; ls /c\n"
    ok(_build_of(world.p10, file, "mounts:10"))
    answer = _raw(world.p1, f"FROM {IMAGE}\nRUN --mount=type=cache,id=shared,target=/c ls /c; echo looked\n", nocache=1)
    contains(answer.text, "looked", "a cache of the same id")
    lacks(answer.text, "left", "holds nothing of the other project")
    answer = _raw(world.p10, f"FROM {IMAGE}\nRUN --mount=type=cache,id=shared,target=/c cat /c/left\n", nocache=1)
    contains(answer.text, "from-p10", "and still what its own project left there")
    world.p10.docker("rmi", "mounts:10")


def test_secrets(world):
    """podman build --secret works, by a file of the context that podman itself puts there."""
    with _context(Dockerfile=f"FROM {IMAGE}\nRUN --mount=type=secret,id=token cat /run/secrets/token > /taken\n") as directory, \
            tempfile.NamedTemporaryFile("w") as secret:
        secret.write("a-secret-word")
        secret.flush()
        ok(world.p1.podman("build", "--secret", f"id=token,src={secret.name}", "-t", "secret:1", directory, timeout=180))
        says(world.p1.podman("run", "--rm", "localhost/secret:1", "cat", "/taken"), "a-secret-word", "the step has the secret")
        lacks(world.fence.log(), "a-secret-word", "the log does not")
        ok(world.p1.podman("rmi", "localhost/secret:1"))


def test_pulls(world):
    """A base image that is missing is pulled for the project; one that only others have here as well."""
    p1, registry = world.p1, world.engine.registry_name
    name = f"{registry}/team/mine:latest"
    p1.docker("rmi", name)
    answer = _raw(p1, f"FROM {name}\nLABEL x=z\n")
    contains(answer.text, "Successfully built", "a base image is pulled")
    equal(p1.get(f"{API}/images/{name}/json").status, 200, "and is the project's then")
    answer = _raw(p1, f"FROM {registry}/team/absent:latest\n")
    equal((answer.status, "image.fetch" in answer.text), (404, True), "one that is not in the registry is told")
    ok(p1.docker("rmi", name))


def test_compose(world):
    """docker-compose builds what its services need."""
    p1 = world.p1
    with _context(docker_compose="", app__Dockerfile=f"FROM {IMAGE}\nCMD {json.dumps(SLEEP)}\n") as directory:
        os.rename(os.path.join(directory, "docker.compose"), os.path.join(directory, "docker-compose.yml"))
        with open(os.path.join(directory, "docker-compose.yml"), "w") as file:
            file.write("services:\n  web:\n    build: ./app\n    image: composed:1\n")
        ok(p1.compose("up", "-d", "--build", cwd=directory, timeout=240))
        shows(p1.docker("ps", "--format", "{{.Image}}"), "composed:1")
        ok(p1.compose("down", "--rmi", "all", cwd=directory, timeout=120))
        equal(p1.get(f"{API}/images/composed:1/json").status, 404, "down --rmi removes it")


def _resident(pid, line):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(rf"{line}:\s+(\d+) kB", status.read()).group(1)) // 1024


def test_large_context(world):
    """A context of any size is judged and sent on in bounded memory. PODFENCE_CONTEXT_MIB says how large (256)."""
    if world.bare:
        return
    size, piece = int(os.environ.get("PODFENCE_CONTEXT_MIB", "256")), os.urandom(1 << 20)
    dockerfile = f"FROM {IMAGE}\nLABEL size={size}\n".encode()
    pid = world.fence.process.pid
    with open(f"/proc/{pid}/clear_refs", "w") as peak:
        peak.write("5")  # the peak begins anew (proc(5))
    before, start = _resident(pid, "VmRSS"), time.monotonic()
    with world.p1.connect(1800) as connection:
        connection.send(request("POST", f"{API}/build{query(t='large:1')}", fields=[*TAR, ("Transfer-Encoding", "chunked")]))

        def send(data):
            connection.send(b"%x\r\n%s\r\n" % (len(data), data))
        send(tarfile.TarInfo.tobuf(_entry("Dockerfile", len(dockerfile))) + dockerfile.ljust(512, b"\0"))
        send(tarfile.TarInfo.tobuf(_entry("large", size << 20)))
        for _ in range(size):
            send(piece)
        send(bytes(1024))
        connection.send(b"0\r\n\r\n")
        sent = time.monotonic()
        answer = connection.receive()
    check(answer.status == 200 and "errorDetail" not in answer.text, "it is built", answer.text[-300:])
    grown = _resident(pid, "VmHWM") - before
    print(f"  {size} MiB: sent in {sent - start:.1f} s, built {time.monotonic() - sent:.1f} s later, at most {grown} MiB more in memory")
    check(grown < 48, "podfence's memory grows by less than 48 MiB", f"{before} MiB before, {grown} MiB more")
    world.p1.delete(f"{API}/images/large:1")


def _entry(name, size):
    entry = tarfile.TarInfo(name)
    entry.size = size
    return entry


def test_left_behind(world):
    """Nothing of a build is left that nobody could remove."""
    if world.bare:
        return
    containers = world.engine.podman("ps", "-a", "--external", "--format", "{{.Names}} {{.Status}}")
    lacks(containers, "working-container", "no container of a build is left")
    skip("images of steps", "they stay as the layer cache until the image that is built on them is removed")
