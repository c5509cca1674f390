"""Two projects before one engine: p1, on whose behalf the suites act, and p10, its neighbour, whose things p1 must neither
see nor touch. Names of p1's things are prefixes of p10's. Without a proxy there is no neighbour: p1 is then the engine's only user."""

import json
import os

from check import check, equal
from clients import LIBPOD, Project, wait_for_end
from fence import Fence
from wire import query

IMAGE = "localhost/bb:latest"
LABEL = "appx.project"
# Sleeps longer than all suites take, and ends at once when it is told to: `sleep` as process 1 ignores SIGTERM.
SLEEP = ["sh", "-c", "trap 'exit 0' TERM; sleep 100000 & wait"]


class Neighbour:
    """p10's things. Each name holds the text `canary`, which occurs nowhere else."""

    container, job, pod, member = "web-canary", "job-canary", "pod-canary", "member-canary"
    volume, network = "data-canary", "net-canary"

    def __init__(self, world):
        self.world = world
        self.ids = {}

    def _upstream(self, name):
        return self.world.upstream(name, "p10")

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
        pulled = p10.post(f"{LIBPOD}/images/pull" + query(reference=self.image))
        if pulled.status != 200 or "error" in pulled.text:
            raise RuntimeError(f"p10 cannot pull {self.image}: {pulled}")
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
        wait_for_end(p10, self.job)
        direct = self.world.engine.direct
        ids["network"] = direct.get(f"{LIBPOD}/networks/{self._upstream(self.network)}/json").json()["id"]
        ids["image"] = direct.get(f"{LIBPOD}/images/{self.image}/json").json()["Id"]
        ids["infra"] = direct.get(f"{LIBPOD}/pods/{self._upstream(self.pod)}/json").json()["InfraContainerID"]
        mounts = direct.get(f"{LIBPOD}/containers/{self._upstream(self.job)}/json").json()["Mounts"]
        ids["anonymous volume"] = mounts[0]["Name"]

    def canaries(self):
        """Texts that no answer to p1 may hold. Podman writes ids in full or with 12 digits."""
        return ["canary"] + [value[:12] for value in self.ids.values()]

    def state(self):
        """What must stay as it is while p1 does what it likes; read past the proxy."""
        direct, seen = self.world.engine.direct, {}
        for name in (*map(self._upstream, (self.container, self.job, self.member)), self.ids["infra"]):
            document = direct.get(f"{LIBPOD}/containers/{name}/json").json()
            state = document.get("State", {})
            networks = sorted((document.get("NetworkSettings") or {}).get("Networks") or {})
            seen[f"container {name}"] = [document.get("Id"), document.get("Name"), state.get("Status"), state.get("Pid"),
                                         state.get("StartedAt"), networks,
                                         (document.get("HostConfig") or {}).get("Memory")]
        pod = direct.get(f"{LIBPOD}/pods/{self._upstream(self.pod)}/json").json()
        seen["pod"] = [pod.get("Id"), pod.get("State"), len(pod.get("Containers") or [])]
        for name in (self._upstream(self.volume), self.ids["anonymous volume"]):
            volume = direct.get(f"{LIBPOD}/volumes/{name}/json").json()
            seen[f"volume {name}"] = [volume.get("CreatedAt"), volume.get("Labels")]
        seen["network"] = direct.get(f"{LIBPOD}/networks/{self._upstream(self.network)}/json").json()
        seen["network"].pop("options", None)  # Podman 4.3 forgets `isolate` when the Docker API is asked about networks
        seen["image"] = sorted(direct.get(f"{LIBPOD}/images/{self.ids['image']}/json").json().get("RepoTags") or [])
        return json.loads(json.dumps(seen))


class World:
    def __init__(self, engine, programs, podfence, names="shared", again=False, sanitized=False):
        self.names = names
        self.again = again   # behind a run on another engine
        self.sanitized = sanitized
        self.engine = engine
        self.programs = programs
        self.podfence = podfence
        self.fence = None
        self.neighbour = Neighbour(self)
        self.p1 = self.p10 = None
        self.snapshot = {}
        self.descriptors_at_start = 0

    def upstream(self, name, project="p1"):
        """What Podman calls it that the project calls so."""
        return f"{project}..{name}" if self.names == "private" else name

    @property
    def bare(self):
        return self.podfence is None

    def start(self):
        if self.bare:
            self.p1, self.p10 = (Project(name, self.engine.socket_path, self.programs) for name in ("p1", "p10"))
            return
        self._serve()
        self.p1, self.p10 = self.fence.projects["p1"], self.fence.projects["p10"]
        self.descriptors_at_start = self.descriptors()
        self.neighbour.build()
        self.p1.canaries = self.neighbour.canaries()

    def _workspaces(self, name):
        directories = {"p1": (("/workspace", "workspace-p1", "rw"), ("/reference", "workspace-reference", "ro")),
                       "p10": (("/other", "workspace-p10", "rw"),)}
        return [{"client": client, "host": str(self.engine.host_directory(host)), "mode": mode}
                for client, host, mode in directories[name]]

    def _serve(self):
        self.fence = Fence(self.engine, self.podfence, self.programs,
                           {name: {"workspace": self._workspaces(name), "names": self.names} for name in ("p1", "p10")})
        self.fence.start()

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
        return self.fence.audit() if self.fence else []

    def descriptors(self):
        """Open descriptors of the proxy."""
        return len(os.listdir(f"/proc/{self.fence.process.pid}/fd")) if self.fence else 0

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

    def another(self, name, projects, **options):
        """A second podfence before the same engine, for a suite with settings of its own: a context manager."""
        return Fence(self.engine, self.podfence, self.programs, projects, name, **options)

    def stop(self):
        if self.fence:
            self.fence.stop()
        elif self.p1:
            for project in (self.p1, self.p10):
                project.close()
