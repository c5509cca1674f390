"""Bad input: a 4xx that says what was wrong, nothing reaches Podman, and neither the connection nor anybody else's suffers."""

import itertools
import json
import threading
import time
from urllib.parse import quote

from check import check, equal, until
from clients import API, LIBPOD, ok
from wire import Closed, Connection, request
from world import IMAGE

CREATE, CREATE_LIBPOD = f"{API}/containers/create", f"{LIBPOD}/containers/create"


def refused(world, answer, what, names="", statuses=range(400, 500)):
    """Refused, with a sentence that names what was wrong."""
    if not check(answer.status in statuses, f"{what} is refused", answer):
        return
    try:
        document = answer.json()
    except ValueError:
        check(False, f"{what}: the refusal is JSON", answer)
        return
    check(document.get("response") == answer.status and "podfence" in document.get("message", ""),
          f"{what}: the refusal says who refuses", answer)
    check(names in document.get("message", ""), f"{what}: the refusal names {names!r}", answer)


def test_content(world):
    image = f'"Image":"{IMAGE}"'
    deep = '{"a":' * 100 + "1" + "}" * 100
    for text, names in (
            ("", ""), ("{", ""), ("null", ""), ("[]", ""), ('"text"', ""), ("1", ""), ("{}{}", ""), ("{} x", ""), ("{'a':1}", ""),
            ('{"a":1,}', ""), ("{" + image + ",/* */}", ""), ("\ufeff{" + image + "}", ""), ('{"Image":"a\\ud800"}', ""),
            ('{"Image":"a\x01b"}', ""), ("{" + image + ',"Image":"x"}', "Image"), ("{" + image + ',"image":"x"}', "mage"),
            ("{" + image + ',"HostConfig":{"Privileged":false,"privileged":true}}', "rivileged"),
            ("{" + image + ',"Ho\\u017ftConfig":{}}', ""), ("{" + image + ',"NoSuchField":1}', "NoSuchField"),
            ("{" + image + ',"HostConfig":{"NoSuchField":true}}', "NoSuchField"), ("{" + image + ',"HostConfig":[]}', "HostConfig"),
            ("{" + image + ',"HostConfig":{"Memory":"1"}}', "Memory"), ("{" + image + ',"HostConfig":{"Memory":1e9}}', "Memory"),
            ("{" + image + ',"HostConfig":{"Memory":1.5}}', "Memory"), ("{" + image + ',"HostConfig":{"Memory":99999999999999999999}}', "Memory"),
            ("{" + image + ',"Env":"A=b"}', "Env"), ("{" + image + ',"Env":[1]}', "Env"), ("{" + image + ',"Env":[null]}', "Env"),
            ("{" + image + ',"Labels":["a"]}', "Labels"), ("{" + image + ',"Labels":{"a":1}}', "Labels"),
            ("{" + image + ',"Tty":"true"}', "Tty"), ("{" + image + ',"x":' + deep + "}", ""), ('{"Image":7}', "Image")):
        refused(world, world.p1.post(CREATE, text.encode()), f"content {text[:60]!r}", names)
    for data in (b'{"Image":"\xff"}', b'{"Image":"a"}\0', b"\x1f\x8b\x08\0\0", '{"Image":"x"}'.encode("utf-16")):
        refused(world, world.p1.post(CREATE, data), f"content {data!r}")
    for text, names in (('{"image":1}', "image"), ('{"image":"x","netns":"host"}', "netns"), ('{"image":"x","mounts":{}}', "mounts"),
                        ('{"image":"x","nosuchfield":1}', "nosuchfield"), ('{"image":"x","image":"y"}', "image")):
        refused(world, world.p1.post(CREATE_LIBPOD, text.encode()), f"libpod content {text}", names)
    refused(world, world.p1.post(CREATE, {"Image": IMAGE}, fields=[("Content-Encoding", "gzip")]), "encoded content",
            statuses=[415, 400])


def test_large(world):
    big = json.dumps({"Image": IMAGE, "Labels": {"a": "x" * 1_200_000}}).encode()
    refused(world, world.p1.post(CREATE, big), "content of 1.2 MB", "", [413])
    with Connection(world.p1.path) as connection:
        connection.send(f"POST {CREATE} HTTP/1.1\r\nHost: d\r\nContent-Length: 99999999999\r\n\r\n".encode())
        equal(connection.receive().status, 413, "a content of 100 GB is refused before it is sent")
    with Connection(world.p1.path) as connection:
        try:
            connection.send(f"POST {CREATE} HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for _ in range(40):
                connection.send(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        except OSError:
            pass  # the proxy has seen enough and closes
        try:
            equal(connection.receive().status, 413, "a chunked content without end is refused")
        except (OSError, Closed) as error:
            check(isinstance(error, ConnectionResetError), "a chunked content without end ends the connection", error)
    refused(world, world.p1.get(f"{API}/containers/json?filters=" + "a" * 9000), "a target of 9 kB", statuses=[414, 431])
    with Connection(world.p1.path) as connection:
        try:
            connection.send(b"GET /_ping HTTP/1.1\r\nHost: d\r\n" + b"X-Long: " + b"a" * 60_000 + b"\r\n\r\n")
            equal(connection.receive().status, 431, "a head of 60 kB")
        except (OSError, Closed) as error:
            check(False, "a head of 60 kB is answered", error)
    many = {"Image": IMAGE, "Labels": {f"label{number}": "x" for number in range(5000)}}
    refused(world, world.p1.post(CREATE, many), "5000 labels")


def test_queries(world):
    path = f"{API}/containers/json"
    for text, names in (("nosuch=1", "nosuch"), ("all=true&all=false", "all"), ("all=true&all=true", "all"), ("all=1&ALL=0", "all"), ("all=maybe", "all"),
                        ("limit=many", "limit"), ("limit=-5x", "limit"), ("all=true;x=1", ""), ("all=%zz", ""), ("a%00=1", ""),
                        ("filters=", "filters"), ("filters=%7B", ""), ("filters=[]", ""), ("filters=%7B%22label%22%3A1%7D", ""),
                        ("filters=%7B%22nosuch%22%3A%5B%22x%22%5D%7D", "nosuch"), ("filters=%7B%7D&filters=%7B%22id%22%3A%5B%22a%22%5D%7D", "filters"),
                        ("filters=%7B%7Dx", ""), ("filter%C5%BF=%7B%7D", ""), ("%61ll=true&all=false", "all"), ("size=\x7f", "")):
        answer = world.p1.get(f"{path}?{text}")
        if text == "filters=" and answer.status == 200:
            continue  # nothing said
        refused(world, answer, f"query {text}", names)
    refused(world, world.p1.post(f"{CREATE}?name=a&name=b", {"Image": IMAGE}), "two names", "name")
    for name in ("../x", "a/b", "a b", "a:b", "-a", "", "0123456789ab", "f" * 64, "a%0ab", "ä"):
        if name:
            refused(world, world.p1.post(f"{CREATE}?name={quote(name, safe='%')}", {"Image": IMAGE}), f"the name {name!r}")
            refused(world, world.p1.post(CREATE_LIBPOD, {"image": IMAGE, "name": name}), f"the libpod name {name!r}")
            refused(world, world.p1.post(f"{API}/volumes/create", {"Name": name}), f"the volume name {name!r}")
            refused(world, world.p1.post(f"{LIBPOD}/networks/create", {"name": name}), f"the network name {name!r}")
            refused(world, world.p1.post(f"{LIBPOD}/pods/create", {"name": name}), f"the pod name {name!r}")


def test_paths(world):
    for path in ("//_ping", "/v1.41//containers/json", "/v1.41/./containers/json", "/v1.41/x/../containers/json",
                 "/v1.41/containers/%2e%2e/json", "/v1.41/containers/%252e%252e/json", "/v1.41/containers/a%2fb/json",
                 "/v1.41/containers/a%00b/json", "/v1.41/containers/json/", "/v1.41/%63ontainers/json", "/V1.41/containers/json",
                 "/v1.41foo/containers/json", "/v1.2.3.4/containers/json", "/containers\\json", "/v1.41/containers/json#x", "*",
                 "http://d/v1.41/containers/json", "/v1.41/containers/%zz/json", "/libpod/containers/json", "/v1.41/nosuch",
                 "/v4.0.0/libpod/nosuch", "/v4.0.0/libpod/containers/x/nosuch", "/", "/v1.41", "/session", "/swarm", "/plugins"):
        answer = world.p1.send(request("GET", path))
        check(400 <= answer.status <= 503 and answer.status != 500, f"GET {path} is refused", answer)
    for method, path, status in (("PATCH", "/v1.41/containers/json", 405), ("get", "/_ping", 405), ("TRACE", "/_ping", 405),
                                 ("OPTIONS", "/_ping", 405), ("DELETE", "/_ping", 405), ("POST", "/v1.41/containers/json", 405),
                                 ("CONNECT", "d:80", 405), ("HEAD", "/v1.41/containers/json", 405)):
        data = request(method, path)
        answer = world.p1.send(data, head_only=method == "HEAD")
        check(answer.status in (status, 400), f"{method} {path}", answer)
    # Which family a request belongs to is decided by its path alone (Podman looks at slashes of the whole target).
    answer = world.p1.post("/images/create?fromImage=docker-archive:/etc/passwd&x=/libpod/")
    check(400 <= answer.status < 500, "a compat request with /libpod/ in its query", answer)


def test_framing(world):
    body = json.dumps({"Image": IMAGE, "HostConfig": {"Privileged": True}}).encode()
    head = f"POST {CREATE}?name=smuggled HTTP/1.1\r\nHost: d\r\n"
    for fields in ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: identity\r\n",
                   "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Content-Length: +5\r\n",
                   "Content-Length: 5, 5\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 005\r\n",
                   "Content-Length : 5\r\n", "X: a\r\n b\r\n", "Host: e\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"):
        with Connection(world.p1.path, timeout=10) as connection:
            connection.send((head + fields + "\r\n").encode() + body)
            equal(connection.receive().status, 400, f"framing {fields!r}")
    # A create that says it has no content, and the content behind it (CVE-2024-41110): never one request.
    with Connection(world.p1.path, timeout=10) as connection:
        connection.send((head + "Content-Length: 0\r\n\r\n").encode() + body)
        check(connection.receive().status == 400, "a create without content")
        try:
            check(connection.receive().status == 400, "what follows it is no request")
        except (OSError, Closed):
            pass  # closed, as good
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:])) + b"0\r\n\r\n"
    with Connection(world.p1.path, timeout=10) as connection:
        connection.send((head + "Transfer-Encoding: chunked\r\n\r\n").encode() + chunked)
        refused(world, connection.receive(), "a chunked create is judged as any other", "rivileged")
    equal(world.engine.direct.get(f"{LIBPOD}/containers/smuggled/json").status, 404, "nothing was made")


def test_connection_goes_on(world):
    """After a refusal the same connection serves the next request."""
    with Connection(world.p1.path) as connection:
        for number in range(20):
            connection.send(request("POST", CREATE, {"Image": IMAGE, "HostConfig": {"Privileged": True}}))
            equal(connection.receive().status, 403, "refusal")
            connection.send(request("GET", f"{API}/containers/absent/json"))
            equal(connection.receive().status, 404, "hidden")
            connection.send(request("GET", "/_ping"))
            equal(connection.receive().content, b"OK", "the next request on the connection")


def test_pipelined(world):
    with Connection(world.p1.path) as connection:
        connection.send(request("GET", "/_ping") * 20 + request("GET", f"{API}/containers/absent/json"))
        for _ in range(20):
            equal(connection.receive().content, b"OK", "a pipelined request")
        equal(connection.receive().status, 404, "the last pipelined request")


RUBBISH = [b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"A" * 70000, request("POST", CREATE, b"{" * 5000), b"GET", b"\r\n\r\n",
           b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"]


class Rubbish:
    """Clients of p1 that send rubbish and half requests, and go away, for as long as the block lasts."""

    def __init__(self, world, pause):
        self.world, self.pause = world, pause
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.send, daemon=True) for _ in range(4)]

    def send(self):
        for number in itertools.count():
            if self.stop.wait(self.pause):
                return
            try:
                with Connection(self.world.p1.path, timeout=1) as connection:
                    connection.send(RUBBISH[number % len(RUBBISH)])
                    connection.socket.setblocking(False)
                    connection.more()
            except OSError:
                pass  # refused, or nothing to read yet

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join(5)


def test_others_are_unharmed(world):
    """While one client sends rubbish, others work on."""
    name = world.neighbour.container
    with Rubbish(world, pause=0.01):
        for _ in range(5):
            check(ok(world.p10.docker("ps", "-q", "--filter", f"name={name}")).text != "", "p10 works on")
            equal(world.p1.get("/_ping").status, 200, "p1 works on")


def test_flood(world):
    """A client that connects as fast as it can fills its own project's queue, and no other's."""
    with Rubbish(world, pause=0):
        time.sleep(1)
        for _ in range(5):
            began = time.monotonic()
            equal(world.p10.get("/_ping").status, 200, "p10 is served while p1 floods")
            check(time.monotonic() - began < 10, "p10 is served in time while p1 floods", time.monotonic() - began)
    check(until(lambda: _serves(world.p1), 20), "p1 is served after its flood")


def _serves(project):
    try:
        return project.get("/_ping").status == 200
    except OSError:
        return False


def test_idle_connections(world):
    """Many connections that say nothing do not keep others out."""
    idle = [Connection(world.p1.path) for _ in range(200)]
    equal(world.p1.get("/_ping").status, 200, "p1 is served beside 200 idle connections")
    equal(world.p10.get("/_ping").status, 200, "p10 is served beside 200 idle connections")
    for connection in idle:
        connection.close()
    world.unharmed()
