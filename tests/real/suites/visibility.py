"""Two projects build, tag, push, pull, save, load, commit, remove and prune at the same time, by chance, from a seed that is told.
Each has a model of its own: what it sees must follow from what it did, whatever the other one does.

PODFENCE_VISIBILITY_SECONDS (20) says for how long, PODFENCE_VISIBILITY_SEED repeats a run."""

import os
import random
import threading
import time

from check import check
from clients import API, LIBPOD
from images import tar_of
from wire import Closed, query
from world import IMAGE

SECONDS = float(os.environ.get("PODFENCE_VISIBILITY_SECONDS", "20"))
SEED = int(os.environ.get("PODFENCE_VISIBILITY_SEED", str(random.randrange(1 << 32))))
NAMES = 5  # of each project, so that names move
# So Podman begins when an image went while it looked for one that a build's step could take from its cache (Buildah's issue 5674).
GONE = "checking if cached image exists from a previous build: "


class Divergence(Exception):
    pass


class Registry:
    """What was pushed, by names that are never used twice."""

    def __init__(self, host):
        self.host, self.lock, self.names = host, threading.Lock(), []

    def add(self, name):
        with self.lock:
            self.names.append(name)

    def any(self, dice):
        with self.lock:
            return dice.choice(self.names) if self.names else None


class Player:
    """One project: what it does, and what it must see then."""

    def __init__(self, project, registry, shared):
        self.project, self.registry, self.shared = project, registry, shared
        self.dice = random.Random(f"{SEED} {project.name}")
        self.model = {}     # image id: names
        self.archives = []  # of (id, names, bytes)
        self.other = None
        self.steps = self.broken = 0
        self.story = []
        self.failure = None
        self.moves = [self.build, self.build, self.commit, self.tag, self.tag, self.untag, self.remove_name, self.remove_id, self.push,
                      self.pull, self.pull, self.save, self.load, self.load_of_other, self.prune, self.prune_all, self.look_at_other]

    # What is seen

    def name(self):
        return f"localhost/{self.project.name}-random/app{self.dice.randrange(NAMES)}:1"

    def any_image(self):
        return self.dice.choice(sorted(self.model)) if self.model else None

    def look(self, target):
        for _ in range(100):
            answer = self.project.get(f"{LIBPOD}/{target}")
            if answer.status != 500:  # Podman fails to show images while the other one is removing some
                break
        return answer

    def seen(self):
        images = self.demand(self.project.get(f"{LIBPOD}/images/json"), 200).json()
        return {image["Id"]: frozenset(image.get("RepoTags") or []) for image in images if image["Id"] not in self.shared}

    def demand(self, answer, *statuses):
        if answer.status not in statuses:
            raise Divergence(f"status {answer.status}, not {statuses}: {answer.text[:300]}")
        return answer

    def compare(self):
        seen, expected = self.seen(), {image: frozenset(names) for image, names in self.model.items()}
        if seen != expected:
            ids = [image for image in seen.keys() | expected.keys() if seen.get(image) != expected.get(image)]
            raise Divergence("; ".join(f"{image[:12]} is seen as {seen.get(image)}, not {expected.get(image)}" for image in ids))

    # What becomes of the model

    def gets(self, image, names=()):
        for name in names:
            for held in self.model.values():
                held.discard(name)
        self.model.setdefault(image, set()).update(names)

    def drops(self, image):
        self.model.pop(image)

    # Moves

    def build(self):
        name = self.name()
        context = tar_of([("Dockerfile", f"FROM {IMAGE}\nLABEL random={self.dice.randrange(1 << 30)}\n".encode())])
        answer = self.project.post(f"{API}/build{query(t=name)}", context, fields=[("Content-Type", "application/x-tar")])
        self.demand(answer, 200)
        if GONE in answer.text:
            self.broken += 1  # docs/threat-model.md tells of it: a step looks at all images, the other one's among them
            return
        if "errorDetail" in answer.text:
            raise Divergence(answer.text[-300:])
        self.gets(self.id_of(name), [name])

    def id_of(self, name):
        return self.demand(self.look(f"images/{name}/json"), 200).json()["Id"]

    def commit(self):
        name = self.name()
        repository, tag = name.rsplit(":", 1)
        made = self.project.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "command": ["true"], "netns": {"nsmode": "none"},
                                                                "labels": {"random": str(self.dice.randrange(1 << 30))}})
        container = self.demand(made, 201).json()["Id"]
        change = f"LABEL random={self.dice.randrange(1 << 30)}"
        answer = self.project.post(f"{LIBPOD}/commit{query(container=container, repo=repository, tag=tag, changes=change)}")
        self.demand(answer, 200, 201)
        self.demand(self.project.delete(f"{LIBPOD}/containers/{container}?force=true"), 200, 204)
        self.gets(self.id_of(name), [name])

    def tag(self):
        image = self.any_image()
        if image:
            name = self.name()
            repository, tag = name.rsplit(":", 1)
            self.demand(self.project.post(f"{LIBPOD}/images/{image}/tag{query(repo=repository, tag=tag)}"), 201)
            self.gets(image, [name])

    def any_name(self):
        names = sorted((name, image) for image, names in self.model.items() for name in names)
        return self.dice.choice(names) if names else (None, None)

    def untag(self):
        name, image = self.any_name()
        if name:
            repository, tag = name.rsplit(":", 1)
            self.demand(self.project.post(f"{LIBPOD}/images/{image}/untag{query(repo=repository, tag=tag)}"), 201)
            self.model[image].discard(name)

    def remove_name(self):
        name, image = self.any_name()
        if name:
            self.demand(self.project.delete(f"{API}/images/{name}"), 200)
            self.model[image].discard(name)
            if not self.model[image]:
                self.drops(image)

    def remove_id(self):
        image = self.any_image()
        if image:
            self.demand(self.project.delete(f"{API}/images/{image}?force=true"), 200)
            self.drops(image)

    def push(self):
        image = self.any_image()
        if image:
            name = f"{self.registry.host}/random/{self.project.name}-{SEED}-{self.steps}"
            answer = self.project.post(f"{LIBPOD}/images/{image}/push{query(destination=name)}")
            self.demand(answer, 200)
            if '"error"' in answer.text:
                raise Divergence(answer.text[-300:])
            self.registry.add(f"{name}:latest")

    def brought(self, ask):
        """The answer; None where it was broken off: the other one removed the image at the same moment."""
        try:
            answer = self.demand(ask(), 200)
        except (Closed, ConnectionResetError):
            self.broken += 1
            return None
        if '"error"' in answer.text:
            raise Divergence(answer.text[-300:])
        return answer

    def pull(self):
        name = self.registry.any(self.dice)
        if name and self.brought(lambda: self.project.post(f"{LIBPOD}/images/pull{query(reference=name)}")):
            self.gets(self.id_of(name), [name])

    def save(self):
        image = self.any_image()
        if image:
            own = sorted(name for name in self.model[image] if name.startswith("localhost/"))  # others pull the rest
            what = self.dice.choice(own) if own and self.dice.random() < 0.5 else image
            answer = self.demand(self.project.get(f"{API}/images/{what}/get"), 200)
            self.archives = [*self.archives[-4:], (image, [] if what == image else [what], answer.content)]

    def load_one(self, archives):
        if archives:
            image, names, content = self.dice.choice(archives)
            fields = [("Content-Type", "application/x-tar")]
            if self.brought(lambda: self.project.post(f"{API}/images/load", content, fields=fields)):
                self.gets(image, names)

    def load(self):
        self.load_one(self.archives)

    def load_of_other(self):
        """Whoever hands an archive on hands the image on; the names in it stay the other one's."""
        self.load_one([archive for archive in list(self.other.archives) if not archive[1]])

    def prune(self):
        self.demand(self.project.post(f"{API}/images/prune"), 200)
        for image in [image for image, names in self.model.items() if not names]:
            self.drops(image)

    def prune_all(self):
        if self.dice.random() < 0.3:
            self.demand(self.project.post(f"{API}/images/prune{query(filters={'dangling': ['false']})}"), 200)
            self.model.clear()

    def look_at_other(self):
        """Ids of the other one's images, which are no secret from the model, are not there for this one."""
        for image in list(self.other.model)[:3]:
            if image not in self.model:
                self.demand(self.project.get(f"{LIBPOD}/images/{image}/json"), 404)
                self.demand(self.project.post(f"{LIBPOD}/images/{image}/tag?repo=localhost/stolen&tag=1"), 404)
                self.demand(self.project.get(f"{API}/images/{image}/get"), 404)

    # Play

    def play(self, end):
        try:
            while time.monotonic() < end and not self.other.failure:
                self.steps += 1
                move = self.dice.choice(self.moves)
                self.story = [*self.story[-11:], move.__name__]
                move()
                self.compare()
        except Exception as error:
            self.failure = f"step {self.steps} of {self.project.name} ({' '.join(self.story)}): {type(error).__name__}: {error}"


def test_two_projects(world):
    shared = {image["Id"] for image in world.engine.direct.get(f"{LIBPOD}/images/json?all=true").json()}
    registry = Registry(world.engine.registry_name)
    players = [Player(project, registry, shared) for project in (world.p1, world.p10)]
    for player, other in zip(players, reversed(players)):
        player.other = other
    end = time.monotonic() + SECONDS
    threads = [threading.Thread(target=player.play, args=(end,)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps = sum(player.steps for player in players)
    broken = sum(player.broken for player in players)
    print(f"  {steps} moves in {SECONDS:.0f} s, {broken} answers broken off, seed {SEED}")
    for player in players:
        check(player.failure is None, f"what {player.project.name} sees is what it did (seed {SEED})",
              f"{player.failure}\npodfence says: {world.fence.log()[-600:]}")
    check(steps >= SECONDS / 2, "they were at work", steps)
    for player in players:
        pruned = player.project.post(f"{API}/images/prune{query(filters={'dangling': ['false']})}")
        check(pruned.status == 200, f"{player.project.name} prunes all of its images", pruned)
    left = {image["Id"] for image in world.engine.direct.get(f"{LIBPOD}/images/json?all=true").json()} - shared
    check(not left or any(player.failure for player in players), "when both have pruned, nothing is left of it", left)
