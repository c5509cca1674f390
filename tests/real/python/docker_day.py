"""A day of docker-py. Prints a line of JSON for each claim; the last line is `end`."""

import io
import os
import tarfile
import threading
import time

import docker
from docker.errors import APIError, ImageNotFound, NotFound

from claims import claim, raised, started

IMAGE, REGISTRY = os.environ["IMAGE"], os.environ["REGISTRY"]
SLEEP = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]
client = docker.from_env()


def run(image, command):
    """What it wrote. It is read by `logs` that follow, and Podman's own do not end where a container ends just as they
    begin, nor where it is removed at once (docs/clients.md): hence a second more, and no `remove`."""
    said = client.containers.run(image, ["sh", "-c", f"{command}; sleep 1"], name="once")
    client.containers.get("once").remove()
    return said


def archive(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def containers():
    claim(client.ping(), True, "ping")
    claim(run(IMAGE, "echo hello"), b"hello\n", "run")
    web = client.containers.run(IMAGE, SLEEP, name="web", detach=True, environment={"COLOUR": "blue"}, labels={"role": "front"},
                                volumes={"data": {"bind": "/data", "mode": "rw"}}, ports={"80/tcp": ("127.0.0.1", None)}, mem_limit="64m")
    web.reload()
    claim((web.status, web.labels["role"], web.attrs["Config"]["Env"].count("COLOUR=blue")), ("running", "front", 1), "inspect")
    claim(web.ports["80/tcp"][0]["HostIp"], "127.0.0.1", "ports")
    claim([one.name for one in client.containers.list(filters={"label": "role=front"})], ["web"], "list by label")
    claim(tuple(web.exec_run(["sh", "-c", "echo $COLOUR; exit 7"])), (7, b"blue\n"), "exec: exit code and output")
    claim(web.exec_run(["sh", "-c", "echo out; echo err >&2"], demux=True).output, (b"out\n", b"err\n"), "exec keeps the outputs apart")
    stream = web.exec_run(["sh", "-c", "echo one; sleep 0.2; echo two"], stream=True).output
    claim(b"".join(stream), b"one\ntwo\n", "exec streams")
    socket = client.api.exec_start(client.api.exec_create("web", ["sh", "-c", "read word; echo got $word"], stdin=True)["Id"], socket=True)
    socket._sock.sendall(b"something\n")
    said = b""
    while b"got something" not in said and (piece := socket.read(512)):
        said += piece
    claim(b"got something\n" in said, True, "exec with a socket of its own")
    claim(web.put_archive("/tmp", archive(file="content\n")), True, "put_archive")
    pieces, state = web.get_archive("/tmp/file")
    with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as tar:
        claim((state["name"], tar.extractfile("file").read()), ("file", b"content\n"), "get_archive")
    claim("sleep 1000" in str(web.top()["Processes"]), True, "top")
    claim({"/tmp/file", "/data"} & {one["Path"] for one in web.diff()} != set(), True, "diff")
    web.rename("shop")
    started(APIError, lambda: web.restart(timeout=1))
    web.stop(timeout=2)
    claim(web.wait()["StatusCode"], 0, "wait")
    started(APIError, web.start)
    web.kill()
    claim(web.wait()["StatusCode"], 137, "kill")
    web.remove(v=True)
    claim("No such container" in raised(NotFound, lambda: client.containers.get("shop")) or "no such container" in
          raised(NotFound, lambda: client.containers.get("shop")), True, "NotFound tells what is not there")
    client.volumes.get("data").remove()


def streams():
    seen, started = [], threading.Event()

    def listen():
        events = client.events(decode=True, filters={"type": "container"})
        started.set()
        for event in events:
            seen.append(event["Action"])
            if event["Action"] in ("remove", "destroy"):
                return events.close()
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    started.wait()
    time.sleep(0.3)
    talker = client.containers.run(IMAGE, ["sh", "-c", "echo one; echo two >&2; sleep 0.3; echo three"], name="talker", detach=True)
    claim(b"".join(talker.logs(stream=True, follow=True)), b"one\ntwo\nthree\n", "logs follow to the end")
    claim((talker.logs(stdout=True, stderr=False), talker.logs(stderr=True, stdout=False)), (b"one\nthree\n", b"two\n"), "logs of each output")
    claim(talker.logs(tail=1), b"three\n", "the last line of the logs")
    claim(talker.wait()["StatusCode"], 0, "wait for the end")
    talker.remove()
    listener.join(10)
    claim({"create", "start"} <= set(seen), True, "events tell a life")


def images():
    name = f"{REGISTRY}/team/python"
    image, lines = client.images.build(fileobj=io.BytesIO(f"FROM {IMAGE}\nRUN echo built > /built\nLABEL mine=yes\n".encode()), tag=f"{name}:1", rm=True)
    claim((image.labels["mine"], any("STEP 1/" in line.get("stream", "") for line in lines)), ("yes", True), "build")
    claim(run(f"{name}:1", "cat /built"), b"built\n", "what was built runs")
    claim(image.tag(name, tag="2"), True, "tag")
    claim(any("error" in line for line in client.images.push(name, tag="2", stream=True, decode=True)), False, "push")
    saved = b"".join(client.images.get(f"{name}:1").save(named=f"{name}:1"))
    client.images.remove(f"{name}:1")
    client.images.remove(f"{name}:2")
    claim("No such image" in raised(ImageNotFound, lambda: client.images.get(f"{name}:1")), True, "ImageNotFound")
    claim(client.images.load(saved)[0].tags, [f"{name}:1"], "load")
    claim(client.images.pull(name, tag="2").tags.count(f"{name}:2"), 1, "pull")
    claim(any(line.get("status") or line.get("stream") for line in client.api.pull(name, tag="2", stream=True, decode=True)), True, "pull tells its progress")
    changed = client.containers.run(IMAGE, ["sh", "-c", "echo new > /new"], name="changed", detach=True)
    changed.wait()
    changed.commit(f"{name}", tag="3")
    claim(run(f"{name}:3", "cat /new"), b"new\n", "commit")
    changed.remove()
    for tag in "123":
        client.images.remove(f"{name}:{tag}")
    spare = f"{REGISTRY}/team/spare:latest"
    claim(run(spare, "echo pulled"), b"pulled\n", "run pulls an image that is not there")
    client.images.remove(spare)


def networks_volumes_and_the_system():
    network = client.networks.create("net", labels={"role": "inner"})
    web = client.containers.run(IMAGE, SLEEP, name="web", detach=True, network="net")
    claim([one.name for one in client.networks.list(filters={"label": "role=inner"})], ["net"], "list networks")
    second = client.networks.create("net2")
    second.connect(web)
    web.reload()
    claim(sorted(web.attrs["NetworkSettings"]["Networks"]), ["net", "net2"], "connect")
    second.disconnect(web)
    web.remove(force=True)
    network.remove()
    claim(client.networks.prune()["NetworksDeleted"], ["net2"], "prune networks")
    volume = client.volumes.create("data", labels={"role": "store"})
    claim((volume.name, volume.attrs["Labels"]["role"]), ("data", "store"), "create a volume")
    claim([one.name for one in client.volumes.list()], ["data"], "list volumes")
    volume.remove()
    claim("podfence: " in raised(APIError, lambda: client.containers.run(IMAGE, "true", privileged=True)), "FENCED" in os.environ, "a refusal says whose")
    claim(client.info()["OSType"], "linux", "info")
    claim(any(part["Name"] == "Podman Engine" for part in client.version()["Components"]), True, "version")
    claim({"Containers", "Images", "LayersSize", "Volumes"} <= set(client.df()), True, "df")


containers()
streams()
images()
networks_volumes_and_the_system()
print("end")
