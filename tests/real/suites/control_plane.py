"""A control plane with a TLS listener, a unix socket and the operator's socket: many projects through one door."""

import json
import os
import signal
import socket
import ssl
import subprocess

from authority import Authority
from check import check, contains, equal, lacks, skip, until
from clients import API, LIBPOD
from engine import free_port
from fence import Fence
from wire import Socket
from world import IMAGE

URI = "URI:spiffe://podfence.example/agent"

_stages = {}


class Stage:
    """podfence with projects a1, a2 and b1, and a control plane that may speak for a*."""

    def __init__(self, world):
        self.world, engine = world, world.engine
        self.authority = Authority(engine.scratch / "authority", engine.account)
        self.authority.issue("server", "IP:127.0.0.1,DNS:localhost")
        for name, alternative in (("agent", URI), ("pinned", "DNS:pinned.example"), ("other", "DNS:pinned.example"),
                                  ("nobody", "DNS:nobody.example"), ("fired", URI)):
            self.authority.issue(name, alternative)
        self.authority.issue("old", URI, ("-startdate", "20200101000000Z", "-enddate", "20200102000000Z"))
        self.port = free_port()
        self.fence = Fence(engine, world.podfence, world.programs, {name: {} for name in ("a1", "a2", "b1")}, name="control")
        path = self.authority.path
        self.admin = str(engine.runtime / "control" / "admin.sock")
        self.socket = str(engine.runtime / "control" / "control.sock")
        self.fence.settings |= {"admin": self.admin, "control": [
            {"tls": f"127.0.0.1:{self.port}", "certificate": path("server.pem"), "key": path("server.key"), "clients": path("ca.pem"),
             "revoked": path("revoked.pem"), "identities": [
                 {"uri": URI.removeprefix("URI:"), "projects": ["a*"]},
                 {"dns": "pinned.example", "pins": [self.authority.pin("pinned")], "projects": ["a1"]}]},
            {"socket": self.socket, "identities": [{"user": os.getuid(), "projects": ["*"]}]}]}
        self.fence.start()

    def curl(self, *words, who="agent", project="a1"):
        path = self.authority.path
        identity = ["--cert", path(f"{who}.pem"), "--key", path(f"{who}.key")] if who else []
        field = ["-H", f"X-Appx-Project: {project}"] if project else []
        ran = subprocess.run(["curl", "-sS", "-m", "20", "--cacert", path("ca.pem"), *identity, *field,
                              *words[:-1], f"https://127.0.0.1:{self.port}{words[-1]}"], capture_output=True)
        return ran.returncode, ran.stdout.decode()

    def docker(self, *words, project="a1", data=b"", who="agent"):
        home = self.world.engine.scratch / f"docker-{who}-{project}"
        if not home.exists():
            home.mkdir()
            (home / "config.json").write_text(json.dumps({"HttpHeaders": {"X-Appx-Project": project}}))
            for name, source in (("ca.pem", "ca.pem"), ("cert.pem", f"{who}.pem"), ("key.pem", f"{who}.key")):
                (home / name).write_bytes((self.authority.folder / source).read_bytes())
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "DOCKER_CONFIG": str(home), "DOCKER_CERT_PATH": str(home),
                       "DOCKER_TLS_VERIFY": "1", "DOCKER_HOST": f"tcp://127.0.0.1:{self.port}"}
        return subprocess.run([self.world.programs["docker"], *words], input=data, capture_output=True, env=environment, timeout=90)

    def operator(self, *words, code=0):
        ran = subprocess.run([str(self.fence.folder / "podfence"), *words, "--admin", self.admin], capture_output=True, text=True)
        check(ran.returncode == code, f"podfence {' '.join(words)}: exit code {code}", ran)
        return ran.stdout + ran.stderr

    def asked(self):
        """The last line of the audit log."""
        return json.loads(self.fence.audit()[-1])


def stage_of(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def test_curl(world):
    stage = stage_of(world)
    equal(stage.curl("/_ping"), (0, "OK"), "curl is let in")
    check(until(lambda: stage.asked()["identity"] == "uri:spiffe://podfence.example/agent", 2), "the audit log says who it was",
          stage.asked())
    equal(stage.asked()["project"], "a1", "and for which project")
    check(stage.asked()["remote"].startswith("127.0.0.1:") and stage.asked()["peer_uid"] == -1, "and from where", stage.asked())
    code, text = stage.curl("/_ping", project="b1")
    contains(text, "control.entitlement", "it may not speak for another project")
    equal(stage.curl("/_ping", who="pinned"), (0, "OK"), "a client whose key is pinned is let in")


def test_strangers(world):
    stage = stage_of(world)
    for who in ("nobody", "other"):
        contains(stage.curl("/_ping", who=who)[1], "control.identity", f"{who} is told that it is nobody")
    for who in ("", "old"):
        code, text = stage.curl("/_ping", who=who)
        check(code != 0 and not text, f"no answer for a client with {'an old' if who else 'no'} certificate", (code, text))
    code, text = stage.curl("--tls-max", "1.2", "/_ping")
    check(code != 0 and not text, "no answer by TLS 1.2", (code, text))
    with socket.create_connection(("127.0.0.1", stage.port), 5) as plain:
        plain.sendall(b"GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n")
        lacks(plain.recv(4096).decode(errors="replace"), "HTTP/1.1 200", "no answer without TLS")


def test_docker(world):
    """The docker command in its own words: run, attach, input, exec, logs, copies."""
    stage = stage_of(world)

    def says(expected, *words, data=b"", what=""):
        ran = stage.docker(*words, data=data)
        check((ran.returncode, ran.stdout.decode()) == (0, expected), f"docker {' '.join(words[:3])} {what}", ran)
    says("hello\n", "run", "--rm", IMAGE, "echo", "hello")
    says("6\n", "run", "--rm", "-i", IMAGE, "wc", "-c", data=b"abcdef", what="counts what it reads to the end")
    equal(stage.docker("run", "-d", "--name", "web-of-a1", IMAGE, "sh", "-c", "echo up; sleep 1000").returncode, 0, "docker run -d")
    says("up\n", "logs", "web-of-a1")
    says("inside\n", "exec", "-i", "web-of-a1", "cat", data=b"inside\n")
    contains(stage.docker("ps").stdout.decode(), "web-of-a1", "docker ps shows it")
    lacks(stage.docker("ps", project="a2").stdout.decode(), "web-of-a1", "but not for the other project")
    contains(stage.docker("inspect", "web-of-a1", project="a2").stderr.decode().lower(), "no such object", "nor is it there for it")
    label = world.engine.direct.get(f"{API}/containers/web-of-a1/json").json()["Config"]["Labels"]["appx.project"]
    equal(label, "a1", "it carries the label")


def test_large_content(world):
    """Bodies of many records, both ways."""
    stage = stage_of(world)
    file = world.engine.scratch / "large"
    file.write_bytes(os.urandom(5 << 20))
    equal(stage.docker("cp", str(file), "web-of-a1:/tmp/large").returncode, 0, "docker cp to")
    back = world.engine.scratch / "back"
    equal(stage.docker("cp", "web-of-a1:/tmp/large", str(back)).returncode, 0, "docker cp from")
    check(back.read_bytes() == file.read_bytes(), "what comes back is what was sent")


DOCKER_PY = """
import ssl
import sys
import docker
port, folder, image = sys.argv[1:]
tls = docker.tls.TLSConfig(client_cert=(f"{folder}/agent.pem", f"{folder}/agent.key"), ca_cert=f"{folder}/ca.pem", verify=True,
                           assert_hostname=False, ssl_version=ssl.PROTOCOL_TLS)
client = docker.DockerClient(base_url=f"https://127.0.0.1:{port}", tls=tls, version="1.40")
client.api.headers["X-Appx-Project"] = "a2"
print(client.containers.run(image, ["echo", "py"], remove=True), client.containers.list())
"""


def test_docker_py(world):
    stage = stage_of(world)
    python = "/usr/bin/python3"  # Debian's, which has its packages
    if subprocess.run([python, "-c", "import docker"], capture_output=True).returncode != 0:
        skip("control_plane.docker_py", "python3-docker is not here")
        return
    ran = subprocess.run([python, "-c", DOCKER_PY, str(stage.port), str(stage.authority.folder), IMAGE], capture_output=True, text=True,
                         env={"PATH": os.environ["PATH"]})  # another list of authorities may be set
    check((ran.returncode, ran.stdout) == (0, "b'py\\n' []\n"), "docker-py runs a container, and sees its project's things only", ran.stdout + ran.stderr[-600:])


def test_labels_say_it(world):
    """Without the field: podman --remote on the unix socket."""
    stage = stage_of(world)

    def podman(*words):
        return subprocess.run([*world.programs["podman"], "--remote", "--url", f"unix://{stage.socket}", *words],
                              capture_output=True, text=True, timeout=60, env={"PATH": os.environ["PATH"], "HOME": str(world.engine.scratch)})
    listed = podman("ps", "--format", "{{.Names}}")
    contains(listed.stdout, "web-of-a1", "the list shows a1's container")
    equal(podman("exec", "web-of-a1", "echo", "named").stdout, "named\n", "a name says whose it is")
    control = Socket(stage.socket)

    def create(name, labels):
        return control.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": name, "command": ["true"], "labels": labels})
    equal(create("made-for-b1", {"appx.project": "b1"}).status, 201, "what is labelled is made")
    contains(stage.fence.projects["b1"].get(f"{LIBPOD}/containers/json?all=true").text, "made-for-b1", "for that project")
    contains(create("unlabelled", {}).text, "control.label", "what is not labelled is refused")
    contains(create("strange", {"appx.project": "zz"}).text, "control.label", "so is an unknown project")
    contains(podman("run", "--rm", IMAGE, "true").stderr, "X-Appx-Project", "what cannot be told is refused with the way out")
    equal(podman("rm", "made-for-b1").returncode, 0, "podman rm")


def test_podman_over_tls(world):
    """podman --remote has neither TLS nor a field for the project: socat speaks the one, and who may speak for one project means it."""
    stage = stage_of(world)
    path, local = stage.authority.path, world.engine.scratch / "podman-over-tls.sock"
    options = f"cert={path('pinned.pem')},key={path('pinned.key')},cafile={path('ca.pem')}"
    bridge = subprocess.Popen(["socat", f"UNIX-LISTEN:{local},fork,mode=600", f"OPENSSL:127.0.0.1:{stage.port},{options}"])
    try:
        check(until(local.exists, 20), "socat listens")

        def podman(*words):
            return subprocess.run([*world.programs["podman"], "--remote", "--url", f"unix://{local}", *words],
                                  capture_output=True, text=True, timeout=60, env={"PATH": os.environ["PATH"], "HOME": str(world.engine.scratch)})
        ran = podman("run", "--rm", IMAGE, "echo", "by podman")
        check((ran.returncode, ran.stdout) == (0, "by podman\n"), "podman run", ran)
        equal(podman("create", "--name", "over-tls", IMAGE, "true").returncode, 0, "podman create")
        contains(podman("ps", "-a", "--format", "{{.Names}}").stdout, "over-tls", "podman ps -a")
        contains(stage.fence.projects["a1"].get(f"{LIBPOD}/containers/json?all=true").text, "over-tls", "it is the project's")
        contains(podman("create", "--label", "appx.project=b1", IMAGE, "true").stderr, "ownership.label", "nothing of another one")
        equal(podman("rm", "over-tls").returncode, 0, "podman rm")
    finally:
        bridge.terminate()
        bridge.wait()


def test_revocation(world):
    """A certificate that is revoked lets nobody in from the reload on; connections go on."""
    stage = stage_of(world)
    equal(stage.curl("/_ping", who="fired"), (0, "OK"), "it is good at first")
    context = ssl.create_default_context(cafile=stage.authority.path("ca.pem"))
    context.check_hostname = False
    context.load_cert_chain(stage.authority.path("fired.pem"), stage.authority.path("fired.key"))
    request = b"GET /_ping HTTP/1.1\r\nHost: d\r\nX-Appx-Project: a1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", stage.port), 5) as tcp, context.wrap_socket(tcp) as held:
        held.sendall(request)
        contains(held.recv(4096).decode(), "200 OK", "a connection is held")
        stage.authority.revoke("fired")
        stage.fence.process.send_signal(signal.SIGHUP)
        check(until(lambda: "SIGHUP: the configuration was read again" in stage.fence.log(), 5), "the reload is told", stage.fence.log()[-400:])
        code, text = stage.curl("/_ping", who="fired")
        check(code != 0 and not text, "nobody comes in with it", (code, text))
        held.sendall(request)
        contains(held.recv(4096).decode(), "200 OK", "the connection goes on")
    equal(stage.curl("/_ping"), (0, "OK"), "others come in as ever")
    broken = stage.authority.folder / "server.pem"
    text = broken.read_bytes()
    broken.write_bytes(b"nonsense")
    stage.fence.process.send_signal(signal.SIGHUP)
    check(until(lambda: "the former certificates count" in stage.fence.log(), 5), "a certificate that cannot be used is told")
    equal(stage.curl("/_ping"), (0, "OK"), "and the former one counts")
    broken.write_bytes(text)


def test_projects_at_run_time(world):
    """The operator adds a project, it is used at once, shown with what it has, survives a restart, and is removed."""
    stage = stage_of(world)
    contains(stage.operator("project", "add", "a3", code=0), "project a3 listens on ", "podfence project add")
    path = str(world.engine.runtime / "podfence" / "a3" / "podman.sock")
    project = Socket(path)
    made = project.post(f"{LIBPOD}/volumes/create", {"Name": "data-of-a3"})
    check(made.status == 201, "its client makes a volume", made)
    shown = stage.operator("project", "show", "a3")
    contains(shown, "data-of-a3", "podfence project show tells it")
    check("volumes       1 of 500" in shown, "with the quota", shown)
    equal(stage.curl("/_ping", project="a3"), (0, "OK"), "the control plane speaks for it")
    stage.fence.process.kill()
    stage.fence.process.wait()
    stage.fence.start()
    check(until(lambda: os.path.exists(path) and project.get("/_ping").status == 200, 5), "it is there again after kill -9")
    contains(stage.operator("project", "list"), "a3", "and listed")
    contains(stage.operator("project", "remove", "a1", code=4), "stands in the configuration", "a project of the file is not removed so")
    stage.operator("project", "remove", "a3")
    check(not os.path.exists(path), "its socket is gone")
    equal(world.engine.direct.get(f"{LIBPOD}/volumes/data-of-a3/exists").status, 204, "what it has stays")
    world.engine.direct.delete(f"{LIBPOD}/volumes/data-of-a3")
    stage.docker("rm", "-f", "-v", "web-of-a1")


def test_end(world):
    stage_of(world).fence.stop()
    check(not os.path.exists(stage_of(world).socket), "the control plane's socket is gone")
