"""Projects that end: by the operator, because a lease is over, or because the container or process that they were made for is
gone. What they have goes in the right order, what others have stays, and a podfence that is killed meanwhile goes on where it was."""

import json
import os
import subprocess
import threading
import time

from check import check, contains, equal, lacks, until
from clients import API, LIBPOD
from fence import Fence
from images import TAR, tar_of
from wire import Closed, Socket, query
from world import IMAGE, SLEEP

_stages = {}
LABEL = "life.project"  # of its own: what the other suites' projects have must be no orphans
LISTS = {"containers": "containers/json?all=true", "pods": "pods/json", "networks": "networks/json", "volumes": "volumes/json"}


class Stage:
    """podfence with the project `stays`, and things that are none of the projects' that end."""

    def __init__(self, world):
        self.world, self.engine = world, world.engine
        self.direct = world.engine.direct
        self.fence = Fence(self.engine, world.podfence, world.programs, {"stays": {}}, name="life")
        self.admin = str(self.engine.runtime / "life" / "admin.sock")
        self.control = str(self.engine.runtime / "life" / "control.sock")
        control = {"socket": self.control, "identities": [{"user": os.geteuid(), "projects": ["*"]}]}
        self.fence.settings |= {"admin": self.admin, "label": LABEL, "control": [control]}
        self.fence.start()
        self.stays = self.fence.projects["stays"]
        self.kept = [self._run(self.stays, "of-stays"), self._run(self.direct, "unlabelled")]
        self.direct.post(f"{LIBPOD}/volumes/create", {"Name": "volume-unlabelled"})

    def _run(self, client, name):
        made = client.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": name, "command": SLEEP})
        check(made.status == 201 and client.post(f"{LIBPOD}/containers/{name}/start").status == 204, f"{name} runs", made)
        return name

    def ask(self, method, target, body=None):
        return Socket(self.admin).call(method, target, body)

    def add(self, name, **definition):
        definition = {"images": {"shared": [IMAGE]}, **definition}
        answer = self.ask("PUT", f"/projects/{name}", definition)
        check(answer.status in (200, 201), f"{name} is added", answer)
        return Socket(answer.json()["socket"])

    def fill(self, client, name):
        """Something of every kind, in each other's way: a container in another's network, a pod, used volumes and networks."""
        post = client.post
        post(f"{LIBPOD}/volumes/create", {"Name": f"{name}-data"})
        post(f"{LIBPOD}/networks/create", {"name": f"{name}-net", "driver": "bridge", "dns_enabled": False})
        post(f"{LIBPOD}/secrets/create" + query(name=f"{name}-secret"), b"of no use")
        post(f"{LIBPOD}/containers/create", {
            "image": IMAGE, "name": f"{name}-web", "command": SLEEP, "netns": {"nsmode": "bridge"},
            "Networks": {f"{name}-net": {}}, "volumes": [{"Name": f"{name}-data", "Dest": "/data"}]})
        post(f"{LIBPOD}/containers/{name}-web/start")
        post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": f"{name}-beside", "command": SLEEP,
                                             "netns": {"nsmode": "container", "value": f"{name}-web"}})
        post(f"{LIBPOD}/containers/{name}-beside/start")
        post(f"{LIBPOD}/pods/create", {"name": f"{name}-pod"})
        post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": f"{name}-member", "command": SLEEP, "pod": f"{name}-pod"})
        post(f"{LIBPOD}/pods/{name}-pod/start")
        image = post(f"{API}/commit" + query(container=f"{name}-web", repo=f"localhost/{name}-made", tag="one", pause=False), {})
        check(image.status == 201, f"{name} has an image", image)
        post(f"{API}/images/localhost/{name}-made:one/tag" + query(repo=f"localhost/{name}-made", tag="two"))
        equal(self.has(name), {"containers": 4, "pods": 1, "networks": 1, "volumes": 1}, f"{name} is filled")

    def has(self, name):
        """What the engine has of the project, by its label."""
        counts = {}
        for kind, target in LISTS.items():
            items = self.direct.get(f"{LIBPOD}/{target}").json() or []
            own = [item for item in items if (item.get("Labels") or item.get("labels") or {}).get(LABEL) == name]
            counts[kind] = len(own)
        return {kind: count for kind, count in counts.items() if count}

    def image_is_there(self, name):
        return self.direct.get(f"{LIBPOD}/images/{name}/exists").status == 204

    def others_are_untouched(self):
        for name in self.kept:
            state = self.direct.get(f"{LIBPOD}/containers/{name}/json").json()["State"]["Status"]
            equal(state, "running", f"{name} runs as ever")
        equal(self.direct.get(f"{LIBPOD}/volumes/volume-unlabelled/exists").status, 204, "so is the volume that is nobody's")

    def is_gone(self, name, seconds=30):
        gone = until(lambda: self.ask("GET", f"/projects/{name}").status == 404, seconds)
        check(gone, f"{name} has ended", self.ask("GET", f"/projects/{name}").text + self.fence.log()[-1500:])

    def operator(self, *words, code=0):
        ran = subprocess.run([str(self.fence.folder / "podfence"), *words, "--admin", self.admin], capture_output=True, text=True)
        check(ran.returncode == code, f"podfence {' '.join(words)}: exit code {code}", ran)
        return ran.stdout + ran.stderr


def stage_of(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def test_remove(world):
    stage = stage_of(world)
    client = stage.add("e1")
    stage.fill(client, "e1")
    made = stage.direct.get(f"{LIBPOD}/images/localhost/e1-made:one/json").json()["Id"]
    answer = stage.ask("DELETE", "/projects/e1?teardown=remove")
    equal(answer.status, 200, "everything goes at once")
    report = answer.json()
    equal((report["left"], report["kept"]), ([], []), "nothing is left")
    equal(report["done"], {"containers": 3, "pods": 1, "networks": 1, "volumes": 1, "secrets": 1, "images": 1}, "what went is told")
    equal(stage.has("e1"), {}, "the engine has nothing of it")
    check(not stage.image_is_there(made), "nor its image")
    lacks(stage.direct.get(f"{LIBPOD}/secrets/json").text, "e1-secret", "nor its secret")
    lacks(stage.fence.ledger("list").stdout, " e1 ", "nor does the ledger")
    equal(stage.ask("GET", "/projects/e1").status, 404, "it is not known any more")
    stage.others_are_untouched()
    audit = [json.loads(line) for line in stage.fence.audit()]
    own = [line for line in audit if line["listener"] == "teardown"]
    check(own and all(line["project"] == "e1" for line in own), "the audit log has what podfence did itself", own[:2])


def test_made_while_it_ends(world):
    """Clients of a control plane and of the project make things all the time. What Podman works at when the project ends does not
    outlive it, and nothing is made afterwards."""
    stage = stage_of(world)
    made = 0
    for number in range(int(os.environ.get("PODFENCE_ROUNDS", "8"))):
        name = f"e9-{number}"
        client = stage.add(name)
        makers = [Maker(client, name, index, ()) for index in range(2)]
        makers += [Maker(Socket(stage.control), name, index, (("X-Appx-Project", name),)) for index in (2, 3)]
        for maker in makers:
            maker.start()
        time.sleep(0.6)
        report = stage.ask("DELETE", f"/projects/{name}?teardown=remove").json()
        equal(report["left"], [], f"round {number}: nothing is left")
        equal(stage.ask("GET", f"/projects/{name}").status, 404, f"round {number}: it has ended")
        for maker in makers:
            maker.over = True
            maker.join(60)
        time.sleep(0.5)
        equal(stage.has(name), {}, f"round {number}: nothing has been made behind its back")
        lacks(stage.direct.get(f"{LIBPOD}/secrets/json").text, name, f"round {number}: nor a secret")
        made += sum(maker.made for maker in makers)
    check(made > 10, "they were at work", made)


class Maker(threading.Thread):
    """Makes one thing after the other until it is told that the project is not there."""

    def __init__(self, client, project, index, fields):
        super().__init__(daemon=True)
        self.client, self.project, self.index, self.fields = client, project, index, fields
        self.over, self.made = False, 0

    def run(self):
        count = 0
        while not self.over:
            count += 1
            name = f"{self.project}-{self.index}-{count}"
            target, content = [("volumes/create", {"Name": name}), ("containers/create", {"image": IMAGE, "name": name, "command": SLEEP}),
                               ("secrets/create" + query(name=name), b"x")][count % 3]
            try:
                answer = self.client.post(f"{LIBPOD}/{target}", content, fields=self.fields)
            except (OSError, Closed, ValueError):
                return
            self.made += answer.status in (200, 201)
            if answer.status in (403, 404):
                return


def test_held_images(world):
    """An image that another project holds stays for that one."""
    stage = stage_of(world)
    client = stage.add("e2")
    name = f"{stage.engine.registry_name}/team/mine:latest"
    for who in (client, stage.stays):
        pulled = who.post(f"{LIBPOD}/images/pull" + query(reference=name))
        check(pulled.status == 200 and "error" not in pulled.text, "both pull it", pulled)
    report = stage.ask("DELETE", "/projects/e2?teardown=remove").json()
    equal((report["left"], report["kept"]), ([], []), "nothing is left of it")
    equal(stage.stays.get(f"{LIBPOD}/images/{name}/json").status, 200, "the other one has it still")
    again = stage.add("e2")
    equal(again.get(f"{LIBPOD}/images/{name}/json").status, 404, "a project of that id has it no more")
    stage.ask("DELETE", "/projects/e2")


def test_stop_and_none(world):
    stage = stage_of(world)
    client = stage.add("e3", teardown="stop")
    stage.fill(client, "e3")
    contains(stage.operator("project", "remove", "e3"), "project e3 has ended; stopped: ", "podfence project remove")
    equal(stage.has("e3"), {"containers": 4, "pods": 1, "networks": 1, "volumes": 1}, "all is there still")
    states = {item["State"] for item in stage.direct.get(f"{LIBPOD}/containers/json?all=true").json()
              if (item["Labels"] or {}).get(LABEL) == "e3"}
    equal(states, {"exited"}, "and has ended")
    client = stage.add("e3")
    equal(client.get(f"{LIBPOD}/containers/e3-web/exists").status, 204, "a project of that id has it again")
    contains(stage.operator("project", "remove", "e3", "--teardown", "all", code=4), "Take none, stop or remove", "no such teardown")
    equal(stage.ask("DELETE", "/projects/e3?teardown=none").status, 204, "and none leaves it")
    contains(stage.operator("gc", "--dry-run"), "project e3, which is not known, has 4 containers", "podfence gc --dry-run tells it")
    equal(stage.has("e3")["containers"], 4, "and does nothing")
    contains(stage.operator("gc"), "project e3, which is not known, has 4 containers 2 image names 1 images 1 networks 1 pods 1 secrets 1 volumes; removed: 3 containers, 1 pods, 1 networks, 1 volumes, 1 secrets, 1 images",
             "podfence gc removes it")
    equal(stage.has("e3"), {}, "it is gone")
    equal(stage.operator("gc"), "there is nothing to collect\n", "then there is nothing more")
    stage.others_are_untouched()


def test_lease(world):
    stage = stage_of(world)
    client = stage.add("e4", lease={"time": "10s"}, teardown="remove")
    stage.fill(client, "e4")
    stage.add("e5", lease={"time": "10s", "renewed_by": "control"}, teardown="remove")
    client.get("/_ping")
    begun = time.monotonic()
    while time.monotonic() < begun + 14:
        client.get("/_ping")
        time.sleep(1)
    equal(stage.ask("GET", "/projects/e5").status, 404, "nobody renewed the one")
    left = stage.ask("GET", "/projects/e4").json()["lease_left"]
    check(5 <= left <= 10, "requests renewed the other", left)
    stage.is_gone("e4", 40)
    equal(stage.has("e4"), {}, "it ends when they end")
    stage.others_are_untouched()


def test_process(world):
    """A process that is killed takes its project along, also when podfence was away meanwhile."""
    stage = stage_of(world)
    holders = [subprocess.Popen(["sleep", "1000"]) for _ in range(2)]
    for name, holder in zip(("e6", "e7"), holders):
        stage.fill(stage.add(name, holder={"process": holder.pid}, teardown="remove"), name)
    holders[0].kill()
    stage.is_gone("e6")
    holders[0].wait()
    equal(stage.ask("GET", "/projects/e7").status, 200, "the other lives")
    stage.fence.kill()
    holders[1].kill()
    holders[1].wait()
    stage.fence.start()
    stage.is_gone("e7")
    equal((stage.has("e6"), stage.has("e7")), ({}, {}), "nothing is left of either")
    refused = stage.ask("PUT", "/projects/e6", {"holder": {"process": holders[0].pid}})
    equal((refused.status, refused.json()["cause"]), (409, "operator.holder"), "no project is bound to what is gone")
    stage.others_are_untouched()


def test_container(world):
    """The builder container that holds a project: it may be restarted, and when it is killed its project ends."""
    stage = stage_of(world)
    stage._run(stage.direct, "holder")
    stage.fill(stage.add("e8", holder={"container": "holder"}, teardown="remove"), "e8")
    stage.direct.post(f"{LIBPOD}/containers/holder/restart?t=0")
    time.sleep(8)
    equal(stage.ask("GET", "/projects/e8").status, 200, "a restart is no end")
    stage.direct.post(f"{LIBPOD}/containers/holder/kill?signal=KILL")
    stage.is_gone("e8")
    equal(stage.has("e8"), {}, "nothing is left")
    refused = stage.ask("PUT", "/projects/e8", {"holder": {"container": "holder"}})
    equal((refused.status, refused.json()["cause"]), (409, "operator.holder"), "it has ended")
    stage.direct.delete(f"{LIBPOD}/containers/holder?force=true")
    refused = stage.ask("PUT", "/projects/e8", {"holder": {"container": "holder"}})
    contains(refused.text, "no such container", "it is not there")
    stage.others_are_untouched()


def test_killed_meanwhile(world):
    """podfence is killed while it tears down, and goes on at the next start."""
    stage = stage_of(world)
    for round_, delay in enumerate((0.02, 0.1, 0.25, 0.5)):
        name = f"k{round_}"
        stage.fill(stage.add(name), name)
        request = subprocess.Popen([str(stage.fence.folder / "podfence"), "project", "remove", name, "--teardown", "remove",
                                    "--admin", stage.admin], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        begun = "DELETE" in "".join(stage.fence.audit()[-3:]) or stage.has(name) != {}
        stage.fence.kill()
        request.wait()
        stage.fence.start()
        if stage.ask("GET", f"/projects/{name}").status == 200 and not stage.ask("GET", f"/projects/{name}").json().get("ending"):
            stage.ask("DELETE", f"/projects/{name}?teardown=remove")  # it was killed before it was asked
        stage.is_gone(name)
        check(begun, f"it was killed at work, after {delay} s")
        equal(stage.has(name), {}, f"nothing is left of {name}")
    stage.others_are_untouched()


def test_in_the_way(world):
    """What cannot go yet is told, and goes when it can."""
    stage = stage_of(world)
    client = stage.add("e9")
    client.post(f"{LIBPOD}/volumes/create", {"Name": "e9-data"})
    stage.direct.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": "in-the-way", "command": SLEEP,
                                                      "volumes": [{"Name": "e9-data", "Dest": "/data"}]})
    answer = stage.ask("DELETE", "/projects/e9?teardown=remove")
    equal(answer.status, 202, "the volume is in use by somebody")
    check(len(answer.json()["left"]) == 1 and "e9-data" in answer.json()["left"][0], "that is told", answer)
    equal(stage.ask("GET", "/projects/e9").json()["ending"], "remove", "the project is ending")
    equal(stage.ask("PUT", "/projects/e9", {}).json()["cause"], "operator.ending", "and cannot be added meanwhile")
    equal(stage.direct.get(f"{LIBPOD}/containers/in-the-way/exists").status, 204, "nobody's container stays")
    stage.direct.delete(f"{LIBPOD}/containers/in-the-way?force=true")
    stage.is_gone("e9", 40)
    equal(stage.direct.get(f"{LIBPOD}/volumes/e9-data/exists").status, 404, "it went")


def test_build_in_flight(world):
    """Nothing comes of a build whose project ends. What it runs at that moment Podman 4.3.1 lets run to its end."""
    stage = stage_of(world)
    client = stage.add("e10")
    context = tar_of([("Dockerfile", f"FROM {IMAGE}\nRUN sleep 7.65\n".encode())])
    builder = threading.Thread(target=lambda: _end_of(client, context), daemon=True)
    builder.start()

    def runs():
        return subprocess.run(["pgrep", "-f", "^sleep 7.65"], capture_output=True).returncode == 0
    check(until(runs, 30), "the build runs")
    answer = stage.ask("DELETE", "/projects/e10?teardown=remove")
    equal((answer.status, answer.json()["left"]), (200, []), "the project ends")
    builder.join(5)
    check(not builder.is_alive(), "its client hears of it")
    check(until(lambda: not runs(), 30), "what the build runs ends")
    time.sleep(2)
    check(not stage.image_is_there("localhost/e10-built:latest"), "no image comes of it")
    for line in stage.engine.podman("ps", "-a", "--external", "--format", "{{.ID}} {{.Names}}").splitlines():
        if "working-container" in line:  # Podman 4.3.1 leaves it behind
            stage.engine.podman("rm", "-f", line.split()[0], check=False)


def _end_of(client, context):
    try:
        client.post(f"{API}/build" + query(t="localhost/e10-built:latest"), context, fields=TAR)
    except (OSError, Closed, ValueError):
        pass  # cut off


def test_end(world):
    stage = stage_of(world)
    stage.others_are_untouched()
    stage.fence.stop()
    for name in stage.kept:
        stage.direct.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
    stage.direct.delete(f"{LIBPOD}/volumes/volume-unlabelled")
