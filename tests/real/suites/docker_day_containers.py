"""A day with the docker command: everything that is done with containers."""

import io
import json
import tarfile
import time

from check import check, contains, equal, until
from clients import API, LIBPOD, fails, ok, restarts, says, shows
from world import IMAGE, SLEEP

LONG = ["--stop-timeout", "3", IMAGE, *SLEEP]


def test_run(world):
    docker = world.p1.docker
    says(docker("run", "--rm", IMAGE, "echo", "hello"), "hello")
    identifier = ok(docker("run", "-d", "--name", "web", "-e", "COLOUR=blue", "-w", "/tmp", "--label", "role=front",
                           "--hostname", "front", "-v", "data:/data", "-p", "127.0.0.1::80", *LONG)).text
    equal(len(identifier), 64, "run -d prints the full id")
    says(docker("exec", "web", "sh", "-c", "echo $COLOUR $(pwd) $(hostname)"), "blue /tmp front")
    ok(docker("exec", "web", "sh", "-c", "echo kept > /data/file"))
    says(docker("run", "--rm", "-v", "data:/data:ro", IMAGE, "cat", "/data/file"), "kept")
    says(docker("run", "--rm", "--user", "1000:1000", IMAGE, "id", "-u"), "1000")
    says(docker("run", "--rm", "--entrypoint", "/bin/echo", IMAGE, "from", "entrypoint"), "from entrypoint")
    says(docker("run", "--rm", "--read-only", IMAGE, "sh", "-c", "touch /x 2>/dev/null || echo read-only"), "read-only")
    shows(docker("run", "--rm", "--tmpfs", "/scratch:size=1m", IMAGE, "mount"), " /scratch ")
    says(docker("run", "--rm", "--network", "none", IMAGE, "sh", "-c", "ip -o link | wc -l"), "1")
    says(docker("run", "--rm", "-i", IMAGE, "cat", data="piped\n"), "piped")
    shows(docker("run", "--rm", "--add-host", "db:10.1.2.3", IMAGE, "cat", "/etc/hosts"), "10.1.2.3")
    says(docker("run", "--rm", "--init", IMAGE, "echo", "with init"), "with init")
    says(docker("run", "--rm", "--cap-drop", "ALL", IMAGE, "echo", "dropped"), "dropped")
    shows(docker("run", "--rm", "--memory", "64m", IMAGE, "echo", "limited"), "limited")
    says(docker("run", "--rm", "--shm-size", "1m", IMAGE, "echo", "shared"), "shared")
    says(docker("run", "--rm", "--ulimit", "nofile=512:512", IMAGE, "echo", "limits"), "limits")
    shows(docker("port", "web"), "80/tcp -> 127.0.0.1:")


def test_exit_codes(world):
    docker = world.p1.docker
    for code in (0, 1, 42):
        equal(docker("run", "--name", "code", IMAGE, "sh", "-c", f"exit {code}").code, code, f"run tells exit code {code}")
        ok(docker("rm", "code"))
    equal(docker("exec", "web", "sh", "-c", "exit 7").code, 7, "exec tells the exit code")
    fails(docker("run", "--name", "broken", IMAGE, "/no/such/program"), what="a command that is not there")
    docker("rm", "-f", "broken")
    fails(docker("run", "localhost/absent:latest"), 125)


def test_terminal(world):
    run = world.p1.typed(world.p1.programs["docker"], "run", "-it", "--name", "terminal", IMAGE, "sh", "-c", "tty; exit 3",
                         timeout=30)
    contains(run.out, "/dev/pts/", "run -it has a terminal")
    equal(run.code, 3, "run -it tells the exit code")
    ok(world.p1.docker("rm", "terminal"))
    run = world.p1.typed(world.p1.programs["docker"], "exec", "-it", "web", "sh", "-c", "tty; stty size; exit 4", timeout=30)
    contains(run.out, "/dev/pts/", "exec -it has a terminal")
    equal(run.code, 4, "exec -it tells the exit code")


def test_exec_streams(world):
    docker = world.p1.docker
    says(docker("exec", "-i", "web", "cat", data="hi\n"), "hi")
    says(docker("exec", "-i", "web", "wc", "-c", data=b"x" * 300_000), "300000")
    both = docker("exec", "web", "sh", "-c", "echo out; echo err >&2")
    equal((both.out, both.err), ("out\n", "err\n"), "exec keeps standard output and error apart")
    says(docker("exec", "-e", "ONE=two", "-w", "/data", "web", "sh", "-c", "echo $ONE $(pwd)"), "two /data")
    ok(docker("exec", "-d", "web", "touch", "/tmp/detached"))
    check(until(lambda: docker("exec", "web", "test", "-e", "/tmp/detached").code == 0, 5), "exec -d runs")


def test_logs(world):
    docker = world.p1.docker
    ok(docker("run", "-d", "--name", "talker", IMAGE, "sh", "-c",
              "echo one; echo two >&2; trap 'exit 0' TERM; i=0; while sleep 0.2; do i=$((i+1)); echo line $i; done"))
    until(lambda: "line 1" in docker("logs", "talker").out, 5)
    logs = ok(docker("logs", "talker"))
    check("one\n" in logs.out and "two\n" in logs.err, "logs keep standard output and error apart", logs)
    equal(len(ok(docker("logs", "--tail", "1", "talker")).out.splitlines()), 1, "logs --tail 1")
    shows(docker("logs", "--timestamps", "talker"), "Z one" if world.bare else " one")
    follower = world.p1.start(world.p1.programs["docker"], "logs", "-f", "--tail", "0", "talker")
    line = follower.stdout.readline()
    check(line.startswith(b"line "), "logs -f shows new lines as they come", line)
    ok(docker("stop", "-t", "2", "talker"))
    follower.communicate(timeout=60)
    equal(follower.returncode, 0, "logs -f ends with the container")
    ok(docker("rm", "talker"))


def test_attach(world):
    docker = world.p1.docker
    ok(docker("create", "-i", "--name", "reader", IMAGE, "sh", "-c", "read word; echo got $word; exit 5"))
    attached = docker("start", "-a", "-i", "reader", data="something\n")
    contains(attached.out, "got something", "start -a -i passes input and output")
    equal(attached.code, 5, "start -a tells the exit code")
    ok(docker("rm", "reader"))
    ok(docker("run", "-d", "-i", "--name", "listener", IMAGE, "sh", "-c", "read word; echo heard $word; exit 6"))
    attached = docker("attach", "listener", data="a word\n")
    contains(attached.out, "heard a word", "attach passes input and output")
    equal(attached.code, 6, "attach tells the exit code")
    ok(docker("rm", "listener"))


def test_list(world):
    docker = world.p1.docker
    ok(docker("create", "--name", "idle", "--label", "role=back", IMAGE, "true"))
    names = ("--format", "{{.Names}}")
    says(docker("ps", *names), "web")
    equal(sorted(ok(docker("ps", "-a", *names)).out.split()), ["idle", "web"], "ps -a")
    for filters, expected in ((["label=role=front"], "web"), (["label=role"], "idle web"), (["name=web"], "web"),
                              (["status=created"], "idle"), (["ancestor=" + IMAGE], "idle web"), (["volume=data"], "web"),
                              (["label=role", "status=created"], "idle"), (["label=role=none"], "")):
        words = [word for one in filters for word in ("--filter", one)]
        ran = docker("ps", "-a", *words, *names)
        equal(sorted(ran.out.split()), expected.split(), f"ps -a with {filters}")
    says(docker("ps", "-n", "1", *names), "idle")
    says(docker("ps", "-l", *names), "idle")
    equal(len(ok(docker("ps", "-q", "--no-trunc")).text), 64, "ps -q --no-trunc")
    shows(docker("ps", "-a", "-s", "--format", "{{json .}}"), '"Names":"web"')
    ok(docker("rm", "idle"))


def test_inspect(world):
    docker = world.p1.docker
    document = json.loads(ok(docker("inspect", "web")).out)[0]
    equal(document["Name"].lstrip("/"), "web", "inspect tells the name")
    check("COLOUR=blue" in document["Config"]["Env"], "inspect tells the container's own environment")
    says(docker("inspect", "--format", "{{.State.Running}}", "web"), "true")
    says(docker("inspect", "--format", "{{index .Config.Labels \"role\"}}", document["Id"][:12]), "front")
    fails(docker("inspect", "absent"), 1)
    shows(docker("top", "web"), "sleep 1000")
    shows(docker("diff", "web"), "/tmp/detached")


def test_copy(world):
    docker, home = world.p1.docker, world.p1.home
    with open(f"{home}/file", "w") as file:
        file.write("content\n")
    ok(docker("cp", f"{home}/file", "web:/tmp/copied"))
    says(docker("exec", "web", "cat", "/tmp/copied"), "content")
    ok(docker("cp", "web:/tmp/copied", f"{home}/back"))
    equal(open(f"{home}/back").read(), "content\n", "cp out of a container")
    ok(docker("exec", "web", "sh", "-c", "mkdir -p /tmp/tree/a; echo deep > /tmp/tree/a/b"))
    ok(docker("cp", "web:/tmp/tree", f"{home}/tree"))
    equal(open(f"{home}/tree/a/b").read(), "deep\n", "cp of a directory out of a container")
    ok(docker("cp", f"{home}/tree", "web:/tmp/again"))
    says(docker("exec", "web", "cat", "/tmp/again/a/b"), "deep")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        entry = tarfile.TarInfo("from-stdin")
        entry.size = 5
        tar.addfile(entry, io.BytesIO(b"12345"))
    ok(docker("cp", "-", "web:/tmp", data=buffer.getvalue()))
    says(docker("exec", "web", "cat", "/tmp/from-stdin"), "12345")
    stream = world.p1.get(f"{API}/containers/web/archive?path=/tmp/from-stdin")
    equal(stream.status, 200, "archive")
    check(stream.field("x-docker-container-path-stat"), "archive tells the file's state in its header")
    fails(docker("cp", "web:/no/such/file", home), 1)


def test_states(world):
    docker = world.p1.docker
    restarts(docker, "restart", "-t", "2", "web")
    says(docker("inspect", "-f", "{{.State.Status}}", "web"), "running")
    ok(docker("stop", "-t", "2", "web"))
    says(docker("inspect", "-f", "{{.State.Status}}", "web"), "exited")
    ok(docker("start", "web"))
    ok(docker("kill", "-s", "KILL", "web"))
    says(docker("wait", "web"), "137")
    ok(docker("start", "web"))
    waiting = world.p1.start(world.p1.programs["docker"], "wait", "web")
    time.sleep(0.5)
    ok(docker("stop", "-t", "2", "web"))
    equal(waiting.communicate(timeout=60)[0], b"0\n", "wait ends with the container's code")
    ok(docker("rename", "web", "shop"))
    says(docker("inspect", "-f", "{{.Name}}", "shop"), "/shop")
    ok(docker("rename", "shop", "web"))
    ok(docker("start", "web"))


def test_same_as_podman(world):
    """What this Podman refuses on this machine, it refuses through the proxy with the same status."""
    docker = world.p1.docker
    identifier = ok(docker("inspect", "-f", "{{.Id}}", "web")).text
    for method, path, body in (("POST", "pause", None), ("POST", "unpause", None), ("GET", "stats?stream=false", None),
                               ("POST", "update", {"Memory": 67108864}), ("GET", "stats?stream=false&one-shot=true", None)):
        target = f"{API}/containers/{identifier}/{path}"
        bare = world.engine.direct.call(method, target, body)
        through = world.p1.call(method, target, body)
        equal(through.status, bare.status, f"{method} {path} answers as Podman does")


def test_export(world):
    archive = f"{world.p1.home}/export.tar"
    ok(world.p1.docker("export", "-o", archive, "web"))
    with tarfile.open(archive) as tar:
        check("bin/busybox" in tar.getnames(), "export holds the file system")


def test_wait_for_removal(world):
    """`run --rm` in the background: the container is gone when it ends."""
    docker = world.p1.docker
    ok(docker("run", "-d", "--rm", "--name", "short", IMAGE, "sleep", "0.3"))
    gone = until(lambda: "short" not in docker("ps", "-a", "--format", "{{.Names}}").out, 8)
    check(gone, "--rm removes the container")


def test_health(world):
    docker = world.p1.docker
    ok(docker("run", "-d", "--name", "patient", "localhost/health:latest"))
    answer = world.p1.get(f"{LIBPOD}/containers/patient/healthcheck")
    equal((answer.status, answer.json()["Status"]), (200, "unhealthy"), "healthcheck of an unhealthy container")
    ok(docker("exec", "patient", "touch", "/tmp/healthy"))
    equal(world.p1.get(f"{LIBPOD}/containers/patient/healthcheck").json()["Status"], "healthy", "healthcheck")
    ok(docker("rm", "-f", "patient"))


def test_remove(world):
    docker = world.p1.docker
    fails(docker("rm", "web"), 1)
    ok(docker("rm", "-f", "web"))
    ok(docker("volume", "rm", "data"))
    for number in range(2):
        ok(docker("run", "--name", f"done{number}", IMAGE, "true"))
    shows(docker("container", "prune", "-f"), "Deleted Containers")
    says(docker("ps", "-aq", "--filter", "name=done"), "")
    world.unharmed()
