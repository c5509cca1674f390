"""Exchanges as data, and how they are played: the same ones past podfence and through it, one after the other."""

import json
import re
import time
from dataclasses import dataclass
from urllib.parse import quote

from clients import API
from exchanges.normal import document
from wire import Closed, request

UPGRADE = (("Connection", "Upgrade"), ("Upgrade", "tcp"))
MADE = ("Id", "ID", "id")   # as Podman writes what an answer says was made


@dataclass
class Exchange:
    """`{word}` in a query or a content stands for what was made under that word, or for one of the world's names."""
    endpoint: str            # as docs/endpoints.md has it: method and path
    at: str = ""             # what stands in the path's braces
    query: str = ""
    content: object = None   # bytes, or a value that is written as JSON
    fields: tuple = ()
    made: str = ""           # the word for the id in the answer
    until: str = ""          # asked again until that is in the answer
    meanwhile: object = None  # an upgraded connection: what is asked while it is open
    data: bytes = b""        # and what is sent on it

    @property
    def method(self):
        return self.endpoint.split()[0]


class Side:
    """Podman's own socket, or a project's."""

    def __init__(self, socket, world):
        self.socket = socket
        self.words = {"registry": world.engine.registry_name, "since": str(int(time.time()))}
        self.ids = {}          # what answers are read with: id and the word for it
        version = world.engine.direct.get("/version").json()["Version"]
        self.libpod = f"/v{version}/libpod"
        for image in world.engine.direct.get("/v4.0.0/libpod/images/json").json():
            for name in image.get("Names") or []:
                self.ids[image["Id"]] = name.rsplit("/", 1)[1].removesuffix(":latest")

    def know(self, word, identifier):
        self.words[word] = identifier
        self.ids[identifier.removeprefix("sha256:")] = word

    def filled(self, text):
        return re.sub(r"\{(\w+)\}", lambda found: self.words.get(found[1], found[0]), text)

    def target(self, exchange):
        path = exchange.endpoint.split()[1]
        path = self.libpod + path.removeprefix("/libpod") if path.startswith("/libpod") else API + path
        place = quote(self.filled(exchange.at), safe="")
        parameters = re.sub(r"\{\{.*\}\}", lambda found: quote(found[0][1:-1]), self.filled(exchange.query))
        return re.sub(r"\{[^}]*\}", lambda _: place, path) + (f"?{parameters}" if parameters else "")

    def ask(self, exchange):
        content = exchange.content
        if content is not None and not isinstance(content, bytes):
            content = json.loads(self.filled(json.dumps(content)))
        target = self.target(exchange)
        if exchange.meanwhile:
            return self._upgraded(exchange, target, content)
        return self.socket.call(exchange.method, target, content, exchange.fields)

    def _upgraded(self, exchange, target, content):
        with self.socket.connect() as connection:
            connection.send(request(exchange.method, target, content, UPGRADE))
            answer = connection.receive(head_only=True)
            if answer.status != 101:
                return answer
            if exchange.meanwhile is not True:
                self.ask(exchange.meanwhile)
            connection.send(exchange.data)
            connection.half_close()
            answer.content = connection.take_all()
            return answer

    def play(self, exchange):
        """What came of it, in a form that two sides have in common."""
        end = time.monotonic() + 10
        while True:
            try:
                answer = self.ask(exchange)
            except (Closed, TimeoutError) as error:
                return {"status": type(error).__name__}
            if exchange.until in answer.text or time.monotonic() > end:
                break
            time.sleep(0.1)
        if exchange.made and answer.status < 300:
            self.know(exchange.made, self._made(answer))
        return document(answer, self.ids)

    @staticmethod
    def _made(answer):
        for line in reversed(answer.lines()):
            line = line[0] if isinstance(line, list) else line
            found = next((line[key] for key in MADE if line.get(key)), "") or (line.get("images") or [""])[0]
            found = found or re.search(r"[0-9a-f]{64}", line.get("stream", "") + str(line.get("aux", "")))
            if found:
                return found if isinstance(found, str) else found[0]
        raise ValueError(f"nothing was made: {answer}")
