"""Two projects act at random for a long time, while clients vanish, Podman's service and podfence are killed and started again, and
the configuration is read anew. Each project must see what it has, and nothing of the other's; podfence must not grow or get slower.

PODFENCE_SOAK_MINUTES (3) says for how long, PODFENCE_SEED repeats the dice of a run. podfence is killed in the first third only: the
one that then lives on to the end, under all other faults, is measured."""

import os
import random
import re
import statistics
import threading
import time

from check import check, equal, skip, until
from clients import LIBPOD
from player import Listener, Player
from wire import Socket

MINUTES = float(os.environ.get("PODFENCE_SOAK_MINUTES", "2"))
SEED = int(os.environ.get("PODFENCE_SEED", str(random.randrange(1 << 32))))
BETWEEN_FAULTS = (6, 18)      # seconds
SETTLING = 20                 # seconds after a fault in which Podman and podfence may answer with errors
GROWTH = 4 * 1024             # kB of its own that podfence may have more at the end than after its first third
OPEN_FILES = 8                # more than podfence had at its start, when everybody has gone
SLOWER, SLOWER_BY = 3.0, 20   # times, and so many milliseconds, which a busy machine makes by itself
WARMING = 15                  # seconds of a new podfence that count for nothing: its clients' things come first
class Health:
    """What podfence takes, sampled: (kB of its own, open files, milliseconds of `_ping`, of podfence's own for half of the requests)."""

    def __init__(self, fence, admin):
        self.fence, self.admin, self.samples = fence, Socket(admin), []
        self.start = time.monotonic()

    def open_files(self):
        return len(os.listdir(f"/proc/{self.fence.process.pid}/fd"))

    def memory(self):
        with open(f"/proc/{self.fence.process.pid}/status") as status:
            return int(re.search(r"RssAnon:\s+(\d+) kB", status.read()).group(1))

    def look(self):
        start = time.monotonic()
        try:
            Socket(self.fence.sockets["s1"]).get("/_ping", timeout=30)
            ping = (time.monotonic() - start) * 1000
            minutes = self.admin.get("/history").json()["minutes"]
        except (OSError, ValueError):
            return
        own = [minute["own_us"]["p50"] / 1000 for minute in minutes if minute["requests"]]
        if own and start > self.start + WARMING:
            self.samples.append((self.memory(), self.open_files(), ping, own[-1]))

    def third(self, number):
        """Lowest memory, lowest number of open files and median times in a third of the samples."""
        size = max(1, len(self.samples) // 3)
        part = self.samples[number * size:(number + 1) * size] or self.samples[-1:]
        memory, files, ping, own = zip(*part)
        return min(memory), min(files), statistics.median(ping), statistics.median(own)


class Soak:
    def __init__(self, world):
        self.world, self.engine = world, world.engine
        self.dice = random.Random(SEED)
        self.fence = world.another("soak", {"s1": {}, "s10": {}})
        self.admin = str(self.engine.runtime / "soak" / "admin.sock")
        self.fence.settings["admin"] = self.admin
        self.fence.start()
        self.over = threading.Event()
        self.faults = {}
        self.troubled = []     # (from, to) of what follows a fault
        self.health = Health(self.fence, self.admin)
        self.files_at_start = self.health.open_files()
        self.players = [Player(self.fence.projects[name], word, SEED, self.over) for name, word in (("s1", "soak-alpha"), ("s10", "soak-omega"))]
        for player, other in zip(self.players, reversed(self.players)):
            player.other = other
        self.listeners = [Listener(player, self.over) for player in self.players]

    # Faults

    def kill_podman(self):
        self.engine.kill_service()
        time.sleep(self.dice.random())
        self.engine.start_service()

    def kill_podfence(self):
        self.fence.kill()
        self.fence.start(60)   # the ledger is compared first, with a Podman that may be just beginning
        self.health = Health(self.fence, self.admin)
        self.files_at_start = self.health.open_files()

    def reload(self):
        answer = Socket(self.admin).post("/reload")
        check(answer.status == 200, "the configuration is read again", answer)

    def guest(self):
        """A project that comes and goes, with something of its own."""
        admin = Socket(self.admin)
        answer = admin.call("PUT", "/projects/s-guest", {})
        if check(answer.status in (200, 201), "a project comes", answer):
            Socket(answer.json()["socket"]).post(f"{LIBPOD}/volumes/create", {"Name": f"guest-{self.dice.randrange(1 << 30)}"})
        answer = admin.delete("/projects/s-guest?teardown=remove")
        check(answer.status == 200, "and goes", answer)

    def plan(self):
        """podfence is killed in the first third only; each kind comes at least once."""
        yield from ((self.reload, 0), (self.kill_podfence, 0), (self.kill_podman, 0), (self.guest, 0))
        while True:
            kinds = [self.kill_podman, self.reload, self.guest]
            yield self.dice.choice([*kinds, self.kill_podfence]), self.dice.choice(kinds)

    def fault(self, early, late, is_early):
        kind = early if is_early or not late else late
        start = time.monotonic()
        kind()
        self.faults[kind.__name__] = self.faults.get(kind.__name__, 0) + 1
        if kind in (self.kill_podman, self.kill_podfence):
            self.troubled.append((start - 1, time.monotonic() + SETTLING))

    # The run

    def failures(self):
        return [each.failure for each in (*self.players, *self.listeners) if each.failure]

    def blow(self, seconds):
        for thread in (*self.players, *self.listeners):
            thread.start()
        start, plan = time.monotonic(), self.plan()
        next_fault, next_look = start + 5, start
        while (now := time.monotonic()) < start + seconds and not self.failures():
            if now >= next_fault and now < start + seconds - SETTLING:
                self.fault(*next(plan), now < start + seconds / 3)
                next_fault = time.monotonic() + self.dice.uniform(*BETWEEN_FAULTS)
            if now >= next_look:
                self.health.look()
                next_look = now + 2
            time.sleep(0.1)
        self.over.set()
        for thread in (*self.players, *self.listeners):
            thread.join(130)

    def look_at_the_engine(self):
        """What really carries the label of a project, seen past podfence, is that project's."""
        for player in self.players:
            target = f"{LIBPOD}/containers/json?all=true&filters=%7B%22label%22%3A%5B%22appx.project%3D{player.project.name}%22%5D%7D"
            items = self.engine.direct.get(target).json() or []
            names = {name for item in items for name in item["Names"]}
            check(all(name.startswith(player.word) for name in names), f"what Podman has of {player.project.name} was made by it", names)
            lost = player.there["containers"] - names
            check(not lost, f"and Podman has all that {player.project.name} was told of", lost)

    def errors_without_a_fault(self):
        return [text for player in self.players for at, text in player.failed
                if not any(start <= at <= end for start, end in self.troubled)]


def test_two_projects(world):
    soak = Soak(world)
    try:
        _run(world, soak)
    finally:
        soak.over.set()
        soak.fence.stop()
        for project in soak.fence.projects.values():
            world.clear(project)


def _run(world, soak):
    soak.blow(MINUTES * 60)
    moves = {name: sum(player.done.get(name, 0) for player in soak.players) for name in sorted({n for p in soak.players for n in p.done})}
    print(f"  {sum(moves.values())} moves in {MINUTES:g} min, seed {SEED}: {moves}")
    print(f"  faults: {soak.faults}; events: {[listener.events for listener in soak.listeners]}")
    equal(soak.failures(), [], f"each project sees what it has, and nothing else (seed {SEED})")
    check(all(listener.events > MINUTES * 3 for listener in soak.listeners), "both heard of their own doings",
          [listener.events for listener in soak.listeners])
    check(all(moves.values()) and sum(moves.values()) > MINUTES * 30, "they were at work", moves)
    errors = soak.errors_without_a_fault()
    check(len(errors) <= sum(moves.values()) / 100, "without a fault hardly anything fails", "\n".join(errors[:10]))
    check(len(soak.faults) == 4, "every kind of fault occurred", soak.faults)
    print(f"  answers of 5xx: {sum(len(player.failed) for player in soak.players)}, {len(errors)} of them without a fault before")
    soak.look_at_the_engine()
    _steady(soak, world.sanitized)
    for player in soak.players:
        player.leave()
    left = soak.fence.ledger("list").stdout.count("localhost/soak-")
    check(left <= sum(len(player.doubtful["images"]) for player in soak.players), "the ledger forgets what went", left)
    world.unharmed()


def _steady(soak, sanitized):
    """Of the podfence that lived from the last kill to the end."""
    health = soak.health
    check(len(health.samples) >= 9, "podfence was looked at", len(health.samples))
    first, last = health.third(0), health.third(2)
    for number, what in enumerate(("first", "second", "last")):
        memory, files, ping, own = health.third(number)
        print(f"  {what} third: {memory} kB of its own, {files} open files, _ping {ping:.1f} ms, own time {own:.2f} ms")
    if sanitized:
        skip("memory", "sanitizers keep what was freed")
    else:
        check(last[0] <= first[0] + GROWTH, f"memory grows by less than {GROWTH} kB", (first[0], last[0]))
    for at, what in ((2, "_ping"), (3, "podfence's own work")):
        check(last[at] <= first[at] * SLOWER + SLOWER_BY, f"{what} does not take longer and longer", (first[at], last[at]))
    allowed = soak.files_at_start + OPEN_FILES
    check(until(lambda: health.open_files() <= allowed, 30), "open files are back where they were", f"{health.open_files()}, {allowed} allowed")
