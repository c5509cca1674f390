"""Containers and their exec sessions, by both APIs."""

from exchanges.archives import tar_of
from exchanges.play import Exchange as X
from world import IMAGE

SPEAKS = ["sh", "-c", "echo said; echo complained >&2; trap 'exit 3' TERM; sleep 100000 & wait"]
LABELS = {"parity": "yes"}
OWN = 'filters={{"label":["parity=yes"]}}'
ALL = f"all=true&{OWN}"
TAR = (("Content-Type", "application/x-tar"),)
EXEC = {"Cmd": ["sh", "-c", "cat; echo wrong >&2; exit 4"], "AttachStdin": True, "AttachStdout": True, "AttachStderr": True, "Env": ["A=b"],
        "WorkingDir": "/tmp"}


def _docker(command, host=None, **fields):
    return {"Image": IMAGE, "Cmd": command, "Labels": LABELS, "Env": ["WORD=one"], "HostConfig": host or {}, **fields}


def _libpod(command, **fields):
    return {"image": IMAGE, "command": command, "labels": LABELS, "env": {"WORD": "one"}, **fields}


def _docker_creates():
    yield X("POST /containers/create", query="name=web", content=_docker(SPEAKS, {"ShmSize": 33554432}, WorkingDir="/tmp", Hostname="front"), made="web")
    yield X("POST /containers/create", query="name=tty", content=_docker(["cat"], Tty=True, OpenStdin=True), made="tty")
    yield X("POST /containers/create", query="name=echo", content=_docker(["head", "-n", "1"], OpenStdin=True, StdinOnce=True, AttachStdin=True), made="echo")
    yield X("POST /containers/create", query="name=web", content=_docker(["true"]))
    yield X("POST /containers/create", query="name=lost", content=_docker(["true"], Image="localhost/absent:latest"))


def _libpod_creates():
    yield X("POST /libpod/containers/create", content=_libpod(SPEAKS, name="web", work_dir="/tmp", hostname="front", shm_size=33554432), made="web")
    yield X("POST /libpod/containers/create", content=_libpod(["cat"], name="tty", terminal=True, stdin=True), made="tty")
    yield X("POST /libpod/containers/create", content=_libpod(["head", "-n", "1"], name="echo", stdin=True), made="echo")
    yield X("POST /libpod/containers/create", content=_libpod(["true"], name="web"))
    yield X("POST /libpod/containers/create", content=_libpod(["true"], image="localhost/absent:latest"))


def _files(api):
    place = f"{api}/containers/{{name}}/archive"
    yield X(f"PUT {place}", "web", "path=/tmp", tar_of([("given", b"a file\n")]), TAR)
    yield X(f"HEAD {place}", "web", "path=/tmp/given")
    yield X(f"GET {place}", "web", "path=/tmp/given")
    yield X(f"GET {place}", "web", "path=/absent")
    yield X(f"HEAD {place}", "web", "path=/absent")
    yield X(f"GET {api}/containers/{{name}}/changes", "web")


def _sessions(api):
    container, session = f"{api}/containers/{{name}}/exec", f"{api}/exec/{{id}}"
    yield X(f"POST {container}", "web", content=EXEC, made="session")
    yield X(f"GET {session}/json", "{session}")
    yield X(f"GET {api}/containers/{{name}}/json", "web")
    yield X(f"POST {session}/resize", "{session}", "h=10&w=20")
    yield X(f"POST {session}/start", "{session}", content={"Detach": False, "Tty": False}, meanwhile=True, data=b"heard\n")
    yield X(f"GET {session}/json", "{session}", until='"Running":false')
    yield X(f"POST {session}/start", "{session}", content={"Detach": False, "Tty": False})
    yield X(f"POST {container}", "web", content={"Cmd": ["sleep", "1000"], "Tty": True, "AttachStdout": True}, made="second")
    yield X(f"POST {session}/start", "{second}", content={"Detach": True, "Tty": True})
    yield X(f"POST {session}/resize", "{second}", "h=10&w=20")
    yield X(f"POST {container}", "web", content={"Cmd": []})


def _life(api):
    one = f"{api}/containers/{{name}}"
    yield X(f"GET {api}/containers/json", query=ALL)
    yield X(f"GET {api}/containers/json", query=OWN)
    yield X(f"GET {one}/json", "web")
    yield from _files(api)
    yield X(f"POST {one}/start", "web")
    yield X(f"POST {one}/start", "web")
    yield X(f"GET {one}/logs", "web", "stdout=true&stderr=true", until="complained")
    yield X(f"GET {one}/logs", "web", "stdout=true&tail=1")
    yield X(f"GET {one}/logs", "web")
    yield X(f"GET {one}/json", "web", "size=true")
    yield X(f"GET {api}/containers/json", query=f"{OWN}&size=true")
    yield X(f"GET {one}/top", "web")
    yield X(f"GET {one}/stats", "web", "stream=false")
    yield from _sessions(api)
    yield X(f"POST {one}/rename", "web", "name=renamed")
    yield X(f"POST {one}/rename", "renamed", "name=tty")
    yield X(f"POST {one}/rename", "renamed", "name=web")
    yield X(f"POST {one}/pause", "web")
    yield X(f"POST {one}/unpause", "web")
    yield X(f"POST {one}/kill", "web", "signal=URG")
    yield X(f"POST {one}/kill", "web", "signal=NONE")
    yield X(f"POST {one}/restart", "web", "t=5")
    yield X(f"DELETE {one}", "web")
    yield X(f"POST {one}/stop", "web", "t=5" if not api else "timeout=5")
    yield X(f"POST {one}/stop", "web", "t=5" if not api else "timeout=5")
    yield X(f"POST {one}/wait", "web")
    yield X(f"POST {one}/kill", "web")
    yield X(f"POST {one}/wait", "web", "condition=nonsense")
    yield X(f"GET {one}/json", "web")
    yield X(f"GET {one}/top", "web")
    yield X(f"POST {one}/resize", "web", "h=10&w=20")
    yield X(f"GET {one}/export", "web")


def _streams(api):
    one = f"{api}/containers/{{name}}"
    everything = "stream=true&stdin=true&stdout=true&stderr=true"
    yield X(f"POST {one}/attach", "echo", everything, meanwhile=X(f"POST {one}/start", "echo"), data=b"heard\n")
    yield X(f"POST {one}/wait", "echo")
    yield X(f"POST {one}/start", "tty")
    yield X(f"POST {one}/resize", "tty", "h=10&w=20")
    yield X(f"POST {one}/resize", "tty", "h=0&w=0")
    yield X(f"POST {one}/kill", "tty")
    yield X(f"POST {one}/wait", "tty")


def _end(api):
    one = f"{api}/containers/{{name}}"
    yield X(f"POST {api}/commit", query="container=web&repo=localhost/kept&tag=one&comment=said&author=somebody&format=docker&changes=ENV%20A%3Db", content={}, made="kept")
    yield X("GET /libpod/images/{name:.*}/json", "{kept}")
    yield X("DELETE /libpod/images/{name:.*}", "localhost/kept:one")
    yield X(f"POST {one}/update", "web", content={"Memory": 134217728} if not api else {"memory": {"limit": 134217728}})
    yield X(f"DELETE {one}", "web", "v=true")
    yield X(f"DELETE {one}", "tty", "force=true")
    yield X(f"POST {api}/containers/prune", query=OWN)
    yield X(f"POST {api}/containers/prune", query=OWN)


def by_docker():
    yield from _docker_creates()
    yield from _life("")
    yield from _streams("")
    yield from _end("")


def by_libpod():
    one = "/libpod/containers/{name}"
    yield from _libpod_creates()
    yield X(f"GET {one}/exists", "web")
    yield X(f"POST {one}/init", "web")
    yield X(f"POST {one}/init", "web")
    yield from _life("/libpod")
    yield X(f"POST {one}/start", "web")
    yield X("GET /libpod/containers/stats", query="containers=web&stream=false")
    yield X("GET /libpod/containers/showmounted")
    yield X("POST /libpod/containers/{name}/exec", "web", content=EXEC, made="session")
    yield X("POST /libpod/exec/{id}/remove", "{session}", content={"Force": True})
    yield X("GET /libpod/exec/{id}/json", "{session}")
    yield X("GET /libpod/containers/{name:.*}/healthcheck", "web")
    yield X(f"POST {one}/kill", "web", "signal=TERM")
    yield X(f"POST {one}/wait", "web", "condition=exited")
    yield X("POST /libpod/containers/create", content={"image": "localhost/health:latest", "name": "well", "labels": LABELS,
                                                       "command": ["sleep", "1000"]}, made="well")
    yield X(f"POST {one}/start", "well")
    yield X("GET /libpod/containers/{name:.*}/healthcheck", "well")
    yield X(f"GET {one}/json", "well")
    yield X(f"DELETE {one}", "well", "force=true&timeout=0")
    yield from _streams("/libpod")
    yield from _end("/libpod")
