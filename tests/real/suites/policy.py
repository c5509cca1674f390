"""What a project's policy makes of its containers, seen from within them: privileges, limits, networks, ports."""

import io
import json
import random
import socket
import tarfile
import threading
from contextlib import contextmanager

from check import check, contains, equal, lacks, skip, until
from clients import API, LIBPOD, fails, ok, says, shows
from world import IMAGE, LABEL

PROJECTS = {
    "plain": {},
    "tight": {"privileges": {"capabilities": ["chown", "setuid"], "read_only_root": True, "user_namespace": "keep-id"},
              "limits": {"memory": {"default": "64m", "most": "128m"}, "shm": {"default": "1m", "most": "2m"},
                         "stop_timeout": {"default": "1s", "most": "5s"}, "nofile": {"default": 512, "most": 1024}},
              "environment": {"FROM_POLICY": "yes"}},
    "open": {"privileges": {"insecure_new_privileges": True}},
    "together": {"network": {"default": "project"}},
    "closed": {"network": {"egress": "none"}},
    "apart": {"network": {"subnets": ["10.89.210.0/24", "fd12:3456::/48"]}},
    "gated": {"network": {"egress": "none", "gate": "gate-of-gated"}, "environment": {"HTTP_PROXY": "http://gate:3128"}},
}


def _setup(world):
    # At random: another run may be going on here, on another engine.
    blocks = random.sample(range(21000, 29000, 10), 100)
    first = next(block for block in blocks if all(_is_free(port) for port in range(block, block + 4)))
    projects = {**PROJECTS, "ranged": {"ports": {"first": first, "last": first + 3}}}
    return world.another("policies", projects), first


def _is_free(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@contextmanager
def _fence(world):
    fence, first = _setup(world)
    with fence:
        try:
            yield fence, first
        finally:
            for project in fence.projects.values():
                world.clear(project)


def _run_both(project, *command):
    """What the command writes in a container of either family."""
    for client in (project.docker, project.podman):
        yield client.__name__, client("run", "--rm", IMAGE, *command)


def test_privileges(world):
    with _fence(world) as (fence, _):
        plain, tight, opened = (fence.projects[name] for name in ("plain", "tight", "open"))
        for name, ran in _run_both(plain, "grep", "NoNewPrivs", "/proc/self/status"):
            says(ran, "NoNewPrivs:\t1", f"{name}: no new privileges")
        for name, ran in _run_both(opened, "grep", "NoNewPrivs", "/proc/self/status"):
            says(ran, "NoNewPrivs:\t0", f"{name}: new privileges where policy opens them")
        contains(fence.log(), "insecure_new_privileges", "the opening is said at the start")
        for name, ran in _run_both(tight, "sh", "-c", "grep CapBnd /proc/self/status; id -u; echo $FROM_POLICY; touch /x"):
            contains(ran.out, "CapBnd:\t0000000000000081", f"{name}: the capabilities are those of policy")
            contains(ran.out, f"\n{world.engine.account.pw_uid}\n", f"{name}: the user namespace is that of policy")
            contains(ran.out, "\nyes\n", f"{name}: the environment of policy is there")
            contains(ran.err, "Read-only file system", f"{name}: the root is read-only")
        ok(plain.docker("run", "-d", "--name", "long", IMAGE, "sleep", "100"))
        says(plain.docker("exec", "long", "grep", "NoNewPrivs", "/proc/self/status"), "NoNewPrivs:\t1", "and in exec")
        fails(tight.docker("run", "--rm", "--cap-add", "KILL", IMAGE, "true"), part="privileges.", what="the refusal says whose choice it is")


def test_limits(world):
    with _fence(world) as (fence, _):
        tight = fence.projects["tight"]
        for name, ran in _run_both(tight, "sh", "-c", "ulimit -n; df -k /dev/shm | tail -n 1 | tr -s ' ' | cut -d' ' -f2"):
            contains(ran.out, "\n1024\n", f"{name}: the default shared memory is in force")
            if name == "docker":
                skip("open files by Docker's API", "Podman leaves out all ulimits that come that way")
            else:
                check(ran.out.startswith("512\n"), f"{name}: the default open files are in force", ran)
        # This kind of machine may have no controller for memory: Podman then says that it ignores the limit.
        made = tight.post(f"{LIBPOD}/containers/create", {"image": IMAGE}).json()
        host = world.engine.direct.get(f"{LIBPOD}/containers/{made['Id']}/json").json()["HostConfig"]
        check(host["Memory"] == 64 << 20 or any("limits" in each for each in made["Warnings"]),
              "the default memory of policy is asked for", made)
        ok(tight.podman("create", "--name", "libpod", IMAGE, "true"), "podman's own ten seconds to stop are brought to the limit")
        equal(world.engine.direct.get(f"{LIBPOD}/containers/libpod/json").json()["Config"]["StopTimeout"], 5, "which is five")
        fails(tight.docker("run", "--rm", "-m", "1g", IMAGE, "true"), part="HostConfig.Memory is 1g, at most 128m",
              what="more memory than policy's most is refused by both numbers")
        fails(tight.podman("run", "--rm", "--ulimit", "nofile=2048", IMAGE, "true"), part="policy limits.nofile.most", what="so are more open files")
        answer = tight.post(f"{LIBPOD}/containers/libpod/update", {"memory": {"limit": 1 << 30}})
        check(answer.status in (403, 404) and "direct" not in answer.text, "an update cannot lift the limit", answer)


def _listener(address, family=socket.AF_INET):
    server = socket.socket(family)
    server.bind((address, 0))
    server.listen(16)
    return server


def _outer_address():
    """An address of this host that is not the loopback's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


@contextmanager
def _host_services():
    """Listeners that say who they are: name, address, port."""
    servers = {"loopback": _listener("127.0.0.1"), "loopback6": _listener("::1", socket.AF_INET6)}
    try:
        servers["outer"] = _listener(_outer_address())
    except OSError:
        pass
    for name, server in servers.items():
        def serve(server=server, name=name):
            while True:
                try:
                    connection, _ = server.accept()
                    connection.sendall(f"reached-{name}\n".encode())
                    connection.close()
                except OSError:
                    return
        threading.Thread(target=serve, daemon=True).start()
    try:
        yield {name: server.getsockname()[:2] for name, server in servers.items()}
    finally:
        for server in servers.values():
            server.close()


def _attempts(services):
    """A script that tries every way to the host's services that the network of a container has."""
    lines = ["gateway=$(ip route 2>/dev/null | sed -n 's/^default via \\([^ ]*\\).*/\\1/p')"]
    for address, port in services.values():
        targets = {address, "127.0.0.1", "::1", "10.0.2.2", "10.0.2.3", "169.254.1.1", "169.254.1.2", "$gateway",
                   "host.containers.internal", "host.docker.internal"}
        lines += [f"nc -w 1 {target} {port} </dev/null 2>/dev/null" for target in sorted(targets)]
    return "\n".join(lines) + "\ntrue"


def _context(script):
    """A build context whose one RUN step is the script."""
    text = f"FROM {IMAGE}\nRUN {json.dumps(['sh', '-c', script])}\n".encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    return packed.getvalue()


def test_host_is_out_of_reach(world):
    """No service on the host's loopback addresses can be reached, from no kind of network; past podfence it can."""
    with _fence(world) as (fence, _), _host_services() as services:
        script = _attempts(services)
        ok(fence.projects["plain"].docker("network", "create", "own"))
        ways = [("plain", ()), ("plain", ("--network", "own")), ("plain", ("--network", "bridge")), ("together", ()), ("closed", ())]
        for project, words in ways:
            what = f"{project} {' '.join(words)}".strip()
            for client in (fence.projects[project].docker, fence.projects[project].podman):
                ran = ok(client("run", "--rm", *words, IMAGE, "sh", "-c", script, timeout=120), f"{what} runs")
                lacks(ran.out, "reached-loopback", f"{what}: a service on the host's loopback is out of reach")
                if project == "closed":
                    lacks(ran.out, "reached", f"{what}: and so is one on its other addresses")
                elif "outer" in services and not words:
                    contains(ran.out, "reached-outer", f"{what}: one on another address of the host is within reach, as docs say")
        for network in ("", "host"):
            answer = fence.projects["plain"].post(f"{API}/build?nocache=1&networkmode={network}", _context(script),
                                                  fields=(("Content-Type", "application/x-tar"),), timeout=120)
            lacks(answer.text, "reached-loopback", f"a RUN step of a build with network {network!r} does not reach it")
            if answer.status != 200:
                skip(f"RUN steps of a build with network {network!r}", f"no build is served: {answer.json()['cause']}")
        bare = "slirp4netns:allow_host_loopback=true" if not world.engine.version.entry else "pasta:--map-gw"
        shown = world.engine.podman("run", "--rm", f"--network={bare}", IMAGE, "sh", "-c", script, check=False)
        contains(shown, "reached-loopback", "past podfence a container may reach it")


def test_project_network(world):
    """Containers that name no network meet on the project's own one, and nobody else is there."""
    with _fence(world) as (fence, _):
        project, other = fence.projects["together"], fence.projects["plain"]
        ok(project.docker("run", "-d", "--name", "one", IMAGE, "sh", "-c", "echo hello | nc -l -p 80; sleep 100"))
        ok(project.podman("run", "-d", "--name", "two", IMAGE, "sleep", "100"))
        check(until(lambda: "hello" in project.docker("exec", "two", "nc", "-w", "2", "one", "80").out, 10), "the one is found by name by the other")
        networks = json.loads(project.docker("network", "inspect", "podfence.together").out)
        equal((networks[0]["Labels"] or {}).get(LABEL), "together", "the network is the project's own")
        lacks(other.docker("network", "ls").out, "podfence.together", "nobody else sees it")
        fails(other.docker("network", "create", "podfence.plain"), part="podfence's own", what="nobody makes one of that kind")
        ok(project.docker("rm", "-f", "one", "two"))
        ok(project.docker("network", "rm", "podfence.together"), "it may be removed")
        ok(project.docker("run", "--rm", IMAGE, "true"), "and is made again")


def test_closed(world):
    """Without egress every network is internal, whoever makes it."""
    with _fence(world) as (fence, _):
        closed = fence.projects["closed"]
        ok(closed.docker("network", "create", "inside"))
        ok(closed.podman("network", "create", "inside2"))
        for name in ("inside", "inside2"):
            document = world.engine.direct.get(f"{LIBPOD}/networks/{name}/json").json()
            check(document["internal"], f"{name} is internal", document)
        ok(closed.docker("run", "-d", "--name", "server", "--network", "inside", IMAGE, "sh", "-c", "echo hello | nc -l -p 80; sleep 100"))
        check(until(lambda: "hello" in closed.docker("run", "--rm", "--network", "inside", IMAGE, "nc", "-w", "2", "server", "80").out, 10),
              "its containers reach each other")
        ok(closed.podman("pod", "create", "--name", "apart", "--share", "ipc"))
        fails(closed.podman("run", "--rm", "--pod", "apart", IMAGE, "true"), part="may not reach out",
              what="a member of a pod without its network is refused")


def test_gate(world):
    """The only way out is the gate: a network of the operator's with a program on it that leads on."""
    podman = world.engine.podman
    podman("network", "create", "--internal", "gate-of-gated")
    try:
        podman("run", "-d", "--name", "gate", "--network", "gate-of-gated", IMAGE, "sh", "-c",
               "while true; do echo through-the-gate | nc -l -p 3128; done")
        with _fence(world) as (fence, _), _host_services() as services:
            gated = fence.projects["gated"]
            ok(gated.docker("network", "create", "inside"))
            for words in ((), ("--network", "inside")):
                for client in (gated.docker, gated.podman):
                    ran = client("run", "--rm", *words, IMAGE, "sh", "-c",
                                 "echo $HTTP_PROXY; nc -w 2 gate 3128; " + _attempts(services), timeout=120)
                    shows(ran, "http://gate:3128", "through-the-gate", what=f"the gate is reached {' '.join(words)}")
                    lacks(ran.out, "reached", f"nothing but the gate is reached {' '.join(words)}")
    finally:
        podman("rm", "-f", "-t", "0", "gate", check=False)
        podman("network", "rm", "-f", "gate-of-gated", check=False)


def test_subnets(world):
    """A subnet is taken out of the ranges of policy, and what Podman chooses goes on, with and without IPv6."""
    with _fence(world) as (fence, _):
        plain, apart = fence.projects["plain"], fence.projects["apart"]

        def subnets(name):
            return [each["subnet"] for each in world.engine.direct.get(f"{LIBPOD}/networks/{name}/json").json()["subnets"]]
        for client in (plain.docker, plain.podman):
            ok(client("network", "create", "--subnet", "10.89.211.0/24", "--ip-range", "10.89.211.128/25", "inside"))
            equal(subnets("inside"), ["10.89.211.0/24"], f"{client.__name__}: a subnet of Podman's own range")
            ok(client("network", "rm", "inside"))
            for subnet in ("10.77.0.0/16", "172.16.0.0/24", "fd12:3456::/64"):
                fails(client("network", "create", "--subnet", subnet, "outside"), part="within 10.89.0.0/16",
                      what=f"{client.__name__}: {subnet} is refused with the way out")
        ok(plain.podman("network", "create", "--ipv6", "both"), "a network of both families, as Podman chooses")
        check(any(":" in subnet for subnet in subnets("both")), "which has an IPv6 subnet", subnets("both"))
        ok(apart.podman("network", "create", "--subnet", "10.89.210.128/25", "--subnet", "fd12:3456:0:1::/64", "two"))
        equal(subnets("two"), ["10.89.210.128/25", "fd12:3456:0:1::/64"], "subnets of the project's ranges")
        fails(apart.docker("network", "create", "--subnet", "10.89.211.0/24", "outside"), part="10.89.210.0/24 or fd12:3456::/48",
              what="Podman's range is none of the project's")
        ok(apart.docker("network", "create", "any"), "a network without a subnet is Podman's choice")


def _ports(project, container):
    return {key: [int(each["HostPort"]) for each in value or []]
            for key, value in json.loads(project.docker("inspect", container).out)[0]["NetworkSettings"]["Ports"].items()}


def test_ports(world):
    with _fence(world) as (fence, first):
        ranged, plain = fence.projects["ranged"], fence.projects["plain"]
        fails(ranged.docker("run", "-d", "-p", f"{first + 4}:80", IMAGE, "true"), part="port", what="a port outside of the range is refused")
        ok(ranged.docker("run", "-d", "--name", "chosen", "-p", f"{first + 1}:80", IMAGE, "sleep", "100"))
        ok(ranged.docker("run", "-d", "--name", "any", "-p", "80", IMAGE, "sleep", "100"))
        ok(ranged.podman("run", "-d", "--name", "any2", "-p", "80", IMAGE, "sleep", "100"))
        ok(ranged.docker("run", "-d", "--name", "all", "--expose", "81", "-P", IMAGE, "sh", "-c", "echo published | nc -l -p 81"))
        equal([_ports(ranged, name) for name in ("any", "any2", "all")],
              [{"80/tcp": [first]}, {"80/tcp": [first + 2]}, {"81/tcp": [first + 3]}], "free ports of the range are taken in turn")
        fails(ranged.docker("run", "-d", "-p", "80", IMAGE, "true"), part="no port of your project's range is free", what="when all are taken that is said")

        def read(address, port):
            try:
                with socket.create_connection((address, port), timeout=2) as connection:
                    return connection.recv(100).decode()
            except OSError:
                return ""
        equal(read(_outer_address(), first + 3), "", "a published port does not listen on the host's other addresses")
        check(until(lambda: read("127.0.0.1", first + 3) == "published\n", 5), "a published port is on the loopback address")
        ok(plain.docker("run", "-d", "--name", "random", "--expose", "81", "-P", IMAGE, "sh", "-c", "echo published | nc -l -p 81"))
        port = _ports(plain, "random")["81/tcp"][0]
        check(port > 1023, "without a range Podman chooses", port)
        equal(read(_outer_address(), port), "", "on the loopback address only")
        check(until(lambda: read("127.0.0.1", port) == "published\n", 5), "where it is reached")
