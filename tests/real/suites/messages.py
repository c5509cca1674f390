"""What people read when podfence says no: each client's own words before and behind, and one line that says why, and what to do."""

import os

from check import check, equal
from clients import API
from fleet import Client, debian13, docker28, node
from world import IMAGE

HOST_PATH = "podfence: a path of the host cannot be mounted: /etc. Use a named volume, or mount a workspace: /workspace, /reference. " \
            "[rule mount.host-path, policy workspace]"
PRIVILEGED = "podfence: privileged mode is not allowed: {}. Run without it. [rule privilege.privileged]"
HOST_NAMESPACE = "podfence: the namespace of the host cannot be joined: host. Leave the mode out. [rule namespace.host]"
CAPABILITY = "podfence: the capability is not one of those that your project may have: {}. Run without it. [rule privilege.capability]"
SYSCTL = "podfence: the sysctl is not allowed: kernel.msgmax. Run without it. [rule privilege.sysctl]"
ID_LIKE = "podfence: a name of 12 or more hexadecimal digits could be taken for an id: deadbeefdead1234. Choose another name. [rule name.id-like]"
DEVICE = "podfence: devices of the host are not allowed: {}. Run without it. [rule privilege.device]"
REGISTRY = "podfence: the registry is not one that your project may use: example.org/x:latest. Use one of those that your project may use. " \
           "[rule registry.refused, policy images.registries]"
SHARED = "podfence: the image is shared by all projects and cannot be changed: {}. {}. [rule image.shared]"
EVERYBODY = "podfence: the endpoint acts on the objects of everybody: /libpod/system/prune. Prune or remove each kind of object by itself. " \
            "[rule endpoint.global]"
BUILD_CACHE = "podfence: there is no build cache that could be pruned: /build/prune. Prune containers, images, volumes and networks, each by itself. " \
              "[rule endpoint.build-cache]"
BUILDKIT = "podfence: privileged mode is not allowed: HostConfig.Privileged. Set DOCKER_BUILDKIT=0 to use the classic builder: " \
           "BuildKit's needs it. [rule privilege.privileged]"

RUN = ((("-v", "/etc:/x"), HOST_PATH, HOST_PATH),
       (("--privileged",), PRIVILEGED.format("HostConfig.Privileged"), PRIVILEGED.format("privileged")),
       (("--network", "host"), HOST_NAMESPACE, HOST_NAMESPACE),
       (("--pid", "host"), HOST_NAMESPACE, HOST_NAMESPACE),
       (("--cap-add", "CAP_SYS_ADMIN"), CAPABILITY.format("CAP_SYS_ADMIN"), CAPABILITY.format("CAP_SYS_ADMIN")),
       (("--sysctl", "kernel.msgmax=1"), SYSCTL, SYSCTL),
       (("--name", "deadbeefdead1234"), ID_LIKE, ID_LIKE))
OTHERS = ((("pull", "example.org/x"), REGISTRY),
          (("tag", IMAGE, "localhost/other:latest"), SHARED.format("localhost/other:latest", "Choose a name that images.shared does not cover")),
          (("push", IMAGE), SHARED.format(IMAGE, "Give it a name of your own first")),
          (("rmi", IMAGE), SHARED.format(IMAGE, "Pull or build one of your own")))


def _is_said(ran, code, before, text, behind=""):
    """The whole of what is written to standard error."""
    check((ran.code, ran.err) == (code, before + text + behind), f"{' '.join(ran.words)[-120:]}: {text}", f"expected {before + text + behind!r}\n{ran}")


def test_docker(world):
    for words, behind in ((debian13("docker"), ".\nSee 'docker run --help'.\n"), (docker28(), "\n\nRun 'docker run --help' for more information\n")):
        docker = Client(world.p1, words, DOCKER_BUILDKIT="0")
        for options, text, _ in RUN:
            _is_said(docker("run", "--rm", *options, IMAGE, "true"), 125, "docker: Error response from daemon: ", text, behind)
        for command, text in OTHERS:
            _is_said(docker(*command), 1, "Error response from daemon: ", text, "\n")
        ran = docker("builder", "prune", "-f")  # the client has something of its own to say before
        check((ran.code, ran.err.endswith(f"\n\nError response from daemon: {BUILD_CACHE}\n")) == (1, True), BUILD_CACHE, ran)
        equal(world.p1.get(f"{API}/containers/json?all=1").json(), [], "nothing was made")


def test_podman(world):
    for words in (("podman",), debian13("podman")):
        podman = Client(world.p1, (*words, "--remote"))
        for options, _, text in (*RUN, (("--device", "/dev/fuse"), "", DEVICE.format("devices"))):
            _is_said(podman("run", "--rm", *options, IMAGE, "true"), 125, "Error: ", text, "\n")
        for command, text in (*OTHERS, (("system", "prune", "-f"), EVERYBODY)):
            _is_said(podman(*command), 125, "Error: ", text, "\n")
        equal(world.p1.get(f"{API}/containers/json?all=1").json(), [], "nothing was made")


SERVICE = """services:
  one:
    image: {image}
    command: ["true"]
    {line}
"""
LINES = (("volumes: ['/etc:/x']", HOST_PATH), ("privileged: true", PRIVILEGED.format("HostConfig.Privileged")),
         ("network_mode: host", HOST_NAMESPACE), ("devices: ['/dev/fuse']", DEVICE.format("HostConfig.Devices")), ("cap_add: [SYS_ADMIN]", None))


def _application(world, line):
    folder = f"{world.p1.home}/refused"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/docker-compose.yml", "w") as file:
        file.write(SERVICE.format(image=IMAGE, line=line))
    with open(f"{folder}/Dockerfile", "w") as file:
        file.write(f"FROM {IMAGE}\nRUN true\n")
    return folder


def test_compose(world):
    first = (world.p1.programs["docker-compose"], "--ansi", "never")
    for words, before in ((first, "ERROR: for one  Cannot create container for service one: "),
                          (debian13("docker-compose", "--ansi", "never"), "Error response from daemon: ")):
        compose = Client(world.p1, words)
        for line, text in LINES:
            folder = _application(world, line)
            ran = compose("up", "-d", cwd=folder)
            text = text or CAPABILITY.format("SYS_ADMIN")
            check(ran.code == 1 and before + text in ran.err.splitlines(), f"{words[-3]} with {line}: {text}", ran)
            compose("down", cwd=folder)


def test_podman_compose(world):
    compose = Client(world.p1, debian13("podman-compose"))
    for line, text in (LINES[0], ("privileged: true", PRIVILEGED.format("privileged")), ("network_mode: host", HOST_NAMESPACE)):
        folder = _application(world, line)
        ran = compose("up", "-d", cwd=folder)
        check("Error: " + text in ran.err.splitlines(), f"podman-compose with {line}: {text}", ran)
        compose("down", cwd=folder)


def test_buildkit(world):
    """Who asks for BuildKit is told what to do instead, and that works."""
    folder, builder = _application(world, "privileged: false"), f"{world.engine.registry_name}/docker/moby/buildkit:buildx-stable-1"
    world.engine.build(builder, "LABEL kind=builder")   # buildx pulls it first
    world.engine.podman("push", "-q", builder)
    world.engine.podman("rmi", builder)
    for name, words in (("docker build", ("docker", "build", "-t", "built", ".")), ("docker buildx build", ("docker", "buildx", "build", "-t", "built", "."))):
        ran = Client(world.p1, debian13(*words))(cwd=folder)
        check(ran.code != 0 and BUILDKIT in ran.err, f"{name} says what to do", ran)
    ran = Client(world.p1, debian13("docker", "build", "-q", "-t", "built", "."), DOCKER_BUILDKIT="0")(cwd=folder)
    check(ran.code == 0 and len(ran.text.removeprefix("sha256:")) == 64, "and the classic builder builds", ran)
    with open(f"{folder}/docker-compose.yml", "w") as file:
        file.write("services:\n  one:\n    build: .\n    image: localhost/built-by-compose:latest\n")
    ran = Client(world.p1, debian13("docker-compose", "--ansi", "never", "build"))(cwd=folder)
    check(ran.code != 0 and BUILDKIT in ran.out + ran.err, "docker compose build says what to do", ran)
    ran = Client(world.p1, debian13("docker-compose", "--ansi", "never", "build"), DOCKER_BUILDKIT="0")(cwd=folder)
    check(ran.code == 0 and "Successfully tagged localhost/built-by-compose:latest" in ran.out + ran.err, "and the classic builder builds", ran)
    for target in ("/session", "/grpc"):
        answer = world.p1.call("POST", f"{API}{target}", None, [("Connection", "Upgrade"), ("Upgrade", "h2c")])
        equal((answer.status, "Set DOCKER_BUILDKIT=0 if" in answer.json()["message"]), (400, True), f"{target} with HTTP/2 says what to do")
        answer = world.p1.post(f"{API}{target}")
        equal((answer.status, "Set DOCKER_BUILDKIT=0 to use the classic builder." in answer.json()["message"]), (404, True), f"{target} says what to do")
    answer = world.p1.post(f"{API}/build?version=2", b"", fields=[("Content-Type", "application/x-tar")])
    equal((answer.status, "Set DOCKER_BUILDKIT=0." in answer.json()["message"]), (400, True), "a build of BuildKit's kind says what to do")
    world.p1.docker("rmi", "built", "localhost/built-by-compose:latest")


PYTHON = """
import docker, sys
for options in ({"volumes": {"/etc": {"bind": "/x"}}}, {"privileged": True}, {"network_mode": "host"}):
    try:
        docker.from_env().containers.run("IMAGE", "true", **options)
    except docker.errors.APIError as error:
        print(type(error).__name__, error.status_code, error.explanation)
"""
JAVASCRIPT = """
const Docker = require("dockerode");
(async () => {
  for (const HostConfig of [{ Binds: ["/etc:/x"] }, { Privileged: true }, { NetworkMode: "host" }])
    await new Docker().createContainer({ Image: "IMAGE", HostConfig }).catch((error) => console.log(error.statusCode, error.json.message));
})();
"""


def test_libraries(world):
    texts = (HOST_PATH, PRIVILEGED.format("HostConfig.Privileged"), HOST_NAMESPACE)
    for words in (("/usr/bin/python3", "-"), debian13("/usr/bin/python3", "-")):
        ran = Client(world.p1, words)(data=PYTHON.replace("IMAGE", IMAGE))
        equal(ran.out.splitlines(), [f"APIError 403 {text}" for text in texts], "docker-py raises what podfence says")
    ran = Client(world.p1, node())("-", data=JAVASCRIPT.replace("IMAGE", IMAGE))
    equal(ran.out.splitlines(), [f"403 {text}" for text in texts], "dockerode rejects with what podfence says")
    world.unharmed()
