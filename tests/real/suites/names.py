"""Private names: two projects call their things the same, and neither learns of the other."""

import json
import os
from contextlib import contextmanager

from check import check, contains, equal, lacks, until
from clients import API, LIBPOD, fails, ok, says, shows
from wire import Socket, query
from world import IMAGE, LABEL

ONE, OTHER = "n1", "n10"
COMPOSE = """version: "3.8"
services:
  db: {{image: {image}, command: ["sh", "-c", "echo {word} > /data/word; sleep 1000"], volumes: ["data:/data"]}}
  web: {{image: {image}, container_name: web, command: ["sleep", "1000"], depends_on: [db]}}
volumes: {{data: {{}}}}
"""
POD = """apiVersion: v1
kind: Pod
metadata: {{name: shop}}
spec:
  volumes: [{{name: data, persistentVolumeClaim: {{claimName: till}}}}, {{name: scratch, emptyDir: {{}}}}]
  containers:
    - {{name: till, image: "{image}", command: [sleep, "1000"], volumeMounts: [{{name: data, mountPath: /data}}, {{name: scratch, mountPath: /scratch}}]}}
"""
_fences = {}


def _control(world):
    return str(world.engine.runtime / "names" / "control.sock")


@contextmanager
def _pair(world):
    """Two projects with private names, one's id the beginning of the other's."""
    if world not in _fences:
        fence = world.another("names", {name: {"names": "private"} for name in (ONE, OTHER)})
        fence.settings["control"] = [{"socket": _control(world), "identities": [{"user": os.getuid(), "projects": ["*"]}]}]
        _fences[world] = fence.__enter__()
    fence = _fences[world]
    one, other = fence.projects[ONE], fence.projects[OTHER]
    one.canaries, other.canaries = [f"{OTHER}..", f"{ONE}.."], [f"{OTHER}..", f"{ONE}.."]
    try:
        yield one, other
    finally:
        for project in (one, other):
            world.clear(project)
            for secret in project.get(f"{LIBPOD}/secrets/json").json():
                project.delete(f"{LIBPOD}/secrets/{secret['ID']}")


def _write(project, name, text):
    folder = os.path.join(project.home, "shop")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
    return folder


def _of(project, text):
    """As the host sees it."""
    return f"{project.name}..{text}"


def test_same_names(world):
    with _pair(world) as pair:
        for project in pair:
            word = f"of {project.name}"
            ok(project.docker("network", "create", "net"))
            ok(project.docker("volume", "create", "data"))
            ok(project.podman("secret", "create", "key", "-", data=word))
            ok(project.docker("run", "-d", "--name", "web", "--network", "net", "-v", "data:/data", "-v", "made:/made", IMAGE,
                              "sh", "-c", f"echo {word} > /data/word; exec httpd -f -p 80 -h /data"))
            ok(project.podman("pod", "create", "--name", "shop"))
            ok(project.podman("run", "-d", "--pod", "shop", "--name", "till", IMAGE, "sleep", "1000"))
        for project in pair:
            docker, podman = project.docker, project.podman
            says(docker("ps", "-a", "--filter", "name=web", "--format", "{{.Names}}"), "web", "docker ps")
            equal(set(ok(podman("ps", "-a", "--format", "{{.Names}} {{.PodName}}", "--pod")).text.splitlines()) & {"web ", "till shop"},
                  {"web ", "till shop"}, "podman ps")
            equal(set(ok(docker("volume", "ls", "-q")).text.split()), {"data", "made"}, "docker volume ls")
            equal(set(ok(docker("network", "ls", "--format", "{{.Name}}")).text.split()), {"net", "bridge"}, "docker network ls")
            says(podman("secret", "ls", "--format", "{{.Name}}"), "key", "podman secret ls")
            says(podman("secret", "inspect", "--showsecret", "--format", "{{.SecretData}}", "key") if _shows_secrets(project) else
                 project.podman("run", "--rm", "--secret", "key", IMAGE, "cat", "/run/secrets/key"), f"of {project.name}", "the secret's value")
            says(podman("pod", "ps", "--format", "{{.Name}}"), "shop", "podman pod ps")
            says(docker("exec", "web", "cat", "/data/word"), f"of {project.name}", "each has its own volume")
            says(docker("inspect", "-f", "{{.Name}} {{.HostConfig.NetworkMode}} {{range $n, $_ := .NetworkSettings.Networks}}{{$n}} {{end}}",
                        "web"), "/web bridge net ", "docker inspect")
            equal(set(ok(docker("inspect", "-f", "{{range .Mounts}}{{.Name}} {{end}}", "web")).text.split()), {"data", "made"},
                  "the mounts of docker inspect")
            says(podman("inspect", "--format", "{{.Name}}", "web"), "web", "podman inspect")
        rows = world.engine.podman("ps", "-a", "--format", "{{.Names}}").split()
        for project in pair:
            check({_of(project, "web"), _of(project, "till")} <= set(rows), f"on the host one sees whose it is: {project.name}", rows)


def _shows_secrets(project):
    return "--showsecret" in project.podman("secret", "inspect", "--help").out


def test_short_names_on_networks(world):
    """Each finds its own by the short name: in DNS, by connect, and a pod by its hostname."""
    with _pair(world) as pair:
        for project in pair:
            docker, podman = project.docker, project.podman
            for network in ("net", "late"):
                ok(docker("network", "create", network))
            serve = ("sh", "-c", f"mkdir /w; echo {project.name} > /w/index.html; exec httpd -f -p 80 -h /w")
            ok(docker("run", "-d", "--name", "web", "--network", "net", IMAGE, *serve))
            ok(podman("run", "-d", "--name", "api", "--network", "net", IMAGE, *serve))
            ok(podman("pod", "create", "--name", "shop", "--network", "net"))
            ok(podman("run", "-d", "--pod", "shop", "--name", "till", IMAGE, *serve))
            ok(docker("network", "connect", "late", "web"))
            ok(podman("network", "connect", "late", "api"))
        for project in pair:
            for name, network in (("web", "net"), ("api", "net"), ("shop", "net"), ("web", "late"), ("api", "late")):
                got = until(lambda: _fetch(project, name, network), 10)
                equal(got, project.name, f"{name} on {network} is {project.name}'s own")
            says(project.docker("exec", "till", "hostname"), "shop", "a pod's hostname is its short name")


def _fetch(project, name, network):
    return project.docker("run", "--rm", "--network", network, IMAGE, "wget", "-q", "-O", "-", f"http://{name}/").text


def test_references(world):
    with _pair(world) as (one, other):
        for project in (one, other):
            ok(project.docker("create", "--name", "web", IMAGE, "true"))
            ok(project.docker("create", "--name", "web2", IMAGE, "true"))
        ok(one.docker("rename", "web2", "shop"))
        names = ok(one.docker("ps", "-a", "--format", "{{.Names}}")).text.split()
        equal(sorted(names), ["shop", "web"], "a rename")
        for pattern, wanted in (("^/web$", {"web"}), ("sh.p", {"shop"}), ("web|shop", {"web", "shop"}), (ONE, set()), ("nothing", set())):
            got = ok(one.docker("ps", "-a", "--filter", f"name={pattern}", "--format", "{{.Names}}")).text.split()
            equal(set(got), wanted, f"docker ps --filter name={pattern}")
            got = ok(one.podman("ps", "-a", "--filter", f"name={pattern}", "--format", "{{.Names}}")).text.split()
            equal(set(got), wanted, f"podman ps --filter name={pattern}")
        says(one.docker("ps", "-n", "1", "--filter", "name=web", "--format", "{{.Names}}"), "web", "the last of that name, not the last of all")
        says(one.podman("ps", "--last", "1", "--filter", "name=web", "--format", "{{.Names}}"), "web", "podman ps --last")
        says(one.docker("ps", "-n", "1", "--filter", "name=web|shop", "--format", "{{.Names}}"), "shop", "of two the newer")
        says(one.podman("ps", "--last", "1", "--filter", "name=web|shop", "--format", "{{.Names}}"), "shop", "of two podman's newer")
        said = fails(one.docker("create", "--name", "web", IMAGE, "true"), 1).err
        contains(said, '"web" is already in use', "a name is given once in a project, and the text has the client's name")
        lacks(said, f"{ONE}..", "and not upstream's")
        unnamed = ok(one.docker("create", IMAGE, "true")).text
        name = ok(one.docker("inspect", "-f", "{{.Name}}", unnamed)).text.lstrip("/")
        says(one.docker("inspect", "-f", "{{.Id}}", name), unnamed, "a name that Podman gave is found")
        fails(other.docker("inspect", name), 1, "No such object", "by nobody else")
        ok(one.docker("rm", "web"))
        says(other.docker("inspect", "-f", "{{.Name}}", "web"), "/web", "what the other calls so is still there")


def test_nothing_is_told(world):
    """Whatever the other has: the same bytes as when it has nothing."""
    with _pair(world) as (one, other):
        ids = {"containers": ok(other.docker("create", "--name", "theirs", IMAGE, "true")).text}
        ok(other.docker("volume", "create", "theirs"))
        ok(other.docker("network", "create", "theirs"))
        ok(other.podman("secret", "create", "theirs", "-", data="x"))
        ok(other.podman("pod", "create", "--name", "theirs-pod"))
        for kind in ("containers", "volumes", "networks", "secrets", "pods"):
            theirs = "theirs-pod" if kind == "pods" else "theirs"
            for word in (theirs, _of(other, theirs)):
                answer, absent = (one.get(f"{LIBPOD}/{kind}/{name}/json") for name in (word, "absent" + word[6:]))
                equal(answer.status, 404, f"{kind}: {word} is absent")
                equal(answer.text.replace(word, "X"), absent.text.replace("absent" + word[6:], "X"), f"{kind}: in the words of what is absent")
        fails(one.docker("inspect", ids["containers"]), 1, "No such object")
        for words in (("volume", "create", "theirs"), ("network", "create", "theirs"), ("create", "--name", "theirs", IMAGE, "true")):
            ok(one.docker(*words), f"{' '.join(words[:3])}: the name is free")
        ok(one.podman("secret", "create", "theirs", "-", data="mine"), "secret create: the name is free")
        ok(one.podman("pod", "create", "--name", "theirs-pod"), "pod create: the name is free")
        one.canaries = []   # it is told its own words
        for words in (("volume", "create", _of(other, "x")), ("create", "--name", _of(other, "x"), IMAGE, "true")):
            fails(one.docker(*words), None, "name.reserved", "nobody takes a name of another's")


def test_applications(world):
    """The same application in both, at the same time."""
    with _pair(world) as pair:
        for project in pair:
            folder = _write(project, "docker-compose.yml", COMPOSE.format(image=IMAGE, word=project.name))
            ok(project.compose("--ansi", "never", "up", "-d", cwd=folder), f"compose up of {project.name}")
        for project in pair:
            folder = os.path.join(project.home, "shop")
            shows(project.compose("--ansi", "never", "ps", cwd=folder), "shop_db_1", "web")
            contains(ok(project.compose("exec", "-T", "db", "cat", "/data/word", cwd=folder)).out, project.name, "its own data")
            ok(project.compose("exec", "-T", "web", "sh", "-c", "nslookup db 2>&1 | grep -q Name", cwd=folder), "services find each other")
        one, other = pair
        ok(one.compose("--ansi", "never", "down", "-v", "-t", "1", cwd=os.path.join(one.home, "shop"), timeout=120))
        equal(ok(one.docker("ps", "-aq")).out, "", "down takes everything away")
        shows(other.compose("--ansi", "never", "ps", "-q", cwd=os.path.join(other.home, "shop")), what="and nothing of the other's")
        equal(len(ok(other.docker("ps", "-q")).text.split()), 2, "whose application goes on")
        ok(other.compose("--ansi", "never", "down", "-v", "-t", "1", cwd=os.path.join(other.home, "shop"), timeout=120))


def test_control_plane(world):
    """For a project it reads and gives names as that project does; for all of them, in full."""
    with _pair(world) as pair:
        identifiers = {project.name: ok(project.docker("create", "--name", "web", IMAGE, "true")).text for project in pair}
        control = Socket(_control(world))
        for name, identifier in identifiers.items():
            of_project = control.get(f"{API}/containers/web/json", fields=[("X-Appx-Project", name)]).json()
            equal((of_project["Id"], of_project["Name"]), (identifier, "/web"), f"for {name}")
            in_full = control.get(f"{API}/containers/{name}..web/json").json()
            equal((in_full["Id"], in_full["Name"]), (identifier, f"/{name}..web"), "without saying the project, by the full name")
        equal(control.get(f"{API}/containers/web/json").status, 404, "which the short one is not")
        listed = control.get(f"{API}/containers/json?all=true").json()
        equal({name for row in listed for name in row["Names"]}, {f"/{ONE}..web", f"/{OTHER}..web"}, "a list of all")
        made = control.post(f"{API}/volumes/create", {"Name": "data", "Labels": {LABEL: ONE}}).json()
        equal(made.get("Name"), f"{ONE}..data", "what is made for a project gets its name")
        says(pair[0].docker("volume", "ls", "-q"), "data", "and is the project's")


def test_kube(world):
    with _pair(world) as pair:
        for project in pair:
            folder = _write(project, "shop.yaml", POD.format(image=IMAGE))
            ok(project.podman("kube", "play", f"{folder}/shop.yaml"), f"kube play of {project.name}")
        for project in pair:
            says(project.podman("exec", "shop-till", "hostname"), "shop", "the pod's hostname")
            generated = ok(project.podman("kube", "generate", "shop")).out
            contains(generated, "name: shop", "the YAML has the clients' names")
            lacks(generated, "..", "and no others")
            names = ok(project.docker("volume", "ls", "-q")).text.split()
            check("till" in names and all(".." not in name for name in names), "its volumes", names)
        for project in pair:
            ok(project.podman("kube", "down", os.path.join(project.home, "shop", "shop.yaml")))
            equal(ok(project.podman("pod", "ps", "-q")).out, "", "and taken down")


def test_streams_of_names(world):
    with _pair(world) as (one, _):
        events = one.events(f"{API}/events" + query(filters=json.dumps({"container": ["web"]})))
        ok(one.docker("run", "--name", "web", "-v", "data:/data", IMAGE, "true"))
        seen = []
        until(lambda: seen.append(events.next(5)) or not seen[-1] or '"die"' in json.dumps(seen[-1]), 10)
        check(seen and seen[-1] and all(event["Actor"]["Attributes"]["name"] == "web" for event in seen), "events of the container, by its name", seen)
        events.close()
        ok(one.docker("run", "-d", "--name", "runs", IMAGE, "sleep", "100"))
        equal(one.get(f"{API}/containers/runs/stats?stream=false").json()["name"].lstrip("/"), "runs", "statistics")
        shows(one.podman("system", "df", "-v"), "runs", "data")
        usage = one.get(f"{API}/system/df").json()
        equal({name.lstrip("/") for row in usage["Containers"] for name in row["Names"]}, {"web", "runs"}, "containers in the disk usage")
        equal([row["Name"] for row in usage["Volumes"]], ["data"], "and volumes")
        ok(one.docker("rm", "web"))
        says(one.podman("volume", "prune", "-f"), "data", "what is pruned has its name")
