"""A day with podman --remote: everything that is done with containers and pods."""

import json
import socket
import time

from check import check, contains, equal, until
from clients import LIBPOD, fails, ok, restarts, says, shows
from world import IMAGE, SLEEP


def test_run(world):
    podman = world.p1.podman
    says(podman("run", "--rm", IMAGE, "echo", "hello"), "hello")
    identifier = ok(podman("run", "-d", "--name", "web", "-e", "COLOUR=blue", "-w", "/tmp", "--label", "role=front",
                           "-v", "data:/data", "-p", "127.0.0.1::80", "--stop-timeout", "3", IMAGE, *SLEEP)).text
    equal(len(identifier), 64, "run -d prints the full id")
    says(podman("exec", "web", "sh", "-c", "echo $COLOUR $(pwd)"), "blue /tmp")
    ok(podman("exec", "web", "sh", "-c", "echo kept > /data/file"))
    says(podman("run", "--rm", "-v", "data:/data:ro", IMAGE, "cat", "/data/file"), "kept")
    says(podman("run", "--rm", "--user", "1000", IMAGE, "id", "-u"), "1000")
    says(podman("run", "--rm", "--network", "none", IMAGE, "sh", "-c", "ip -o link | wc -l"), "1")
    says(podman("run", "--rm", "-i", IMAGE, "cat", data="piped\n"), "piped")
    says(podman("run", "--rm", "--init", IMAGE, "echo", "with init"), "with init")
    says(podman("run", "--rm", "--read-only", IMAGE, "sh", "-c", "touch /x 2>/dev/null || echo read-only"), "read-only")
    shows(podman("run", "--rm", "--tmpfs", "/scratch:size=1m", IMAGE, "mount"), " /scratch ")
    says(podman("run", "--rm", "--memory", "64m", IMAGE, "echo", "limited"), "limited")
    for code in (0, 1, 42):
        equal(podman("run", "--rm", IMAGE, "sh", "-c", f"exit {code}").code, code, f"run tells exit code {code}")
    equal(podman("exec", "web", "sh", "-c", "exit 7").code, 7, "exec tells the exit code")
    fails(podman("run", "--name", "broken", IMAGE, "/no/such/program"), what="a command that is not there")
    podman("rm", "-f", "broken")
    run = world.p1.typed(*world.p1.programs["podman"], "--remote", "run", "-it", "--rm", IMAGE, "sh", "-c", "tty; exit 3", timeout=30)
    contains(run.out, "/dev/pts/", "run -it has a terminal")
    equal(run.code, 3, "run -it tells the exit code")


def test_exec(world):
    podman = world.p1.podman
    says(podman("exec", "-i", "web", "cat", data="hi\n"), "hi")
    says(podman("exec", "-i", "web", "wc", "-c", data=b"x" * 300_000), "300000")
    both = podman("exec", "web", "sh", "-c", "echo out; echo err >&2")
    equal((both.out, both.err), ("out\n", "err\n"), "exec keeps standard output and error apart")
    says(podman("exec", "-e", "ONE=two", "-w", "/data", "web", "sh", "-c", "echo $ONE $(pwd)"), "two /data")
    ok(podman("exec", "-d", "web", "touch", "/tmp/detached"))
    check(until(lambda: podman("exec", "web", "test", "-e", "/tmp/detached").code == 0, 5), "exec -d runs")


def test_attach_and_logs(world):
    podman = world.p1.podman
    ok(podman("create", "-i", "--name", "reader", IMAGE, "sh", "-c", "read word; echo got $word; exit 5"))
    attached = podman("start", "-a", "-i", "reader", data="something\n")
    contains(attached.out, "got something", "start -a -i passes input and output")
    equal(attached.code, 5, "start -a tells the exit code")
    shows(podman("logs", "reader"), "got something")
    ok(podman("rm", "reader"))
    ok(podman("run", "-d", "--name", "talker", IMAGE, "sh", "-c",
              "trap 'exit 0' TERM; i=0; while sleep 0.2; do i=$((i+1)); echo line $i; done"))
    follower = world.p1.start(*world.p1.programs["podman"], "--remote", "logs", "-f", "talker")
    check(follower.stdout.readline().startswith(b"line "), "logs -f shows lines as they come")
    ok(podman("stop", "-t", "2", "talker"))
    follower.communicate(timeout=60)
    ok(podman("rm", "talker"))


def test_list(world):
    podman = world.p1.podman
    ok(podman("create", "--name", "idle", "--label", "role=back", IMAGE, "true"))
    names = ("--format", "{{.Names}}")
    says(podman("ps", *names), "web")
    equal(sorted(ok(podman("ps", "-a", *names)).out.split()), ["idle", "web"], "ps -a")
    for filters, expected in ((["label=role=front"], "web"), (["label=role"], "idle web"), (["name=web"], "web"),
                              (["status=created"], "idle"), (["ancestor=" + IMAGE], "idle web"), (["volume=data"], "web"),
                              (["label=role", "status=created"], "idle"), (["label=role=none"], "")):
        words = [word for one in filters for word in ("--filter", one)]
        equal(sorted(podman("ps", "-a", *words, *names).out.split()), expected.split(), f"ps -a with {filters}")
    says(podman("ps", "-n", "1", *names), "idle")
    equal(len(ok(podman("ps", "-q", "--no-trunc")).text), 64, "ps -q --no-trunc")
    shows(podman("ps", "-a", "--size", "--pod", "--format", "json"), '"web"')
    ok(podman("container", "exists", "web"))
    fails(podman("container", "exists", "absent"), 1)
    ok(podman("rm", "idle"))


def test_inspect(world):
    podman = world.p1.podman
    document = json.loads(ok(podman("inspect", "web")).out)[0]
    check("COLOUR=blue" in document["Config"]["Env"], "inspect tells the container's own environment")
    says(podman("inspect", "--format", "{{.State.Status}}", document["Id"][:12]), "running")
    fails(podman("inspect", "absent"))
    shows(podman("top", "web"), "sleep 1000")
    shows(podman("diff", "web"), "/tmp/detached")
    shows(podman("port", "web"), "80/tcp -> 127.0.0.1:")


def test_copy(world):
    podman, home = world.p1.podman, world.p1.home
    with open(f"{home}/file", "w") as file:
        file.write("content\n")
    ok(podman("cp", f"{home}/file", "web:/tmp/copied"))
    says(podman("exec", "web", "cat", "/tmp/copied"), "content")
    ok(podman("cp", "web:/tmp/copied", f"{home}/back"))
    equal(open(f"{home}/back").read(), "content\n", "cp out of a container")
    ok(podman("exec", "web", "sh", "-c", "mkdir -p /tmp/tree/a; echo deep > /tmp/tree/a/b"))
    ok(podman("cp", "web:/tmp/tree", f"{home}/podman-tree"))
    equal(open(f"{home}/podman-tree/a/b").read(), "deep\n", "cp of a directory out of a container")
    ok(podman("cp", f"{home}/podman-tree", "web:/tmp/again"))
    says(podman("exec", "web", "cat", "/tmp/again/a/b"), "deep")
    fails(podman("cp", "web:/no/such/file", home))
    ok(podman("export", "-o", f"{home}/podman-export.tar", "web"))


def test_states(world):
    podman = world.p1.podman
    status = ("inspect", "--format", "{{.State.Status}}", "web")
    restarts(podman, "restart", "-t", "2", "web")
    says(podman(*status), "running")
    ok(podman("stop", "-t", "2", "web"))
    says(podman(*status), "exited")
    ok(podman("init", "web"))
    ok(podman("start", "web"))
    ok(podman("kill", "-s", "KILL", "web"))
    says(podman("wait", "web"), "137")
    ok(podman("rename", "web", "shop"))
    ok(podman("rename", "shop", "web"))
    ok(podman("start", "web"))
    waiting = world.p1.start(*world.p1.programs["podman"], "--remote", "wait", "web")
    time.sleep(0.5)
    ok(podman("stop", "-t", "2", "web"))
    equal(waiting.communicate(timeout=60)[0], b"0\n", "wait ends with the container's code")
    identifier = ok(podman("inspect", "--format", "{{.Id}}", "web")).text
    for path in ("pause", "unpause"):
        bare = world.engine.direct.post(f"{LIBPOD}/containers/{identifier}/{path}")
        through = world.p1.post(f"{LIBPOD}/containers/{identifier}/{path}")
        equal(through.status, bare.status, f"{path} answers as Podman does")
    bare = world.engine.direct.get(f"{LIBPOD}/containers/stats?stream=false&containers={identifier}")
    through = world.p1.get(f"{LIBPOD}/containers/stats?stream=false&containers={identifier}")
    equal(through.status, bare.status, "stats answers as Podman does")


def test_a_pod_that_cannot_start(world):
    podman = world.p1.podman
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ok(podman("pod", "create", "--name", "stuck", "-p", f"127.0.0.1:{taken.getsockname()[1]}:80"))
        ok(podman("create", "--pod", "stuck", IMAGE, "true"))
        fails(podman("pod", "start", "stuck"), 125, "ddress already in use", "it is said why")
    ok(podman("pod", "rm", "-f", "stuck"))


def test_pods(world):
    podman = world.p1.podman
    identifier = ok(podman("pod", "create", "--name", "pod", "--label", "role=group", "-p", "127.0.0.1::80")).text
    ok(podman("run", "-d", "--pod", "pod", "--name", "one", IMAGE, *SLEEP))
    ok(podman("create", "--pod", identifier[:12], "--name", "two", IMAGE, *SLEEP))
    says(podman("pod", "ps", "--format", "{{.Name}}"), "pod")
    says(podman("pod", "ps", "-q", "--no-trunc", "--filter", "label=role=group"), identifier)
    says(podman("pod", "ps", "-q", "--filter", "label=role=none"), "")
    document = json.loads(ok(podman("pod", "inspect", "pod")).out)
    document = document[0] if isinstance(document, list) else document  # a list since Podman 5
    equal((document["Name"], len(document["Containers"])), ("pod", 3), "pod inspect")
    ok(podman("pod", "start", "pod"))
    equal(sorted(podman("ps", "--filter", "pod=pod", "--format", "{{.Names}}").out.split())[-2:], ["one", "two"], "ps of a pod")
    shows(podman("pod", "top", "pod"), "sleep 1000")
    through = world.p1.get(f"{LIBPOD}/pods/stats?namesOrIDs=pod&stream=false")
    bare = world.engine.direct.get(f"{LIBPOD}/pods/stats?namesOrIDs=pod&stream=false")
    equal(through.status, bare.status, "pod stats answers as Podman does")
    ok(podman("pod", "exists", "pod"))
    fails(podman("pod", "exists", "po"), 1)
    restarts(podman, "pod", "restart", "pod")
    ok(podman("pod", "stop", "-t", "2", "pod"))
    ok(podman("pod", "start", "pod"))
    ok(podman("pod", "kill", "pod"))
    fails(podman("pod", "rm", "absent"))
    ok(podman("pod", "rm", "-f", "pod"))
    says(podman("ps", "-aq", "--filter", "name=one"), "")
    spare = ok(podman("pod", "create", "--name", "spare")).text
    ok(podman("pod", "start", "spare"))
    ok(podman("pod", "stop", "-t", "1", "spare"))
    says(podman("pod", "prune", "-f"), spare)
    says(podman("pod", "ps", "-q"), "")


def test_remove(world):
    podman = world.p1.podman
    ok(podman("start", "web"))
    fails(podman("rm", "web"))
    ok(podman("rm", "-f", "-t", "1", "web"))
    fails(podman("rm", "absent"), 1)
    for number in range(2):
        ok(podman("run", "--name", f"done{number}", IMAGE, "true"))
    ok(podman("container", "prune", "-f"))
    says(podman("ps", "-aq", "--filter", "name=done"), "")
    ok(podman("volume", "rm", "data"))
    world.unharmed()
