#!/usr/bin/python3
"""Drives real clients through a relay on a real Podman, and keeps what they sent as samples. See README.md."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "real")]

from engine import Engine, VERSIONS  # noqa: E402
from flows import COMPOSE, DOCKER, PODMAN  # noqa: E402
from relay import Relay  # noqa: E402

# Where the content of a request is kept, by its target without version and query.
FOLDERS = [(re.compile(pattern + "$"), folder) for pattern, folder in (
    (r"/containers/create", "container-create-compat"), (r"/libpod/containers/create", "container-create-libpod"),
    (r"/containers/[^/]+/update", "container-update-compat"), (r"/libpod/containers/[^/]+/update", "container-update-libpod"),
    (r"/libpod/pods/create", "pod-create"),
    (r"/volumes/create", "volume-create-compat"), (r"/libpod/volumes/create", "volume-create-libpod"),
    (r"/networks/create", "network-create-compat"), (r"/libpod/networks/create", "network-create-libpod"),
    (r"/networks/[^/]+/connect", "network-connect-compat"), (r"/libpod/networks/[^/]+/connect", "network-connect-libpod"),
    (r"(/libpod)?/networks/[^/]+/disconnect", "network-disconnect"),
    (r"/containers/[^/]+/exec", "exec-create-compat"), (r"/libpod/containers/[^/]+/exec", "exec-create-libpod"),
    (r"(/libpod)?/exec/[^/]+/start", "exec-start"), (r"/libpod/exec/[^/]+/remove", "exec-remove"),
    (r"(/libpod)?/containers/[^/]+/(attach|start|stop|kill|restart|wait)", "ignored"),
)]
PROJECT_SOCKET = "/run/podfence/p1/podman.sock"  # what the relay's socket is called in samples
# What ryuk, testcontainers' reaper, says to its client; the rest of it is not needed here.
RYUK = """CMD ["sh", "-c", "echo Started; while true; do nc -l -p 8080 -e sh -c 'while read line; do echo ACK; done'; done"]"""


def folder_of(target):
    path = re.sub(r"^/v[0-9.]+", "", target.split("?")[0])
    return next((folder for pattern, folder in FOLDERS if pattern.match(path)), None)


def likeness(content):
    """Contents that differ in random ids only are alike."""
    return re.sub(r"[0-9a-f]{12,64}", "ID", json.dumps(json.loads(content), sort_keys=True))


class Samples:
    """Kept under `out`, each content once per endpoint: that of the client that sent it first."""

    def __init__(self, out, words):
        self.out, self.words = out, words
        self.seen = {(path.parent.name, likeness(path.read_text())) for path in out.glob("*/*.json")}
        self.count = {}

    def keep(self, client, flow, kept):
        for target, content in kept:
            folder = folder_of(target)
            for word, neutral in self.words.items():
                content = content.replace(word, neutral)
            same = (folder, likeness(content))
            if folder is None:
                print(f"  not kept: {target.split('?')[0]}")
            elif same not in self.seen:
                self.seen.add(same)
                self._write(folder, f"{client}-{flow}", content)

    def _write(self, folder, name, content):
        number = self.count[folder, name] = self.count.get((folder, name), 0) + 1
        path = self.out / folder / (name + (f"-{number}" if number > 1 else "") + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.rstrip("\n") + "\n")


class Station:
    """The engine, the relay before it, and a home for the clients."""

    def __init__(self, version, out):
        self.engine = Engine(VERSIONS[version], shutil.which("docker-registry"))
        self.home = Path(tempfile.mkdtemp(prefix="capture-"))
        self.home.chmod(0o755)  # the engine mounts the relay's socket
        self.folder = self.home / "shop"
        self.folder.mkdir()
        self.workspace = str(self.engine.host_directory("workspace"))
        application = (HERE / "application.yml").read_text().replace("/workspace", self.workspace)
        (self.folder / "docker-compose.yml").write_text(application)
        shutil.copy(HERE / "settings.env", self.folder)
        (self.home / "config.json").write_text("{}")
        self.ends = threading.Event()
        socket = str(self.home / "podman.sock")
        self.samples = Samples(out, {socket: PROJECT_SOCKET, str(self.home): "/home/user", self.workspace: "/workspace"})
        self.engine.start()
        self.engine.build("docker.io/testcontainers/ryuk:0.14.0", RYUK)
        self.relay = Relay(socket, self.engine.socket_path)
        threading.Thread(target=self._health, daemon=True).start()

    def _health(self):
        """Without systemd nobody runs health checks."""
        unsettled = "/v4.0.0/libpod/containers/json?filters=" + '{"health":["starting"]}'
        while not self.ends.wait(1):
            try:
                for container in self.engine.direct.get(unsettled).json():
                    self.engine.direct.get(f"/v4.0.0/libpod/containers/{container['Id']}/healthcheck")
            except (OSError, ValueError):
                pass  # the engine is busy, or ends

    def environment(self):
        host = f"unix://{self.relay.path}"
        return {**os.environ, "HOME": str(self.home), "DOCKER_CONFIG": str(self.home), "XDG_RUNTIME_DIR": str(self.home),
                "DOCKER_HOST": host, "CONTAINER_HOST": host, "TERM": "xterm", "WORKSPACE": self.workspace,
                "TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1"}

    def run(self, client, flow, words):
        self.relay.take()
        try:
            ran = subprocess.run(words, env=self.environment(), cwd=self.folder, input=b"piped\n", capture_output=True,
                                 timeout=180)
            if ran.returncode:
                print(f"  {client} {flow}: exit {ran.returncode}: {(ran.stderr or ran.stdout).decode()[-240:].strip()}")
        except subprocess.TimeoutExpired:
            print(f"  {client} {flow}: no end")
        time.sleep(0.1)  # the relay's threads have read what was sent
        self.samples.keep(client, flow, self.relay.take())

    def clear(self):
        podman = self.engine.podman
        podman("rm", "-fa", "-t", "0", "-v", check=False)
        podman("pod", "rm", "-fa", check=False)
        podman("network", "prune", "-f", check=False)
        podman("volume", "prune", "-f", check=False)

    def stop(self):
        self.ends.set()
        self.relay.close()
        self.engine.stop()
        shutil.rmtree(self.home, ignore_errors=True)


def on_terminal(words):
    return ["script", "-qec", shlex.join(words), "/dev/null"]


def drive(station, client, command, only):
    """`command` is what stands before the words of a flow; library clients have a script here that says what it does."""
    script = next((path for path in HERE.glob("client_*") if path.stem == f"client_{client.replace('-', '_')}"), None)
    if script:
        steps = subprocess.run([*command, str(script), "list"], env=station.environment(), capture_output=True, text=True,
                               check=True).stdout.split()
        flows = [(step, [str(script), step]) for step in steps]
    else:
        flows = COMPOSE if client.startswith("compose") else PODMAN if client.startswith("podman") else DOCKER
    for name, words in flows:
        if not re.search(only, name):
            continue
        terminal = words[0] == "%"
        words = [*command, *(word.replace("/workspace:", f"{station.workspace}:").replace("src=/workspace,", f"src={station.workspace},")
                             for word in words[terminal:])]
        station.run(client, name, on_terminal(words) if terminal else words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--podman", choices=sorted(VERSIONS), default="5", help="the engine")
    parser.add_argument("--out", type=Path, default=HERE.parent)
    parser.add_argument("--only", default="", help="flows whose name this regular expression finds")
    parser.add_argument("clients", nargs="+", help="NAME=COMMAND, such as docker28=/usr/bin/docker")
    options = parser.parse_args()
    station = Station(options.podman, options.out)
    try:
        for client in options.clients:
            name, command = client.split("=", 1)
            print(name, flush=True)
            drive(station, name, shlex.split(command), options.only)
            station.clear()
    finally:
        station.stop()


if __name__ == "__main__":
    main()
