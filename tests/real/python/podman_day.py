"""A day of podman-py. Prints a line of JSON for each claim; the last line is `end`."""

import io
import os
import tarfile
import tempfile

from podman import PodmanClient
from podman.errors import APIError, ImageNotFound, NotFound

from claims import claim, raised, started

IMAGE, REGISTRY = os.environ["IMAGE"], os.environ["REGISTRY"]
SLEEP = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]
client = PodmanClient(base_url=os.environ["CONTAINER_HOST"])


def containers():
    claim(client.ping(), True, "ping")
    client.containers.run(IMAGE, ["echo", "hello"], remove=True)   # podman-py reads no logs of Podman's own kind
    claim(client.containers.list(all=True), [], "run to the end, and be removed")
    web = client.containers.run(IMAGE, SLEEP, name="web", detach=True, environment={"COLOUR": "blue"}, labels={"role": "front"},
                                volumes={"data": {"bind": "/data", "mode": "rw"}}, ports={"80/tcp": ("127.0.0.1", 0)},
                                mem_limit="64m")
    web.reload()
    claim((web.status, web.labels["role"], web.attrs["Config"]["Env"].count("COLOUR=blue")), ("running", "front", 1), "inspect")
    claim([one.name for one in client.containers.list(filters={"label": "role=front"})], ["web"], "list by label")
    claim(web.exec_run(["sh", "-c", "echo $COLOUR; exit 7"])[0], 7, "exec tells the exit code")
    claim(b"blue" in web.exec_run(["sh", "-c", "echo $COLOUR"])[1], True, "exec tells the output")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        member = tarfile.TarInfo("file")
        member.size = 8
        tar.addfile(member, io.BytesIO(b"content\n"))
    claim(web.put_archive("/tmp", out.getvalue()), True, "put_archive")
    pieces, state = web.get_archive("/tmp/file")
    with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as tar:
        claim((state["name"], tar.extractfile("file").read()), ("file", b"content\n"), "get_archive")
    claim("sleep 1000" in str(web.top()["Processes"]), True, "top")
    web.rename("shop")
    started(APIError, lambda: web.restart(timeout=1))
    web.stop(timeout=2)
    claim(web.wait(), 0, "wait")
    started(APIError, web.start)
    web.kill()
    claim(web.wait(), 137, "kill")
    web.remove(v=True)
    claim("no such container" in raised(NotFound, lambda: client.containers.get("shop")), True, "NotFound tells what is not there")
    claim(client.containers.exists("shop"), False, "exists")
    client.volumes.get("data").remove()
    talker = client.containers.create(IMAGE, ["sh", "-c", "echo one; echo two >&2"], name="talker")
    talker.start()
    talker.wait()
    claim(sorted(talker.logs(stderr=True)), [b"one\n", b"two\n"], "logs")
    talker.remove()


def pods_secrets_and_the_rest():
    pod = client.pods.create("pod", labels={"role": "group"})
    client.containers.create(IMAGE, SLEEP, name="one", pod=pod).start()
    claim([one.name for one in client.pods.list(filters={"label": "role=group"})], ["pod"], "list pods")
    pod.reload()
    claim(sorted(one["Name"] for one in pod.attrs["Containers"])[-1], "one", "inspect of a pod")
    pod.stop(timeout=2)
    pod.remove(force=True)
    secret = client.secrets.create("word", b"the value")
    claim([one.name for one in client.secrets.list()], ["word"], "secrets")
    secret.remove()
    network = client.networks.create("net", labels={"role": "inner"})
    claim([one.name for one in client.networks.list(filters={"label": "role=inner"})], ["net"], "networks")
    network.remove()
    volume = client.volumes.create("data", labels={"role": "store"})
    claim([one.name for one in client.volumes.list()], ["data"], "volumes")
    volume.remove()
    claim(client.info()["host"]["os"], "linux", "info")
    claim(client.version()["Components"][0]["Name"], "Podman Engine", "version")
    claim("podfence: " in raised(APIError, lambda: client.containers.create(IMAGE, ["true"], privileged=True)), "FENCED" in os.environ, "a refusal says whose")


def images():
    name = f"{REGISTRY}/team/podman-python"
    with tempfile.TemporaryDirectory() as context:
        with open(f"{context}/Containerfile", "w") as file:
            file.write(f"FROM {IMAGE}\nRUN echo built > /built\nLABEL mine=yes\n")
        image, lines = client.images.build(path=context, dockerfile="Containerfile", tag=f"{name}:1")
    claim((image.labels["mine"], any(b"STEP 1/" in line for line in lines)), ("yes", True), "build")
    reader = client.containers.create(f"{name}:1", ["cat", "/built"])
    reader.start()
    reader.wait()
    claim(list(reader.logs()), [b"built\n"], "what was built runs")
    reader.remove()
    image.tag(name, "2")
    claim("error" in str(client.images.push(name, tag="2")), False, "push")
    saved = b"".join(client.images.get(f"{name}:1").save(named=f"{name}:1"))
    client.images.remove(f"{name}:1")
    client.images.remove(f"{name}:2")
    claim(raised(ImageNotFound, lambda: client.images.get(f"{name}:1")) != "nothing was raised", True, "ImageNotFound")
    claim([tag for one in client.images.load(saved) for tag in one.tags], [f"{name}:1"], "load")
    claim(client.images.pull(name, tag="2").tags.count(f"{name}:2"), 1, "pull")
    for tag in "12":
        client.images.remove(f"{name}:{tag}")


containers()
pods_secrets_and_the_rest()
images()
print("end")
