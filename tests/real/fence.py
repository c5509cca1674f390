"""A podfence of its own in front of the tests' engine, with the settings that a suite asks for."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from check import check, until
from clients import Project
from engine import end
from wire import Socket

# What the engine has for everybody. By their names: `localhost/*` would take every name that podman --remote gives.
SHARED = ["localhost/bb", "localhost/shared", "localhost/exposed", "localhost/other", "localhost/volume", "localhost/health"]


class Fence:
    """`projects` is what the configuration says of each, by name; sockets are added."""

    def __init__(self, engine, program, programs, projects, name="podfence", defaults=None):
        self.engine = engine
        self.folder = engine.scratch / name
        self.audit_path = self.folder / "audit.log"
        self.process = None
        self.sockets = {project: str(engine.runtime / name / project / "podman.sock") for project in projects}
        self.projects = {project: Project(project, path, programs) for project, path in self.sockets.items()}
        self.settings = {
            "upstream": engine.socket_path, "state": str(self.folder / "state"), "audit": {"to": str(self.audit_path)},
            "defaults": defaults or {"images": {"shared": SHARED, "registries": [engine.registry_name, "docker.io"]}},
            "projects": {project: {"socket": self.sockets[project], **settings} for project, settings in projects.items()}}
        self._program = program

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, patience=10):
        self.folder.mkdir(exist_ok=True)
        settings = self.folder / "podfence.json"
        settings.write_text(json.dumps(self.settings))
        settings.chmod(0o644)
        program = self.folder / "podfence"  # the build tree need not be open to the user
        fresh = program.with_suffix(".new")   # what was killed may still be running the old one for a moment
        shutil.copy(self._program, fresh)
        fresh.chmod(0o755)
        fresh.replace(program)
        os.chown(self.folder, self.engine.account.pw_uid, self.engine.account.pw_gid)
        with open(self.folder / "podfence.log", "wb") as log:
            self.process = subprocess.Popen([str(program), "serve", "--config", str(settings)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, **self.engine.as_user())
        if not until(self._answers, patience):
            raise RuntimeError("podfence does not start: " + self.log()[-800:])

    def kill(self):
        """At once, wherever it is."""
        self.process.kill()
        self.process.wait()

    def ledger(self, *words):
        """`podfence ledger WORDS` about this one's ledger, as the user."""
        words = [str(self.folder / "podfence"), "ledger", *words, "--config", str(self.folder / "podfence.json")]
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, **self.engine.as_user())

    def _answers(self):
        try:
            return all(Socket(path).get("/_ping").status == 200 for path in self.sockets.values())
        except OSError:
            return False

    def log(self):
        return (self.folder / "podfence.log").read_text()

    def audit(self):
        """The audit log as lines of text."""
        return self.audit_path.read_text().splitlines() if self.audit_path.exists() else []

    def check_audit(self):
        """Every line has the form of the schema, by another reader than podfence's own."""
        logs = sorted(map(str, self.folder.glob("audit.log*")))
        if not logs:
            return
        here = Path(__file__).parent
        ran = subprocess.run(["/usr/bin/python3", str(here / "records.py"), str(here / "../../rules/audit.schema.json"), *logs],
                             capture_output=True, text=True)
        check(ran.returncode == 0 and ran.stdout.strip().isdigit() and int(ran.stdout) > 0,
              f"every audit line of {self.folder.name} has the form of the schema", (ran.stdout + ran.stderr)[-3000:])

    def stop(self):
        end(self.process)
        self.check_audit()
        for project in self.projects.values():
            project.close()
