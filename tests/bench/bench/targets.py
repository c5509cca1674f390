"""What stands between the bench's clients and its engine: podfence, plain relays, HAProxy, nginx, or nothing. Each is started
once, in front of every engine, and gives a socket for each."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

ENGINES = {"small": 50, "large": 500}
CAUGHT_UP = 60.0  # seconds that a program may take to listen

# What the images of the usual socket proxies allow: nine groups of paths by regular expression, each method.
ALLOWED = ["_ping", "version", "info", "events", "containers", "exec", "images", "volumes", "networks", "build", "libpod"]

HAPROXY = """
global
  maxconn 9000
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  http-reuse always
"""
HAPROXY_PAIR = """
frontend front_{name}
  bind {front} mode 600
{rules}
  http-request deny
  default_backend back_{name}
backend back_{name}
  server engine unix@{engine}
"""
NGINX = """
daemon off; {user} worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log warn;
events {{ worker_connections 9000; }}
http {{
  access_log off; client_max_body_size 0; proxy_request_buffering off; proxy_buffering off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  keepalive_requests 1000000000; keepalive_timeout 1h; proxy_read_timeout 1h; proxy_send_timeout 1h;
  map $http_upgrade $upgrade_back {{ default upgrade; '' ''; }}
{servers}
}}
"""
NGINX_PAIR = """
  upstream {name} {{ server unix:{engine}; keepalive 64; keepalive_requests 1000000000; }}
  server {{
    listen unix:{front};
    location ~ ^(/v[0-9.]+)?/({allowed})(/|$) {{
      proxy_pass http://{name}; proxy_http_version 1.1; proxy_set_header Host d;
      proxy_set_header Connection $upgrade_back; proxy_set_header Upgrade $http_upgrade;
    }}
    location / {{ return 403; }}
  }}
"""
POLICY = {"policy": "builder", "images": {"shared": ["localhost/hello"]},
          "quota": {"streams": 20000, "execs": 1000000, "containers": 1000000, "volumes": 1000000}}


class Target:
    """A running proxy. `cpu()`: nanoseconds of processor time that it took so far; `memory()`: its own, in KiB; `peak()`: the most
    of it and of its program, in KiB, of one proxy."""

    def __init__(self, name, fronts, processes):
        self.name, self.fronts, self.processes = name, fronts, processes

    @staticmethod
    def _with_children(process):
        return [process.pid, *map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())]

    def _all(self):
        return [pid for process in self.processes for pid in self._with_children(process)]

    def cpu(self):
        return sum(int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0])
                   for pid in self._all() for task in os.listdir(f"/proc/{pid}/task"))

    @staticmethod
    def _kibibytes(pid, what):
        return int(re.search(rf"^{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M).group(1))

    def memory(self):
        return sum(self._kibibytes(pid, "RssAnon") for pid in self._all())

    def peak(self):
        return max(sum(self._kibibytes(pid, "VmHWM") for pid in self._with_children(process)) for process in self.processes)


class Bench:
    """The programs of one run; ends them all."""

    def __init__(self, folder, programs, podfence, tools, realtime, engines=None):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.programs, self.podfence, self.tools, self.realtime = Path(programs), podfence, tools, realtime
        self.engines = engines or ENGINES
        self.processes, self.tool = [], []
        self.sockets = {name: str(self.folder / f"engine-{name}.sock") for name in self.engines}
        pairs = [f"{self.sockets[name]}={count}" for name, count in self.engines.items()]
        self.engine = self.start("engine", [self.program("engine"), *pairs], self.sockets.values(), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def program(self, name):
        return str(self.programs / f"bench_{name}")

    def pinned(self, command, core):
        """Ahead of everything else on the machine where that is allowed: others' work would be measured otherwise."""
        rt = ["chrt", "-f", "10"] if self.realtime else []
        return ["taskset", "-c", str(core), *rt, *command]

    def start(self, name, command, sockets, core, env=None):
        log = open(self.folder / f"{name}.log", "ab")
        process = subprocess.Popen(self.pinned(command, core), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        self.processes.append(process)
        end = time.monotonic() + CAUGHT_UP
        while not all(os.path.exists(socket) for socket in sockets):
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{name} does not listen:\n" + (self.folder / f"{name}.log").read_text()[-2000:])
            time.sleep(0.02)
        return process

    def move(self, process, core):
        subprocess.run(["taskset", "-acp", str(core), str(process)], check=True, stdout=subprocess.DEVNULL)

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def target(self, name, tool=()):
        """`tool`: what podfence is run by."""
        self.tool = list(tool)
        fronts = {engine: str(self.folder / f"{name}-{engine}.sock") for engine in self.engines}
        kind, _, rest = name.partition("-")
        return getattr(self, "start_" + kind)(name, fronts, rest)

    def start_direct(self, name, _fronts, _rest):
        return Target(name, self.sockets, [self.engine])

    def start_relay(self, name, fronts, way):
        pairs = [f"{front}={self.sockets[engine]}" for engine, front in fronts.items()]
        return Target(name, fronts, [self.start(name, [self.program("relay"), way, *pairs], fronts.values(), 1)])

    def start_haproxy(self, name, fronts, _rest):
        rules = "\n".join(f"  acl path_{i} path_reg -i ^(/v[\\d\\.]+)?/{path}\n  http-request allow if path_{i}"
                          for i, path in enumerate(ALLOWED))
        text = HAPROXY + "".join(HAPROXY_PAIR.format(name=engine, front=front, rules=rules, engine=self.sockets[engine])
                                 for engine, front in fronts.items())
        path = self.folder / "haproxy.cfg"
        path.write_text(text)
        program, env = self.tools["haproxy"]
        return Target(name, fronts, [self.start(name, [program, "-db", "-f", str(path)], fronts.values(), 1, env)])

    def start_nginx(self, name, fronts, _rest):
        servers = "".join(NGINX_PAIR.format(name=engine, front=front, engine=self.sockets[engine], allowed="|".join(ALLOWED))
                          for engine, front in fronts.items())
        path = self.folder / "nginx.conf"
        path.write_text(NGINX.format(folder=self.folder, user="user root root;" if os.geteuid() == 0 else "", servers=servers))
        program, env = self.tools["nginx"]
        words = ["-p", str(self.folder), "-c", str(path), "-e", str(self.folder / "nginx.log")]
        return Target(name, fronts, [self.start(name, [program, *words], fronts.values(), 1, env)])

    def start_podfence(self, name, fronts, _rest):
        """With a policy, quotas, the ledger, the audit log and the operator's socket."""
        return Target(name, fronts, [self.podfence_process(name, engine, front) for engine, front in fronts.items()])

    def podfence_process(self, name, engine, front, projects=1):
        state = self.folder / f"{name}-{engine}"
        state.mkdir()
        source = Path(__file__).resolve().parents[3]
        configuration = {
            "upstream": self.sockets[engine], "state": str(state / "state"), "audit": {"to": str(state / "audit.log")},
            "admin": str(state / "admin.sock"), "policies": str(source / "deploy/profiles"), "defaults": POLICY,
            "http": {"connections": 12000, "project_connections": 11000, "requests": 2048},
            "insecure_unconfined": bool(self.tool),  # a tool makes system calls of its own
            "projects": {"bench": {"socket": front}} | {f"other{i}": {"socket": str(state / f"{i}.sock")} for i in range(projects - 1)}}
        path = state / "podfence.json"
        path.write_text(json.dumps(configuration))
        env = {**os.environ, "XDG_RUNTIME_DIR": str(state)}
        return self.start(name, [*self.tool, self.podfence, "serve", "--config", str(path)], [front], 1, env)

    def load(self, socket, words, core=0):
        """What bench_load tells."""
        command = self.pinned([self.program("load"), socket, *map(str, words)], core)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.returncode}")
        return json.loads(done.stdout)

    def hold(self, socket, words):
        """A load that holds its connections, until its standard input is closed."""
        process = subprocess.Popen(self.pinned([self.program("load"), socket, *map(str, words)], 0), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        if not process.stdout.readline():
            raise RuntimeError(f"{' '.join(map(str, words))}: {process.stderr.read().strip()}")
        return process

    def requests(self, engine):
        """That came in so far at that engine."""
        import http.client
        import socket
        client = http.client.HTTPConnection("d")
        client.sock = socket.socket(socket.AF_UNIX)
        client.sock.connect(self.sockets[engine])
        client.request("GET", "/bench/requests")
        count = int(client.getresponse().read())
        client.close()
        return count
