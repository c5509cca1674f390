"""A rootless Podman of its own for the tests: an unprivileged user, a service, images, and a registry on the loopback.
Everything that is started here is ended by its pid, and everything of that user is removed at the end."""

import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from check import until
from wire import Socket

USER = os.environ.get("PODFENCE_TEST_USER", "podfence-test")  # another one for a run beside another
CANARY = "PODFENCE_CANARY=engine-environment-canary"
HERE = Path(__file__).resolve().parent
SETUP = HERE.parents[1] / "deploy" / "setup"

REGISTRIES_CONF = """unqualified-search-registries = ["docker.io"]
[[registry]]
location = "localhost:{port}"
insecure = true
[[registry]]
prefix = "docker.io"
location = "localhost:{port}/docker"
insecure = true
"""
# Podman forgets the older half of its events beyond a megabyte, which the suites exceed; those of the beginning are asked for late.
CONTAINERS_CONF = """[engine]
events_logfile_max_size = "256m"
"""
REGISTRY_YML = """version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {root}}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
# Image name, and the lines that make it from localhost/bb.
VARIANTS = {
    "localhost/other:latest": "LABEL kind=other\nENV FROM_IMAGE=yes",
    "localhost/volume:latest": "VOLUME /data",
    "localhost/health:latest": 'HEALTHCHECK --interval=30s CMD test -e /tmp/healthy\nCMD ["sleep", "1000"]',
}


@dataclass(frozen=True)
class Version:
    """Which Podman: its user, since a store serves one version, and the words that stand before every command of it."""
    user: str
    entry: tuple = ()

    def prepare(self):
        if self.entry:
            subprocess.run([self.entry[0], "tree"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


VERSIONS = {"4": Version(USER), "5": Version(f"{USER}5", (str(HERE / "podman5"), "enter"))}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end(process):
    """Ends a process that we started, by its pid."""
    if process and process.poll() is None:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def end_all(user):
    """The user is the tests' own, and so is all it runs."""
    number = pwd.getpwnam(user).pw_uid
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == number:
                os.kill(int(folder.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended


def sweep(user):
    """As after a boot of the machine: where a run was cut off, Podman 5 breaks on containers that it believes to run."""
    if any(account.pw_name == user for account in pwd.getpwall()):
        end_all(user)
        for path in Path(f"/run/user/{pwd.getpwnam(user).pw_uid}").glob("*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class Engine:
    def __init__(self, version, registry_program):
        self.version = version
        self.host_directories = set()
        self.registry_program = registry_program
        self.registry = None
        self.service = None
        version.prepare()
        sweep(version.user)
        self.set_up("ensure_podman_user", version.user)
        self.account = pwd.getpwnam(version.user)
        self.home = Path(self.account.pw_dir)
        self.runtime = Path(f"/run/user/{self.account.pw_uid}")
        # Not /var/tmp: there Podman 4.3 has one cache of builds for all users of the host, which belongs to the first.
        self.temporary = self.host_directory("temporary")
        self.scratch = Path(tempfile.mkdtemp(prefix="podfence-test-"))
        self.scratch.chmod(0o755)
        self.registry_port = free_port()
        self.socket_path = str(self.runtime / "podman.sock")
        self.direct = Socket(self.socket_path)

    @property
    def registry_name(self):
        return f"localhost:{self.registry_port}"

    def set_up(self, *words):
        """A function of deploy/setup, as the quickstart uses it."""
        script = (f'set -eu; . "{SETUP}/packages.sh"; . "{SETUP}/podman_user.sh"; '
                  f'podman_entry=({shlex.join(self.version.entry)}); "$@"')
        subprocess.run(["bash", "-c", script, "bash", *words], check=True, stdin=subprocess.DEVNULL)

    def environment(self):
        return {"HOME": str(self.home), "USER": self.version.user, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "XDG_RUNTIME_DIR": str(self.runtime), "LANG": "C.UTF-8", "TMPDIR": str(self.temporary)}

    def as_user(self):
        """Arguments of subprocess for running as the unprivileged user."""
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": [], "cwd": str(self.home),
                "env": self.environment(), "start_new_session": True}

    def podman_words(self, *words):
        """A command of Podman as the user. It is started as root, who alone may enter another root."""
        return [*self.version.entry, "setpriv", f"--reuid={self.account.pw_uid}", f"--regid={self.account.pw_gid}",
                "--clear-groups", "--inh-caps=-all", "--", "podman", *words]

    def podman(self, *words, data=None, check=True):
        """Podman as the user, past the service and the proxy."""
        ran = subprocess.run(self.podman_words(*words), input=data, capture_output=True, cwd=self.home,
                             env=self.environment(), start_new_session=True)
        if check and ran.returncode != 0:
            raise RuntimeError(f"podman {' '.join(words)}: {ran.stderr.decode()[-600:]}")
        return ran.stdout.decode(errors="replace")

    # Start

    def start(self):
        self._write_settings()
        self._wipe()
        self._start_registry()
        self._make_images()
        self._serve()

    def _serve(self):
        log = open(self.scratch / "podman.log", "ab")
        name, value = CANARY.split("=")
        words = self.podman_words("system", "service", "--time", "0", f"unix://{self.socket_path}")
        self.service = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home,
                                        env={**self.environment(), name: value}, start_new_session=True)
        if not until(self._answers, 60):
            raise RuntimeError("podman system service does not answer: " + (self.scratch / "podman.log").read_text()[-800:])

    def image_record(self):
        """Containers/storage's own: it changes whenever an image or a name of one does."""
        return b"".join(path.read_bytes() for path in sorted(self.home.glob(".local/share/containers/storage/*-images/images.json")))

    def kill_service(self):
        """Podman's service at once, wherever it is. Containers live on under their monitors."""
        os.killpg(self.service.pid, signal.SIGKILL)
        self.service.wait()

    def start_service(self):
        Path(self.socket_path).unlink(missing_ok=True)
        self._serve()

    def _answers(self):
        try:
            return self.direct.get("/_ping").status == 200
        except OSError:
            return False

    def _write_settings(self):
        folder = self.home / ".config" / "containers"
        (folder / "containers.conf.d").mkdir(mode=0o755, exist_ok=True)
        for path, text in ((folder / "registries.conf", REGISTRIES_CONF.format(port=self.registry_port)),
                           (folder / "containers.conf.d" / "tests.conf", CONTAINERS_CONF)):
            path.write_text(text)
            path.chmod(0o644)

    def _start_registry(self):
        root = self.scratch / "registry"
        root.mkdir()
        settings = self.scratch / "registry.yml"
        settings.write_text(REGISTRY_YML.format(root=root, port=self.registry_port))
        self.registry = subprocess.Popen([self.registry_program, "serve", str(settings)], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=open(self.scratch / "registry.log", "wb"))

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.registry_port)) == 0
        if not until(listens, 20):
            raise RuntimeError("docker-registry does not listen: " + (self.scratch / "registry.log").read_text()[-600:])

    def _make_images(self):
        self.set_up("import_busybox_image", self.version.user, "localhost/bb:latest")
        for name, lines in VARIANTS.items():
            self.build(name, lines)
        # What the registry offers: a base under Docker Hub's prefix, one image of each project, one that nobody holds.
        for name, label in (("docker/library/bb", "hub"), ("team/mine", "mine"), ("team/canary", "canary"), ("team/spare", "spare")):
            target = f"{self.registry_name}/{name}:latest"
            self.build(target, f"LABEL registry={label}")
            self.podman("push", "-q", target)
            self.podman("rmi", target)

    def build(self, name, lines):
        context = self.scratch / "context"
        context.mkdir(exist_ok=True)
        (context / "Containerfile").write_text(f"FROM localhost/bb:latest\n{lines}\n")
        self.podman("build", "-q", "--format", "docker", "-t", name, str(context))

    # End

    def _wipe(self):
        for words in (("rm", "-fa", "-t", "0"), ("pod", "rm", "-fa"), ("volume", "prune", "-f"), ("network", "prune", "-f"),
                      ("secret", "rm", "-a"), ("rmi", "-fa")):
            self.podman(*words, check=False)

    def stop(self):
        end(self.service)
        self._wipe()
        self.podman("system", "migrate", check=False)  # ends the pause process
        end_all(self.version.user)  # monitors of exec sessions live on for five minutes
        end(self.registry)
        for path in (self.scratch, *self.host_directories):
            shutil.rmtree(path, ignore_errors=True)

    def host_directory(self, name):
        """A directory of the Podman user: what an escape would reach."""
        path = self.home / name
        self.host_directories.add(path)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        os.chown(path, self.account.pw_uid, self.account.pw_gid)
        return path
