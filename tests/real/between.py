"""Stands between podfence and the engine, and keeps back what the engine answers to one request: so that podfence can be
killed when the engine has done its work and podfence does not know it yet."""

import os
import re
import socket
import threading
from pathlib import Path


START = re.compile(rb"(?:GET|HEAD|POST|PUT|DELETE) /\S* HTTP/1\.1(?=\r\nHost: )")


def _end(connection):
    """Also for a thread that waits for something of it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _is_whole(answer):
    head, end, content = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    fields = head.lower()
    if b"transfer-encoding: chunked" in fields:
        return content.endswith(b"0\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", fields)
    return len(content) >= int(length.group(1)) if length else True


class Between:
    def __init__(self, path, engine_path):
        self.path, self.engine_path = path, engine_path
        self.kept = threading.Event()   # the engine has answered, and podfence has not heard
        self._pattern = None
        self._listener = socket.socket(socket.AF_UNIX)
        Path(path).unlink(missing_ok=True)
        self._listener.bind(path)
        os.chmod(path, 0o666)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def keep(self, pattern):
        """The next answer to a request whose first line has that is kept."""
        self.kept.clear()
        self._pattern = re.compile(pattern.encode())

    def close(self):
        self._listener.close()
        os.unlink(self.path)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        engine = socket.socket(socket.AF_UNIX)
        engine.connect(self.engine_path)
        asked = [b""]   # the first line of the last request: podfence uses a connection again

        def forward():
            try:
                while data := client.recv(65536):
                    asked[0] = (START.findall(data) or asked)[-1]
                    engine.sendall(data)
            except OSError:
                pass
            _end(engine)
        threading.Thread(target=forward, daemon=True).start()
        answer = b""
        try:
            while data := engine.recv(65536):
                if not (self._pattern and self._pattern.search(asked[0])):
                    client.sendall(data)
                    continue
                answer += data
                if _is_whole(answer):
                    self.kept.set()
        except OSError:
            pass
        for connection in (client, engine):
            _end(connection)
            connection.close()
