"""Every served endpoint that takes a reference, as data: what kind of thing it names, and where. `REF` marks the place."""

from world import IMAGE, SLEEP

# Kind, method, path, and optionally the query. Bodies that an endpoint needs are in BODIES.
PATHS = """
container GET    /containers/REF/json
container GET    /containers/REF/json?size=true
container DELETE /containers/REF
container DELETE /containers/REF?force=true&v=true
container POST   /containers/REF/start
container POST   /containers/REF/stop?t=0
container POST   /containers/REF/restart?t=0
container POST   /containers/REF/kill
container POST   /containers/REF/kill?signal=KILL
container POST   /containers/REF/pause
container POST   /containers/REF/unpause
container POST   /containers/REF/wait
container POST   /containers/REF/wait?condition=removed
container POST   /containers/REF/rename?name=stolen
container POST   /containers/REF/update
container POST   /containers/REF/attach?stream=1&stdout=1&stdin=1
container POST   /containers/REF/resize?h=10&w=10
container GET    /containers/REF/logs?stdout=1
container GET    /containers/REF/logs?stdout=1&follow=1
container GET    /containers/REF/stats?stream=false
container GET    /containers/REF/top
container GET    /containers/REF/changes
container GET    /containers/REF/export
container GET    /containers/REF/archive?path=/data
container HEAD   /containers/REF/archive?path=/data
container PUT    /containers/REF/archive?path=/data
container POST   /containers/REF/exec
exec      GET    /exec/REF/json
exec      POST   /exec/REF/start
exec      POST   /exec/REF/resize?h=10&w=10
container GET    /libpod/containers/REF/json
container GET    /libpod/containers/REF/exists
container DELETE /libpod/containers/REF
container DELETE /libpod/containers/REF?force=true&v=true&timeout=0
container POST   /libpod/containers/REF/init
container POST   /libpod/containers/REF/start
container POST   /libpod/containers/REF/stop?timeout=0
container POST   /libpod/containers/REF/restart?t=0
container POST   /libpod/containers/REF/kill?signal=KILL
container POST   /libpod/containers/REF/pause
container POST   /libpod/containers/REF/unpause
container POST   /libpod/containers/REF/wait
container POST   /libpod/containers/REF/wait?condition=stopped
container POST   /libpod/containers/REF/rename?name=stolen
container POST   /libpod/containers/REF/update
container POST   /libpod/containers/REF/attach?stream=1&stdout=1&stdin=1
container POST   /libpod/containers/REF/resize?h=10&w=10
container GET    /libpod/containers/REF/logs?stdout=1
container GET    /libpod/containers/REF/stats?stream=false
container GET    /libpod/containers/REF/top
container GET    /libpod/containers/REF/changes
container GET    /libpod/containers/REF/export
container GET    /libpod/containers/REF/healthcheck
container GET    /libpod/containers/REF/archive?path=/data
container HEAD   /libpod/containers/REF/archive?path=/data
container PUT    /libpod/containers/REF/archive?path=/data
container POST   /libpod/containers/REF/exec
exec      GET    /libpod/exec/REF/json
exec      POST   /libpod/exec/REF/start
exec      POST   /libpod/exec/REF/resize?h=10&w=10
exec      POST   /libpod/exec/REF/remove
pod       GET    /libpod/pods/REF/json
pod       GET    /libpod/pods/REF/exists
pod       DELETE /libpod/pods/REF
pod       DELETE /libpod/pods/REF?force=true
pod       POST   /libpod/pods/REF/start
pod       POST   /libpod/pods/REF/stop
pod       POST   /libpod/pods/REF/restart
pod       POST   /libpod/pods/REF/kill
pod       POST   /libpod/pods/REF/pause
pod       POST   /libpod/pods/REF/unpause
pod       GET    /libpod/pods/REF/top
volume    GET    /volumes/REF
volume    DELETE /volumes/REF
volume    DELETE /volumes/REF?force=true
volume    GET    /libpod/volumes/REF/json
volume    GET    /libpod/volumes/REF/exists
volume    DELETE /libpod/volumes/REF
volume    DELETE /libpod/volumes/REF?force=true
volume    GET    /libpod/volumes/REF/export
volume    POST   /libpod/volumes/REF/import
secret    GET    /secrets/REF
secret    GET    /secrets/REF?showsecret=true
secret    DELETE /secrets/REF
secret    GET    /libpod/secrets/REF/json
secret    GET    /libpod/secrets/REF/json?showsecret=true
secret    GET    /libpod/secrets/REF/exists
secret    DELETE /libpod/secrets/REF
manifest  GET    /libpod/manifests/REF/exists
manifest  GET    /libpod/manifests/REF/json
manifest  PUT    /libpod/manifests/REF
manifest  DELETE /libpod/manifests/REF
network   GET    /networks/REF
network   DELETE /networks/REF
network   POST   /networks/REF/connect
network   POST   /networks/REF/disconnect
network   GET    /libpod/networks/REF
network   GET    /libpod/networks/REF/json
network   GET    /libpod/networks/REF/exists
network   DELETE /libpod/networks/REF
network   DELETE /libpod/networks/REF?force=true
network   POST   /libpod/networks/REF/connect
network   POST   /libpod/networks/REF/disconnect
network   POST   /libpod/networks/REF/update
image     GET    /images/REF/json
image     GET    /images/REF/history
image     DELETE /images/REF
image     DELETE /images/REF?force=true
image     GET    /images/REF/get
image     POST   /images/REF/tag?repo=localhost/stolen&tag=1
image     POST   /images/REF/push
image     GET    /libpod/images/REF/json
image     GET    /libpod/images/REF/get
image     GET    /libpod/images/REF/get?format=oci-archive
image     GET    /libpod/images/REF/tree
image     POST   /libpod/images/REF/tag?repo=localhost/stolen&tag=1
image     POST   /libpod/images/REF/untag
image     POST   /libpod/images/REF/untag?repo=localhost/stolen&tag=1
image     POST   /libpod/images/REF/push
image     POST   /libpod/images/REF/push?destination=localhost/stolen:1
id        GET    /libpod/images/REF/changes
image     GET    /libpod/images/REF/history
image     GET    /libpod/images/REF/exists
image     DELETE /libpod/images/REF
image     DELETE /libpod/images/REF?force=true
pod       DELETE /libpod/play/kube
pod       DELETE /libpod/kube/play?force=true
"""

# What is not there is gone to these, as Podman says too.
GONE = {"DELETE /volumes/REF?force=true"}


def _kube(name, image=IMAGE):
    """JSON is YAML."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": image}]}}


BODIES = {
    "/containers/REF/update": {"Memory": 67108864},
    "/libpod/play/kube": _kube("REF"),
    "/libpod/kube/play": _kube("REF"),
    "/libpod/containers/REF/update": {"memory": {"limit": 67108864}},
    "/containers/REF/archive": b"\0" * 1024,
    "/libpod/containers/REF/archive": b"\0" * 1024,
    "/libpod/volumes/REF/import": b"\0" * 1024,
    "/containers/REF/exec": {"Cmd": ["true"], "AttachStdout": True},
    "/libpod/containers/REF/exec": {"Cmd": ["true"], "AttachStdout": True},
    "/exec/REF/start": {"Detach": False, "Tty": False},
    "/libpod/exec/REF/start": {"Detach": False, "Tty": False},
    "/libpod/exec/REF/remove": {"Force": True},
    "/libpod/manifests/REF": {"operation": "update", "images": ["localhost/bb:latest"]},
    "/networks/REF/connect": {"Container": "web"},
    "/libpod/networks/REF/connect": {"container": "web"},
    "/networks/REF/disconnect": {"Container": "web", "Force": True},
    "/libpod/networks/REF/disconnect": {"container": "web", "force": True},
    "/libpod/networks/REF/update": {"adddnsservers": ["10.0.0.1"]},
}

# References in queries: kind, method, path, name of the parameter or of the filter.
QUERIES = """
container GET    /libpod/containers/stats stream=false&containers=REF
pod       GET    /libpod/pods/stats stream=false&namesOrIDs=REF
image     GET    /images/get names=REF
image     GET    /libpod/images/export references=REF
image     GET    /libpod/images/export format=docker-archive&references=REF
container POST   /commit repo=localhost/stolen&container=REF
container POST   /libpod/commit repo=localhost/stolen&container=REF
image     DELETE /libpod/images/remove images=REF
image     DELETE /libpod/images/remove force=true&images=REF
container GET    /containers/json all=true&filters:before
container GET    /containers/json all=true&filters:since
container GET    /containers/json all=true&filters:id
container GET    /containers/json all=true&filters:name
image     GET    /containers/json all=true&filters:ancestor
network   GET    /containers/json all=true&filters:network
volume    GET    /containers/json all=true&filters:volume
pod       GET    /containers/json all=true&filters:pod
container GET    /libpod/containers/json all=true&filters:before
container GET    /libpod/containers/json all=true&filters:since
container GET    /libpod/containers/json all=true&filters:id
container GET    /libpod/containers/json all=true&filters:name
image     GET    /libpod/containers/json all=true&filters:ancestor
network   GET    /libpod/containers/json all=true&filters:network
volume    GET    /libpod/containers/json all=true&filters:volume
pod       GET    /libpod/containers/json all=true&filters:pod
container GET    /libpod/pods/json filters:ctr-ids
container GET    /libpod/pods/json filters:ctr-names
network   GET    /libpod/pods/json filters:network
pod       GET    /libpod/pods/json filters:name
pod       GET    /libpod/pods/json filters:id
volume    GET    /volumes filters:name
volume    GET    /libpod/volumes/json filters:name
network   GET    /networks filters:name
network   GET    /networks filters:id
network   GET    /libpod/networks/json filters:name
network   GET    /libpod/networks/json filters:id
image     GET    /images/json filters:before
image     GET    /images/json filters:since
image     GET    /images/json filters:reference
image     GET    /libpod/images/json filters:before
image     GET    /libpod/images/json filters:since
image     GET    /libpod/images/json filters:reference
image     GET    /libpod/images/json filters:id
container GET    /events stream=false&filters:container
image     GET    /events stream=false&filters:image
volume    GET    /events stream=false&filters:volume
pod       GET    /events stream=false&filters:pod
container GET    /libpod/events stream=false&filters:container
image     GET    /libpod/events stream=false&filters:image
volume    GET    /libpod/events stream=false&filters:volume
pod       GET    /libpod/events stream=false&filters:pod
container GET    /libpod/generate/kube names=REF
pod       GET    /libpod/generate/kube names=REF
volume    GET    /libpod/generate/kube names=REF
container GET    /libpod/kube/generate service=true&names=REF
id        POST   /images/create fromImage=REF
id        POST   /libpod/images/pull policy=missing&reference=REF
"""


def _docker(host=None, **fields):
    return {"Image": IMAGE, "Cmd": SLEEP, "HostConfig": host or {}, **fields}


def _libpod(**fields):
    return {"image": IMAGE, "command": SLEEP, **fields}


def _joined(name):
    return _libpod(**{name: {"nsmode": "container", "value": "REF"}})


# References in bodies.
CONTENTS = [
    ("image", "/containers/create", _docker(Image="REF")),
    ("container", "/containers/create", _docker({"VolumesFrom": ["REF"]})),
    ("container", "/containers/create", _docker({"VolumesFrom": ["REF:ro"]})),
    ("container", "/containers/create", _docker({"NetworkMode": "container:REF"})),
    ("container", "/containers/create", _docker({"PidMode": "container:REF"})),
    ("container", "/containers/create", _docker({"IpcMode": "container:REF"})),
    ("container", "/containers/create", _docker({"UTSMode": "container:REF"})),
    ("container", "/containers/create", _docker({"UsernsMode": "container:REF"})),
    ("network", "/containers/create", _docker({"NetworkMode": "REF"})),
    ("network", "/containers/create", _docker({"NetworkMode": "bridge"}, NetworkingConfig={"EndpointsConfig": {"REF": {}}})),
    ("container", "/containers/create", _docker({"Links": ["REF:alias"]})),
    ("image", "/containers/create", _docker({"Mounts": [{"Type": "image", "Source": "REF", "Target": "/x"}]})),
    ("secret", "/libpod/containers/create", _libpod(secrets=[{"Source": "REF"}])),
    ("secret", "/libpod/containers/create", _libpod(secret_env={"X": "REF"})),
    ("image", "/libpod/containers/create", _libpod(image="REF")),
    ("container", "/libpod/containers/create", _libpod(volumes_from=["REF"])),
    ("container", "/libpod/containers/create", _joined("netns")),
    ("container", "/libpod/containers/create", _joined("pidns")),
    ("container", "/libpod/containers/create", _joined("ipcns")),
    ("container", "/libpod/containers/create", _joined("utsns")),
    ("container", "/libpod/containers/create", _joined("userns")),
    ("container", "/libpod/containers/create", _joined("cgroupns")),
    ("pod", "/libpod/containers/create", _libpod(pod="REF")),
    ("network", "/libpod/containers/create", _libpod(netns={"nsmode": "bridge"}, Networks={"REF": {}})),
    ("image", "/libpod/containers/create", _libpod(image_volumes=[{"Source": "REF", "Destination": "/x"}])),
    ("container", "/libpod/containers/create", _libpod(dependencyContainers=["REF"])),
    ("network", "/libpod/pods/create", {"name": "made", "netns": {"nsmode": "bridge"}, "Networks": {"REF": {}}}),
    ("id", "/libpod/play/kube", _kube("made", "REF")),
    ("id", "/libpod/kube/play", _kube("made", "REF")),
    ("container", "/networks/net/connect", {"Container": "REF"}),
    ("container", "/networks/net/disconnect", {"Container": "REF"}),
    ("container", "/networks/net/disconnect", {"Container": "REF", "Force": True}),
    ("container", "/libpod/networks/net/connect", {"container": "REF"}),
    ("container", "/libpod/networks/net/disconnect", {"container": "REF", "force": True}),
]

# Served endpoints that name nothing that exists, or only what is being made.
WITHOUT_REFERENCE = """
GET /_ping
HEAD /_ping
GET /libpod/_ping
HEAD /libpod/_ping
GET /version
GET /libpod/version
GET /info
GET /libpod/info
GET /system/df
GET /libpod/system/df
GET /libpod/containers/showmounted
POST /containers/prune
POST /libpod/containers/prune
POST /libpod/pods/prune
POST /volumes/prune
POST /libpod/volumes/prune
POST /networks/prune
POST /libpod/networks/prune
POST /images/prune
POST /libpod/images/prune
POST /images/load
POST /build
POST /libpod/build
POST /libpod/images/load
POST /libpod/images/import
GET /images/search
GET /libpod/images/search
POST /auth
GET /secrets
GET /libpod/secrets/json
POST /secrets/create
POST /libpod/secrets/create
POST /libpod/manifests/{}
POST /volumes/create
POST /libpod/volumes/create
POST /networks/create
POST /libpod/networks/create
"""
