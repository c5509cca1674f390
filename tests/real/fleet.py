"""Clients of other versions than this machine's own, each by the words that start it: Debian 13's from the tree of podman5, docker 28
from docker28, programs for node from the npm registry. What is not there yet is made at the first use, and kept."""

import fcntl
import functools
import json
import shutil
import subprocess
from pathlib import Path

from check import check, equal
from clients import Ran

HERE = Path(__file__).resolve().parent
TREE = (str(HERE / "podman5"), "enter")
NODE = HERE / "node"


def _said(*words, **options):
    return subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


@functools.cache
def debian13(*words):
    """A command of Debian 13's."""
    _said(str(HERE / "podman5"), "tree")
    return (*TREE, *words)


@functools.cache
def docker28():
    return (_said(str(HERE / "docker28")),)


@functools.cache
def node():
    """Node of Debian 13, with the programs that the lock file names installed in its tree."""
    home, lock = Path(_said(str(HERE / "podman5"), "tree")) / "opt" / "node", (NODE / "package-lock.json").read_bytes()
    done = home / "installed"
    with open(f"{home}.lock", "w") as alone:  # another run may be going on here
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not done.exists() or done.read_bytes() != lock:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(NODE / name, home)
            _said(*debian13("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", "/opt/node"))
            done.write_bytes(lock)
    return debian13("env", "NODE_PATH=/opt/node/node_modules", "node")


class Client:
    """One client program as a project's user calls it: `client("ps", "-a")`."""

    def __init__(self, project, words, **environment):
        self.project = project
        self.words = words
        self.environment = environment

    def __call__(self, *words, environment=None, **options) -> Ran:
        return self.project.run(*self.words, *words, environment={**self.environment, **(environment or {})}, **options)

    def start(self, *words, **options):
        return self.project.start(*self.words, *words, environment=self.environment, **options)

    def typed(self, *words, **options):
        return self.project.typed(*self.words, *words, **options)


def run_program(client, name, timeout=180, least=10):
    """A program of ours in a client's language: each of its claims is one, and it has come to its end."""
    path = f"{client.project.home}/{Path(name).name}"
    for file in (HERE / name, *(HERE / name).parent.glob("claims.*")):
        shutil.copy(file, client.project.home)   # where Debian 13 sees it too
    ran = client(path, timeout=timeout)
    *lines, last = ran.out.splitlines() or [""]
    claims = [json.loads(line) for line in lines if line.startswith("{")]
    for one in claims:
        equal(one["actual"], one["expected"], f"{Path(name).stem}: {one['what']}")
    check(ran.code == 0 and last == "end" and len(claims) >= least, f"{Path(name).stem} runs to its end", "\n".join(ran.err.splitlines()[-12:]) or ran)
    return ran
