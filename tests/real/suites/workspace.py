"""Workspaces and the engine's socket: each project has its own directories, by its own names for them, and a container that
is given the engine's socket is fenced in as its project."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from check import check, contains, equal, lacks
from clients import API, LIBPOD, fails, ok, says, wait_for_end
from workspace_races import has_sub_paths
from world import IMAGE, LABEL

SOCKET = "/var/run/docker.sock"


def _directories(world):
    return {name: world.engine.home / f"workspace-{name}" for name in ("p1", "p10", "reference")}


def _fill(world):
    """Known content, and nothing else. The directories themselves stay, since podfence knows them."""
    directories = _directories(world)
    for name, path in directories.items():
        for inside in path.iterdir():
            shutil.rmtree(inside) if inside.is_dir() and not inside.is_symlink() else inside.unlink()
        (path / "sub").mkdir()
        (path / "file").write_text("canary\n" if name == "p10" else f"content of {name}\n")
        for made in (path / "sub", path / "file"):
            os.chown(made, world.engine.account.pw_uid, world.engine.account.pw_gid)
    return directories


def _forms(source, target, command, read_only=False):
    """The same mount as the three forms have it: name, path, content."""
    mode = ["ro"] if read_only else []
    yield "Binds", f"{API}/containers/create?name=mounts", {
        "Image": IMAGE, "Cmd": command, "HostConfig": {"Binds": [":".join([source, target, *mode])]}}
    yield "Mounts", f"{API}/containers/create?name=mounts", {
        "Image": IMAGE, "Cmd": command,
        "HostConfig": {"Mounts": [{"Type": "bind", "Source": source, "Target": target, "ReadOnly": read_only}]}}
    yield "libpod mounts", f"{LIBPOD}/containers/create", {
        "image": IMAGE, "name": "mounts", "command": command,
        "mounts": [{"type": "bind", "source": source, "destination": target, "options": ["rbind", *mode]}]}


def _run(project, path, content):
    """The answer to the create, and what the container wrote."""
    answer = project.post(path, content)
    if answer.status != 201:
        return answer, ""
    started = project.post(f"{API}/containers/mounts/start")
    check(started.status == 204, "the container starts", started)
    wait_for_end(project, "mounts", timeout=30)
    logs = project.get(f"{LIBPOD}/containers/mounts/logs?stdout=true&stderr=true")
    return answer, logs.text


def _remove(project):
    project.delete(f"{API}/containers/mounts?force=true")


def _listing(path):
    return sorted(str(each.relative_to(path)) for each in path.rglob("*"))


def test_forms(world):
    """Every form mounts the directory of the project, with nosuid and nodev, and writes land in it as the Podman user's."""
    p1, directories = world.p1, _fill(world)
    command = ["sh", "-c", "cat /x/file; echo new > /x/written && echo wrote; grep ' /x ' /proc/self/mountinfo"]
    for client, host, asks_read_only, writes in (("/workspace", "p1", False, True), ("/workspace/", "p1", True, False),
                                                 ("/reference", "reference", False, False)):
        for form, path, content in _forms(client, "/x", command, asks_read_only):
            what = f"{form} of {client}{' ro' if asks_read_only else ''}"
            answer, output = _run(p1, path, content)
            equal(answer.status, 201, f"{what} is created")
            contains(output, f"content of {host}", f"{what} shows the project's directory")
            equal("wrote" in output, writes, f"{what} is written to: {writes}")
            options = next((line for line in output.splitlines() if " /x " in line), "").partition(" /x ")[2].split(" ")[0]
            equal(sorted(set(options.split(",")) & {"rw", "ro", "nosuid", "nodev"}),
                  sorted(["nosuid", "nodev", "rw" if writes else "ro"]), f"{what} has the forced options")
            written = directories[host] / "written"
            equal(written.exists(), writes, f"{what} writes on the host: {writes}")
            if written.exists():
                equal(written.read_text(), "new\n", f"{what} writes what was written")
                equal(written.stat().st_uid, world.engine.account.pw_uid, f"{what} writes as the Podman user")
                written.unlink()
            _remove(p1)


def test_nosuid_nodev(world):
    """A program with the bit of another user runs without it; a device node opens nothing. Past podfence they do."""
    directories = _fill(world)
    program = directories["p1"] / "su"  # of busybox, which says so when it has not become root
    shutil.copy("/bin/busybox", program)
    os.chown(program, world.engine.account.pw_uid, world.engine.account.pw_gid)
    program.chmod(0o4755)
    node = directories["p1"] / "null"
    os.mknod(node, 0o666 | 0o020000, os.makedev(1, 3))
    node.chmod(0o666)
    command, without_root = ["sh", "-c", "/x/su; cat /x/null && echo opened"], "must be suid"
    for form, path, content in _forms("/workspace", "/x", command):
        content["User" if form != "libpod mounts" else "user"] = "1000"
        _, output = _run(world.p1, path, content)
        contains(output, without_root, f"{form}: a set-user-id program of the workspace runs as its caller")
        lacks(output, "opened", f"{form}: a device node of the workspace does not open")
        _remove(world.p1)
    _, path, content = next(_forms(str(directories["p1"]), "/x", command))
    _, output = _run(world.engine.direct, path, {**content, "User": "1000"})
    lacks(output, without_root, "past podfence the program becomes root of the container")
    contains(output, "opened", "past podfence the device node opens")
    _remove(world.engine.direct)


def test_refused(world):
    """What is no workspace of p1 is refused in every form, and nothing is made on the host."""
    directories = _fill(world)
    host = directories["p1"]
    os.symlink("/etc", host / "link")
    before = {name: _listing(path) for name, path in directories.items()}
    home = sorted(os.listdir(world.engine.home))
    below = "mount.source-absent" if has_sub_paths(world) else "mount.workspace-subpath"
    for source, rule in (("/other", "mount.host-path"), (str(directories["p10"]), "mount.host-path"),
                         (str(host), "mount.host-path"), (f"{host}/sub", "mount.host-path"),
                         ("/workspace/../other", "mount.host-path"), ("/workspace/..", "mount.host-path"),
                         ("/workspace2", "mount.host-path"), ("/etc", "mount.host-path"),
                         (f"{world.engine.home}/absent", "mount.host-path"), ("/workspace/link", below), ("/workspace/absent", below),
                         (world.p10.path, "mount.host-path"), (os.path.dirname(world.p1.path), "mount.host-path")):
        for form, path, content in _forms(source, "/x", ["true"]):
            answer = world.p1.post(path, content)
            equal(answer.status, 409 if rule == "mount.source-absent" else 403, f"{form} of {source} is refused")
            equal(answer.json().get("cause"), rule, f"{form} of {source} is refused by its rule")
            equal(world.engine.direct.get(f"{LIBPOD}/containers/mounts/json").status, 404, f"{form} of {source} makes nothing")
    message = world.p1.post(f"{API}/containers/create", next(_forms("/etc", "/x", ["true"]))[2]).json()["message"]
    contains(message, "/workspace, /reference", "the refusal names p1's workspaces")
    lacks(message, "/other", "the refusal names none of p10's")
    equal({name: _listing(path) for name, path in directories.items()}, before, "nothing was made in a workspace")
    equal(sorted(os.listdir(world.engine.home)), home, "nothing was made beside the workspaces")
    equal(world.p10.docker("run", "--rm", "-v", "/other:/x", IMAGE, "cat", "/x/file").text, "canary", "p10 has its own")


def test_moved(world):
    """A workspace that is gone from the host, or has become a link, is not mounted, and not made."""
    host = _directories(world)["p1"]
    away = host.with_name("workspace-away")
    host.rename(away)
    try:
        for what in ("absent", "a link"):
            if what == "a link":
                os.symlink(away, host)
            for form, path, content in _forms("/workspace", "/x", ["true"]):
                answer = world.p1.post(path, content)
                equal((answer.status, answer.json().get("cause")), (409, "mount.workspace-absent"), f"{form}: {what}")
                contains(answer.text, "/workspace", f"{form}: {what}: the client's path is named")
                lacks(answer.text, str(host), f"{form}: {what}: the host's path is not")
            equal(os.path.lexists(host), what == "a link", f"{what}: nothing was made")
    finally:
        host.unlink(missing_ok=True)
        away.rename(host)


def test_link_as_content(world):
    """A link that p1 leaves in its workspace leads nowhere but inside of its container."""
    _fill(world)
    (world.engine.home / "secret").write_text("host-secret\n")
    ok(world.p1.docker("run", "--rm", "-v", "/workspace:/x", IMAGE, "ln", "-s", f"{world.engine.home}/secret", "/x/link"))
    ran = world.p1.docker("run", "--rm", "-v", "/workspace:/x", IMAGE, "cat", "/x/link")
    contains(ran.err, "No such file", "the link leads nowhere")
    lacks(ran.out, "host-secret", "the link shows nothing of the host")
    (world.engine.home / "secret").unlink()


def test_shown(world):
    """Inspect and lists say the client's paths."""
    directories = _fill(world)
    p1 = world.p1
    hosts = [str(path) for path in directories.values()] + [p1.path]
    sleep = ["sleep", "100"]
    for form, path, content in _forms("/workspace", "/x", sleep):
        equal(p1.post(path, content).status, 201, f"{form} is created")
        for target in (f"{API}/containers/mounts/json", f"{LIBPOD}/containers/mounts/json"):
            document = p1.get(target).json()
            equal([mount["Source"] for mount in document["Mounts"]], ["/workspace"], f"{form}: {target} has the path")
            equal([bind.split(":")[0] for bind in document["HostConfig"]["Binds"]], ["/workspace"], f"{form}: {target}: Binds")
            for host in hosts:
                lacks(json.dumps(document), host, f"{form}: {target}")
        listed = p1.get(f"{API}/containers/json?all=1").json()
        equal([mount["Source"] for mount in listed[0]["Mounts"]], ["/workspace"], f"{form}: the list has the path")
        for target in (f"{API}/containers/json?all=1", f"{LIBPOD}/containers/json?all=true", f"{API}/system/df"):
            for host in hosts:
                lacks(p1.get(target).text, host, f"{form}: {target}")
        _remove(p1)
    equal(p1.post(f"{LIBPOD}/pods/create", {"name": "mounts", "mounts": [
        {"type": "bind", "source": "/reference", "destination": "/x", "options": ["ro"]}]}).status, 201, "a pod mounts it")
    document = p1.get(f"{LIBPOD}/pods/mounts/json").json()
    equal([mount["Source"] for mount in document["mounts"]], ["/reference"], "inspect of a pod has the path")
    p1.delete(f"{LIBPOD}/pods/mounts?force=true")


def test_clients(world):
    """docker, podman and docker-compose, as people type them."""
    _fill(world)
    p1 = world.p1
    says(p1.docker("run", "--rm", "-v", "/workspace:/x:ro", IMAGE, "cat", "/x/file"), "content of p1")
    says(p1.docker("run", "--rm", "--mount", "type=bind,source=/reference,target=/x,readonly", IMAGE, "cat", "/x/file"),
         "content of reference")
    says(p1.podman("run", "--rm", "-v", "/workspace:/x", IMAGE, "cat", "/x/file"), "content of p1")
    says(p1.podman("run", "--rm", "-v", "/workspace:/x:ro", IMAGE, "cat", "/x/file"), "content of p1")
    says(p1.podman("run", "--rm", "--mount", "type=bind,src=/workspace,dst=/x,ro", IMAGE, "cat", "/x/file"), "content of p1")
    says(p1.docker("run", "--rm", "-v", "/workspace:/x:z", IMAGE, "cat", "/x/file"), "content of p1")
    fails(p1.docker("run", "--rm", "-v", "/workspace:/x:U", IMAGE, "true"), part="mount.option")


def _bring_curl(directory, account):
    """curl of the host with all that it is linked with, to be run in an image that has neither."""
    tool = directory / "tool"
    tool.mkdir()
    linked = subprocess.run(["ldd", shutil.which("curl")], capture_output=True, text=True, check=True).stdout
    libraries = [word for word in linked.split() if word.startswith("/")]
    for file in [shutil.which("curl"), *libraries]:
        shutil.copy(file, tool / Path(file).name)
    for path in [tool, *tool.iterdir()]:
        os.chown(path, account.pw_uid, account.pw_gid)
        path.chmod(0o755)
    loader = next(Path(library).name for library in libraries if Path(library).name.startswith("ld-"))
    return ["/tool/" + loader, "--library-path", "/tool", "/tool/curl", "-s", "--max-time", "20"]


def test_engine_socket(world):
    """A container that mounts the engine's socket is a client of its own project, whatever the name of the socket."""
    directories = _fill(world)
    curl = _bring_curl(directories["p1"], world.engine.account)
    p1 = world.p1
    ok(p1.docker("run", "-d", "--name", "beside", IMAGE, "sleep", "100"))
    line = " ".join(["ln -s /x/tool /tool;", *curl, "--unix-socket", SOCKET, "'http://d/v1.41/containers/json?all=1'"])
    for name in (SOCKET, "/run/podman/podman.sock", world.engine.socket_path.replace("podman.sock", "podman/podman.sock"), p1.path):
        for form, path, content in _forms(name, SOCKET, ["sh", "-c", line]):
            host = content.get("HostConfig")
            if host is not None:
                host.setdefault("Binds", []).append("/workspace:/x:ro")
            else:
                content["mounts"].append({"type": "bind", "source": "/workspace", "destination": "/x", "options": ["ro"]})
            answer, output = _run(p1, path, content)
            equal(answer.status, 201, f"{form} of {name} is created")
            names = sorted(item["Names"][0].strip("/") for item in json.loads(output[output.find("["):] or "[]"))
            equal(names, ["beside", "mounts"], f"{form} of {name}: the container sees p1's containers and no other")
            document = p1.get(f"{API}/containers/mounts/json")
            contains(document.text, f'"Source":"{SOCKET}"', f"{form} of {name}: inspect calls it {SOCKET}")
            lacks(document.text, p1.path, f"{form} of {name}: inspect does not say where it is")
            _remove(p1)
    inner = " ".join(["ln -s /x/tool /tool;", *curl, "--unix-socket", SOCKET, "-H 'Content-Type: application/json'",
                      "-d '{\"Image\":\"localhost/bb\",\"HostConfig\":{\"Binds\":[\"/:/x\"]}}'",
                      "http://d/v1.41/containers/create"])
    ran = p1.docker("run", "--rm", "-v", f"{SOCKET}:{SOCKET}", "-v", "/workspace:/x", IMAGE, "sh", "-c", inner)
    contains(ran.out, "mount.host-path", "what it may not do outside, it may not do inside")
    inner = inner.replace('["/:/x"]', '["/workspace:/x"]').replace("containers/create", "containers/create?name=inner")
    ok(p1.docker("run", "--rm", "-v", f"{SOCKET}:{SOCKET}", "-v", "/workspace:/x", IMAGE, "sh", "-c", inner))
    document = world.engine.direct.get(f"{LIBPOD}/containers/inner/json").json()
    equal(document["Config"]["Labels"].get(LABEL), "p1", "what it makes is p1's")
    equal([mount["Source"] for mount in document["Mounts"]], [str(directories["p1"])], "and mounts p1's workspace")
    ok(p1.docker("rm", "-f", "beside", "inner"))
    world.unharmed()
