"""HTTP over a unix socket with exact bytes: what a client sends is what is written here, and every byte that comes back
can be looked at. Knows nothing of Podman."""

import json
import socket
import time
from urllib.parse import urlencode


class Answer:
    def __init__(self, status, fields, content):
        self.status = status
        self.fields = fields      # list of (lower-case name, value)
        self.content = content    # bytes, de-chunked

    def field(self, name):
        return next((value for key, value in self.fields if key == name.lower()), None)

    def json(self):
        return json.loads(self.content)

    @property
    def text(self):
        return self.content.decode(errors="replace")

    def lines(self):
        return [json.loads(line) for line in self.content.splitlines() if line.strip()]

    def __repr__(self):
        return f"{self.status} {self.text[:600]}"


class Closed(Exception):
    """The peer ended the connection where an answer was due."""


class Connection:
    """One connection. `send` and `receive` are separate so that a test can do other things between them."""

    def __init__(self, path, timeout=30.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        """Some bytes, b"" at the end of the stream."""
        data = self.socket.recv(65536)
        self.buffer += data
        return data

    def take(self, size):
        while len(self.buffer) < size:
            if not self.more():
                raise Closed(f"after {len(self.buffer)} of {size} bytes: {self.buffer[:200]!r}")
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def take_until(self, mark):
        while mark not in self.buffer:
            if not self.more():
                raise Closed(f"before {mark!r}: {self.buffer[:200]!r}")
        data, self.buffer = self.buffer.split(mark, 1)
        return data

    def take_all(self):
        while self.more():
            pass
        data, self.buffer = self.buffer, b""
        return data

    def head(self):
        """Status and fields of the next final answer."""
        while True:
            start, *rest = self.take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            status = int(start.split(" ", 2)[1])
            if status == 101 or status >= 200:
                fields = [tuple(part.strip() for part in line.split(":", 1)) for line in rest]
                return status, [(name.lower(), value) for name, value in fields]

    def chunks(self):
        """The pieces of a chunked content, as they come."""
        while True:
            size = int(self.take_until(b"\r\n").split(b";")[0], 16)
            piece = self.take(size)
            self.take(2)
            if size == 0:
                return
            yield piece

    def receive(self, head_only=False):
        status, fields = self.head()
        named = dict(fields)
        if head_only or status in (101, 204, 304):
            content = b""
        elif named.get("transfer-encoding", "").lower() == "chunked":
            content = b"".join(self.chunks())
        elif "content-length" in named:
            content = self.take(int(named["content-length"]))
        else:
            content = self.take_all()
        return Answer(status, fields, content)


def request(method, target, content=None, fields=()):
    """The bytes of a request. `content` may be bytes, or a value that is written as JSON."""
    head = [f"{method} {target} HTTP/1.1", "Host: d"] + [f"{name}: {value}" for name, value in fields]
    data = b""
    if content is not None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        if not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in fields):
            head.append(f"Content-Length: {len(data)}")
        if not any(name.lower() == "content-type" for name, _ in fields):
            head.append("Content-Type: application/json")
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


def query(**parameters):
    """`?a=b`; lists repeat the name, dictionaries are written as JSON (filters)."""
    pairs = []
    for name, value in parameters.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                one = json.dumps(one)
            elif isinstance(one, bool):
                one = str(one).lower()
            pairs.append((name, one))
    return "?" + urlencode(pairs)


class Socket:
    """Requests through one socket, each on a connection of its own."""

    def __init__(self, path):
        self.path = path

    def connect(self, timeout=30.0):
        return Connection(self.path, timeout)

    def send(self, data, timeout=60.0, head_only=False):
        """Exact bytes on a new connection; the first answer."""
        with self.connect(timeout) as connection:
            connection.send(data)
            return connection.receive(head_only)

    def call(self, method, target, content=None, fields=(), timeout=60.0):
        return self.send(request(method, target, content, fields), timeout, head_only=method == "HEAD")

    def get(self, target, **options):
        return self.call("GET", target, **options)

    def head(self, target, **options):
        return self.call("HEAD", target, **options)

    def post(self, target, content=None, **options):
        return self.call("POST", target, content, **options)

    def put(self, target, content=None, **options):
        return self.call("PUT", target, content, **options)

    def delete(self, target, content=None, **options):
        return self.call("DELETE", target, content, **options)


class LineStream:
    """A long answer of JSON lines (events, stats), read while other things happen."""

    def __init__(self, path, target, timeout=30.0):
        self.connection = Connection(path, timeout)
        self.connection.send(request("GET", target))
        self.status, fields = self.connection.head()
        self.chunked = dict(fields).get("transfer-encoding") == "chunked"
        self.raw = b""   # all content so far
        self.read = 0    # how much of it was given out as lines

    def _take_pieces(self):
        """Moves what the connection has read into `raw`; an incomplete chunk stays."""
        connection = self.connection
        if not self.chunked:
            self.raw, connection.buffer = self.raw + connection.buffer, b""
            return
        while b"\r\n" in connection.buffer:
            size, rest = connection.buffer.split(b"\r\n", 1)
            length = int(size, 16)
            if len(rest) < length + 2:
                return
            self.raw += rest[:length]
            connection.buffer = rest[length + 2:]

    def next(self, timeout=10.0):
        """The next line, or None when none comes in time."""
        end = time.monotonic() + timeout
        self._take_pieces()
        while b"\n" not in self.raw[self.read:]:
            self.connection.socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                if not self.connection.more():
                    return None
            except TimeoutError:
                return None
            self._take_pieces()
        line = self.raw[self.read:].split(b"\n", 1)[0]
        self.read += len(line) + 1
        return json.loads(line)

    def rest(self, timeout=2.0):
        """All lines until none comes for that long."""
        lines = []
        while (line := self.next(timeout)) is not None:
            lines.append(line)
        return lines

    def close(self):
        self.connection.close()
