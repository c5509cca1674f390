"""podfence is killed with SIGKILL, at chosen moments and at random ones under load, and started again. What a client was
told is there stays there; nothing of others comes into sight; no name of others is claimed; and the ledger opens.
PODFENCE_KILLS says how often it is killed at random."""

import gzip
import os
import random
import sqlite3
import threading
import time

from between import Between
from check import check, contains, equal, until
from clients import API, LIBPOD
from images import TAR, docker_archive, oci_archive, tar_of, _digest, _id
from wire import Closed, query
from world import IMAGE, LABEL

KILLS = int(os.environ.get("PODFENCE_KILLS", "20"))
KILLS_OF_A_STORM = 20
GONE = (OSError, Closed, ValueError)   # what a client sees of a podfence that was killed


def _name(world, path):
    return f"{world.engine.registry_name}/crash/{path}"


def _sees(project, name):
    return project.get(f"{LIBPOD}/images/{name}/json").status == 200


def _container(project):
    """Something to commit."""
    answer = project.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "command": ["true"]})
    check(answer.status == 201, f"{project.name} has a container", answer)
    return answer.json()["Id"]


def _forget_all(world):
    """Whatever was made here, whoever's it is."""
    engine = world.engine
    names = engine.podman("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    crash = [name for name in names if "/crash/" in name]
    for start in range(0, len(crash), 50):
        engine.podman("rmi", "-f", *crash[start:start + 50], check=False)
    engine.podman("image", "prune", "-f", check=False)


# One request, killed when the engine has carried it out.

def _import(name, content):
    return ("POST", f"{LIBPOD}/images/import" + query(reference=name), tar_of([("file", content)]), TAR)


def _context(text):
    return tar_of([("Dockerfile", text.encode())])


def _requests(world, container):
    """What is asked, and whether it is the project's after a restart: what cannot be known stays hidden."""
    def name(tag):
        return _name(world, f"kept:{tag}")
    repository = _name(world, "kept")
    built = f"FROM {IMAGE}\nLABEL made=kept\n"
    oci_labelled = oci_archive(name("load-oci"))
    return {
        "commit": (("POST", f"{API}/commit" + query(container=container, repo=repository, tag="commit", pause=False), {}, ()), True),
        "libpod-commit": (("POST", f"{LIBPOD}/commit" + query(container=container, repo=repository, tag="libpod-commit", pause=False), None, ()), True),
        "import": (_import(name("import"), b"kept"), True),
        "build": (("POST", f"{API}/build" + query(t=name("build")), _context(built), TAR), True),
        "tag": (("POST", f"{LIBPOD}/images/{name('own')}/tag" + query(repo=repository, tag="tag"), None, ()), True),
        "load": (("POST", f"{LIBPOD}/images/load", tar_of(docker_archive([name("load")])), TAR), False),
        "load-oci": (("POST", f"{API}/images/load", tar_of(oci_labelled), TAR), False),
        "pull": (("POST", f"{LIBPOD}/images/pull" + query(reference=f"{world.engine.registry_name}/team/mine:latest"), None, ()), False),
    }


def _killed_over(fence, between, project, request, pattern):
    """Sends it, kills podfence when the engine has answered, and starts it again."""
    method, target, content, fields = request
    told = []

    def send():
        try:
            told.append(project.call(method, target, content, fields))
        except GONE:
            pass
    between.keep(pattern)
    client = threading.Thread(target=send)
    client.start()
    check(between.kept.wait(60), f"the engine answers {method} {target[:80]}", told)
    fence.kill()
    client.join()
    between.keep("^nothing")
    check(not told, f"nobody was told of {method} {target[:80]}", told)
    fence.start()


def test_killed_before_the_record(world):
    engine = world.engine
    path = str(engine.runtime / "between.sock")
    between = Between(path, engine.socket_path)
    fence = world.another("crash", {"p1": {}, "p10": {}})
    fence.settings["upstream"] = path
    with fence:
        p1, p10 = fence.projects["p1"], fence.projects["p10"]
        equal(p1.call(*_import(_name(world, "kept:own"), b"own")).status, 200, "p1 has an image")
        container = _container(p1)
        for what, (request, is_known) in _requests(world, container).items():
            name = f"{engine.registry_name}/team/mine:latest" if what == "pull" else _name(world, f"kept:{what}")
            before = _id(world, name)
            method, target, content, fields = request
            _killed_over(fence, between, p1, request, "^POST .*(images/(load|pull|import|.*/tag)|/commit|/build)")
            identifier = _id(world, name)
            check(identifier and identifier != before, f"the engine has carried out: {what}")
            equal(_sees(p1, name), is_known, f"{what}: seen after the restart")
            check(not _sees(p10, name) and not _sees(p10, identifier), f"{what}: p10 does not see it")
            if is_known and what != "tag":
                contains(fence.log(), f"p1 gets the image {identifier}: it made it under the name {name}", f"{what}: podfence tells")
            answer = p1.call(method, target, content, fields)
            check(answer.status in (200, 201) and "error" not in answer.text, f"{what} can be asked for again", answer)
            check(_sees(p1, name), f"{what}: then it is there")
        _images_without_names(world, fence, between, container)
        _removals(world, fence, between)
        _names_of_the_host(world, fence, between)
    world.clear(world.p1)
    between.close()
    _forget_all(world)


def _images_without_names(world, fence, between, container):
    """By its label alone an image is nobody's: every image can carry it."""
    p1, direct = fence.projects["p1"], world.engine.direct
    before = {image["Id"] for image in direct.get(f"{LIBPOD}/images/json?all=true").json()}
    request = ("POST", f"{API}/commit" + query(container=container, pause=False, comment="nameless"), {}, ())
    _killed_over(fence, between, p1, request, "^POST .*/commit")
    new = [image for image in direct.get(f"{LIBPOD}/images/json?all=true").json() if image["Id"] not in before]
    equal([image["Labels"] for image in new], [{LABEL: "p1"}], "the engine has it, with p1's label")
    for image in new:
        check(not _sees(p1, image["Id"]), "an image without a name stays hidden")
        direct.delete(f"{LIBPOD}/images/{image['Id']}")


def _removals(world, fence, between):
    """A name that is gone is free again, for others too."""
    p1, p10 = fence.projects["p1"], fence.projects["p10"]
    for what, request in {
            "removed": ("DELETE", f"{API}/images/{_name(world, 'gone:removed')}", None, ()),
            "untagged": ("POST", f"{LIBPOD}/images/{_name(world, 'gone:untagged')}/untag"
                         + query(repo=_name(world, "gone"), tag="untagged"), None, ())}.items():
        name = _name(world, f"gone:{what}")
        equal(p1.call(*_import(name, what.encode())).status, 200, f"p1 has {name}")
        _killed_over(fence, between, p1, request, "^DELETE|^POST .*/untag")
        equal(_id(world, name), None, f"the engine has {what} it")
        check(not _sees(p1, name), f"{what}: p1 does not see it")
        shown = fence.ledger("list", "--project", "p1", "--format", "json").stdout
        # A name that is so young may still be on its way to Podman, and is kept for a while.
        if what == "removed":
            contains(fence.log(), "p1 loses the image", "an image that is gone is held by nobody")
        check(f'"what":"{name}"' in shown, f"{what}: the young name is kept", shown)
        answer = p1.call(*_import(name, b"again"))
        check(answer.status == 200, f"{what}: p1 can give the name again", answer)
        equal(p1.delete(f"{LIBPOD}/images/{name}").status, 200, f"{what}: and take it away")
        answer = p10.call(*_import(name, b"of p10"))
        check(answer.status == 200, f"{what}: the name is p10's to give", answer)


def _names_of_the_host(world, fence, between):
    """A pull claims its name before it begins. What the host user has under it must not be p1's when nothing came of it."""
    p1, direct = fence.projects["p1"], world.engine.direct
    name = _name(world, "host:own")
    direct.post(f"{LIBPOD}/images/{IMAGE}/tag" + query(repo=_name(world, "host"), tag="own"))
    before = _id(world, name)
    pull = ("POST", f"{LIBPOD}/images/pull" + query(reference=name), None, ())
    _killed_over(fence, between, p1, pull, "^POST .*images/pull")
    equal(fence.ledger("show", name).returncode, 1, "the ledger knows nothing of the name")
    own = _name(world, "kept:own")
    answer = p1.post(f"{API}/images/{own}/tag" + query(repo=_name(world, "host"), tag="own"))
    check(answer.status == 403, "p1 cannot give the host's name", answer)
    equal(_id(world, name), before, "it stands where it stood")
    check(not _sees(p1, name), "and p1 does not see it")


# Many requests, killed anywhere.

class Client(threading.Thread):
    """A client that makes, names and removes images, and keeps account of what it was told."""

    def __init__(self, storm, project, number):
        super().__init__(daemon=True)
        self.storm, self.project, self.number = storm, project, number
        self.random = random.Random(f"{project.name} {number}")
        self.there = {}        # name: id, told and not taken away
        self.count = 0
        self.answered = {}     # by verb

    def run(self):
        while not self.storm.over:
            self.storm.gate.wait()
            with self.storm.busy(self):
                try:
                    self.act()
                except GONE:
                    time.sleep(0.02)

    def act(self):
        verbs = ["import"] * 4 + ["load"] * 3 + ["commit"] * 2 + ["host", "build"]
        if not self.number:  # one client of each project, so that nobody takes away what another was told
            verbs.append("pull")
        if self.there:
            verbs += ["tag"] * 4 + ["remove"] * 3
        verb = "remove" if len(self.there) > 12 else self.random.choice(verbs)
        getattr(self, verb)()
        self.answered[verb] = self.answered.get(verb, 0) + 1

    def new_name(self):
        self.count += 1
        name = self.storm.name(f"{self.project.name}-{self.number}:{self.count}")
        self.storm.tried[self.project.name].add(name)
        return name

    def made(self, name, identifier, answer):
        if answer.status in (200, 201) and '"error"' not in answer.text:
            self.there[name] = identifier
            return
        raise ValueError(f"{name}: {answer}")

    def post(self, target, content=None, fields=()):
        return self.project.post(target, content, fields=fields)

    def imports(self, name):
        return self.project.call(*_import(name, name.encode()))

    # The ids of what is made are looked up by its name, when the answer has said that it is there.

    def looked_up(self, name):
        answer = self.project.get(f"{LIBPOD}/images/{name}/json")
        return answer.json()["Id"] if answer.status == 200 else None

    def make(self, name, answer):
        self.made(name, None, answer)
        self.there[name] = self.looked_up(name)

    def do_import(self):
        name = self.new_name()
        self.make(name, self.imports(name))

    def load(self):
        name = self.new_name()
        members = docker_archive([name], tar_of([("file", name.encode())]))
        self.storm.loaded[self.project.name].add(_digest(members[0][1]))
        self.make(name, self.post(f"{API}/images/load", gzip.compress(tar_of(members)), TAR))

    def commit(self):
        name = self.new_name()
        repository, tag = name.rsplit(":", 1)
        container = self.storm.containers[self.project.name]
        self.make(name, self.post(f"{LIBPOD}/commit" + query(container=container, repo=repository, tag=tag, pause=False, comment=name)))

    def build(self):
        name = self.new_name()
        self.make(name, self.post(f"{API}/build" + query(t=name), _context(f"FROM {IMAGE}\nLABEL name={name}\n"), TAR))

    def tag(self):
        source = self.random.choice(list(self.there))
        name = self.new_name()
        repository, tag = name.rsplit(":", 1)
        self.make(name, self.post(f"{LIBPOD}/images/{source}/tag" + query(repo=repository, tag=tag)))

    def remove(self):
        name = self.random.choice(list(self.there))
        del self.there[name]   # until the answer it may be there or not
        family = self.random.choice((API, LIBPOD))
        self.project.delete(f"{family}/images/{name}")

    def pull(self):
        name = f"{self.storm.world.engine.registry_name}/team/mine:latest"
        self.make(name, self.post(f"{LIBPOD}/images/pull" + query(reference=name)))

    def host(self):
        self.post(f"{LIBPOD}/images/pull" + query(reference=self.random.choice(self.storm.host_names)))


setattr(Client, "import", Client.do_import)


class Storm:
    def __init__(self, world, fence, number):
        self.world, self.fence, self.number = world, fence, number
        self.over, self.gate = False, threading.Event()
        self.running, self.condition = set(), threading.Condition()
        self.tried = {name: set() for name in fence.projects}
        self.loaded = {name: set() for name in fence.projects}
        self.pulled, self.common = f"{world.engine.registry_name}/team/mine:latest", None
        self.host_names = [self.name(f"host:{number}") for number in range(3)]
        for tag in self.host_names:
            world.engine.direct.post(f"{LIBPOD}/images/localhost/other:latest/tag"
                                     + query(repo=tag.rsplit(":", 1)[0], tag=tag.rsplit(":", 1)[1]))
        self.repaired = []
        self.host = {name: _id(world, name) for name in self.host_names}
        self.containers = {name: _container(project) for name, project in fence.projects.items()}
        self.clients = [Client(self, fence.projects[name], number) for name in ("p1", "p10") for number in range(2)]
        for client in self.clients:
            client.start()

    def name(self, path):
        return _name(self.world, f"storm-{self.number}/{path}")

    def busy(self, client):
        storm = self

        class Busy:
            def __enter__(self):
                with storm.condition:
                    storm.running.add(client)

            def __exit__(self, *_):
                with storm.condition:
                    storm.running.discard(client)
                    storm.condition.notify_all()
        return Busy()

    def blow(self, seconds):
        """Everybody acts for that long, and then podfence is killed under them."""
        self.gate.set()
        time.sleep(seconds)
        self.gate.clear()
        self.fence.kill()
        with self.condition:
            return self.condition.wait_for(lambda: not self.running, 60)

    def look(self, round):
        """What must hold behind every restart."""
        self.look_at_the_file(round)
        for name, project in self.fence.projects.items():
            seen = {}
            answer = project.get(f"{LIBPOD}/images/json")
            while answer.status == 500:  # Podman fails to list what it is removing still
                answer = project.get(f"{LIBPOD}/images/json")
            for image in answer.json():
                for tag in image.get("RepoTags") or [f"nameless {image['Id']}"]:
                    seen[tag] = image["Id"]
            self.look_at_what_was_told(round, name, seen)
            self.look_for_foreign(round, name, seen)
        equal({name: _id(self.world, name) for name in self.host_names}, self.host, f"{round}: the host's names stand")

    def look_at_the_file(self, round):
        database = sqlite3.connect(f"file:{self.fence.folder}/state/ledger.sqlite?mode=ro", uri=True)
        equal(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)], f"{round}: the ledger is whole")
        tags = database.execute("SELECT project, tag, made FROM owned_tag").fetchall()
        images = database.execute("SELECT project, image FROM held_image").fetchall()
        database.close()
        wrong = [row for row in tags if row[1] not in self.tried[row[0]] and row[1] != self.pulled]
        equal(wrong, [], f"{round}: nobody has a name that is not its own")
        self.common = _id(self.world, self.pulled) or self.common  # its name comes and goes
        both = {image for project, image in images if project == "p1"} & {image for project, image in images if project == "p10"}
        equal(both - {self.common}, set(), f"{round}: no image is held by both but the one that both pull")

    def look_at_what_was_told(self, round, name, seen):
        told = {tag: identifier for client in self.clients if client.project.name == name for tag, identifier in client.there.items()}
        lost = {tag: (identifier, seen.get(tag)) for tag, identifier in told.items()
                if tag not in seen or identifier not in (None, seen[tag])}
        equal(lost, {}, f"{round}: {name} has all that it was told")

    def look_for_foreign(self, round, name, seen):
        foreign = []
        for tag, identifier in seen.items():
            if tag in self.tried[name] or tag == self.pulled or tag.startswith("localhost/"):
                continue
            labels = self.world.engine.direct.get(f"{LIBPOD}/images/{identifier}/json").json().get("Labels") or {}
            if not (tag.startswith("nameless") and (labels.get(LABEL) == name or identifier in self.loaded[name])):
                foreign.append((tag, identifier))
        equal(foreign, [], f"{round}: {name} sees nothing of others")


def _blow_storm(world, number, kills, chance):
    """With a state directory of its own; then what was made is taken away, so that Podman does not slow down."""
    with world.another(f"storm-{number}", {"p1": {}, "p10": {}}) as fence:
        storm = Storm(world, fence, number)
        for kill in range(1, kills + 1):
            round = f"{number}.{kill}"
            check(storm.blow(chance.uniform(0.02, 1.2)), f"{round}: every client hears of the end")
            fence.start()
            storm.look(round)
            storm.repaired += [line for line in fence.log().splitlines() if line.startswith("podfence: ledger: ")]
        storm.over = True
        storm.gate.set()
        for client in storm.clients:
            client.join(60)
    world.clear(world.p1)
    for container in storm.containers.values():
        world.engine.podman("rm", "-f", container, check=False)
    _remove_working_containers(world)
    _forget_all(world)
    return storm


def test_killed_anywhere(world):
    start, chance = time.monotonic(), random.Random(int(os.environ.get("PODFENCE_SEED", "1")))
    done = {}
    for number, first in enumerate(range(0, KILLS, KILLS_OF_A_STORM)):
        kills = min(KILLS_OF_A_STORM, KILLS - first)
        storm = _blow_storm(world, number, kills, chance)
        for client in storm.clients:
            for verb, times in client.answered.items():
                done[verb] = done.get(verb, 0) + times
        for word in ("gets the image", "loses the tag", "loses the image"):
            done[word] = done.get(word, 0) + sum(word in line for line in storm.repaired)
        print(f"killed {first + kills} times in {time.monotonic() - start:.0f} s; {done}", flush=True)
    check({"import", "load", "tag", "remove"} <= set(done), "there was something to lose", done)


def _remove_working_containers(world):
    # A build whose client has gone leaves its container behind, in Podman 4.3.1.
    for line in world.engine.podman("ps", "-a", "--external", "--format", "{{.ID}} {{.Names}}").splitlines():
        if line.endswith("working-container") or "working-container-" in line:
            world.engine.podman("rm", "-f", line.split()[0], check=False)


def test_clean_up(world):
    _remove_working_containers(world)
    world.unharmed()
