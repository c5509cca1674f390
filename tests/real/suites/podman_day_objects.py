"""A day with podman --remote: networks, volumes, images, events and the system."""

import json
import time

from check import check, contains, equal
from clients import LIBPOD, fails, ok, says, shows
from wire import query
from world import IMAGE, SLEEP


def test_system(world):
    podman = world.p1.podman
    shows(podman("version"), "Server:")
    document = json.loads(ok(podman("info", "--format", "json")).out)
    check("host" in document and "version" in document, "info has its sections", sorted(document))
    shows(podman("system", "df"), "Images", "Containers", "Local Volumes")
    ok(podman("system", "df", "-v"))


def test_images(world):
    podman, registry = world.p1.podman, world.engine.registry_name
    name = f"{registry}/team/mine:latest"
    identifier = ok(podman("pull", "-q", name)).text
    shows(podman("images", "--format", "{{.Repository}}:{{.Tag}}"), name, IMAGE)
    says(podman("run", "--rm", name, "echo", "pulled"), "pulled")
    document = json.loads(ok(podman("image", "inspect", name)).out)[0]
    equal((document["Id"], document["Labels"]["registry"]), (identifier, "mine"), "image inspect")
    shows(podman("history", name), "LABEL registry=mine")
    ok(podman("image", "exists", name))
    ok(podman("image", "exists", identifier))
    fails(podman("image", "exists", "absent"), 1)
    fails(podman("pull", f"{registry}/team/absent:latest"))
    ok(podman("create", "--name", "user", name))
    fails(podman("rmi", name), what="an image in use is not removed")
    ok(podman("rm", "user"))
    shows(podman("rmi", name), name)
    fails(podman("rmi", name), 1)
    ok(podman("pull", "docker.io/library/bb"))
    ok(podman("rmi", "docker.io/library/bb:latest"))
    ok(podman("image", "prune", "-f"))


def test_networks(world):
    podman = world.p1.podman
    says(podman("network", "create", "--label", "role=inner", "net"), "net")
    document = json.loads(ok(podman("network", "inspect", "net")).out)[0]
    equal((document["name"], document["labels"]["role"]), ("net", "inner"), "network inspect")
    shows(podman("network", "ls", "--format", "{{.Name}}"), "net\n")
    says(podman("network", "ls", "--filter", "label=role=inner", "--format", "{{.Name}}"), "net")
    ok(podman("network", "exists", "net"))
    fails(podman("network", "exists", "absent"), 1)
    ok(podman("run", "-d", "--name", "web", "--network", "net", "--stop-timeout", "2", IMAGE, *SLEEP))
    ok(podman("network", "create", "net2"))
    ok(podman("network", "connect", "net2", "web"))
    both = "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}"
    equal(sorted(podman("inspect", "--format", both, "web").out.split()), ["net", "net2"], "network connect")
    ok(podman("network", "disconnect", "net2", "web"))
    fails(podman("network", "rm", "net"), what="a network in use is not removed")
    says(podman("network", "rm", "net2"), "net2")
    ok(podman("rm", "-f", "web"))
    says(podman("network", "rm", "net"), "net")
    ok(podman("network", "create", "spare"))
    shows(podman("network", "prune", "-f"), "spare")


def test_volumes(world):
    podman = world.p1.podman
    says(podman("volume", "create", "--label", "role=store", "data"), "data")
    fails(podman("volume", "create", "data"), what="a volume of that name exists")
    document = json.loads(ok(podman("volume", "inspect", "data")).out)[0]
    equal((document["Name"], document["Labels"]["role"]), ("data", "store"), "volume inspect")
    says(podman("volume", "ls", "-q"), "data")
    says(podman("volume", "ls", "-q", "--filter", "label=role=store"), "data")
    says(podman("volume", "ls", "-q", "--filter", "label=role=none"), "")
    ok(podman("volume", "exists", "data"))
    fails(podman("volume", "exists", "dat"), 1)
    ok(podman("run", "--rm", "-v", "data:/data", IMAGE, "sh", "-c", "echo kept > /data/file"))
    says(podman("run", "--rm", "--mount", "type=volume,source=data,target=/d", IMAGE, "cat", "/d/file"), "kept")
    ok(podman("create", "--name", "user", "-v", "data:/data"  , IMAGE))
    fails(podman("volume", "rm", "data"), what="a volume in use is not removed")
    fails(podman("volume", "rm", "dat"), what="the prefix of a volume's name is not the volume")
    ok(podman("rm", "user"))
    says(podman("volume", "rm", "data"), "data")
    ok(podman("volume", "create", "spare"))
    shows(podman("volume", "prune", "-f"), "spare")


def test_events(world):
    since = str(int(time.time()))
    live = world.p1.events(f"{LIBPOD}/events")
    ok(world.p1.podman("run", "--rm", "--name", "done", IMAGE, "true"))
    actions = [event["Action"] for event in live.rest(1)]
    live.close()
    for action in ("create", "start", "died", "remove"):
        contains(actions, action, f"live events tell {action}")
    past = world.p1.get(f"{LIBPOD}/events" + query(stream=False, since=since, until=int(time.time()) + 60))
    contains([event["Action"] for event in past.lines()], "create", "past events")
    world.unharmed()
