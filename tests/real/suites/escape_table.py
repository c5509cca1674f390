"""Ways out of a container, or into another project, that the API of Podman offers: each with the request and with what would
be seen on the host, or in the container's output, if it worked. Numbers are those of a public study of the create bodies."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from world import IMAGE

SECRET = "host-file-secret"
READ = ["cat", "/x/secret"]


@dataclass
class Escape:
    name: str
    path: str
    content: object = None
    shown: str = ""            # the container's output holds this when the escape works
    effect: object = None      # function: has the host been touched?
    names: str = ""            # the refusal's sentence holds this
    hidden: bool = False       # refused as if the thing named were absent
    no_bite: str = ""          # why it does no harm on this Podman when nothing stops it
    fields: tuple = ()
    follow: object = field(default=None)   # a container create that uses what the request made


def docker(host=None, command=READ, **fields):
    return {"Image": IMAGE, "Cmd": command, "HostConfig": host or {}, **fields}


def libpod(command=READ, **fields):
    return {"image": IMAGE, "command": command, **fields}


def mount(**fields):
    return docker({"Mounts": [fields]})


def table(world, host):
    """`host` is a directory of the Podman user with a file `secret` in it."""
    it, ids = world.neighbour, world.neighbour.ids
    create, create_libpod = "/containers/create", "/libpod/containers/create"
    relative = f"./{Path(host).name}"
    written = Path(host) / "written"
    up, work = Path(host) / "up", Path(host) / "work"

    def appears(path):
        return lambda: Path(path).exists()

    def holds(path, text):
        return lambda: Path(path).exists() and text in Path(path).read_text(errors="replace")

    def overlay(options):
        return [*options, f"upperdir={up}", f"workdir={work}"]

    write_x = ["sh", "-c", "echo out > /x/written-by-container"]
    own_network = ["readlink", "/proc/self/ns/net"]
    status_of_self = ["sh", "-c", "cat /proc/self/status"]
    rows = [
        # Host files through mounts
        Escape("1.1 bind", create, docker({"Binds": [f"{host}:/x"]}), SECRET, names=str(host)),
        Escape("1.2 bind relative to the service", create, docker({"Binds": [f"{relative}:/x"]}), SECRET, names=relative),
        Escape("1.3 bind makes directories", create, docker({"Binds": [f"{host}/new/a:/x"], "PidMode": "container:none"}),
               effect=appears(f"{host}/new/a"), names="new/a"),
        Escape("1.4 mount of type bind", create, mount(Type="bind", Source=str(host), Target="/x"), SECRET, names=str(host)),
        Escape("1.5 injection through Type", create, mount(Type=f"bind,src={host}", Target="/x"), SECRET, names="bind"),
        Escape("1.6 injection through Consistency", create,
               mount(Type="bind", Target="/x", Consistency=f"cached,src={host}"), SECRET, names="onsistency"),
        Escape("1.7 injection through Target", create, mount(Type="", Target=f"/x,type=bind,src={host}"), SECRET, names='allowed: ""'),
        Escape("1.9 injection of volume options", create, mount(
            Type="volume", Target=f"/x,volume-opt=type=none,volume-opt=o=bind,volume-opt=device={host}"), SECRET, names="/x"),
        Escape("1.11 bind without a source", create, docker({"Mounts": [{"Type": "bind", "Target": str(host)}]},
                                                           ["cat", f"{host}/secret"]), SECRET, names='mounted: ""'),
        Escape("1.13 bind as the key of Volumes", create, docker(Volumes={f"{host}:/x:ro": {}}), SECRET, names=str(host)),
        Escape("1.14 libpod mount", create_libpod, libpod(mounts=[
            {"type": "bind", "source": str(host), "destination": "/x"}]), SECRET, names=str(host)),
        Escape("1.15 libpod mount of no type", create_libpod, libpod(mounts=[
            {"type": "none", "source": str(host), "destination": "/x", "options": ["rbind"]}]), SECRET, names="none"),
        Escape("1.15 libpod mount of type ext4", create_libpod, libpod(mounts=[
            {"type": "ext4", "source": str(host), "destination": "/x", "options": ["rbind"]}]), SECRET, names="ext4"),
        Escape("1.16 libpod mount of sysfs", create_libpod, libpod(["ls", "/x"], mounts=[
            {"type": "sysfs", "source": "s", "destination": "/x"}]), "kernel", names="sysfs"),
        Escape("1.17 overlay volume", create_libpod, libpod(overlay_volumes=[{"source": str(host), "destination": "/x"}]),
               SECRET, names="overlay_volumes"),
        Escape("1.18 overlay volume with an upper directory", create_libpod, libpod(write_x, overlay_volumes=[
            {"source": str(host), "destination": "/x", "options": overlay([])}]),
               effect=appears(up / "written-by-container"), names="overlay_volumes"),
        Escape("1.19 upper directory over a named volume", create, docker(
            {"Binds": ["own:/x:" + ",".join(overlay(["O"]))]}, write_x), effect=appears(up / "written-by-container"), names="O"),
        Escape("1.20 upper directory over a libpod volume", create_libpod, libpod(write_x, volumes=[
            {"Name": "own", "Dest": "/x", "Options": overlay(["O"])}]), effect=appears(up / "written-by-container"), names="O"),
        Escape("1.21 libpod volume with a device", create_libpod, libpod(volumes=[
            {"Dest": "/x", "Options": ["volume-opt=type=none", "volume-opt=o=bind", f"volume-opt=device={host}"]}]),
               SECRET, names="volume-opt"),
        Escape("1.22 volume that is a bind", "/volumes/create", {"Name": "trap", "DriverOpts": {
            "type": "none", "o": "bind", "device": str(host)}}, SECRET, names="DriverOpts",
               follow=docker({"Binds": ["trap:/x"]})),
        Escape("1.22 libpod volume that is a bind", "/libpod/volumes/create", {"Name": "trap", "Options": {
            "type": "bind", "o": "rbind", "device": str(host)}}, SECRET, names="Options", follow=docker({"Binds": ["trap:/x"]})),
        Escape("1.25 root file system of the host", create_libpod, {
            "rootfs": str(host), "image": "", "command": ["/secret"]}, effect=lambda: _made(world, "escape"), names="rootfs"),
        Escape("1.26 init program of the host", create_libpod, libpod(["true"], init=True, init_path=f"{host}/secret"),
               effect=lambda: _made(world, "escape"), names="init_path"),
        Escape("1.28 change of owner", create, docker({"Binds": [f"{host}/owned:/x:U"]}, ["true"], User="1000"),
               effect=lambda: (Path(host) / "owned").stat().st_uid != world.engine.account.pw_uid, names="owned"),
        # Host files without a mount
        Escape("2.1 log file", create_libpod, libpod(["echo", "line"], log_configuration={
            "driver": "k8s-file", "path": str(written)}), effect=holds(written, "line"), names="path"),
        Escape("2.2 log file by option", create, docker({"LogConfig": {"Type": "k8s-file", "Config": {"path": str(written)}}},
                                                       ["echo", "line"]), effect=holds(written, "line"), names="path"),
        Escape("2.2 log file by option in another case", create, docker(
            {"LogConfig": {"Type": "k8s-file", "Config": {"PaTh": str(written)}}}, ["echo", "line"]),
               effect=holds(written, "line"), names="PaTh"),
        Escape("2.2 log file by driver option", create, docker(
            {"LogConfig": {"Type": "none", "Config": {"driver": "k8s-file", "path": str(written)}}}, ["echo", "line"]),
               effect=holds(written, "line"), names=""),
        Escape("2.3 file of the monitor's pid", create_libpod, libpod(["true"], conmon_pid_file=str(written)),
               effect=appears(written), names="conmon_pid_file"),
        Escape("2.3 file of the monitor's pid of a pod", "/libpod/pods/create", {
            "name": "escape", "infra_conmon_pid_file": str(written)}, effect=lambda: _made(world, "escape", "pods"),
               names="infra_conmon_pid_file"),
        Escape("2.5 file removed with the container", create, docker({"ContainerIDFile": f"{host}/secret"}, ["true"]),
               effect=lambda: not (Path(host) / "secret").exists(), names="ContainerIDFile",
               no_bite="Podman 4.4 and later remove the file"),
        Escape("2.7 profile of the host", create, docker({"SecurityOpt": [f"seccomp={host}/secret"]}, ["true"]),
               effect=lambda: False, names="seccomp", no_bite="what it tells stands in the error text"),
        Escape("2.9 import of a host file", f"/libpod/images/import?{urlencode({'url': f'{host}/image.tar'})}",
               effect=lambda: _image(world, host), names="import"),
        Escape("2.9 compat import of a host file", f"/images/create?{urlencode({'fromSrc': f'{host}/image.tar', 'repo': 'localhost/stolen'})}",
               effect=lambda: _image(world, host), names="fromSrc"),
        Escape("2.11 push to a host directory", f"/images/{IMAGE}/push?{urlencode({'destination': f'dir:{host}/pushed'})}",
               effect=appears(f"{host}/pushed"), names="push"),
        Escape("2.12 secret in a host directory", "/libpod/secrets/create?" + urlencode(
            {"name": "escape", "driver": "file", "driveropts": '{"path":"%s/secrets"}' % host}), b"value",
               effect=appears(f"{host}/secrets"), names="secrets"),
        Escape("2.14 environment of the service", create, docker(command=["env"], Env=["PODFENCE_CANARY"]),
               "engine-environment", names="PODFENCE_CANARY"),
        Escape("2.14 whole environment of the service", create, docker(command=["env"], Env=["PODFENCE*"]),
               "engine-environment", names="PODFENCE*"),
        Escape("2.15 env_host", create_libpod, libpod(["env"], env_host=True), "engine-environment", names="env_host"),
        Escape("2.16 accounts of the host", create_libpod, libpod(["cat", "/etc/passwd"], hostusers=[world.engine.account.pw_name]),
               world.engine.account.pw_name, names="hostusers"),
        Escape("2.17 build", "/build?t=localhost/escape&dockerfile=../../secret", b"", effect=lambda: False, names="build",
               no_bite="needs a context; the whole endpoint is refused"),
        # Code on the host
        Escape("3.1 secret that runs commands", "/libpod/secrets/create?" + urlencode({
            "name": "escape", "driver": "shell", "driveropts":
            '{"list":"true","lookup":"true","store":"touch %s","delete":"true"}' % written}), b"value",
               effect=appears(written), names="secrets"),
        Escape("3.6 unit of the host by label", create, docker(command=["true"], Labels={"io.containers.autoupdate": "registry"}),
               effect=lambda: _made(world, "escape"), names="io.containers.autoupdate"),
        # Namespaces and other containers
        Escape("4.1 processes of the host", create, docker({"PidMode": "host"}, ["ps"]), "podman system service", names="host"),
        Escape("4.1 processes of the host, libpod", create_libpod, libpod(["ps"], pidns={"nsmode": "host"}),
               "podman system service", names="host"),
        Escape("4.2 processes of another project", create, docker({"PidMode": f"container:{it.container}"},
                                                                  ["sh", "-c", "tr '\\0' ' ' < /proc/1/environ"]),
               "env-canary", hidden=True),
        Escape("4.3 network of the host", create, docker({"NetworkMode": "host"}, own_network),
               os.readlink("/proc/self/ns/net"), names="host"),
        Escape("4.3 network of the host, libpod", create_libpod, libpod(own_network, netns={"nsmode": "host"}),
               os.readlink("/proc/self/ns/net"), names="host"),
        Escape("4.4 network of another project", create, docker({"NetworkMode": f"container:{ids['container']}"}, ["true"]),
               effect=lambda: _made(world, "escape"), hidden=True),
        Escape("4.5 namespace by path", create_libpod, libpod(["true"], netns={"nsmode": "path", "value": "/proc/1/ns/net"}),
               effect=lambda: False, names="path", no_bite="the path of process 1 is not the user's to open"),
        Escape("4.6 loopback of the host", create, docker({"NetworkMode": "slirp4netns:allow_host_loopback=true"}, ["true"]),
               effect=lambda: _made(world, "escape"), names="slirp4netns"),
        Escape("4.10 inter-process communication of the host", create, docker({"IpcMode": "host"}, ["true"]),
               effect=lambda: _made(world, "escape"), names="host",
               no_bite="" if os.path.exists("/dev/mqueue") else "this machine has no /dev/mqueue"),
        Escape("4.10 host name of the host", create, docker({"UTSMode": "host"}, ["true"]),
               effect=lambda: _made(world, "escape"), names="host"),
        Escape("4.11 user namespace", create, docker({"UsernsMode": "auto"}, ["true"]),
               effect=lambda: _made(world, "escape"), names="auto"),
        Escape("4.12 volumes of another project's container", create, docker({"VolumesFrom": [it.container]}, ["cat", "/data/file"]),
               "volume-canary", hidden=True),
        Escape("4.12 volume of another project", create, docker({"Binds": [f"{it.volume}:/x"]}, ["cat", "/x/file"]),
               "volume-canary", hidden=True),
        Escape("4.15 pod of another project", create_libpod, libpod(["true"], pod=it.pod),
               effect=lambda: _made(world, "escape"), hidden=True),
        Escape("4.18 commit of another project's container", f"/commit?container={it.container}&repo=localhost/stolen",
               {}, effect=lambda: _image(world, host), names="commit"),
        # Privileges
        Escape("5.1 privileged", create, docker({"Privileged": True}, status_of_self), "CapEff:\t000001ffffffffff", names="rivileged"),
        Escape("5.2 capabilities", create, docker({"CapAdd": ["SYS_ADMIN"]}, status_of_self),
               effect=lambda: _made(world, "escape"), names="SYS_ADMIN"),
        Escape("5.3 no system call filter", create, docker({"SecurityOpt": ["seccomp=unconfined"]}, status_of_self),
               "Seccomp:\t0", names="seccomp"),
        Escape("5.4 unmasked paths", create_libpod, libpod(["true"], unmask=["ALL"]), effect=lambda: _made(world, "escape"),
               names="unmask"),
        Escape("5.7 device of the host", create, docker({"Devices": [
            {"PathOnHost": "/dev/fuse", "PathInContainer": "/dev/fuse", "CgroupPermissions": "rwm"}]}, ["ls", "/dev/fuse"]),
               "/dev/fuse", names="Devices"),
        Escape("5.10 parent control group", create, docker({"CgroupParent": "../../x"}, ["true"]),
               effect=lambda: _made(world, "escape"), names="CgroupParent"),
        Escape("5.26 network on an interface of the host", "/libpod/networks/create", {
            "name": "escape", "driver": "macvlan", "network_interface": "lo"}, effect=lambda: _made(world, "escape", "networks"),
               names="driver", no_bite="the interface must fit"),
    ]
    return rows


def _made(world, name, kind="containers"):
    return world.engine.direct.get(f"/v4.0.0/libpod/{kind}/{name}/json").status == 200


def _image(world, host):
    """An image that was not there before (import, commit)."""
    images = world.engine.direct.get("/v4.0.0/libpod/images/json").json()
    return any(not image.get("RepoTags") or "stolen" in str(image["RepoTags"]) for image in images)
