"""Two projects before one engine: p1, on whose behalf the suites act, and p10, its neighbour, whose things p1 must neither
see nor touch. Names of p1's things are prefixes of p10's. Without a proxy there is no neighbour: p1 is then the engine's only user."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from check import check, equal, until
from clients import LIBPOD, Project
from engine import end
from wire import Socket, query

IMAGE = "localhost/bb:latest"
LABEL = "appx.project"
# Projects that may have little; p1 and p10 have what they are given when nobody says anything.
SMALL = {"few": {"quota": {"containers": 20, "pods": 3, "volumes": 5, "networks": 3, "images": 1, "execs": 4, "streams": 3}},
         "sums": {"quota": {"memory": "1g", "cpus": 4}, "limits": {"memory": {"default": "64m"}, "cpus": {"default": 0.5}}}}
# Sleeps, and ends at once when it is told to: `sleep` as process 1 ignores SIGTERM.
SLEEP = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"]


class Neighbour:
    """p10's things. Each name holds the text `canary`, which occurs nowhere else."""

    container, job, pod, member = "web-canary", "job-canary", "pod-canary", "member-canary"
    volume, network = "data-canary", "net-canary"

    def __init__(self, world):
        self.world = world
        self.ids = {}

    @property
    def image(self):
        return f"{self.world.engine.registry_name}/team/canary:latest"

    def _create(self, what, body):
        answer = self.world.p10.post(f"{LIBPOD}/{what}/create", {**body, "labels": {LABEL: "p10", "tier": "one"}})
        if answer.status not in (200, 201):
            raise RuntimeError(f"p10 cannot create {what} {body}: {answer}")
        return answer.json()

    def build(self):
        p10 = self.world.p10
        p10.post(f"{LIBPOD}/images/pull" + query(reference=self.image))
        p10.post(f"{LIBPOD}/volumes/create", {"Name": self.volume, "Labels": {LABEL: "p10", "tier": "one"}})
        self._create("networks", {"name": self.network, "driver": "bridge", "dns_enabled": False})
        ids = self.ids
        ids["container"] = self._create("containers", {
            "image": self.image, "name": self.container, "command": SLEEP, "netns": {"nsmode": "bridge"},
            "Networks": {self.network: {}}, "volumes": [{"Name": self.volume, "Dest": "/data"}],
            "env": {"WORD": "env-canary"}})["Id"]
        ids["job"] = self._create("containers", {"image": "localhost/volume:latest", "name": self.job,
                                                 "command": ["echo", "log-canary"]})["Id"]
        ids["pod"] = self._create("pods", {"name": self.pod})["Id"]
        ids["member"] = self._create("containers", {"image": IMAGE, "name": self.member, "command": SLEEP,
                                                    "pod": self.pod})["Id"]
        for name in (self.container, self.job):
            answer = p10.post(f"{LIBPOD}/containers/{name}/start")
            check(answer.status == 204, f"p10 starts {name}", answer)
        p10.post(f"{LIBPOD}/pods/{self.pod}/start")
        ids["exec"] = p10.post(f"{LIBPOD}/containers/{self.container}/exec", {"Cmd": ["echo", "exec-canary"]}).json()["Id"]
        p10.post(f"{LIBPOD}/containers/{self.job}/wait")
        direct = self.world.engine.direct
        ids["network"] = direct.get(f"{LIBPOD}/networks/{self.network}/json").json()["id"]
        ids["image"] = direct.get(f"{LIBPOD}/images/{self.image}/json").json()["Id"]
        ids["infra"] = direct.get(f"{LIBPOD}/pods/{self.pod}/json").json()["InfraContainerID"]
        mounts = direct.get(f"{LIBPOD}/containers/{self.job}/json").json()["Mounts"]
        ids["anonymous volume"] = mounts[0]["Name"]

    def canaries(self):
        """Texts that no answer to p1 may hold. Podman writes ids in full or with 12 digits."""
        return ["canary"] + [value[:12] for value in self.ids.values()]

    def state(self):
        """What must stay as it is while p1 does what it likes; read past the proxy."""
        direct, seen = self.world.engine.direct, {}
        for name in (self.container, self.job, self.member, self.ids["infra"]):
            document = direct.get(f"{LIBPOD}/containers/{name}/json").json()
            state = document.get("State", {})
            networks = sorted((document.get("NetworkSettings") or {}).get("Networks") or {})
            seen[f"container {name}"] = [document.get("Id"), document.get("Name"), state.get("Status"), state.get("Pid"),
                                         state.get("StartedAt"), networks,
                                         (document.get("HostConfig") or {}).get("Memory")]
        pod = direct.get(f"{LIBPOD}/pods/{self.pod}/json").json()
        seen["pod"] = [pod.get("Id"), pod.get("State"), len(pod.get("Containers") or [])]
        for name in (self.volume, self.ids["anonymous volume"]):
            volume = direct.get(f"{LIBPOD}/volumes/{name}/json").json()
            seen[f"volume {name}"] = [volume.get("CreatedAt"), volume.get("Labels")]
        seen["network"] = direct.get(f"{LIBPOD}/networks/{self.network}/json").json()
        seen["image"] = sorted(direct.get(f"{LIBPOD}/images/{self.ids['image']}/json").json().get("RepoTags") or [])
        return json.loads(json.dumps(seen))


class World:
    def __init__(self, engine, programs, podfence):
        self.engine = engine
        self.programs = programs
        self.podfence = podfence
        self.process = None
        self.audit_path = engine.scratch / "audit" / "log"
        self.neighbour = Neighbour(self)
        self.p1 = self.p10 = None
        self.small = {}
        self.snapshot = {}
        self.descriptors_at_start = 0

    @property
    def bare(self):
        return self.podfence is None

    def start(self):
        paths = {name: self.engine.socket_path for name in ("p1", "p10")}
        if not self.bare:
            self._serve()
            paths = {name: self._socket(name) for name in paths}
        self.p1, self.p10 = (Project(name, path, self.programs) for name, path in paths.items())
        if not self.bare:
            self.descriptors_at_start = self.descriptors()
            self.neighbour.build()
            self.small = {name: Project(name, self._socket(name), self.programs) for name in SMALL}
            for project in (self.p1, *self.small.values()):
                project.canaries = self.neighbour.canaries()

    def _socket(self, name):
        return str(self.engine.runtime / "podfence" / name / "podman.sock")

    def _workspaces(self, name):
        directories = {"p1": (("/workspace", "workspace-p1", "rw"), ("/reference", "workspace-reference", "ro")),
                       "p10": (("/other", "workspace-p10", "rw"),)}
        return [{"client": client, "host": str(self.engine.host_directory(host)), "mode": mode}
                for client, host, mode in directories[name]]

    def _serve(self):
        scratch, account = self.engine.scratch, self.engine.account
        settings = scratch / "podfence.json"
        state = scratch / "state"
        for directory in (state, self.audit_path.parent):
            directory.mkdir()
            os.chown(directory, account.pw_uid, account.pw_gid)
        projects = {name: {"workspace": self._workspaces(name)} for name in ("p1", "p10")} | SMALL
        settings.write_text(json.dumps({
            "upstream": self.engine.socket_path, "state": str(state), "audit_log": str(self.audit_path),
            "defaults": {"images": {"shared": ["localhost/*"]}},
            "projects": {name: {"socket": self._socket(name), **policy} for name, policy in projects.items()}}))
        settings.chmod(0o644)
        program = scratch / "podfence"  # the build tree need not be open to the user
        shutil.copy(self.podfence, program)
        program.chmod(0o755)
        log = open(scratch / "podfence.log", "wb")
        self.process = subprocess.Popen([str(program), "serve", "--config", str(settings)], stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=log, **self.engine.as_user())
        if not until(self._answers, 10):
            raise RuntimeError("podfence does not start: " + (scratch / "podfence.log").read_text()[-800:])

    def _answers(self):
        try:
            return all(Socket(self._socket(name)).get("/_ping").status == 200 for name in ("p1", "p10"))
        except OSError:
            return False

    def refresh(self, suite):
        """Before a suite: p1 has nothing, and p10's things are as they were."""
        self.clear(self.p1)
        if self.bare:
            return
        if self.snapshot:
            self.unharmed(f"before {suite}")
        self.snapshot = self.neighbour.state()

    def unharmed(self, what="p10's things are as they were"):
        if not self.bare:
            equal(self.neighbour.state(), self.snapshot, what)

    def audit(self):
        """The audit log as lines of text."""
        return Path(self.audit_path).read_text().splitlines() if self.audit_path.exists() else []

    def descriptors(self):
        """Open descriptors of the proxy."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd")) if self.process else 0

    def clear(self, project):
        """Removes everything of one project, past the proxy."""
        podman = self.engine.podman
        own = () if self.bare else ("--filter", f"label={LABEL}={project.name}")
        for listing, removal in ((("ps", "-aq", *own), ("rm", "-f", "-t", "0", "-v")),
                                 (("pod", "ps", "-q", *own), ("pod", "rm", "-f")),
                                 (("network", "ls", "-q", *own), ("network", "rm", "-f")),
                                 (("volume", "ls", "-q", *own), ("volume", "rm", "-f"))):
            names = podman(*listing).split()
            if names:
                podman(*removal, *names, check=False)

    def stop(self):
        end(self.process)
        for project in (self.p1, self.p10, *self.small.values()):
            if project:
                shutil.rmtree(project.home, ignore_errors=True)
