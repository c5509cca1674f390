"""The examples, by real clients on a Debian 12 machine with the package installed."""

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from check import check, contains, equal, lacks, until
from machine import Machine

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = "/usr/share/doc/podfence/examples"
USER = "builder"
DEMO = "/run/user/1000/podfence/demo/podman.sock"
CONTROL = "/run/user/1000/podfence-control/control.sock"


@contextlib.contextmanager
def stage(options):
    machine = Machine("bookworm")
    try:
        shutil.copy(options.package, machine.shared / "podfence.deb")
        shutil.copy(options.docker, machine.shared / "docker")
        machine.boot()
        machine.add_podman_user(USER)
        machine.run("dpkg --install /host/podfence.deb")
        yield machine
    finally:
        machine.stop()


def serve(machine, example):
    """The user's podfence with that configuration."""
    machine.run(f"mkdir -p .config/podfence; cp {EXAMPLES}/{example} .config/podfence/podfence.json; systemctl --user daemon-reload; "
                "systemctl --user restart podfence.service", user=USER)


def test_builder(machine):
    serve(machine, "user/podfence.json")
    # Any image with a docker client: here one that is made of what this machine has.
    machine.run("""mkdir -p base/root/bin work && cp /host/docker base/root/bin/
        cp --parents -L $(ldd /host/docker | grep -o '/lib[^ ]*') base/root/
        printf 'FROM localhost/hello:latest\nCOPY root /\n' >base/Containerfile
        podman build -q --tag localhost/client:latest base
        podman build -q --tag localhost/builder:latest --build-arg BASE=localhost/client:latest """ + f"{EXAMPLES}/builder", user=USER)
    machine.write(f"/home/{USER}/work/Dockerfile", 'FROM localhost/hello:latest\nRUN echo made by an agent >/made\nCMD ["cat", "/made"]\n', user=USER)
    said = machine.run(f"{EXAMPLES}/builder/start demo ~/work 2>&1", user=USER, check=False)
    contains(said, "made by an agent", "the agent in the builder builds and runs what is in its workspace")
    said = machine.run(f"{EXAMPLES}/builder/start demo ~/work docker run --rm -v /home/{USER}:/home localhost/hello:latest ls /home 2>&1",
                       user=USER, check=False)
    contains(said, "mount.host-path", "it cannot reach the host")
    said = machine.run(f"{EXAMPLES}/builder/start demo ~/work docker ps --format '{{{{.Names}}}}' 2>&1", user=USER)
    equal(said, "", "nor see the container that it is in")
    said = machine.run(f"{EXAMPLES}/builder/start demo ~/work sh -c 'docker version >/dev/null && sleep 6 && docker version' 2>&1 & "
                       "sleep 2; systemctl --user stop podfence.service; systemctl --user start podfence.service; wait", user=USER)
    contains(said, "Server:", "it goes on when podfence was stopped and started: its directory is mounted, not the socket")


def test_compose(machine):
    serve(machine, "user/podfence.json")
    folder = machine.shared / "compose"
    shutil.copytree(ROOT / "deploy" / "examples" / "compose", folder)
    # The client is this machine's; the socket is reached through the process that has it.
    environment = {**os.environ, "DOCKER_HOST": f"unix:///proc/{machine.first}/root{DEMO}", "COMPOSE_PROJECT_NAME": "sample"}

    def compose(*words):
        return subprocess.run(["docker-compose", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False).stdout
    said = compose("up", "-d")
    check(until(lambda: "hello from web" in compose("logs", "reader"), 40, 1), "services find each other by name", said + compose("ps"))
    labels = machine.run("podman ps -a --format '{{.Names}} {{index .Labels \"appx.project\"}}'", user=USER)
    contains(labels, "sample_web_1 demo", "and are the project's")
    compose("down", "--volumes")
    left = machine.run("podman ps -a --format '{{.Names}}'; podman volume ls -q; podman network ls --format '{{.Name}}'", user=USER)
    lacks(left, "sample", "and all of them go")


def test_agent_server(machine):
    serve(machine, "agent-server/podfence.json")

    def server(*words):
        return machine.run(f"CONTROL={CONTROL} {EXAMPLES}/agent-server/agent-server {' '.join(words)} 2>&1", user=USER, check=False)

    def names(project):
        return [name for one in json.loads(server("list", project)) for name in one["Names"]]
    for project in ("app-one", "app-two"):
        server("start", project, f"{project}-web", "localhost/hello:latest", "sleep", "1000")
    equal(names("app-one"), ["/app-one-web"], "the app of one project runs, and is all that is seen there")
    equal(names("app-two"), ["/app-two-web"], "likewise that of the other")
    contains(server("stop", "app-one", "app-two-web"), "app-two-web", "the app of one project cannot be ended for the other")
    equal(names("app-two"), ["/app-two-web"], "and runs on")
    contains(server("list", "private"), "control.entitlement", "a project that is not the server's is closed to it")
    for project in ("app-one", "app-two"):
        server("stop", project, f"{project}-web")
        equal(names(project), [], "apps can be ended")
