"""A relay between a client and an engine's socket that keeps the content of every POST with JSON, byte for byte."""

import os
import socket
import threading


class _Requests:
    """The client's side of one connection, taken apart as it passes."""

    def __init__(self, client, engine, record):
        self.client, self.engine, self.record = client, engine, record
        self.buffer = b""

    def _more(self):
        data = self.client.recv(65536)
        if not data:
            raise EOFError
        self.engine.sendall(data)
        self.buffer += data

    def _take(self, size):
        while len(self.buffer) < size:
            self._more()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def _take_until(self, mark):
        while mark not in self.buffer:
            self._more()
        data, self.buffer = self.buffer.split(mark, 1)
        return data

    def _chunks(self):
        while True:
            size = int(self._take_until(b"\r\n").split(b";")[0], 16)
            yield self._take(size)
            self._take(2)
            if size == 0:
                return

    def run(self):
        try:
            while True:
                start, *rest = self._take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
                fields = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in rest)}
                chunked = fields.get("transfer-encoding", "").lower() == "chunked"
                content = b"".join(self._chunks()) if chunked else self._take(int(fields.get("content-length", 0)))
                method, target, _ = start.split(" ")
                if method == "POST" and content.lstrip()[:1] in (b"{", b"["):
                    self.record(target, content.decode())
                while "upgrade" in fields:  # a stream from here on
                    self._more()
        except (EOFError, OSError):
            _half_close(self.engine)


def _half_close(peer):
    try:
        peer.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it has gone


def _answers(engine, client):
    try:
        while data := engine.recv(65536):
            client.sendall(data)
    except OSError:
        pass
    _half_close(client)


class Relay:
    """Listens on `path`; `kept` holds pairs of target and content since the last `take`."""

    def __init__(self, path, engine_path):
        self.path, self.engine_path, self.kept = path, engine_path, []
        if os.path.exists(path):
            os.remove(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o666)
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # closed
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(self.engine_path)
            requests = _Requests(client, engine, lambda *pair: self.kept.append(pair))
            for work, words in ((requests.run, ()), (_answers, (engine, client))):
                threading.Thread(target=work, args=words, daemon=True).start()

    def take(self):
        kept, self.kept = self.kept, []
        return kept

    def close(self):
        self.listener.close()
        os.remove(self.path)
