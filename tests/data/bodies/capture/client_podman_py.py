"""Work with podman-py, step by step. Without a step's name it lists them; each is a process of its own."""

import os
import sys

import podman

IMAGE = "localhost/bb:latest"
SERVE = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]


def network(client):
    client.networks.create("pynet", driver="bridge", labels={"tier": "back"})


def volume(client):
    client.volumes.create("pydata", labels={"tier": "db"})


def run(client):
    client.containers.run(IMAGE, ["echo", "hello"], remove=True)


def run_service(client):
    client.containers.run(IMAGE, SERVE, name="pyweb", detach=True, ports={"80/tcp": 18110}, environment={"COLOUR": "blue"},
                          labels={"app": "shop"}, network_mode="bridge", networks={"pynet": {"aliases": ["www"]}},
                          volumes={"pydata": {"bind": "/data", "mode": "rw"}}, restart_policy={"Name": "on-failure"})


def run_workspace(client):
    client.containers.run(IMAGE, ["ls"], remove=True, working_dir="/src",
                          mounts=[{"type": "bind", "source": os.environ["WORKSPACE"], "target": "/src", "read_only": True}])


def run_hardened(client):
    client.containers.create(IMAGE, ["true"], cap_drop=["ALL"], cap_add=["CHOWN"], read_only=True, user="1000",
                             mem_limit="256m", pids_limit=200, network_mode="none")


def pod(client):
    client.pods.create("pypod", labels={"app": "shop"})


def execute(client):
    client.containers.get("pyweb").exec_run(["echo", "hello"], environment={"WORD": "one"}, workdir="/tmp")


def connect(client):
    client.networks.create("pyother")
    client.networks.get("pyother").connect("pyweb", aliases=["www"])


def disconnect(client):
    client.networks.get("pyother").disconnect("pyweb")


STEPS = [network, volume, run, run_service, run_workspace, run_hardened, pod, execute, connect, disconnect]
STEPS = {step.__name__.replace("_", "-"): step for step in STEPS}
if sys.argv[1] == "list":
    print(*STEPS)
else:
    STEPS[sys.argv[1]](podman.PodmanClient(base_url=os.environ["CONTAINER_HOST"]))
