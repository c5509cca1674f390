"""Streams: terminals, half-closed connections, long answers, clients that vanish, large copies."""

import hashlib
import io
import os
import statistics
import tarfile
import time

from check import check, contains, equal, lacks, until
from clients import API, LIBPOD, ok, says
from wire import Connection, LineStream, request
from world import IMAGE, SLEEP

UPGRADE = (("Connection", "Upgrade"), ("Upgrade", "tcp"))

# What takes long is done briefly every day, and at length by who asks for it.
EMPTY_INPUTS = int(os.environ.get("PODFENCE_EMPTY_INPUTS", 30))
QUIET_SECONDS = int(os.environ.get("PODFENCE_QUIET_SECONDS", 12))


def setup(world):
    ok(world.p1.docker("run", "-d", "--name", "web", IMAGE, *SLEEP))


def _exec(world, *command, stdin=True, tty=False):
    answer = world.p1.post(f"{API}/containers/web/exec", {"Cmd": list(command), "AttachStdin": stdin, "AttachStdout": True,
                                                          "AttachStderr": True, "Tty": tty})
    return answer.json()["Id"]


def _start(connection, identifier, fields=UPGRADE, tty=False, early=b""):
    connection.send(request("POST", f"{API}/exec/{identifier}/start", {"Detach": False, "Tty": tty}, fields) + early)


def _frames(data):
    """The payload of Podman's frames: 4 bytes of stream number, 4 of length."""
    out = b""
    while len(data) >= 8:
        size = int.from_bytes(data[4:8], "big")
        out, data = out + data[8:8 + size], data[8 + size:]
    return out


def test_half_close(world):
    """`echo | docker exec -i`: the end of input reaches the process, its output still comes."""
    setup(world)
    with Connection(world.p1.path) as connection:
        _start(connection, _exec(world, "cat"))
        status, fields = connection.head()
        equal((status, dict(fields).get("upgrade")), (101, "tcp"), "exec start upgrades")
        connection.send(b"one line\n")
        connection.half_close()
        equal(_frames(connection.take_all()), b"one line\n", "output after the half-close")
    with Connection(world.p1.path) as connection:
        _start(connection, _exec(world, "sh", "-c", "cat >/dev/null; sleep 1; echo late"))
        connection.head()
        connection.half_close()
        equal(_frames(connection.take_all()), b"late\n", "late output after the half-close")


def test_early_bytes(world):
    """What a client sends right behind the request reaches the process."""
    with Connection(world.p1.path) as connection:
        _start(connection, _exec(world, "head", "-n", "1"), early=b"early\n")
        connection.head()
        equal(_frames(connection.take_all()), b"early\n", "bytes sent before the upgrade")


def test_without_upgrade(world):
    """Old clients ask for no upgrade and get a 200 without length."""
    with Connection(world.p1.path) as connection:
        _start(connection, _exec(world, "echo", "plain"), fields=())
        status, fields = connection.head()
        equal((status, dict(fields).get("content-length")), (200, None), "exec start without upgrade")
        equal(_frames(connection.take_all()), b"plain\n", "output without upgrade")


def test_forms(world):
    """Attach and exec start as clients of both families ask for them, with and without an upgrade, with and without a terminal."""
    for family in (API, LIBPOD):
        for fields in (UPGRADE, ()):
            for tty in (False, True):
                form = f"{family}, {'an' if fields else 'no'} upgrade, {'a' if tty else 'no'} terminal"
                wanted, payload = (101 if fields else 200), (lambda data: data) if tty else _frames
                with Connection(world.p1.path) as connection:
                    identifier = _exec(world, "sh", "-c", "read line; echo got $line; cat >/dev/null; echo ended", tty=tty)
                    connection.send(request("POST", f"{family}/exec/{identifier}/start", {"Detach": False, "Tty": tty}, fields))
                    equal(connection.head()[0], wanted, f"exec start: {form}")
                    connection.send(b"input\n")
                    if tty:
                        connection.send(b"\x04")  # a terminal's end of input
                    else:
                        connection.half_close()
                    output = payload(connection.take_all())
                    check(b"got input" in output and b"ended" in output, f"both directions of an exec: {form}", output)
                _attach(world, family, fields, tty, form)


def _attach(world, family, fields, tty, form):
    created = world.p1.post(f"{API}/containers/create", {
        "Image": IMAGE, "Cmd": ["sh", "-c", "read line; echo got $line"], "OpenStdin": True, "StdinOnce": True, "AttachStdin": True,
        "Tty": tty}).json()["Id"]
    with Connection(world.p1.path) as connection:
        connection.send(request("POST", f"{family}/containers/{created}/attach?stream=true&stdin=true&stdout=true&stderr=true",
                                None, fields))
        equal(connection.head()[0], 101 if fields else 200, f"attach: {form}")
        equal(world.p1.post(f"{API}/containers/{created}/start").status, 204, "start of what is attached to")
        connection.send(b"input\n")
        if not tty:
            connection.half_close()
        contains(connection.take_all(), b"got input", f"both directions of an attach: {form}")
    ok(world.p1.docker("rm", "-f", created))


def test_empty_input(world):
    """Clients that close their input at once, again and again."""
    docker = world.p1.docker
    for number in range(EMPTY_INPUTS):
        ran = docker("exec", "-i", "web", "cat", data=b"", timeout=20)
        if not check(ran.code == 0 and ran.out == "", f"exec with empty input, number {number}", ran):
            break


def test_large_input_and_output(world):
    data = os.urandom(1 << 20) * 16
    digest = hashlib.sha256(data).hexdigest()
    contains(world.p1.docker("exec", "-i", "web", "sha256sum", data=data).out, digest, "16 MiB into an exec")
    ran = world.p1.docker("exec", "web", "sh", "-c", "dd if=/dev/zero bs=1048576 count=16 2>/dev/null")
    equal(len(ran.out), 16 << 20, "16 MiB out of an exec")


def test_terminal(world):
    """A person at a terminal: what is typed is echoed and answered, and the window's size arrives."""
    with Connection(world.p1.path) as connection:
        identifier = _exec(world, "sh", tty=True)
        _start(connection, identifier, tty=True)
        connection.head()
        world.p1.post(f"{API}/exec/{identifier}/resize?h=33&w=101")
        connection.send(b"stty size; exit\n")
        contains(connection.take_all(), b"33 101", "the size of the terminal")


def test_logs_latency(world):
    """A line is there when it is written, not when a buffer is full."""
    ok(world.p1.docker("run", "-d", "--name", "ticker", IMAGE, "sh", "-c", "trap 'exit 0' TERM; while :; do date +%s.%N; sleep 0.1; done"))
    with Connection(world.p1.path) as connection:
        connection.send(request("GET", f"{API}/containers/ticker/logs?follow=true&stdout=true&tail=0"))
        equal(connection.head()[0], 200, "logs follow")
        pieces = [piece for _, piece in zip(range(12), connection.chunks())]
    # A machine that is busy brings two together now and then.
    equal(statistics.median(piece.count(b"\n") for piece in pieces), 1, "lines come one by one")
    ok(world.p1.docker("rm", "-f", "ticker"))


def test_events_first_line(world):
    stream = LineStream(world.p1.path, f"{API}/events")
    equal(stream.status, 200, "events answers before there is an event")
    time.sleep(0.3)
    world.p1.post(f"{LIBPOD}/volumes/create", {"Name": "data"})
    line = stream.next()
    check(line is not None and line["Type"] == "volume", "the first event comes, though no second one follows", line)
    stream.close()
    world.p1.delete(f"{LIBPOD}/volumes/data")


def test_wait(world):
    """docker run waits before it starts: the wait must be sent on at once."""
    created = world.p1.post(f"{API}/containers/create?name=waited", {"Image": IMAGE, "Cmd": ["sh", "-c", "sleep 0.5; exit 9"]})
    with Connection(world.p1.path) as connection:
        connection.send(request("POST", f"{API}/containers/{created.json()['Id']}/wait?condition=next-exit"))
        time.sleep(0.3)
        equal(world.p1.post(f"{API}/containers/waited/start").status, 204, "start beside a wait")
        equal(connection.receive().json()["StatusCode"], 9, "wait tells the code")
    ok(world.p1.docker("rm", "waited"))


def test_client_vanishes(world):
    """A client that goes away in the middle leaves nothing behind, neither in the proxy nor upstream."""
    before = world.descriptors()
    ok(world.p1.docker("run", "-d", "--name", "ticker", IMAGE, "sh", "-c", "while :; do echo tick; sleep 0.05; done"))
    for target in (f"{API}/containers/ticker/logs?follow=true&stdout=true", f"{API}/events", f"{API}/containers/ticker/export"):
        for _ in range(5):
            connection = Connection(world.p1.path)
            connection.send(request("GET", target))
            connection.head()
            connection.close()
    for _ in range(5):
        connection = Connection(world.p1.path)
        _start(connection, _exec(world, "cat"))
        connection.head()
        connection.close()
    for part in (b"POST", request("POST", f"{API}/containers/create", b"{" * 100, [("Content-Length", "5000")]),
                 request("PUT", f"{API}/containers/web/archive?path=/tmp", b"x" * 100, [("Content-Length", "500000")])):
        connection = Connection(world.p1.path)
        connection.send(part)
        connection.close()
    ok(world.p1.docker("rm", "-f", "ticker"))
    check(until(lambda: world.descriptors() <= before + 2, 15), "sockets of vanished clients are closed",
          f"{before} before, {world.descriptors()} now")
    equal(world.p1.get("/_ping").status, 200, "the proxy serves on")


def test_large_copies(world):
    """64 MiB into a container and out again."""
    home, docker = world.p1.home, world.p1.docker
    block = os.urandom(1 << 20)
    digest = hashlib.sha256()
    with open(f"{home}/large", "wb") as file:
        for _ in range(64):
            file.write(block)
            digest.update(block)
    ok(docker("cp", f"{home}/large", "web:/large"))
    contains(docker("exec", "web", "sha256sum", "/large").out, digest.hexdigest(), "64 MiB arrive")
    ok(docker("cp", "web:/large", f"{home}/back"))
    with open(f"{home}/back", "rb") as file:
        equal(hashlib.sha256(file.read()).hexdigest(), digest.hexdigest(), "64 MiB come back")
    for name in ("large", "back"):
        os.remove(f"{home}/{name}")
    ok(docker("exec", "web", "rm", "/large"))


def test_expect(world):
    """curl asks before it sends much: the answer is 100 where the request is good, and a refusal where it is not."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        entry = tarfile.TarInfo("expected")
        entry.size = 3
        tar.addfile(entry, io.BytesIO(b"yes"))
    data = buffer.getvalue()
    head = f"PUT {API}/containers/NAME/archive?path=/tmp HTTP/1.1\r\nHost: d\r\nExpect: 100-continue\r\nContent-Length: {len(data)}\r\n\r\n"
    with Connection(world.p1.path) as connection:
        connection.send(head.replace("NAME", "web").encode())
        contains(connection.take_until(b"\r\n\r\n"), b" 100 ", "100 Continue")
        connection.send(data)
        equal(connection.receive().status, 200, "the upload")
    says(world.p1.docker("exec", "web", "cat", "/tmp/expected"), "yes")
    with Connection(world.p1.path) as connection:
        connection.send(head.replace("NAME", "absent").encode())
        answer = connection.take_until(b"\r\n\r\n")
        contains(answer, b" 404 ", "no 100 Continue for what is refused")
        lacks(answer, b" 100 ", "no 100 Continue for what is refused")


def test_quiet_connections(world):
    """A quiet exec is not cut; and while Podman closes idle connections after some ten seconds, a client's lives on."""
    with Connection(world.p1.path) as stream, Connection(world.p1.path) as connection:
        _start(stream, _exec(world, "sh", "-c", f"sleep {QUIET_SECONDS}; echo awake", stdin=False))
        stream.head()
        connection.send(request("GET", f"{API}/containers/json"))
        equal(connection.receive().status, 200, "a request")
        time.sleep(11)
        stream.socket.settimeout(QUIET_SECONDS + 30)
        connection.send(request("POST", f"{API}/containers/create?name=late", {"Image": IMAGE}))
        equal(connection.receive().status, 201, "a create on a connection that was idle for 11 s")
        equal(_frames(stream.take_all()), b"awake\n", f"output after {QUIET_SECONDS} s of silence")
    world.p1.delete(f"{API}/containers/late")
    world.unharmed()
