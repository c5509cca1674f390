"""What an operator looks at: metrics, `podfence watch`, and the page in a real browser, with hostile names on it."""

import atexit
import json
import os
import re
import subprocess
import urllib.error
import urllib.request

from browser import Browser
from check import check, contains, equal, lacks, until
from clients import API, LIBPOD
from fence import Fence
from wire import Connection, Socket
from world import IMAGE, SLEEP

# Behind '=' nothing is told of what a client says; an element it could be all the same.
MARKUP = "<img><s>struck</s><script>document.title--</script>"

_stages = {}


class Stage:
    """podfence with projects a1 and b1, a few things in them, and the bridge for a browser."""

    def __init__(self, world):
        engine = world.engine
        self.fence = Fence(engine, world.podfence, world.programs, {"a1": {"limits": {"memory": {"default": "64m"}}, "quota": {"containers": 3, "memory": "256m"}}, "b1": {}},
                           name="dashboard")
        self.admin = str(engine.runtime / "dashboard" / "admin.sock")
        self.fence.settings |= {"admin": self.admin}
        self.fence.start()
        self.a1, self.b1 = self.fence.projects["a1"], self.fence.projects["b1"]
        for name in ("web", "db"):
            made = self.a1.post(f"{LIBPOD}/containers/create", {
                "image": IMAGE, "name": f"dash-{name}", "command": SLEEP})
            check(made.status == 201, f"a1 makes dash-{name}", made)
        self.b1.post(f"{LIBPOD}/volumes/create", {"Name": "dash-data"})
        self.bridge = subprocess.Popen([str(self.fence.folder / "podfence"), "dashboard", "--admin", self.admin],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        atexit.register(self.bridge.kill)  # it is no child of the engine's user
        self.address = self.bridge.stdout.readline().strip()
        self.pictures = os.environ.get("PODFENCE_PICTURES", str(engine.scratch))

    def denied(self, project, source):
        return project.post(f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"Binds": [f"{source}:/x"]}})

    def watch(self, *words):
        return subprocess.Popen([str(self.fence.folder / "podfence"), "watch", *words, "--admin", self.admin],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def metrics(self):
        return Socket(self.admin).get("/metrics").text

    def stop(self):
        self.bridge.terminate()
        self.bridge.wait(10)
        self.fence.stop()


def stage_of(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def value(text, line):
    found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    return float(found.group(1)) if found else None


def test_metrics(world):
    stage = stage_of(world)
    before = stage.metrics()
    stage.denied(stage.a1, "/etc")
    stage.a1.get("/v1.41/containers/dash-web/json")
    stage.b1.get("/v1.41/containers/dash-web/json")
    after = stage.metrics()
    for line in ('podfence_refusals_total{project="a1",rule="mount.host-path"}', 'podfence_refusals_total{project="b1",rule="ownership.hidden"}',
                 'podfence_requests_total{group="containers",act="create",decision="refuse"}',
                 'podfence_requests_total{group="containers",act="read",decision="hide"}', 'podfence_own_seconds_count{act="create"}'):
        equal((value(after, line) or 0) - (value(before, line) or 0), 1, f"{line} counts one")
    equal(value(after, "podfence_upstream_up"), 1, "Podman is up")
    check(value(after, 'podfence_upstream_calls_total{outcome="answered"}') > value(before, 'podfence_upstream_calls_total{outcome="answered"}'),
          "answers of Podman are counted")
    equal(value(after, 'podfence_quota_limit{project="a1",resource="containers"}'), 3, "the quota of containers")
    equal(value(after, 'podfence_quota_used{project="a1",resource="containers"}'), 2, "and its use")
    with Connection(stage.a1.path) as client:
        client.send(f"GET {API}/events HTTP/1.1\r\nHost: d\r\n\r\n".encode())
        check(until(lambda: value(stage.metrics(), 'podfence_streams{project="a1"}') == 1, 5), "an open stream is counted")
        check(value(stage.metrics(), 'podfence_connections{project="a1"}') >= 1, "and a connection")
    check(until(lambda: value(stage.metrics(), 'podfence_streams{project="a1"}') == 0, 5), "and not when it has ended")


def test_times(world):
    """What Podman takes is Podman's time: wait hangs there for a second, and podfence's own sum hardly moves."""
    stage = stage_of(world)
    before = stage.metrics()
    stage.a1.post(f"{LIBPOD}/containers/dash-web/start")
    stage.a1.post(f"{LIBPOD}/containers/dash-web/stop?timeout=1")
    after = stage.metrics()

    def grown(name):
        return value(after, f'{name}{{act="change"}}') - (value(before, f'{name}{{act="change"}}') or 0)
    check(grown("podfence_upstream_seconds_sum") > 0.1, "start and stop take Podman its time", grown("podfence_upstream_seconds_sum"))
    check(grown("podfence_own_seconds_sum") < grown("podfence_upstream_seconds_sum") / 4, "and podfence a small part of that",
          (grown("podfence_own_seconds_sum"), grown("podfence_upstream_seconds_sum")))


def test_removed_project(world):
    stage = stage_of(world)
    Socket(stage.admin).put("/projects/c1", {})
    socket = Socket(stage.admin).get("/projects/c1").json()["socket"]
    equal(Socket(socket).get("/_ping").status, 200, "a project that is added answers")
    check(until(lambda: 'project="c1"' in stage.metrics(), 5), "it has series")
    Socket(stage.admin).delete("/projects/c1")
    lacks(stage.metrics(), 'project="c1"', "they go with it")


def test_watch(world):
    stage = stage_of(world)
    people = stage.watch("--denied", "--project", "a1")
    machines = stage.watch("--json", "--rule", "mount")
    check(until(lambda: value(stage.metrics(), "podfence_decision_readers") == 2, 10), "two readers are there")
    stage.a1.get("/_ping")
    stage.denied(stage.b1, "/root")
    stage.denied(stage.a1, "/etc/shadow")
    lines = [people.stdout.readline() for _ in range(5)]
    contains(lines[0], " a1 ", "the first line tells the project")
    contains(lines[0], "refuse  403", "and what was decided")
    equal(lines[1:], ["    rule     mount.host-path\n", "    reason   a path of the host cannot be mounted: /etc/shadow\n",
                      "    way out  use a named volume\n",
                      "    policy   workspace, the configuration:1: /projects/a1/workspace (nothing says it yet)\n"], "why, and what to do")
    told = [json.loads(machines.stdout.readline()) for _ in range(2)]
    equal([(one["project"], one["subject"], one["place"]["where"]) for one in told],
          [("b1", "/root", "/projects/b1/workspace"), ("a1", "/etc/shadow", "/projects/a1/workspace")], "as JSON")
    for reader in (people, machines):
        reader.terminate()
        reader.wait(10)
    check(until(lambda: value(stage.metrics(), "podfence_decision_readers") == 0, 10), "readers that go are forgotten")


def asked(address, host=None, method="GET"):
    request = urllib.request.Request(address, method=method, headers={"Host": host} if host else {})
    try:
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code


def test_bridge(world):
    """Others on this machine reach the port, and nothing behind it."""
    stage = stage_of(world)
    check(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", stage.address), "the address has a word in it", stage.address)
    root = stage.address[:stage.address.index("/", 7)]
    equal(asked(stage.address), 200, "who knows it reads the page")
    equal(asked(root + "/"), 404, "without it there is nothing")
    equal(asked(root + "/" + "0" * 32 + "/projects"), 404, "nor by another word")
    equal(asked(stage.address, host="rebound.example"), 421, "nor by a name of elsewhere")
    equal(asked(stage.address + "projects/b1", method="DELETE"), 404, "nothing is removed through it")
    equal(asked(stage.address + "metrics"), 404, "nor anything else read")
    ran = subprocess.run([str(stage.fence.folder / "podfence"), "dashboard", "--listen", "0.0.0.0:8099", "--admin", stage.admin],
                         capture_output=True, text=True)
    equal(ran.returncode, 2, "it listens on the loopback address only")


TEXT = "return document.body.innerText;"
CARD = "return document.querySelector('[data-project=' + arguments[0] + '].project')?.innerText;"
METERS = """return [...document.querySelectorAll('.project[data-project=a1] meter')].map(
    (one) => one.getAttribute('aria-label') + ' ' + one.value / one.max);"""
DENIAL = """return [...document.querySelectorAll('#decisions li:not([hidden])')].map((one) => one.innerText).find(
    (text) => text.includes(arguments[0]));"""
BARS = "return document.querySelectorAll('#requests rect.' + arguments[0]).length;"


def test_page(world):
    stage = stage_of(world)
    with Browser() as browser:
        browser.open(stage.address)
        check(browser.until("return document.querySelectorAll('.project meter').length > 1;"), "projects are shown with bars",
              browser.run(TEXT))
        for part in ("a1", "configuration", "2 containers", "2 / 3", " / 256 MiB"):
            contains(browser.run(CARD, "a1"), part, f"the card of a1 tells {part}")
        contains(browser.run(CARD, "b1"), "1 volume", "and that of b1 what it has")
        contains(browser.run(METERS), "containers: 2 of 3 " + str(2 / 3), "a bar is as long as the use")
        equal(browser.run("return document.getElementById('state').textContent;"), "live", "the stream is open")

        # A denial, as it is made.
        stage.denied(stage.a1, "/very/secret")
        shown = browser.until(DENIAL, "/very/secret")
        for part in ("a1", "refuse 403", "mount.host-path", "a path of the host cannot be mounted: /very/secret", "use a named volume",
                     "/projects/a1/workspace"):
            contains(shown or "", part, f"the denial tells {part}")
        check(browser.until(BARS, "denied"), "the plot has a bar of denials")
        check(browser.run(BARS, "served") >= 1, "and of served ones")

        # What clients say is text. As markup it would change the title, or leave an image behind.
        stage.denied(stage.b1, "/" + MARKUP)
        check(browser.until(DENIAL, MARKUP), "a name with markup is shown as it is")
        equal(browser.run("return document.title;"), "podfence", "and does nothing")
        equal(browser.run("return document.querySelectorAll('img, s, script:not(body > script)').length;"), 0, "and is no element")
        check(browser.run("try { document.body.innerHTML = '<b>x</b>'; return false; } catch (error) { return true; }"),
              "nobody can make markup of a text there")

        # Choosing.
        browser.run("""const of = document.getElementById('whose'); of.value = 'b1';
                       of.dispatchEvent(new Event('change'));""")
        check(browser.until(DENIAL, MARKUP), "what was before is told again when a project is chosen")
        equal(browser.run(DENIAL, "/very/secret"), None, "without that of others")
        lines = [line["message"] for line in browser.console()]
        ours = [line for line in lines if "TrustedHTML" not in line and "require-trusted-types-for" not in line]
        equal(ours, [], "no errors on the console, no violation of the policy but the one that was tried")


def test_pictures(world):
    """For people to look at; that they can be made is all that is tested."""
    stage = stage_of(world)
    for dark in (False, True):
        for width in (1280, 420):
            with Browser(width, 1500, dark) as browser:
                browser.open(stage.address)
                browser.until("return document.querySelectorAll('.project meter').length > 1;")
                browser.until(BARS, "denied")
                equal(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches;"), dark, "light and dark")
                wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth;")
                equal(wide, 0, f"nothing sticks out at {width} pixels")
                browser.picture(f"{stage.pictures}/dashboard-{'dark' if dark else 'light'}-{width}.png")


def test_end(world):
    """podfence goes: the page says so, and the reader of decisions ends."""
    stage = stage_of(world)
    watcher = stage.watch("--denied")
    with Browser() as browser:
        browser.open(stage.address)
        browser.until("return document.getElementById('state').textContent === 'live';")
        stage.fence.stop()
        check(browser.until("return document.getElementById('state').textContent.includes('not answer');"), "the page says that nobody answers")
    equal(watcher.wait(10), 1, "watch ends")
    contains(watcher.stderr.read(), "the stream of decisions ended", "and says why")
    stage.stop()
    _stages.pop(world)
