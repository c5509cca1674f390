"""Where the attacks take place: the engine with p10's things in it, a directory of the host, and a service on the host's
loopback. Each attempt finds it as it was."""

import hashlib
import http.server
import json
import os
import threading
import time
from collections import defaultdict
from urllib.parse import quote

from attempt import filled, follow, occurred, output_of, tar_of
from case import load_given
from check import until
from engine import free_port
from inventory import Inventory
from world import IMAGE

SECRET = "host-file-secret"
PADDING = "x" * (2 << 20)
LAYER = {"planted": "layer"}
LAYER_DIGEST = hashlib.sha256(tar_of(LAYER)).hexdigest()
ARCHIVE = {"manifest.json": json.dumps([{"Config": "config.json", "RepoTags": ["localhost/archive:latest"], "Layers": ["layer.tar"]}]),
           "config.json": json.dumps({"architecture": "amd64", "os": "linux",
                                      "rootfs": {"type": "layers", "diff_ids": [f"sha256:{LAYER_DIGEST}"]}}),
           "layer.tar": LAYER}


class Listener:
    """An HTTP server on the host's loopback: out of reach for containers, unless something makes the host ask."""

    def __init__(self):
        self.asked = []
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"loopback-secret\n")

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def was_asked(self, path):
        return path in self.asked


class Stage:
    def __init__(self, world):
        self.world, self.engine = world, world.engine
        self.version = self.engine.direct.get("/version").json()["Version"]
        self.listener = Listener()
        self.given = load_given()
        it = world.neighbour
        for words in ("echo volume-secret > /data/file", "echo file-secret > /file"):
            world.p10.docker("exec", it.container, "sh", "-c", words)
        self.start = str(int(time.time()) - 3600)
        self.engine.direct.post("/v4.0.0/libpod/images/prune")  # what builds before us left, and a case would remove
        self.before = Inventory(self.engine)
        self.neighbour = it.state()

    def values(self, host):
        """What stands for the names in braces."""
        engine, it, ids, port = self.engine, self.world.neighbour, self.world.neighbour.ids, free_port()
        values = {"HOST": str(host), "HOST_NAME": host.name, "IMAGE": IMAGE, "REGISTRY": engine.registry_name,
                  "USER": engine.account.pw_name, "UID": str(engine.account.pw_uid), "START": self.start,
                  "PORT": str(port), "PORT_NUMBER": port, "LISTENER": str(self.listener.port), "PADDING": PADDING,
                  "NETWORK_NAMESPACE": os.readlink("/proc/self/ns/net"), "IPC_NAMESPACE": os.readlink("/proc/self/ns/ipc"),
                  "SERVICE_PID": str(engine.service.pid),
                  "SOCKET": engine.socket_path, "STORAGE": str(engine.home / ".local/share/containers/storage"),
                  "LAYER": LAYER_DIGEST, "FOREIGN_IMAGE_PATH": quote(it.image, safe="")}
        for name in ("container", "job", "pod", "member", "volume", "network", "image"):
            values[f"FOREIGN_{name.upper()}"] = getattr(it, name)
        for name, value in ids.items():
            values[f"FOREIGN_{name.upper().replace(' ', '_')}_ID"] = value
            values[f"FOREIGN_{name.upper().replace(' ', '_')}_SHORT"] = value[:12]
        return values

    def directory(self):
        """A directory of the Podman user with a file that must not be read, and nothing else that matters."""
        host, account = self.engine.host_directory("host-things"), self.engine.account
        (host / "secret").write_text(f"{SECRET}\n10.9.8.7 host-name-secret\n")
        (host / "program").write_text("#!/bin/sh\necho host-program-secret\n")
        (host / "program").chmod(0o755)
        (host / "image.tar").write_bytes(tar_of({"file": "data"}))
        (host / "archive.tar").write_bytes(tar_of(ARCHIVE))
        (host / "dockerfile").write_text(f"FROM {IMAGE}\nLABEL {SECRET}=yes\n")
        for name in ("up", "work", "owned"):
            (host / name).mkdir()
        for path in (host, *host.iterdir()):
            os.chown(path, account.pw_uid, account.pw_gid)
        return host

    def prepare(self, names, values):
        """What a case presupposes. Every step must work: a case whose victim is absent would prove nothing."""
        sockets = {"p1": self.world.p1, "p10": self.world.p10, "engine": self.engine.direct}
        for name in names:
            for step in self.given[name]:
                answer = follow(sockets[step["by"]], [step], values)
                if answer.status >= 400:
                    raise RuntimeError(f"{name} cannot be had: {step.get('send')}: {answer}")

    def restore(self, now):
        """Brings the engine back from what it holds now; the differences that are left, which then count as given."""
        if now != self.before:
            self.before.restore()
            now = Inventory(self.engine)
        left, neighbour = now.changes(self.before), self.world.neighbour.state()
        left += [f"p10's {thing} was {self.neighbour[thing]} and is {state}" for thing, state in neighbour.items()
                 if state != self.neighbour[thing]]
        self.before, self.neighbour = now, neighbour
        return left


def _contents(directory):
    """Names, owners and contents below a directory."""
    found = {}
    for path in sorted(directory.rglob("*")):
        found[str(path)] = (path.stat().st_uid, path.read_bytes() if path.is_file() else None)
    return found


class Attempt:
    """One attack through one socket, from what it presupposes to its effect, for which it has the patience of so many seconds.
    Not restored: that is up to the caller."""

    def __init__(self, stage, case, socket, patience):
        host = stage.directory()
        values = stage.values(host)
        stage.listener.asked.clear()
        stage.prepare(case.given, values)
        before = Inventory(stage.engine) if case.given else stage.before
        contents = _contents(host)
        self.answer = follow(socket, case.attack, values)
        self.output = output_of(socket, case.run) if case.run and self.answer.status < 400 else ""
        self.occurred = until(lambda: occurred(case.effect, values, self.answer, self.output, stage), patience)
        self.left = Inventory(stage.engine)
        self.changes = self.left.changes(before)
        self.host_changed = _contents(host) != contents
        self.named = str(filled(case.attack, defaultdict(str, {**values, "PADDING": ""})))

    def __str__(self):
        return f"{self.answer}\noutput {self.output[:300]!r}\nchanges {self.changes}"
