"""A project as its clients see it: raw requests, the docker command, docker-compose, podman --remote."""

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass

from check import check, lacks
from wire import LineStream, Socket

API = "/v1.41"
LIBPOD = "/v4.0.0/libpod"


def versioned(target):
    """A target as Podman's documentation writes it, with the version of its family before it. Others stay as they are."""
    if target.startswith("/libpod/"):
        return LIBPOD + target.removeprefix("/libpod")
    return target if target.startswith("/v") and target[2:3].isdigit() else API + target


def wait_for_end(socket, container, timeout=60.0):
    """Podman looks every 250 ms unless it is told otherwise."""
    return socket.post(f"{LIBPOD}/containers/{container}/wait?interval=20ms", timeout=timeout)


@dataclass
class Ran:
    """What a command did."""
    words: tuple
    code: int
    out: str
    err: str

    def __str__(self):
        return f"{' '.join(self.words)}\n  exit {self.code}\n  out {self.out[-600:]!r}\n  err {self.err[-600:]!r}"

    @property
    def text(self):
        return self.out.rstrip("\n")


class Project(Socket):
    """`canaries` are texts that must never reach this project; every answer to a client command is searched for them."""

    def __init__(self, name, path, programs):
        super().__init__(path)
        self.name = name
        self.programs = programs
        self.canaries = []
        self.home = tempfile.mkdtemp(prefix="podfence-client-")
        with open(f"{self.home}/config.json", "w") as file:  # of both clients; podman insists that it is there
            file.write("{}")

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)

    def events(self, target):
        return LineStream(self.path, target)

    def environment(self):
        # docker-compose calls the docker command.
        path = os.path.dirname(self.programs["docker"]) + ":" + os.environ["PATH"]
        return {"HOME": self.home, "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm",
                "DOCKER_HOST": f"unix://{self.path}", "CONTAINER_HOST": f"unix://{self.path}",
                "DOCKER_CONFIG": self.home, "XDG_RUNTIME_DIR": self.home, "COMPOSE_HTTP_TIMEOUT": "60",
                **{name: os.environ[name] for name in ("PODFENCE_CACHE",) if name in os.environ}}   # where podman5 finds its tree

    def start(self, *words, **options):
        """A client command that goes on while the test does other things."""
        environment = {**self.environment(), **options.pop("environment", {})}
        return subprocess.Popen(words, env=environment, stdin=options.pop("stdin", subprocess.DEVNULL),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run(self, *words, data=b"", timeout=90, cwd=None, environment=None):
        """A client command to its end. `data` is its standard input, `environment` what it has besides the usual."""
        if isinstance(data, str):
            data = data.encode()
        try:
            ran = subprocess.run(words, input=data, capture_output=True, timeout=timeout, cwd=cwd,
                                 env={**self.environment(), **(environment or {})})
            result = Ran(words, ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace"))
        except subprocess.TimeoutExpired as late:
            result = Ran(words, -1, (late.stdout or b"").decode(errors="replace"), f"no end after {timeout} s")
        for canary in self.canaries:
            if canary in result.out or canary in result.err:
                lacks(result.out + result.err, canary, f"`{' '.join(words[:4])}` shows nothing of another project")
        return result

    def docker(self, *words, **options):
        return self.run(self.programs["docker"], *words, **options)

    def compose(self, *words, **options):
        return self.run(self.programs["docker-compose"], *words, **options)

    def podman(self, *words, **options):
        return self.run(*self.programs["podman"], "--remote", "--url", f"unix://{self.path}", *words, **options)

    def typed(self, *words, data=b"", timeout=60):
        """A command on a terminal of its own, as a person would type it; carriage returns of the terminal removed."""
        line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        ran = self.run("script", "-qec", line, "/dev/null", data=data, timeout=timeout)
        ran.out = ran.out.replace("\r", "")
        return ran


def ok(ran, what=""):
    """The command ended well."""
    check(ran.code == 0, what or " ".join(ran.words[:1] + ran.words[1:])[:160], ran)
    return ran


def restarts(client, *words):
    """A restart ends well. Podman 5's pasta may hold a published port a moment longer than its container lives."""
    end = time.monotonic() + 15
    ran = client(*words)
    while "ddress already in use" in ran.err and time.monotonic() < end:
        time.sleep(0.2)
        ran = client(*words)
    return ok(ran)


def fails(ran, code=None, part="", what=""):
    """The command ended badly, and said why."""
    right = ran.code != 0 if code is None else ran.code == code
    check(right and part in ran.out + ran.err, what or "refused: " + " ".join(ran.words)[:160], ran)
    return ran


def says(ran, text, what=""):
    """The command ended well and wrote exactly that."""
    check(ran.code == 0 and ran.text == text, what or f"{' '.join(ran.words)[:160]} says {text!r}", ran)
    return ran


def resolves(call, name, what=""):
    """A container finds another by name: aardvark-dns may need a moment to hear of who has just come."""
    ran = call("sh", "-c", f"for i in $(seq 30); do nslookup {name} 2>&1 | tail -n +3 | grep Address && exit; sleep 0.3; done; nslookup {name}")
    check(ran.code == 0 and ran.out.startswith("Address"), what or f"{name} is found by name", ran)
    return ran


def shows(ran, *parts, what=""):
    """The command ended well and its output has these parts."""
    missing = [part for part in parts if part not in ran.out]
    check(ran.code == 0 and not missing, what or f"{' '.join(ran.words)[:160]} shows {missing}", ran)
    return ran
