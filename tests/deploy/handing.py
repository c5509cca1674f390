"""podfence and a service manager: sockets that are handed over and kept, readiness, reload, end. The manager is this test, the engine
answers pings only; real systemd is in units.py."""

import array
import contextlib
import http.server
import json
import os
import pwd
import socket
import socketserver
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from authority import Authority
from check import check, contains, equal, lacks, until
from wire import Socket


class Ping(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(ConnectionError):  # a proxy that is killed
            super().handle()


class Engine(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class Manager:
    """One service, as systemd sees it: what it said, and the descriptors that it gave to be kept."""

    def __init__(self, podfence, folder, configuration):
        self.podfence, self.folder = podfence, folder
        self.path = folder / "notify"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(self.path))
        self.said, self.kept = [], {}
        self.file = folder / "podfence.json"
        self.file.write_text(configuration)
        self.log = folder / "log"
        self.process = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            data, ancillary, _, _ = self.notify.recvmsg(4096, socket.CMSG_SPACE(64))
            lines = data.decode().split("\n")
            self.said += lines
            names = [line.removeprefix("FDNAME=") for line in lines if line.startswith("FDNAME=")]
            if "FDSTORE=1" in lines:
                descriptors = array.array("i")
                descriptors.frombytes(ancillary[0][2])
                self.kept[names[0]] = descriptors[0]
            elif "FDSTOREREMOVE=1" in lines and names[0] in self.kept:
                os.close(self.kept.pop(names[0]))

    def start(self, handed=(), environment=()):
        """`handed`: (name, descriptor), beside those that are kept."""
        given = [*self.kept.items(), *handed]
        copies = [os.dup2(os.dup(descriptor), 200 + n) for n, (_, descriptor) in enumerate(given)]

        def arrange():
            for n, descriptor in enumerate(copies):
                os.dup2(descriptor, 3 + n)
            os.environ["LISTEN_PID"] = str(os.getpid())
        words = ["sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh", self.podfence, "serve", "--config", str(self.file)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stderr=open(self.log, "ab"), preexec_fn=arrange, close_fds=False, cwd=self.folder,
            env={"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder), "PATH": os.environ["PATH"], "NOTIFY_SOCKET": str(self.path),
                 "LISTEN_FDS": str(len(given)), "LISTEN_FDNAMES": ":".join(name for name, _ in given), **dict(environment)})
        for descriptor in copies:
            os.close(descriptor)

    def has_said(self, text, seconds=20):
        return until(lambda: any(text in line for line in self.said), seconds)

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


class Stage:
    def __init__(self, options, folder):
        self.podfence, self.folder = options.podfence, folder
        self.managers = 0

    def engine(self, path):
        engine = Engine(str(path), Ping)
        threading.Thread(target=engine.serve_forever, daemon=True).start()
        return engine

    def manager(self, projects='{"p1": {}, "p10": {}}', more=""):
        self.managers += 1
        folder = self.folder / str(self.managers)
        folder.mkdir()
        upstream = folder / "podman.sock"
        return Manager(self.podfence, folder, f'{{"upstream": "{upstream}", {more} "projects": {projects}}}'), upstream


@contextlib.contextmanager
def stage(options):
    with tempfile.TemporaryDirectory(prefix="podfence-handing-") as folder:
        yield Stage(options, Path(folder))


def ask(path):
    """The status of a ping, or the error."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        try:
            client.connect(str(path))
            client.sendall(b"GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
            return client.recv(100).split(b" ")[1].decode()
        except (OSError, IndexError) as error:
            return str(error) or type(error).__name__


def listening(path):
    unix = socket.socket(socket.AF_UNIX)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    unix.bind(str(path))
    unix.listen(16)
    return unix


def test_ready_behind_the_first_answer(stage):
    manager, upstream = stage.manager()
    manager.start()
    check(manager.has_said(f"STATUS=waits for Podman on {upstream}"), "it says that it waits", manager.said)
    time.sleep(1.5)
    lacks("\n".join(manager.said), "READY=1", "it is not ready before Podman has answered")
    equal(ask(manager.folder / "podfence/p1/podman.sock"), "502", "clients read why meanwhile")
    engine = stage.engine(upstream)
    check(manager.has_said("READY=1"), "it is ready when Podman answers", manager.said)
    equal(ask(manager.folder / "podfence/p1/podman.sock"), "200", "and serves")
    manager.process.send_signal(1)
    check(manager.has_said("RELOADING=1"), "SIGHUP is told")
    check(until(lambda: manager.said.count("READY=1") == 2, 10), "and its end", manager.said)
    microseconds = next(int(line.split("=")[1]) for line in manager.said if line.startswith("MONOTONIC_USEC="))
    check(abs(microseconds / 1e6 - time.monotonic()) < 10, "with the time of the monotonic clock", microseconds)
    equal(manager.stop(), 0, "it ends well")
    contains(manager.said, "STOPPING=1", "the end is told")
    contains(manager.said, "EXTEND_TIMEOUT_USEC=15000000", "and how long it may take: http.drain_time and a bit")
    engine.shutdown()


def test_no_client_meets_a_missing_socket(stage):
    manager, upstream = stage.manager()
    engine = stage.engine(upstream)
    paths = [manager.folder / f"podfence/{project}/podman.sock" for project in ("p1", "p10")]
    manager.start()
    manager.has_said("READY=1")
    equal(sorted(manager.kept), sorted(str(path) for path in paths), "the sockets are given to be kept")
    before = [path.stat().st_ino for path in paths]
    answers, done = [], threading.Event()

    def client(path):
        while not done.is_set():
            answers.append(ask(path))
    clients = [threading.Thread(target=client, args=(path,)) for path in paths for _ in range(3)]
    for thread in clients:
        thread.start()
    for kill in (False, True, False):
        time.sleep(0.3)
        if kill:
            manager.process.kill()
            manager.process.wait()
        else:
            manager.stop()
        count = manager.said.count("READY=1")
        time.sleep(0.2)
        manager.start()
        check(until(lambda: manager.said.count("READY=1") > count, 20), "it starts again", manager.log.read_text()[-600:])
    time.sleep(0.3)
    done.set()
    for thread in clients:
        thread.join()
    refused = [answer for answer in answers if answer != "200"]
    check(len(answers) > 100, "clients went on asking", len(answers))
    # Each of the three ends cuts off the connections that are open then, one of each client, and nothing else.
    check(len(refused) <= 3 * len(clients) and not any("refused" in answer or "No such file" in answer for answer in refused),
          "no client is turned away over two restarts and a kill", refused)
    equal([path.stat().st_ino for path in paths], before, "the sockets are the same files, so that mounts of them stay good")
    manager.file.write_text(manager.file.read_text().replace(', "p10": {}', ""))
    manager.stop()
    manager.start()
    check(until(lambda: str(paths[1]) not in manager.kept, 10), "the socket of a project that is gone is not kept any more", manager.kept)
    check(until(lambda: not paths[1].exists(), 5), "and its file is gone")
    contains(manager.log.read_text(), f"{paths[1]} was kept over the restart, and is nobody's socket now", "which is told")
    equal(ask(paths[0]), "200", "the other one goes on")
    # A file that somebody has removed leads nowhere: another socket is made.
    manager.stop()
    paths[0].unlink()
    count = manager.said.count("READY=1")
    manager.start()
    until(lambda: manager.said.count("READY=1") > count, 20)
    equal(ask(paths[0]), "200", "a socket whose file is gone is made anew")
    manager.stop()
    engine.shutdown()


def test_socket_units(stage):
    manager, upstream = stage.manager(more=f'"admin": "{stage.folder}/admin/admin.sock",')
    engine = stage.engine(upstream)
    project, admin, other = (manager.folder / "podfence/p1/podman.sock", stage.folder / "admin/admin.sock", manager.folder / "other.sock")
    sockets = [listening(path) for path in (project, admin, other)]
    waiting = socket.socket(socket.AF_UNIX)
    waiting.connect(str(project))
    waiting.sendall(b"GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n")
    manager.start(handed=[("podfence@p1.socket", sockets[0].fileno()), ("x", sockets[1].fileno()), ("y", sockets[2].fileno())])
    waiting.settimeout(20)
    contains(waiting.recv(200).decode(), "200 OK", "who came before podfence is served")
    equal(ask(project), "200", "the project is known by the path")
    equal(ask(admin), "404", "so is the operator's socket: it has no such endpoint")
    contains(manager.log.read_text(), f"{other} was handed over by the service manager, and is no socket of the configuration",
             "a socket that is nobody's is told")
    lacks("\n".join(manager.kept), str(project), "a socket of a unit is the manager's already")
    manager.stop()
    check(project.exists(), "its file is the manager's, and stays")
    engine.shutdown()


def test_socket_unit_of_tls(stage):
    authority = Authority(stage.folder / "authority", pwd.getpwuid(os.getuid()))
    authority.issue("server", "IP:127.0.0.1")
    authority.issue("agent", "URI:spiffe://test/agent")
    tcp = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{tcp.getsockname()[1]}"
    files = {"certificate": "server.pem", "key": "server.key", "clients": "ca.pem"}
    control = {"tls": address, "identities": [{"uri": "spiffe://test/agent", "projects": ["p1"]}],
               **{key: authority.path(name) for key, name in files.items()}}
    manager, upstream = stage.manager(more=f'"control": [{json.dumps(control)}],')
    engine = stage.engine(upstream)
    manager.start(handed=[("tls", tcp.fileno())])
    manager.has_said("READY=1")
    lacks(manager.log.read_text(), "no socket of the configuration", "a socket of TCP is known by address and port")
    context = ssl.create_default_context(cafile=authority.path("ca.pem"))
    context.load_cert_chain(authority.path("agent.pem"), authority.path("agent.key"))
    with context.wrap_socket(socket.create_connection(tcp.getsockname(), 20), server_hostname="127.0.0.1") as client:
        client.sendall(b"GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
        contains(client.recv(200).decode(), "200 OK", "and a client with its certificate is served there")
    manager.stop()
    engine.shutdown()


def test_projects_that_come_and_go(stage):
    admin = stage.folder / "operator/admin.sock"
    manager, upstream = stage.manager(more=f'"admin": "{admin}",')
    engine = stage.engine(upstream)
    manager.start()
    manager.has_said("READY=1")
    equal(Socket(str(admin)).put("/projects/p7", {}).status, 201, "a project is added")
    path = manager.folder / "podfence/p7/podman.sock"
    check(until(lambda: str(path) in manager.kept, 10), "its socket is given to be kept", manager.kept)
    manager.stop()
    count = manager.said.count("READY=1")
    manager.start()
    check(until(lambda: manager.said.count("READY=1") > count, 20), "podfence starts again", manager.log.read_text()[-600:])
    equal(ask(path), "200", "the project is there again, at the same socket")
    check(Socket(str(admin)).delete("/projects/p7?teardown=none").status in (200, 204), "it is removed")
    check(until(lambda: str(path) not in manager.kept, 10), "its socket is not kept any more", manager.kept)
    check(not path.exists(), "and its file is gone")
    manager.stop()
    engine.shutdown()


def test_what_is_no_listening_socket(stage):
    manager, _ = stage.manager()
    with open("/dev/null", "rb") as null:
        manager.start(handed=[("wrong", null.fileno())])
        equal(manager.process.wait(20), 1, "it does not start")
    contains(manager.log.read_text(), "handed over something that is no listening stream socket, 'wrong'", "and says why")


def test_watchdog(stage):
    manager, upstream = stage.manager()
    engine = stage.engine(upstream)
    manager.start(environment={"WATCHDOG_USEC": "400000"}.items())
    manager.has_said("READY=1")
    before = manager.said.count("WATCHDOG=1")
    time.sleep(2)
    check(manager.said.count("WATCHDOG=1") - before >= 5, "it shows that it is alive", manager.said)
    manager.process.send_signal(19)  # SIGSTOP: one that hangs
    time.sleep(0.3)
    before = manager.said.count("WATCHDOG=1")
    time.sleep(1)
    equal(manager.said.count("WATCHDOG=1"), before, "one that hangs shows nothing")
    manager.process.kill()
    manager.process.wait()
    engine.shutdown()
