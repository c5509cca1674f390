"""A day with the docker command: networks, volumes, images, events and the system."""

import json
import time

from check import check, contains, equal, until
from clients import API, fails, ok, says, shows
from wire import query
from world import IMAGE, SLEEP


def test_system(world):
    docker = world.p1.docker
    shows(docker("version"), "Podman Engine")
    shows(docker("info"), "Containers: ", "Operating System")
    shows(docker("system", "info", "--format", "{{.ContainersRunning}}"), "0\n")
    ping = world.p1.head("/_ping")
    equal((ping.status, ping.content), (200, b""), "HEAD /_ping")
    for name in ("api-version", "libpod-api-version", "server"):
        check(ping.field(name), f"_ping tells {name}")
    equal(world.p1.get("/_ping").content, b"OK", "GET /_ping")
    version = world.p1.get("/version").json()
    equal(version["Version"], world.engine.direct.get("/version").json()["Version"], "version is Podman's")


def test_pull(world):
    docker, registry = world.p1.docker, world.engine.registry_name
    name = f"{registry}/team/mine:latest"
    shows(docker("pull", name), name)
    shows(docker("images", "--format", "{{.Repository}}:{{.Tag}}"), name, IMAGE)
    says(docker("run", "--rm", name, "echo", "pulled"), "pulled")
    ok(docker("pull", "bb"))
    shows(docker("images", "--format", "{{.Repository}}:{{.Tag}}"), "bb:latest")
    says(docker("run", "--rm", "bb", "echo", "hub"), "hub")
    fails(docker("pull", f"{registry}/team/absent:latest"), 1)


def test_images(world):
    docker, registry = world.p1.docker, world.engine.registry_name
    name = f"{registry}/team/mine:latest"
    document = json.loads(ok(docker("image", "inspect", name)).out)[0]
    equal(document["Config"]["Labels"]["registry"], "mine", "image inspect")
    shows(docker("history", name), "LABEL registry=mine")
    identifier = document["Id"]
    shows(docker("image", "inspect", identifier), identifier)
    shows(docker("images", "-q", "--no-trunc", name), identifier)
    says(docker("images", "--filter", f"reference={name}", "--format", "{{.Tag}}"), "latest")
    shows(docker("images", "--filter", "label=registry=mine", "-q"), identifier[7:19])
    fails(docker("image", "inspect", "absent"), 1)
    ok(docker("create", "--name", "user", name))
    fails(docker("rmi", name), 1, what="an image in use is not removed")
    ok(docker("rm", "user"))
    shows(docker("rmi", name), "Untagged" if world.bare else "")
    fails(docker("image", "inspect", name), 1)
    ok(docker("rmi", "docker.io/library/bb:latest"))
    ok(docker("image", "prune", "-f"))


def test_networks(world):
    docker = world.p1.docker
    ok(docker("network", "create", "--label", "role=inner", "net"))
    document = json.loads(ok(docker("network", "inspect", "net")).out)[0]
    equal((document["Name"], document["Labels"]["role"]), ("net", "inner"), "network inspect")
    shows(docker("network", "ls", "--format", "{{.Name}}"), "net\n")
    says(docker("network", "ls", "--filter", "label=role=inner", "-q", "--no-trunc"), document["Id"])
    says(docker("network", "ls", "--filter", "name=net", "--format", "{{.Name}}"), "net")
    ok(docker("run", "-d", "--name", "web", "--network", "net", "--network-alias", "front", "--stop-timeout", "2", IMAGE, *SLEEP))
    says(docker("inspect", "-f", "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}", "web"), "net")
    ok(docker("network", "create", "net2"))
    ok(docker("network", "connect", "net2", "web"))
    both = "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}"
    equal(sorted(docker("inspect", "-f", both, "web").out.split()), ["net", "net2"], "network connect")
    ok(docker("network", "disconnect", "net2", "web"))
    says(docker("inspect", "-f", both, "web"), "net ")
    fails(docker("network", "rm", "net"), what="a network in use is not removed")
    ok(docker("rm", "-f", "web"))
    ok(docker("network", "rm", "net"))
    shows(docker("network", "prune", "-f"), "net2")
    fails(docker("network", "inspect", "net2"), 1)


def test_names_on_networks(world):
    docker = world.p1.docker
    ok(docker("network", "create", "net"))
    ok(docker("run", "-d", "--name", "web", "--network", "net", "--stop-timeout", "2", IMAGE, *SLEEP))
    ran = docker("run", "--rm", "--network", "net", IMAGE, "nslookup", "web")
    contains(ran.out + ran.err, "Address", "containers of a network find each other by name")
    ok(docker("rm", "-f", "web"))
    ok(docker("network", "rm", "net"))


def test_volumes(world):
    docker = world.p1.docker
    says(docker("volume", "create", "--label", "role=store", "data"), "data")
    says(docker("volume", "create", "data"), "data", what="creating one's own volume again is no error")
    document = json.loads(ok(docker("volume", "inspect", "data")).out)[0]
    equal((document["Name"], document["Labels"]["role"]), ("data", "store"), "volume inspect")
    says(docker("volume", "ls", "-q"), "data")
    says(docker("volume", "ls", "-q", "--filter", "label=role=store"), "data")
    says(docker("volume", "ls", "-q", "--filter", "label=role=none"), "")
    says(docker("volume", "ls", "-q", "--filter", "name=data"), "data")
    ok(docker("run", "--rm", "-v", "data:/data", IMAGE, "sh", "-c", "echo kept > /data/file"))
    says(docker("run", "--rm", "--mount", "type=volume,source=data,target=/d,readonly", IMAGE, "cat", "/d/file"), "kept")
    ok(docker("create", "--name", "user", "-v", "data:/data", "-v", "/anonymous", "localhost/volume:latest"))
    check(len(ok(docker("volume", "ls", "-q")).out.split()) == 2, "anonymous volumes of one's own containers are listed",
          docker("volume", "ls", "-q"))
    fails(docker("volume", "rm", "data"), 1, what="a volume in use is not removed")
    fails(docker("volume", "rm", "dat"), 1, what="the prefix of a volume's name is not the volume")
    ok(docker("volume", "rm", "-f", "absent"), "what is not there is gone to volume rm -f")
    ok(docker("rm", "-v", "user"))
    says(docker("volume", "ls", "-q"), "data", what="rm -v removes anonymous volumes")
    ok(docker("volume", "rm", "data"))
    ok(docker("volume", "create", "spare"))
    pruned = world.p1.post(f"{API}/volumes/prune")
    equal(pruned.json()["VolumesDeleted"], ["spare"], "volume prune tells what went")


def test_events(world):
    docker = world.p1.docker
    since = str(int(time.time()))
    live = world.p1.events(f"{API}/events")
    ok(docker("run", "--name", "done", "--label", "role=passing", IMAGE, "true"))
    ok(docker("rm", "done"))
    seen = []
    until(lambda: (seen.append(live.next(2)), seen[-1] and seen[-1]["Action"] in ("remove", "destroy"))[1], 10)
    live.close()
    actions = [event["Action"] for event in seen if event]
    for action in ("create", "start", "die"):
        check(action in actions or "died" in actions and action == "die", f"live events tell {action}", actions)
    check("remove" in actions or "destroy" in actions, "live events tell the removal of one's own container", actions)
    # With a file log Podman answers nothing when `until` has passed: far enough away for a busy machine.
    for filters in ({}, {"label": ["role=passing"]}, {"label": {"role=passing": True}}, {"container": ["done"]}):
        past = world.p1.get(f"{API}/events" + query(stream=False, since=since, until=int(time.time()) + 60, filters=filters))
        contains([event["Action"] for event in past.lines()], "create", f"past events with filters {filters}")


def test_disk_usage(world):
    shows(world.p1.docker("system", "df"), "Images", "Containers", "Local Volumes")
    ok(world.p1.docker("system", "df", "-v"))


def test_end(world):
    world.unharmed()
