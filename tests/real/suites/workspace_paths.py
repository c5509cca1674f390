"""Paths below workspaces: how they are mounted on a Podman that opens them safely, and on every Podman where the operator has
said `insecure_bind_subpaths`; what is looked at before each start; and what of a workspace for reading only stays that way."""

import io
import os
import shutil
import tarfile
from contextlib import contextmanager

from check import check, contains, equal, lacks, skip
from clients import API, LIBPOD, fails, ok, says, wait_for_end
from workspace_races import SECRET, Place, has_sub_paths
from world import IMAGE

FORMS = ("Binds", "Mounts", "libpod mounts")


def _create(project, form, source, command, read_only=False, name="below", target="/x"):
    """The same mount as the three forms have it."""
    mode = ["ro"] if read_only else []
    if form == "Binds":
        return project.post(f"{API}/containers/create?name={name}", {
            "Image": IMAGE, "Cmd": command, "HostConfig": {"Binds": [":".join([source, target, *mode])]}})
    if form == "Mounts":
        return project.post(f"{API}/containers/create?name={name}", {
            "Image": IMAGE, "Cmd": command,
            "HostConfig": {"Mounts": [{"Type": "bind", "Source": source, "Target": target, "ReadOnly": read_only}]}})
    return project.post(f"{LIBPOD}/containers/create", {
        "image": IMAGE, "name": name, "command": command,
        "mounts": [{"type": "bind", "source": source, "destination": target, "options": ["rbind", *mode]}]})


def _output(project, name="below"):
    """Starts the container and waits for its end."""
    started = project.post(f"{API}/containers/{name}/start")
    check(started.status == 204, f"{name} starts", started)
    wait_for_end(project, name, timeout=30)
    return project.get(f"{LIBPOD}/containers/{name}/logs?stdout=true&stderr=true").text


def _remove(project, name="below"):
    answer = project.delete(f"{LIBPOD}/containers/{name}?force=true&timeout=0")
    check(answer.status in (200, 204), f"{name} is removed", answer)


def _archive(name="planted"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    return data.getvalue()


@contextmanager
def _loose(world):
    """A podfence of its own before the same engine, whose project `loose` may bind paths below p1's workspace."""
    workspace = {"client": "/workspace", "host": str(world.engine.home / "workspace-p1")}
    with world.another("loose", {"loose": {"insecure_bind_subpaths": True, "workspace": [workspace]}}) as fence:
        contains(fence.log(), "insecure_bind_subpaths", "the opening is told at the start")
        project = fence.projects["loose"]
        try:
            yield project
        finally:
            world.clear(project)


def _each_form(world, project):
    """Directories and files below the workspace, in every form: content, options, and what answers say of them."""
    host = str(world.engine.home / "workspace-p1")
    command = ["sh", "-c", "cat /x/canary; echo new >/x/written && echo wrote; grep ' /x ' /proc/self/mountinfo"]
    for form in FORMS:
        for read_only in (False, True):
            what = f"{form}{' ro' if read_only else ''}"
            equal(_create(project, form, "/workspace/sub", command, read_only).status, 201, f"{what} is created")
            output = _output(project)
            contains(output, "inside", f"{what} shows the directory")
            equal("wrote" in output, not read_only, f"{what} is written to: {not read_only}")
            options = next((line for line in output.splitlines() if " /x " in line), "").partition(" /x ")[2].split(" ")[0]
            equal(sorted(set(options.split(",")) & {"rw", "ro", "nosuid", "nodev"}),
                  sorted(["nosuid", "nodev", "ro" if read_only else "rw"]), f"{what} has the forced options")
            _shown(project, what, host)
            _remove(project)
        equal(_create(project, form, "/workspace/canary", ["cat", "/etc/canary"], True, target="/etc/canary").status, 201,
              f"{form} of a file is created")
        contains(_output(project), "root", f"{form} shows the file")
        _remove(project)


def _shown(project, what, host):
    for target in (f"{API}/containers/below/json", f"{LIBPOD}/containers/below/json"):
        document = project.get(target).json()
        equal([(mount["Type"], mount["Source"], mount.get("Name")) for mount in document["Mounts"]],
              [("bind", "/workspace/sub", None)], f"{what}: {target}")
        equal([bind.split(":")[0:2] for bind in document["HostConfig"]["Binds"]], [["/workspace/sub", "/x"]],
              f"{what}: {target}: Binds")
    listed = project.get(f"{API}/containers/json?all=1").json()
    equal([mount["Source"] for mount in listed[0]["Mounts"]], ["/workspace/sub"], f"{what}: the list")
    for target in (f"{API}/containers/below/json", f"{LIBPOD}/containers/below/json", f"{API}/containers/json?all=1",
                   f"{LIBPOD}/containers/json?all=true", f"{API}/system/df", f"{LIBPOD}/system/df", f"{API}/volumes",
                   f"{LIBPOD}/volumes/json"):
        answer = project.get(target)
        lacks(answer.text, host, f"{what}: {target} does not say where it is")
        lacks(answer.text, "podfence.", f"{what}: {target} does not say how it is mounted")


def _absent(world, project):
    """What is missing, or a link: refused with a clear line, and nothing is made."""
    place = Place(world).fill()
    before = place.listing()
    for source in ("/workspace/missing", "/workspace/missing/deeper", "/workspace/.secret", "/workspace/.up", "/workspace/.here/sub",
                   "/workspace/.secret/canary", "/workspace/canary/below"):
        for form in FORMS:
            answer = _create(project, form, source, ["true"])
            equal((answer.status, answer.json().get("cause")), (409, "mount.source-absent"), f"{form} of {source}")
            contains(answer.text, source, f"{form} of {source} is named")
    ran = fails(project.docker("run", "--rm", "-v", "/workspace/missing:/x", IMAGE, "true"), part="/workspace/missing")
    lines = [line for line in ran.err.splitlines() if "workspace" in line]
    equal(len(lines), 1, "docker prints one line")
    contains(ran.err, "the path is not in the workspace", "and it says why")
    fails(project.podman("run", "--rm", "-v", "/workspace/missing:/x", IMAGE, "true"), part="the path is not in the workspace")
    equal(place.listing(), before, "nothing was made")


def _while_swapped(world, project, requests):
    """What was in place at the create and is a link now: refused, and Podman is not asked."""
    place = Place(world)
    place.user("sh", "-c", "mv sub .away && ln -s .secret sub")
    for method, target, content in requests:
        answer = project.call(method, target, content, fields=[("Content-Type", "application/x-tar")] if content else ())
        equal(answer.status, 409, f"{method} {target} is refused while the path is a link")
        lacks(answer.text, SECRET, f"{method} {target} shows nothing")
    place.user("sh", "-c", "rm sub && mv .away sub")


def test_by_volume(world):
    """Podman 5.4 and later, by default."""
    if not has_sub_paths(world):
        skip("paths below a workspace by a volume", "this Podman has no sub-paths")
        return
    Place(world).fill()
    _each_form(world, world.p1)
    _absent(world, world.p1)
    p1, direct = world.p1, world.engine.direct
    volumes = [each["Name"] for each in direct.get(f"{LIBPOD}/volumes/json").json() if each["Name"].startswith("podfence.")]
    equal(len(volumes), 1, "one volume of podfence's own has been made")
    for method, target in (("GET", f"{API}/volumes/{volumes[0]}"), ("DELETE", f"{API}/volumes/{volumes[0]}"),
                           ("DELETE", f"{LIBPOD}/volumes/{volumes[0]}")):
        equal(p1.call(method, target).status, 404, f"{method} {target} finds nothing")
    equal(p1.post(f"{API}/volumes/create", {"Name": volumes[0]}).status, 403, "its name is reserved")
    equal(p1.docker("run", "--rm", "-v", f"{volumes[0]}:/x", IMAGE, "true").code != 0, True, "it cannot be mounted")
    ok(p1.docker("volume", "prune", "-f"))
    ok(p1.podman("volume", "prune", "-f"))
    equal(direct.get(f"{LIBPOD}/volumes/{volumes[0]}/json").status, 200, "a prune leaves it alone")
    says(p1.docker("run", "--rm", "-v", "/workspace/sub:/x:ro", IMAGE, "cat", "/x/canary"), "inside")
    says(p1.podman("run", "--rm", "-v", "/workspace/sub:/x", IMAGE, "cat", "/x/canary"), "inside")
    equal((world.engine.home / "workspace-p1").stat().st_uid, world.engine.account.pw_uid, "the workspace has the owner it had")


def test_owner_stays(world):
    """The volume does not give the workspace to a container's user, nor fill it with what the image has at that place."""
    if not has_sub_paths(world):
        skip("a volume leaves the workspace as it is", "this Podman has no sub-paths")
        return
    place, p1 = Place(world).fill(), world.p1
    world.engine.podman("volume", "rm", "-f", *[each["Name"] for each in world.engine.direct.get(f"{LIBPOD}/volumes/json").json()
                                                if each["Name"].startswith("podfence.")])
    place.user("find", ".", "-mindepth", "1", "-delete")
    place.user("mkdir", "sub")
    equal(p1.post(f"{API}/containers/create?name=below", {
        "Image": IMAGE, "Cmd": ["true"], "User": "1234", "HostConfig": {"Binds": ["/workspace/sub:/etc"]}}).status, 201,
        "the container is made")
    place.user("rmdir", "sub")
    equal(p1.post(f"{API}/containers/below/start").status, 409, "it does not start without the directory")
    check(world.engine.direct.post(f"{API}/containers/below/start").status >= 400, "nor past podfence")
    equal(os.listdir(place.workspace), [], "Podman has not filled the empty workspace")
    place.user("mkdir", "sub")
    _output(p1)
    equal((place.workspace.stat().st_uid, os.listdir(place.workspace)), (world.engine.account.pw_uid, ["sub"]),
          "the workspace is as it was")
    _remove(p1)


def test_not_handed_on(world):
    """Podman hands on a volume without the path below it: refused, in pods and in VolumesFrom."""
    if not has_sub_paths(world):
        skip("paths below a workspace handed on", "this Podman has no sub-paths")
        return
    Place(world).fill()
    p1 = world.p1
    equal(_create(p1, "Binds", "/workspace/sub", ["true"]).status, 201, "a container is made")
    for answer in (p1.post(f"{LIBPOD}/pods/create", {"name": "below", "mounts": [
            {"type": "bind", "source": "/workspace/sub", "destination": "/x"}]}),
                   p1.post(f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"VolumesFrom": ["below"]}})):
        equal((answer.status, answer.json().get("cause")), (403, "mount.handed-on"), "it is not handed on")
    _remove(p1)


def test_by_bind(world):
    """insecure_bind_subpaths, on every Podman."""
    with _loose(world) as loose:
        Place(world).fill()
        _each_form(world, loose)
        _absent(world, loose)
        command = ["sh", "-c", "cat /x/canary; sleep 100"]
        names = [f"swapped-{number}" for number in range(len(FORMS))]
        Place(world).fill()
        for name, form in zip(names, FORMS):
            equal(_create(loose, form, "/workspace/sub", command, name=name).status, 201, f"{form} is created")

        def requests(name):
            yield "POST", f"{API}/containers/{name}/start", None
            yield "POST", f"{API}/containers/{name}/restart?t=0", None
            yield "POST", f"{LIBPOD}/containers/{name}/start", None
            yield "POST", f"{LIBPOD}/containers/{name}/restart?t=0", None
            yield "POST", f"{LIBPOD}/containers/{name}/init", None
            yield "GET", f"{API}/containers/{name}/archive?path=/x/canary", None
            yield "PUT", f"{API}/containers/{name}/archive?path=/x", _archive()
        _while_swapped(world, loose, [each for name in names for each in requests(name)])
        equal(sorted(os.listdir(world.engine.home / "races-secret")), ["canary"], "nothing was written beside the workspace")
        for name in names:
            equal(loose.post(f"{API}/containers/{name}/start").status, 204, f"{name} starts when the directory is back")
            _remove(loose, name)
        _pods_by_bind(world, loose)


def _pods_by_bind(world, loose):
    """A pod mounts the path for its containers, and its start looks at it too."""
    mounts = [{"type": "bind", "source": "/workspace/sub", "destination": "/x", "options": ["ro"]}]
    equal(loose.post(f"{LIBPOD}/pods/create", {"name": "swapped", "mounts": mounts}).status, 201, "a pod is made")
    loose.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": "member", "pod": "swapped", "command": ["cat", "/x/canary"]})
    _while_swapped(world, loose, [("POST", f"{LIBPOD}/pods/swapped/start", None), ("POST", f"{LIBPOD}/pods/swapped/restart", None),
                                  ("POST", f"{API}/containers/member/start", None)])
    equal(loose.post(f"{LIBPOD}/pods/swapped/start").status, 200, "the pod starts when the directory is back")
    contains(world.engine.podman("logs", "member"), "inside", "its container sees the directory")
    loose.delete(f"{LIBPOD}/pods/swapped?force=true")


def test_read_only_stays(world):
    """A workspace for reading only is not written to by way of a copy into a container that does not run, nor by VolumesFrom with
    other options. Past podfence it is."""
    p1, direct = world.p1, world.engine.direct
    host = world.engine.home / "workspace-reference"
    for each in host.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    for form in FORMS:
        equal(_create(p1, form, "/reference", ["sleep", "100"]).status, 201, f"{form} is created")
        for running in (False, True):
            if running:
                p1.post(f"{API}/containers/below/start")
            answer = p1.put(f"{API}/containers/below/archive?path=/x", _archive(), fields=[("Content-Type", "application/x-tar")])
            equal((answer.status, answer.json().get("cause")), (403, "mount.copy"), f"{form}: no copy, running: {running}")
        command = ["sh", "-c", "touch /x/planted; grep ' /x ' /proc/self/mountinfo"]
        heir = {"Image": IMAGE, "Cmd": command, "HostConfig": {"VolumesFrom": ["below:rw"]}}
        equal(p1.post(f"{API}/containers/create?name=heir", heir).status, 201, f"{form}: an heir is made")
        options = _output(p1, "heir").partition(" /x ")[2].split(" ")[0].split(",")
        equal(sorted({"ro", "rw", "nosuid", "nodev"} & set(options)), ["nodev", "nosuid", "ro"], f"{form}: the heir has the same options")
        heir["HostConfig"]["VolumesFrom"] = ["below:ro"]
        equal(p1.post(f"{API}/containers/create", heir).json().get("cause"), "mount.option", f"{form}: ro would drop nosuid and nodev")
        _remove(p1, "heir")
        _remove(p1)
    equal(os.listdir(host), [], "nothing was written to the workspace")
    _create(direct, "Binds", str(host), ["true"], True)
    direct.put(f"{API}/containers/below/archive?path=/x", _archive(), fields=[("Content-Type", "application/x-tar")])
    equal(os.listdir(host), ["planted"], "past podfence a copy writes to it")
    (host / "planted").unlink()
    _remove(direct)
