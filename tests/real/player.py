"""A project of the soak test: acts at random, and keeps a model of what it must then see. What it could not hear the end of,
because somebody was killed meanwhile, is in doubt: it may be there or not. Everything else is certain."""

import random
import threading
import time

from clients import API, LIBPOD
from images import TAR, tar_of
from wire import Closed, Connection, LineStream, query, request
from world import IMAGE, SLEEP

GONE = (OSError, Closed, ValueError)   # what a client sees when podfence or Podman was killed under its request
ON_ITS_WAY = 120   # seconds that a request that nobody waits for may take
MOST = {"containers": 5, "volumes": 5, "networks": 2, "secrets": 5, "images": 6}
UPGRADE = (("Connection", "Upgrade"), ("Upgrade", "tcp"))
LISTS = {"containers": "containers/json?all=true", "volumes": "volumes/json", "networks": "networks/json", "secrets": "secrets/json",
         "images": "images/json"}
# By name; how one is looked at, and taken away.
PATHS = {"containers": ("containers/{}/json", "containers/{}?force=true&timeout=0&v=true"), "volumes": ("volumes/{}/json", "volumes/{}"),
         "networks": ("networks/{}/json", "networks/{}"), "secrets": ("secrets/{}/json", "secrets/{}"),
         "images": ("images/{}/json", "images/{}")}


class Divergence(Exception):
    """The project sees what it must not see, or does not see what it has."""


class Doubt(Exception):
    """Nobody told what became of the request."""


def _names(kind, item):
    if kind == "containers":
        return item["Names"]
    if kind == "secrets":
        return [item["Spec"]["Name"]]
    if kind == "images":
        return item.get("RepoTags") or []
    return [item.get("Name") or item.get("name")]


class Player(threading.Thread):
    def __init__(self, project, word, seed, over):
        super().__init__(daemon=True)
        self.project, self.word, self.over = project, word, over
        self.dice = random.Random(f"{seed} {project.name}")
        self.other = None
        self.there = {kind: set() for kind in LISTS}
        self.doubtful = {kind: {} for kind in LISTS}   # since when
        self.users = {}        # container: the volume and network that it uses
        self.running = set()
        self.count = 0
        self.done = {}         # moves by name
        self.failed = []       # answers of 5xx, with their time
        self.story = []
        self.failure = None
        self.moves = [self.create, self.create, self.start_one, self.start_one, self.execute, self.execute, self.logs, self.attach,
                      self.build, self.commit, self.retag, self.volume, self.network, self.secret, self.remove, self.remove, self.remove,
                      self.look, self.look, self.look_at_other, self.vanish, self.vanish]

    # Requests

    def ask(self, method, target, content=None, statuses=(200, 201, 204), fields=(), quoted=""):
        """`quoted`: what the answer may repeat although it is the other one's."""
        try:
            answer = self.project.call(method, target, content, fields, timeout=120)
        except GONE as gone:
            raise Doubt(f"{method} {target}: {gone}") from None
        self.nothing_foreign(answer.text.replace(quoted, "") if quoted else answer.text, f"{method} {target}")
        if answer.status in statuses:
            return answer
        if answer.status >= 500:
            self.failed.append((time.monotonic(), f"{method} {target}: {answer}"))
            raise Doubt(f"{method} {target}: {answer}")
        raise Divergence(f"{method} {target}: {answer}")

    def nothing_foreign(self, text, where):
        if self.other.word in text:
            at = text.find(self.other.word)
            raise Divergence(f"{where} tells of the other project: {text[max(0, at - 200):at + 100]}")

    def libpod(self, method, target, content=None, **options):
        return self.ask(method, f"{LIBPOD}/{target}", content, **options)

    # The model

    def new_name(self, kind):
        self.count += 1
        name = f"{self.word}-{self.count}"
        return f"localhost/{name}:1" if kind == "images" else name

    def make(self, kind, name, asks):
        """In doubt until the answer has come."""
        self.doubt(kind, name)
        asks()
        self.doubtful[kind].pop(name)
        self.there[kind].add(name)

    def doubt(self, kind, name):
        self.there[kind].discard(name)
        self.doubtful[kind][name] = time.monotonic()

    def any(self, kind):
        names = sorted(self.there[kind])
        return self.dice.choice(names) if names else None

    def compare(self, kind):
        items = self.libpod("GET", LISTS[kind]).json() or []
        seen = {name for item in items for name in _names(kind, item)} - {"podman"}
        if kind == "images":
            seen = {name for name in seen if "-bb:" not in name and self.word in name}
        lost, strange = self.there[kind] - seen, seen - self.there[kind] - self.doubtful[kind].keys()
        if lost or strange:
            raise Divergence(f"{kind}: {sorted(lost)} are lost, {sorted(strange)} should not be there")

    # Moves

    def create(self):
        if len(self.there["containers"]) >= MOST["containers"]:
            return self.remove_of("containers")
        name, volume, network = self.new_name("containers"), self.any("volumes"), self.any("networks")
        script = f"trap 'exit 0' TERM; while :; do echo {self.word} speaks; sleep 0.5; done"
        body = {"image": IMAGE, "name": name, "command": ["sh", "-c", script] if self.dice.random() < 0.5 else SLEEP,
                "env": {"WORD": self.word}, "netns": {"nsmode": "none"}, "stdin": True}
        if volume:
            body["volumes"] = [{"Name": volume, "Dest": "/data"}]
        if network and self.dice.random() < 0.4:
            body |= {"netns": {"nsmode": "bridge"}, "Networks": {network: {}}}
        self.users[name] = {volume, network}
        self.make("containers", name, lambda: self.libpod("POST", "containers/create", body))

    def start_one(self):
        waiting = sorted(self.there["containers"] - self.running)
        if waiting:
            name = self.dice.choice(waiting)
            try:
                self.libpod("POST", f"containers/{name}/start", statuses=(204, 304))
            except Doubt:
                self.doubt("containers", name)
                raise
            self.running.add(name)

    def a_running_one(self):
        names = sorted(self.running & self.there["containers"])
        return self.dice.choice(names) if names else None

    def execute(self):
        name = self.a_running_one()
        if not name:
            return
        text = f"{self.word} says {self.count}"
        made = self.ask("POST", f"{API}/containers/{name}/exec", {"Cmd": ["echo", text], "AttachStdout": True, "AttachStderr": True})
        content = {"Detach": False, "Tty": False}
        output = self.streamed(f"{API}/exec/{made.json()['Id']}/start", content, lambda connection: connection.take_all())
        if output and output[8:].decode() != text + "\n":
            raise Divergence(f"exec in {name}: {output!r} is not {text!r}")

    def streamed(self, target, content, act):
        try:
            with Connection(self.project.path, 30) as connection:
                connection.send(request("POST", target, content, UPGRADE))
                status, _ = connection.head()
                if status != 101:
                    raise Doubt(f"{target}: {status}")
                return act(connection)
        except GONE as gone:
            raise Doubt(f"{target}: {gone}") from None

    def attach(self):
        """A container that gives back what it is told."""
        name = self.new_name("containers")
        body = {"Image": IMAGE, "Cmd": ["head", "-n", "1"], "OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "HostConfig": {"NetworkMode": "none"}}
        self.users[name] = set()
        self.make("containers", name, lambda: self.ask("POST", f"{API}/containers/create?name={name}", body))

        def talk(connection):
            self.ask("POST", f"{API}/containers/{name}/start")
            connection.send(f"{self.word} hears\n".encode())
            connection.half_close()
            return connection.take_all()
        output = self.streamed(f"{API}/containers/{name}/attach?stream=1&stdin=1&stdout=1", None, talk)
        if output and output[8:].decode() != f"{self.word} hears\n":
            raise Divergence(f"attach to {name}: {output!r}")

    def logs(self):
        """Followed for a moment, and left."""
        name = self.a_running_one()
        if name:
            try:
                with Connection(self.project.path, 1.5) as connection:
                    connection.send(request("GET", f"{API}/containers/{name}/logs?follow=1&stdout=1"))
                    connection.head()
                    while connection.more():
                        self.nothing_foreign(connection.buffer.decode(errors="replace"), f"logs of {name}")
                        if len(connection.buffer) > 2000:
                            break
            except TimeoutError:
                pass
            except GONE as gone:
                raise Doubt(f"logs: {gone}") from None

    def build(self):
        name = self.new_name("images")
        context = tar_of([("Dockerfile", f"FROM {IMAGE}\nLABEL word={self.word}-{self.count}\nCOPY file /file\n".encode()),
                          ("file", self.word.encode())])

        def asks():
            answer = self.ask("POST", f"{API}/build{query(t=name)}", context, fields=TAR)
            if "errorDetail" in answer.text:
                raise Doubt(answer.text[-300:])
        self.make("images", name, asks)

    def commit(self):
        container = self.any("containers")
        if container:
            name = self.new_name("images")
            repository, tag = name.rsplit(":", 1)
            target = "commit" + query(container=container, repo=repository, tag=tag, pause=False, changes=f"LABEL word={name}")
            self.make("images", name, lambda: self.libpod("POST", target))

    def retag(self):
        image = self.any("images")
        if image:
            name = self.new_name("images")
            repository, tag = name.rsplit(":", 1)
            self.make("images", name, lambda: self.libpod("POST", f"images/{image}/tag{query(repo=repository, tag=tag)}"))

    def volume(self):
        name = self.new_name("volumes")
        self.make("volumes", name, lambda: self.libpod("POST", "volumes/create", {"Name": name}))

    def network(self):
        if len(self.there["networks"]) < MOST["networks"]:
            name = self.new_name("networks")
            body = {"name": name, "driver": "bridge", "dns_enabled": False}
            self.make("networks", name, lambda: self.libpod("POST", "networks/create", body))

    def secret(self):
        name = self.new_name("secrets")
        self.make("secrets", name, lambda: self.libpod("POST", f"secrets/create{query(name=name)}", f"{self.word} knows".encode()))

    def remove(self):
        full = [kind for kind, names in self.there.items() if len(names) > MOST[kind]]
        self.remove_of(self.dice.choice(full or list(self.there)))

    def remove_of(self, kind):
        used = {thing for uses in self.users.values() for thing in uses}
        names = sorted(self.there[kind] - used)
        if not names:
            return
        name = self.dice.choice(names)
        self.doubt(kind, name)
        self.libpod("DELETE", PATHS[kind][1].format(name))
        self.doubtful[kind].pop(name)
        self.running.discard(name)
        self.users.pop(name, None)

    def look(self):
        self.compare(self.dice.choice(list(LISTS)))

    def look_at_other(self):
        """The other one's things, by the names that this one cannot know, are not there: neither to see nor to take away."""
        kind = self.dice.choice(list(LISTS))
        names = sorted(self.other.there[kind])
        if names:
            name = self.dice.choice(names)
            look, removal = PATHS[kind]
            self.libpod("GET", look.format(name), statuses=(404,), quoted=name)
            self.libpod("DELETE", removal.format(name), statuses=(404,), quoted=name)
            if kind == "containers":
                self.libpod("POST", f"containers/{name}/kill", statuses=(404,), quoted=name)

    def vanish(self):
        """Leaves in the middle of what it says, or of what it is told."""
        name = self.new_name("containers")
        whole = self.dice.choice([
            request("POST", f"{LIBPOD}/containers/create", {"image": IMAGE, "name": name, "command": ["true"]}),
            request("POST", f"{API}/build{query(t=self.new_name('images'))}", tar_of([("Dockerfile", f"FROM {IMAGE}\n".encode())]), TAR),
            request("GET", f"{API}/events"), request("GET", f"{LIBPOD}/containers/stats?stream=true"),
            request("GET", f"{LIBPOD}/images/{IMAGE}/get?format=docker-archive")])
        self.doubt("containers", name)
        self.doubt("images", f"localhost/{self.word}-{self.count}:1")
        self.users[name] = set()
        cut = self.dice.choice([len(whole), self.dice.randrange(1, len(whole))])
        try:
            with Connection(self.project.path, 10) as connection:
                connection.send(whole[:cut])
                if cut == len(whole):
                    time.sleep(self.dice.random() * 0.3)
        except GONE:
            pass

    def tidy(self):
        """Takes away what is in doubt. What is not there stays in doubt for as long as it may still be on its way."""
        for kind, names in self.doubtful.items():
            for name, since in list(names.items()):
                try:
                    status = self.project.delete(f"{LIBPOD}/{PATHS[kind][1].format(name)}").status
                except GONE:
                    return
                if status < 300 or (status == 404 and time.monotonic() - since > ON_ITS_WAY):
                    names.pop(name)
                    self.users.pop(name, None)

    # Play

    def run(self):
        steps = 0
        try:
            while not self.over.is_set() and not (self.other and self.other.failure):
                steps += 1
                if steps % 60 == 0:
                    self.tidy()
                move = self.dice.choice(self.moves)
                self.story = [*self.story[-11:], move.__name__]
                try:
                    move()
                except Doubt:
                    time.sleep(0.1)
                self.done[move.__name__] = self.done.get(move.__name__, 0) + 1
        except Exception as error:
            self.failure = f"step {steps} of {self.project.name} ({' '.join(self.story)}): {type(error).__name__}: {error}"

    def leave(self):
        """Takes away all that it has."""
        for kind in ("containers", "images", "volumes", "networks", "secrets"):
            for name in sorted(self.there[kind] | self.doubtful[kind].keys()):
                self.project.delete(f"{LIBPOD}/{PATHS[kind][1].format(name)}")


class Listener(threading.Thread):
    """Follows a project's events all the time; each must be the project's own."""

    def __init__(self, player, over):
        super().__init__(daemon=True)
        self.player, self.over = player, over
        self.events = 0
        self.failure = None

    def run(self):
        while not self.over.is_set():
            try:
                stream = LineStream(self.player.project.path, f"{LIBPOD}/events?stream=true", 5)
                while stream.status == 200 and not self.over.is_set():
                    line = stream.next(1)
                    if line is not None:
                        self.events += 1
                        self.player.nothing_foreign(str(line), "an event")
                    elif not self.still_there(stream):
                        break
                stream.close()
            except GONE:
                pass
            except Divergence as error:
                self.failure = str(error)
                return
            time.sleep(0.2)

    @staticmethod
    def still_there(stream):
        """Silence and the end of a stream are told apart by a look at the connection."""
        connection = stream.connection.socket
        connection.setblocking(False)
        try:
            return connection.recv(1, 2) != b""   # MSG_PEEK
        except BlockingIOError:
            return True
        finally:
            connection.setblocking(True)
