"""Runs the commands that README.md and docs/*.md show, in the order of the text, as tests/docs/commands.json says. Paths of a machine, such
as /etc/podfence.json, are those of this suite's own; everything else is as the pages have it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "docs"))

from blocks import ROOT, commands  # noqa: E402
from check import check, contains, until  # noqa: E402
from clients import API, LIBPOD  # noqa: E402
from engine import end, free_port  # noqa: E402
from wire import query  # noqa: E402

KNOWN = json.loads((ROOT / "tests" / "docs" / "commands.json").read_text())
SHOP = """apiVersion: v1
kind: Pod
metadata: {name: shop}
spec:
  containers: [{name: till, image: "localhost/hello:latest", command: [sleep, "1000"]}]
"""
COMPOSE = """version: "3"
services:
  hello: {image: "localhost/hello:latest", command: [echo, hello]}
"""
DENIED = {"Image": "localhost/hello:latest", "HostConfig": {"Binds": ["/etc:/x"]}}
REQUEST_ID = "6e36aa05b858dbf3f8a14e593afd627b"
_stages = {}


class Stage:
    """What the pages presuppose: a configuration with the projects p1 and p10, an operator, a control plane and a workspace."""

    def __init__(self, world):
        self.world, self.engine = world, world.engine
        world.engine.direct.post(f"{LIBPOD}/images/localhost/bb:latest/tag" + query(repo="localhost/hello", tag="latest"))
        self.folder = Path(tempfile.mkdtemp(prefix="documented-", dir=self.engine.scratch))
        self.background, self.exports, self.count = [], [], 0
        self._fill()
        self._serve()
        self.placed = self._places()

    def _fill(self):
        """The directory in which the commands are run."""
        samples = ROOT / "tests" / "data" / "explain"
        for name in ("configuration.json", "facts.json", "from-audit.jsonl"):
            shutil.copy(samples / name, self.folder)
        for name in ("old.json", "new.json", "podfence.json", "main/podfence.json"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(samples / "configuration.json", self.folder / name)
        for name in ("corpus", "requests"):
            (self.folder / name).mkdir()
            for sample in ("exists", "prune"):
                shutil.copy(samples / f"{sample}.http", self.folder / name)
        shutil.copy(samples / "host-path.http", self.folder / "request.http")
        (self.folder / "config.json").write_text("{}")   # of both clients; podman insists that it is there
        (self.folder / "shop.yaml").write_text(SHOP)
        (self.folder / "docker-compose.yml").write_text(COMPOSE)
        shutil.copytree(ROOT / "deploy" / "profiles", self.folder / "profiles")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.bin / "my-fuzzer").write_text("#!/bin/sh\nprintf 'GET /_ping HTTP/1.1\\r\\nHost: d\\r\\n\\r\\n\\0nonsense\\r\\n\\r\\n'\n")
        shutil.copy(self.world.podfence, self.bin / "podfence")
        shutil.copy(self.world.programs["docker"], self.bin / "docker")
        for file in self.bin.iterdir():
            file.chmod(0o755)
        subprocess.run(["chown", "-R", f"{self.engine.account.pw_uid}:{self.engine.account.pw_gid}", self.folder], check=True)
        self.workspace = self.engine.host_directory("documented-workspace")
        (self.workspace / "site").mkdir()
        (self.workspace / "site" / "index.html").write_text("hello")
        (self.workspace / "nginx.conf").write_text("")
        default = self.engine.runtime / "podman" / "podman.sock"   # where podfence looks for it
        default.parent.mkdir(exist_ok=True)
        if not default.exists():
            default.symlink_to(self.engine.socket_path)

    def _serve(self):
        shared = {"images": {"shared": ["localhost/hello"]}}
        paths = {"insecure_bind_subpaths": True} if _is_before_sub_paths(self.engine) else {}
        workspace = [{"client": "/workspace", "host": str(self.workspace), "mode": "rw"}]
        self.fence = self.world.another("documented", {"p1": {"workspace": workspace, **paths}, "p10": {}}, defaults=shared)
        runtime = self.engine.runtime / "documented"
        self.admin, self.control = str(runtime / "admin.sock"), str(runtime / "control.sock")
        user = self.engine.account.pw_uid
        self.fence.settings |= {"admin": self.admin, "policies": str(self.folder / "profiles"),
                                "control": [{"socket": self.control, "identities": [{"user": user, "projects": ["*"]}]}]}
        self.fence.start()
        self.fence.projects["p1"].get(f"{API}/containers/db/json")

    def _places(self):
        """What stands for what the pages say."""
        def lines():
            return [line for line in self.fence.audit() if "containers/db/json" in line]
        until(lines)
        line = lines()[0]
        profile = self.folder / "profiles" / "builder.json"
        return {"/etc/podfence.json": str(self.fence.folder / "podfence.json"), "/run/user/1000/podfence-admin/admin.sock": self.admin,
                "/run/user/1000/podman/podman.sock": self.engine.socket_path, "/run/podfence/control.sock": self.control,
                "/run/podfence/p1/podman.sock": self.fence.sockets["p1"], "/var/log/podfence/audit.log": str(self.fence.audit_path),
                "--upstream …": f"--upstream {self.engine.socket_path}", "--from-audit LINE": f"--from-audit {shlex.quote(line)}",
                REQUEST_ID: json.loads(line)["request_id"], "127.0.0.1:8080": f"127.0.0.1:{free_port()}",
                "/tmp/seen.sock": str(self.folder / "seen.sock"), "serve --project demo --policy builder": f"serve --project demo --policy {profile}",
                "replay --project p1 --policy builder": f"replay --project p1 --policy {profile}",
                "ledger list --project p1": f"ledger list --project p1 --config {self.fence.folder / 'podfence.json'}"}

    def start(self, command, row):
        text = command.text.removesuffix("&")
        for shown, placed in self.placed.items():
            text = text.replace(shown, placed)
        if row.get("tree"):
            where = {"cwd": ROOT, "env": {**os.environ, "DESTDIR": str(self.folder / "installed")}}
        else:
            where = self.engine.as_user()
            where["cwd"] = self.folder
            where["env"] |= {"PATH": f"{self.bin}:{where['env']['PATH']}", "HOME": str(self.folder), "DOCKER_CONFIG": str(self.folder)}
            if "of" in row:
                socket = f"unix://{self.fence.sockets[row['of']]}"
                where["env"] |= {"DOCKER_HOST": socket, "CONTAINER_HOST": socket}
        self.count += 1
        self.output = self.folder / f"output-{self.count}"
        (self.folder / row.get("without", "nothing")).unlink(missing_ok=True)
        script = "\n".join(self.exports if "of" not in row else []) + "\n" + text
        with open(self.output, "wb") as output:
            return subprocess.Popen(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=output, stderr=output, **where)

    def said(self):
        return self.output.read_text(errors="replace")

    def end_background(self):
        for process in self.background:
            end(process)
        self.background = []

    def stop(self):
        self.end_background()
        self.fence.stop()
        for name in ("demo", "p7"):
            self.world.engine.podman("pod", "rm", "-fa", "--filter", f"label=appx.project={name}", check=False)
        self.engine.podman("rmi", "localhost/hello:latest", check=False)
        shutil.rmtree(self.engine.runtime / "podman", ignore_errors=True)


def _is_before_sub_paths(engine):
    version = engine.direct.get("/version").json()["Version"].split(".")
    return (int(version[0]), int(version[1])) < (5, 4)


def stage_of(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def _run(stage, command):
    row = KNOWN.get(command.page, {}).get(command.text)
    what = f"{command.page}:{command.line} `{command.text}`"
    if not check(row is not None, f"{what} stands in tests/docs/commands.json"):
        return
    if command.text.startswith("export "):
        stage.exports.append(command.text)
    elif "stays" in row:
        if command.text.startswith("podfence serve"):
            stage.end_background()
        process = stage.start(command, row)
        stage.background.append(process)

        def ready():
            if row.get("meanwhile") == "denied":
                stage.fence.projects["p1"].post(f"{API}/containers/create", DENIED)
            return row["stays"] in stage.said() and process.poll() is None
        check(until(ready, 30, 0.2), f"{what} goes on, and says {row['stays']!r}", stage.said())
    elif "by" not in row:
        process = stage.start(command, row)
        try:
            code = process.wait(120)
        except subprocess.TimeoutExpired:
            end(process)
            code = "no end"
        wanted = row.get("code", 0)
        check(code == wanted or (wanted is None and code != "no end"), f"{what} ends with {wanted}", f"{code}: {stage.said()}")
        contains(stage.said(), row.get("says", ""), f"{what} says what the page says")


def _page(name):
    def test(world):
        stage = stage_of(world)
        stage.exports = []
        for command in commands():
            if command.page == name:
                _run(stage, command)
    return test


globals().update({f"test_{name}": _page(name) for name in KNOWN})


def test_clean_up(world):
    stage_of(world).stop()
    world.unharmed()
