"""Work with docker-py, step by step. Without a step's name it lists them; each is a process of its own."""

import os
import sys

import docker
from docker.types import Healthcheck, IPAMConfig, IPAMPool, LogConfig, Mount, Ulimit

IMAGE = "localhost/bb:latest"
SERVE = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]


def network(client):
    client.networks.create("pynet", driver="bridge", labels={"tier": "back"}, check_duplicate=True)


def network_options(client):
    pool = IPAMPool(subnet="10.91.10.0/24", gateway="10.91.10.1")
    client.networks.create("pyback", internal=True, ipam=IPAMConfig(pool_configs=[pool]))


def volume(client):
    client.volumes.create("pydata", labels={"tier": "db"})


def run(client):
    client.containers.run(IMAGE, ["echo", "hello"], remove=True)


def run_service(client):
    client.containers.run(
        IMAGE, SERVE, name="pyweb", detach=True, ports={"80/tcp": 18100, "443/tcp": ("127.0.0.1", None)}, network="pynet",
        environment={"COLOUR": "blue"}, labels={"app": "shop"}, volumes={"pydata": {"bind": "/data", "mode": "rw"}},
        restart_policy={"Name": "on-failure", "MaximumRetryCount": 3}, hostname="www", init=True,
        healthcheck=Healthcheck(test=["CMD", "true"], interval=5_000_000_000, retries=3))


def run_publish_all(client):
    client.containers.run(IMAGE, SERVE, detach=True, publish_all_ports=True, ports={"8080/tcp": None})


def run_limits(client):
    client.containers.create(
        IMAGE, ["true"], mem_limit="256m", memswap_limit="512m", nano_cpus=1_500_000_000, pids_limit=200, shm_size="64m",
        ulimits=[Ulimit(name="nofile", soft=512, hard=1024)], log_config=LogConfig(type="json-file", config={"max-size": "10m"}))


def run_hardened(client):
    client.containers.run(IMAGE, ["true"], remove=True, cap_drop=["ALL"], cap_add=["CHOWN"], read_only=True, user="1000:1000",
                          security_opt=["no-new-privileges:true"], tmpfs={"/tmp": "size=16m"}, network_mode="none")


def run_mounts(client):
    client.containers.run(IMAGE, ["ls"], remove=True, working_dir="/src", mounts=[
        Mount("/data", "pydata", type="volume", read_only=True), Mount("/src", os.environ["WORKSPACE"], type="bind", read_only=True),
        Mount("/scratch", None, type="tmpfs", tmpfs_size=1048576)])


def run_workspace(client):
    client.containers.run(IMAGE, ["ls"], remove=True, volumes=[os.environ["WORKSPACE"] + ":/workspace:rw"], extra_hosts={"cache": "10.91.10.5"})


def execute(client):
    client.containers.get("pyweb").exec_run(["echo", "hello"])


def execute_options(client):
    client.containers.get("pyweb").exec_run("pwd", user="0", workdir="/tmp", environment={"WORD": "one"}, tty=True, demux=False)


def update(client):
    client.containers.get("pyweb").update(mem_limit="300m", memswap_limit="600m")


def connect(client):
    client.networks.get("pyback").connect("pyweb", aliases=["www"], ipv4_address="10.91.10.20")


def disconnect(client):
    client.networks.get("pyback").disconnect("pyweb", force=True)


STEPS = [network, network_options, volume, run, run_service, run_publish_all, run_limits, run_hardened, run_mounts,
         run_workspace, execute, execute_options, update, connect, disconnect]
STEPS = {step.__name__.replace("_", "-"): step for step in STEPS}
if sys.argv[1] == "list":
    print(*STEPS)
else:
    STEPS[sys.argv[1]](docker.from_env())
