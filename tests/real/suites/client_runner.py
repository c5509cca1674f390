"""A runner of jobs, as `act` and its like are: one container with many mounts that sleeps, copies into it, and an exec for every step, in
the requests of Docker's Go client to the letter. And curl, which knows nothing of upgrades."""

import io
import json
import re
import tarfile
from concurrent.futures import ThreadPoolExecutor

from check import check, contains, equal
from clients import API, ok
from streams import UPGRADE, _frames
from wire import Connection, query, request
from world import IMAGE

ENDLESS = ["/bin/tail", "-f", "/dev/null"]
# What Docker's Go client says of a container besides what the caller sets.
CONFIG = {"Hostname": "", "Domainname": "", "User": "", "AttachStdin": False, "AttachStdout": False, "AttachStderr": False, "Tty": False,
          "OpenStdin": False, "StdinOnce": False, "Volumes": None, "OnBuild": None, "Labels": None}
HOST = {"ContainerIDFile": "", "LogConfig": {"Type": "", "Config": None}, "NetworkMode": "", "PortBindings": None,
        "RestartPolicy": {"Name": "", "MaximumRetryCount": 0}, "AutoRemove": False, "VolumeDriver": "", "VolumesFrom": None,
        "ConsoleSize": [0, 0], "CapAdd": None, "CapDrop": None, "CgroupnsMode": "", "Dns": None, "DnsOptions": None, "DnsSearch": None,
        "ExtraHosts": None, "GroupAdd": None, "IpcMode": "", "Cgroup": "", "Links": None, "OomScoreAdj": 0, "PidMode": "",
        "Privileged": False, "PublishAllPorts": False, "ReadonlyRootfs": False, "SecurityOpt": None, "UTSMode": "", "UsernsMode": "",
        "ShmSize": 0, "Isolation": "", "CpuShares": 0, "Memory": 0, "NanoCpus": 0, "CgroupParent": "", "BlkioWeight": 0,
        "BlkioWeightDevice": None, "BlkioDeviceReadBps": None, "BlkioDeviceWriteBps": None, "BlkioDeviceReadIOps": None,
        "BlkioDeviceWriteIOps": None, "CpuPeriod": 0, "CpuQuota": 0, "CpuRealtimePeriod": 0, "CpuRealtimeRuntime": 0, "CpusetCpus": "",
        "CpusetMems": "", "Devices": None, "DeviceCgroupRules": None, "DeviceRequests": None, "MemoryReservation": 0, "MemorySwap": 0,
        "MemorySwappiness": None, "OomKillDisable": None, "PidsLimit": None, "Ulimits": None, "CpuCount": 0, "CpuPercent": 0,
        "IOMaximumIOps": 0, "IOMaximumBandwidth": 0, "MaskedPaths": None, "ReadonlyPaths": None}
EXEC = {"User": "", "Privileged": False, "Tty": False, "ConsoleSize": None, "AttachStdin": False, "AttachStderr": True,
        "AttachStdout": True, "Detach": False, "DetachKeys": "", "Env": None, "WorkingDir": ""}
NAME = "act-build-job-1a2b3c"
VOLUMES = {f"{NAME}-env": "/var/run/act", "act-toolcache": "/opt/hostedtoolcache", f"{NAME}-home": "/github/home", f"{NAME}-cache": "/cache"}


def _create(world, **host):
    own = {"Binds": ["/var/run/docker.sock:/var/run/docker.sock", "/workspace:/github/workspace"],
           "Mounts": [{"Type": "volume", "Source": source, "Target": target} for source, target in VOLUMES.items()]}
    return world.p1.post(f"{API}/containers/create" + query(name=NAME), {
        **CONFIG, "Image": IMAGE, "Env": ["RUNNER_TOOL_CACHE=/opt/hostedtoolcache", "RUNNER_OS=Linux"], "Cmd": None, "Entrypoint": ENDLESS,
        "WorkingDir": "/github/workspace", "HostConfig": {**HOST, **own, **host}, "NetworkingConfig": {"EndpointsConfig": {}}})


def _archive(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name.replace("__", "/"))
            member.size, member.mode = len(text), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def _step(world, *command, env=None, folder="", user=""):
    """Exit code and output of a step."""
    made = world.p1.post(f"{API}/containers/{NAME}/exec", {**EXEC, "Cmd": list(command), "Env": env, "WorkingDir": folder, "User": user})
    if made.status != 201:
        return made, b""
    identifier = made.json()["Id"]
    with Connection(world.p1.path) as connection:
        connection.send(request("POST", f"{API}/exec/{identifier}/start", {"Detach": False, "Tty": False, "ConsoleSize": None}, UPGRADE))
        equal(connection.head()[0], 101, "the step's streams are one's own")
        output = _frames(connection.take_all())
    state = world.p1.get(f"{API}/exec/{identifier}/json").json()
    return state["ExitCode"], output


def test_job(world):
    p1 = world.p1
    equal(p1.get(f"{API}/images/{IMAGE}/json").json()["Os"], "linux", "the image is looked at")
    created = _create(world)
    equal((created.status, created.json().get("Warnings")), (201, []), "the job's container is made")
    equal(p1.post(f"{API}/containers/{NAME}/start").status, 204, "and started")
    seen = p1.get(f"{API}/containers/{NAME}/json").json()
    equal({one["Destination"]: one.get("Name", "") for one in seen["Mounts"] if one["Type"] == "volume"},
          {target: source for source, target in VOLUMES.items()}, "its volumes are mounted")
    put = p1.put(f"{API}/containers/{NAME}/archive" + query(path="/var/run/act", noOverwriteDirNonDir="true"),
                 _archive(workflow__0="#!/bin/sh\necho step $1 of $RUNNER_OS in $(pwd) as $(id -u); exit $1\n", workflow__envs="A=1\n"),
                 fields=[("Content-Type", "application/x-tar")])
    check(put.status == 200, "files are copied into it", put)
    for number in range(12):
        ended, output = _step(world, "/var/run/act/workflow/0", str(number), env=["RUNNER_OS=Linux", f"STEP={number}"], folder="/github/home")
        equal((ended, output.decode()), (number, f"step {number} of Linux in /github/home as 0\n"), f"step {number} tells output and exit code")
    equal(_step(world, "id", "-u", user="1000")[1], b"1000\n", "a step as another user")
    equal(_step(world, "/no/such/program")[0], 127, "a step that cannot be run")
    ended, output = _step(world, "sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo line $i of a long log; i=$((i+1)); done")
    equal((ended, len(output.splitlines())), (0, 20000), "a long log is complete")
    with ThreadPoolExecutor(8) as steps:
        together = list(steps.map(lambda number: _step(world, "sh", "-c", f"sleep 0.2; echo {number}; exit {number}"), range(8)))
    equal(together, [(number, f"{number}\n".encode()) for number in range(8)], "eight steps at once")
    equal(_step(world, "sh", "-c", "echo A=2 >> /var/run/act/workflow/envs; echo from a job > /github/workspace/job")[0], 0, "a step writes")
    taken = p1.get(f"{API}/containers/{NAME}/archive" + query(path="/var/run/act/workflow/envs"))
    with tarfile.open(fileobj=io.BytesIO(taken.content)) as tar:
        equal(tar.extractfile("envs").read(), b"A=1\nA=2\n", "what a step has written is read back")
    equal((world.engine.home / "workspace-p1" / "job").read_text(), "from a job\n", "the workspace has what the job wrote")
    (world.engine.home / "workspace-p1" / "job").unlink()
    equal(_step(world, "test", "-S", "/var/run/docker.sock")[0], 0, "the job has a socket")
    equal(p1.delete(f"{API}/containers/{NAME}" + query(force=1, v=1)).status, 204, "the job's container goes")
    for volume in VOLUMES:
        equal(p1.delete(f"{API}/volumes/{volume}" + query(force=1)).status, 204, f"and its volume {volume}")
    world.unharmed()


def test_network_of_the_host(world):
    """act asks for the host's network unless told otherwise: the answer says so, and what to do."""
    answer = _create(world, NetworkMode="host")
    equal(answer.status, 403, "the network of the host is refused")
    contains(answer.json()["message"], "Leave the mode out", "with the way out")


def test_service_containers(world):
    """A job with a service: a network of its own, the service by its alias."""
    p1 = world.p1
    made = p1.post(f"{API}/networks/create", {"Name": f"{NAME}-net", "CheckDuplicate": True, "Driver": "bridge", "Scope": "", "EnableIPv6": False,
                                              "IPAM": None, "Internal": False, "Attachable": False, "Ingress": False, "ConfigOnly": False,
                                              "ConfigFrom": None, "Options": None, "Labels": None})
    equal(made.status, 201, "the job's network")
    service = p1.post(f"{API}/containers/create" + query(name="service"), {
        **CONFIG, "Image": IMAGE, "Cmd": ["sh", "-c", "mkdir /www; echo served > /www/index.html; exec httpd -f -p 8080 -h /www"], "HostConfig": {
            **HOST, "NetworkMode": f"{NAME}-net"}, "NetworkingConfig": {"EndpointsConfig": {f"{NAME}-net": {
                "IPAMConfig": None, "Links": None, "Aliases": ["db"], "NetworkID": "", "EndpointID": "", "Gateway": "", "IPAddress": "",
                "IPPrefixLen": 0, "IPv6Gateway": "", "GlobalIPv6Address": "", "GlobalIPv6PrefixLen": 0, "MacAddress": "", "DriverOpts": None}}}})
    equal(service.status, 201, "the service")
    equal(p1.post(f"{API}/containers/service/start").status, 204, "runs")
    job = _create(world, NetworkMode=f"{NAME}-net")
    check(job.status == 201, "the job beside it", job)
    equal(p1.post(f"{API}/containers/{NAME}/start").status, 204, "runs")
    ended, output = _step(world, "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do wget -q -O - http://db:8080/index.html && exit; sleep 0.5; done; exit 1")
    equal((ended, output), (0, b"served\n"), "the job reaches the service")
    for container in (NAME, "service"):
        equal(p1.delete(f"{API}/containers/{container}" + query(force=1, v=1)).status, 204, f"{container} goes")
    equal(p1.delete(f"{API}/networks/{NAME}-net").status, 204, "and the network")
    world.clear(p1)


def test_curl(world):
    """A life by curl alone: no upgrade is asked for anywhere."""
    p1 = world.p1

    def curl(target, *words, data=None):
        content = ("-X", "POST", "-H", "Content-Type: application/json", "--data-binary", json.dumps(data)) if data is not None else ()
        return ok(p1.run("curl", "-sS", "--max-time", "30", "--unix-socket", p1.path, *content, *words, f"http://d{API}{target}"))
    made = json.loads(curl("/containers/create?name=web", data={"Image": IMAGE, "Cmd": ["sh", "-c", "echo up; exec sleep 1000"]}).out)
    check(re.fullmatch("[0-9a-f]{64}", made["Id"]), "create", made)
    equal(curl("/containers/web/start", "-X", "POST", "-w", "%{http_code}").out, "204", "start")
    identifier = json.loads(curl("/containers/web/exec", data={"Cmd": ["echo", "plain"], "AttachStdout": True}).out)["Id"]
    contains(curl(f"/exec/{identifier}/start", "--output", "-", data={"Detach": False, "Tty": False}).out, "plain\n", "exec start")
    equal(json.loads(curl(f"/exec/{identifier}/json").out)["ExitCode"], 0, "its exit code")
    terminal = json.loads(curl("/containers/web/exec", data={"Cmd": ["tty"], "AttachStdout": True, "Tty": True}).out)["Id"]
    contains(curl(f"/exec/{terminal}/start", data={"Detach": False, "Tty": True}).out, "/dev/pts/", "exec start with a terminal")
    contains(curl("/containers/web/logs?stdout=1", "--output", "-").out, "up\n", "logs")
    contains(curl("/_ping", "-i").out, "\r\n\r\nOK", "ping")
    contains(curl("/containers/absent/json").out, "no such container", "what is not there")
    equal(curl("/containers/web?force=1", "-X", "DELETE", "-w", "%{http_code}").out, "204", "removal")
    world.unharmed()
