"""The docker command of versions 26 and 28, each through the same day: what it prints, its exit codes, the data behind it."""

import io
import json
import os
import re
import tarfile
import time

from check import check, contains, equal, until
from clients import fails, ok, resolves, restarts, says, shows
from fleet import Client, debian13, docker28
from world import IMAGE, SLEEP

LONG = ["--stop-timeout", "2", IMAGE, *SLEEP]
DOCKERFILE = f"""FROM {IMAGE} AS made
ARG WHO=nobody
RUN echo "made for $WHO" > /made
FROM {IMAGE}
COPY --from=made /made /made
COPY kept /kept
LABEL mine=yes
CMD ["cat", "/made", "/kept"]
"""


def _dockers(world):
    """Each version, with the command; what it leaves behind is removed for the next one."""
    for major, words in (("26", debian13("docker")), ("28", docker28())):
        # BuildKit is not there: test_buildkit of the suite messages asks for it.
        yield major, Client(world.p1, words, DOCKER_BUILDKIT="0")
        world.clear(world.p1)


def test_versions(world):
    """The client is what it says, and settles on the version of the API that the engine has."""
    newest = world.engine.direct.get("/version").json()["ApiVersion"]
    for major, docker in _dockers(world):
        client = ok(docker("version", "--format", "{{.Client.Version}} {{.Client.APIVersion}}")).text.split()
        check(int(client[0].split(".")[0]) >= int(major), f"the client is version {major} or newer", client)
        equal(client[1], newest, f"docker {major} speaks the engine's version of the API")
        says(docker("version", "--format", "{{.Server.Os}} {{(index .Server.Components 0).Name}}"), "linux Podman Engine")
        shows(docker("info"), "Server:", "Containers: 0", "Operating System: ")


def test_containers(world):
    for _, docker in _dockers(world):
        equal(len(ok(docker("run", "-d", "--name", "web", "-e", "COLOUR=blue", "-w", "/tmp", "--label", "role=front", "--hostname", "front",
                            "-v", "data:/data", "-p", "127.0.0.1::80", *LONG)).text), 64, "run -d prints the full id")
        says(docker("exec", "web", "sh", "-c", "echo $COLOUR $(pwd) $(hostname)"), "blue /tmp front")
        both = docker("exec", "web", "sh", "-c", "echo out; echo err >&2; exit 7")
        equal((both.code, both.out, both.err), (7, "out\n", "err\n"), "exec: exit code and both outputs")
        says(docker("exec", "-i", "web", "wc", "-c", data=b"x" * 300_000), "300000")
        ok(docker("exec", "web", "sh", "-c", "echo kept > /data/file"))
        says(docker("run", "--rm", "--mount", "type=volume,source=data,target=/d,readonly", IMAGE, "cat", "/d/file"), "kept")
        run = docker.typed("run", "-it", "--name", "terminal", IMAGE, "sh", "-c", "tty; exit 3", timeout=30)
        equal((run.code, "/dev/pts/" in run.out), (3, True), "run -it has a terminal and tells the exit code")
        ok(docker("rm", "terminal"))
        says(docker("run", "--rm", "-i", IMAGE, "cat", data="piped\n"), "piped")
        says(docker("run", "--rm", "--read-only", "--tmpfs", "/t", "--cap-drop", "ALL", "--init", "--user", "1000:1000",
                    "--memory", "64m", "--shm-size", "1m", "--add-host", "db:10.1.2.3", IMAGE, "sh", "-c",
                    "touch /x 2>/dev/null || echo $(id -u) $(grep -c 10.1.2.3 /etc/hosts)"), "1000 1")
        says(docker("run", "--rm", "--network", "none", "--env-file", _env(world), IMAGE, "sh", "-c", "echo $FROM_FILE"), "from file")
        shows(docker("port", "web"), "80/tcp -> 127.0.0.1:")
        shows(docker("top", "web"), "sleep 100000")
        shows(docker("diff", "web"), "/data")
        equal(json.loads(ok(docker("inspect", "web")).out)[0]["Config"]["Labels"]["role"], "front", "inspect")
        says(docker("ps", "--filter", "label=role=front", "--format", "{{.Names}} {{.Image}}"), f"web {IMAGE}")
        restarts(docker, "restart", "-t", "1", "web")
        ok(docker("rename", "web", "shop"))
        waiting = docker.start("wait", "shop")
        ok(docker("stop", "-t", "2", "shop"))
        equal(waiting.communicate(timeout=60)[0], b"0\n", "wait tells the exit code")
        restarts(docker, "start", "shop")
        ok(docker("kill", "shop"))
        says(docker("inspect", "-f", "{{.State.ExitCode}}", "shop"), "137")
        fails(docker("rm", "absent"), 1, "no such container")
        says(docker("rm", "-v", "shop"), "shop")
        ok(docker("volume", "rm", "data"))


def _env(world):
    path = f"{world.p1.home}/env"
    with open(path, "w") as file:
        file.write("FROM_FILE=from file\n")
    return path


def test_logs_attach_and_events(world):
    for _, docker in _dockers(world):
        since = str(int(time.time()) - 1)
        ok(docker("run", "-d", "--name", "talker", IMAGE, "sh", "-c",
                  "echo one; echo two >&2; trap 'exit 4' TERM; i=0; while sleep 0.2; do i=$((i+1)); echo line $i; done"))
        until(lambda: "line 1" in docker("logs", "talker").out, 5)
        logs = ok(docker("logs", "talker"))
        check(logs.out.startswith("one\n") and logs.err == "two\n", "logs keep standard output and error apart", logs)
        equal(len(ok(docker("logs", "--tail", "1", "talker")).out.splitlines()), 1, "logs --tail 1")
        check(re.match(r"20\d\d-\d\d-\d\dT\S+ one\n", ok(docker("logs", "-t", "talker")).out), "logs -t tells the time")
        follower = docker.start("logs", "-f", "--tail", "0", "talker")
        check(follower.stdout.readline().startswith(b"line "), "logs -f shows lines as they come")
        ok(docker("stop", "-t", "2", "talker"))
        follower.communicate(timeout=60)
        equal(follower.returncode, 0, "logs -f ends with the container")
        ok(docker("create", "-i", "--name", "reader", IMAGE, "sh", "-c", "read word; echo got $word; exit 5"))
        attached = docker("start", "-a", "-i", "reader", data="something\n")
        equal((attached.code, attached.out), (5, "got something\n"), "start -a -i passes input, output and the exit code")
        _events_tell_a_life(docker, since)
        ok(docker("rm", "talker", "reader"))


def _events_tell_a_life(docker, since):
    """Podman reads its events from the first one on and stops at `until`, wherever it is then: those of many suites take it a while."""
    for seconds in (2, 5, 15, 40):
        seen = ok(docker("events", "--since", since, "--until", str(int(time.time()) + seconds), "--filter", "container=talker",
                         "--format", "{{.Action}}")).out.split()
        whole = {"create", "start"} <= set(seen) and {"die", "died"} & set(seen)
        if whole:
            break
    check(whole, "events tell a life", seen)


def test_copies(world):
    home = world.p1.home
    for major, docker in _dockers(world):
        os.makedirs(f"{home}/in-{major}/deep", exist_ok=True)
        with open(f"{home}/in-{major}/deep/file", "w") as file:
            file.write("content\n")
        ok(docker("run", "-d", "--name", "web", *LONG))
        ok(docker("cp", f"{home}/in-{major}", "web:/copied"))
        says(docker("exec", "web", "cat", "/copied/deep/file"), "content")
        ok(docker("cp", "web:/copied", f"{home}/out-{major}"))
        equal(open(f"{home}/out-{major}/deep/file").read(), "content\n", "cp in and out again")
        with tarfile.open(fileobj=io.BytesIO(world.p1.run(*docker.words, "cp", "web:/copied/deep/file", "-").out.encode())) as tar:
            equal(tar.getnames(), ["file"], "cp to standard output is an archive")
        fails(docker("cp", "web:/no/such/file", home), 1, "no such file or directory")
        ok(docker("export", "-o", f"{home}/export.tar", "web"))
        with tarfile.open(f"{home}/export.tar") as tar:
            check({"bin/busybox", "copied/deep/file"} <= set(tar.getnames()), "export holds the file system")


def test_images(world):
    """Pull, build, tag, save, load, commit, push, history and removal."""
    home, registry = world.p1.home, world.engine.registry_name
    for major, docker in _dockers(world):
        context, name = f"{home}/context-{major}", f"{registry}/team/built-{major}"
        os.makedirs(context, exist_ok=True)
        for file, text in (("Dockerfile", DOCKERFILE), ("kept", "kept\n"), ("ignored", "x"), (".dockerignore", "ignored\n")):
            with open(f"{context}/{file}", "w") as out:
                out.write(text)
        built = docker("build", "-t", f"{name}:1", "--build-arg", f"WHO={major}", context, timeout=180)
        shows(built, "STEP 1/", f"Successfully tagged {name}:1")
        contains(built.err, "DEPRECATED: The legacy builder", "the classic builder was asked")
        says(docker("run", "--rm", f"{name}:1"), f"made for {major}\nkept")
        quiet = ok(docker("build", "-q", "--target", "made", context, timeout=180)).text
        check(re.fullmatch("(sha256:)?[0-9a-f]{64}", quiet), "build -q prints the id alone", quiet)
        ok(docker("tag", f"{name}:1", f"{name}:2"))
        shows(docker("history", "--no-trunc", f"{name}:2"), "LABEL mine=yes")
        shows(docker("push", f"{name}:2"), "2: digest: sha256:")
        ok(docker("save", "-o", f"{home}/saved.tar", f"{name}:1"))
        ok(docker("rmi", f"{name}:1", f"{name}:2"))
        fails(docker("image", "inspect", f"{name}:1"), 1, "No such image")
        shows(docker("load", "-i", f"{home}/saved.tar"), f"Loaded image: {name}:1")
        says(docker("images", "--format", "{{.Repository}}:{{.Tag}}", name), f"{name}:1")
        pulled = docker("pull", f"{name}:2")
        contains(pulled.out, f"{name}:2", "pull tells what it pulled")
        ok(docker("run", "--name", "changed", IMAGE, "sh", "-c", "echo new > /new"))
        committed = ok(docker("commit", "-m", "a change", "-c", "CMD cat /new", "changed", f"{name}:3")).text
        check(re.fullmatch("(sha256:)?[0-9a-f]{64}", committed), "commit prints the id", committed)
        says(docker("run", "--rm", f"{name}:3"), "new")
        ok(docker("rm", "changed"))
        ok(docker("rmi", f"{name}:1", f"{name}:2", f"{name}:3"))


def test_a_pull_for_a_run(world):
    """`No such image` is what a client pulls at."""
    name = f"{world.engine.registry_name}/team/spare:latest"
    for major, docker in _dockers(world):
        ran = docker("run", "--rm", name, "echo", "pulled first")
        equal((ran.code, ran.out), (0, "pulled first\n"), f"docker {major} pulls what is not there")
        contains(ran.err, f"Unable to find image '{name}' locally", f"docker {major} says so")
        ok(docker("rmi", name))
        fails(docker("run", "--rm", "--pull", "never", name), 125, "o such image")
        fails(docker("run", "--rm", f"{world.engine.registry_name}/team/absent"), 125)


def test_networks_volumes_and_the_system(world):
    for _, docker in _dockers(world):
        ok(docker("network", "create", "--label", "role=inner", "--internal", "net"))
        equal(json.loads(ok(docker("network", "inspect", "net")).out)[0]["Internal"], True, "network inspect")
        ok(docker("run", "-d", "--name", "web", "--network", "net", *LONG))
        ok(docker("network", "create", "net2"))
        ok(docker("network", "connect", "--alias", "front", "net2", "web"))
        resolves(lambda *words: docker("run", "--rm", "--network", "net2", IMAGE, *words), "front")
        ok(docker("network", "disconnect", "net2", "web"))
        fails(docker("network", "rm", "net"), 1)
        says(docker("volume", "create", "--label", "role=store", "data"), "data")
        says(docker("volume", "ls", "--filter", "label=role=store", "--format", "{{.Name}}"), "data")
        equal(json.loads(ok(docker("volume", "inspect", "data")).out)[0]["Labels"]["role"], "store", "volume inspect")
        shows(docker("system", "df"), "Images", "Containers", "Local Volumes")
        ok(docker("rm", "-f", "web"))
        shows(docker("network", "prune", "-f"), "net")
        shows(docker("volume", "prune", "-f"), "data")
        ok(docker("run", "--name", "done", IMAGE, "true"))
        shows(docker("container", "prune", "-f"), "Deleted Containers:")
        says(docker("ps", "-aq"), "")


def test_health(world):
    for _, docker in _dockers(world):
        ok(docker("run", "-d", "--name", "patient", "--health-cmd", "test -e /tmp/healthy", "--health-interval", "1s", "--health-retries", "1",
                  *LONG))
        equal(json.loads(ok(docker("inspect", "patient")).out)[0]["Config"]["Healthcheck"]["Test"],
              ["CMD-SHELL", "test -e /tmp/healthy"], "the health check is kept")
        ok(docker("rm", "-f", "patient"))
    world.unharmed()
