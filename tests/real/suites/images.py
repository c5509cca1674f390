"""Images of one's own: tag, push, pull, save, load, import, commit, untag, remove, prune, by the docker command and by podman
--remote; and every way to move a name that is another's, refused, with the proof that the name stands where it stood."""

import gzip
import hashlib
import http.server
import io
import json
import tarfile
import threading

from check import check, contains, equal, lacks, skip
from clients import API, LIBPOD, fails, ok, says, shows
from wire import query
from world import IMAGE, LABEL

TAR = (("Content-Type", "application/x-tar"),)
REFERENCE = "org.opencontainers.image.ref.name"


def _name(world, path):
    return f"{world.engine.registry_name}/{path}"


def _mine(world):
    return _name(world, "team/mine:latest")


def _id(world, name):
    """What a name stands for, past the proxy; None for nothing."""
    answer = world.engine.direct.get(f"{LIBPOD}/images/{name}/json")
    return answer.json()["Id"] if answer.status == 200 else None


def _sees(project, name):
    return project.get(f"{LIBPOD}/images/{name}/json").status == 200


def _names(project):
    return sorted(tag for image in project.get(f"{LIBPOD}/images/json").json() for tag in image.get("RepoTags") or [])


def tar_of(members):
    """Names and contents; a text instead of bytes is where a symbolic link leads."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            else:
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                tar.addfile(entry)
    return buffer.getvalue()


def _members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _json(value):
    return json.dumps(value).encode()


def docker_archive(names, layer=None, digest=None, says=None):
    """As docker save writes it. `digest`: what the configuration says of the layer; `says`: and of containers."""
    layer = tar_of([("planted", b"layer")]) if layer is None else layer
    config = _json({"architecture": "amd64", "os": "linux", "config": says or {},
                    "rootfs": {"type": "layers", "diff_ids": [digest or "sha256:" + _digest(layer)]}})
    return [("config.json", config), ("layer.tar", layer),
            ("manifest.json", _json([{"Config": "config.json", "RepoTags": names, "Layers": ["layer.tar"]}]))]


def oci_archive(name, layer=None, digest=None, annotations=None, **of_layer):
    layer = tar_of([("planted", b"oci layer")]) if layer is None else layer
    config = _json({"architecture": "amd64", "os": "linux", "config": {},
                    "rootfs": {"type": "layers", "diff_ids": [digest or "sha256:" + _digest(layer)]}})
    manifest = _json({"schemaVersion": 2, "annotations": annotations or {},
                      "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:" + _digest(config),
                                 "size": len(config)},
                      "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar",
                                  "digest": digest or "sha256:" + _digest(layer), "size": len(layer), **of_layer}]})
    index = _json({"schemaVersion": 2, "manifests": [
        {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:" + _digest(manifest), "size": len(manifest),
         "annotations": {REFERENCE: name}}]})
    blobs = [(f"blobs/sha256/{_digest(data)}", data) for data in (manifest, config)]
    if not digest and not of_layer:
        blobs.append((f"blobs/sha256/{_digest(layer)}", layer))
    return [("oci-layout", b'{"imageLayoutVersion": "1.0.0"}'), ("index.json", index), *blobs]


def _load(project, members, path=f"{API}/images/load"):
    return project.post(path, tar_of(members), fields=TAR)


def test_tag_and_untag(world):
    p1, p10 = world.p1, world.p10
    mine, docker_name, podman_name = _mine(world), _name(world, "p1/docker:1"), _name(world, "p1/podman:1")
    ok(p1.docker("pull", mine))
    ok(p1.docker("tag", mine, docker_name))
    ok(p1.podman("tag", docker_name, podman_name))
    shows(p1.docker("images", "--format", "{{.Repository}}:{{.Tag}}"), docker_name, podman_name)
    equal({_id(world, name) for name in (mine, docker_name, podman_name)}, {_id(world, mine)}, "names of one image")
    check(not _sees(p10, docker_name), "p10 does not see p1's name")
    says(p1.docker("run", "--rm", podman_name, "echo", "hello"), "hello")

    # The same image with names of p10's: untag and removal take p1's alone.
    ok(p10.docker("pull", mine))
    ok(p10.docker("tag", mine, _name(world, "p10/docker:1")))
    equal([name for name in _names(p1) if "p10" in name], [], "p1 sees no name of p10's")
    ok(p1.podman("untag", podman_name, podman_name))
    equal(_id(world, podman_name), None, "a single name is taken away")
    identifier = _id(world, mine)
    ok(p1.podman("untag", identifier))
    check(_id(world, mine) and _id(world, _name(world, "p10/docker:1")), "p10 keeps its names when p1 untags all")
    equal(_id(world, docker_name), None, "p1's own name is gone")
    check(not _sees(p1, mine), "the name that both pulled is p10's alone")
    ok(p10.docker("rmi", _name(world, "p10/docker:1"), mine))
    p1.podman("rmi", identifier)
    check(not _sees(p1, identifier), "an image without names is removed by its id")


def test_push_and_pull(world):
    p1, name, other = world.p1, _name(world, "p1/pushed:1"), _name(world, "p1/pushed:2")
    ok(p1.docker("pull", _mine(world)))
    ok(p1.docker("tag", _mine(world), name))
    identifier = _id(world, name)
    shows(p1.docker("push", name), f"The push refers to repository [{name.rsplit(':', 1)[0]}]", "1: digest: sha256:")
    ok(p1.podman("push", _mine(world), other))
    ok(p1.podman("push", "--quiet", name))
    ok(p1.docker("rmi", name, _mine(world)))
    for one in (name, other):
        ok(p1.docker("pull", one))
        equal(_id(world, one), identifier, "what was pushed comes back")
    for destination in ("localhost:1/x:1", "127.0.0.1:5000/x", "dir:/tmp/podfence-pushed", "docker-archive:/tmp/podfence-pushed.tar"):
        for path in (API, LIBPOD):
            answer = p1.post(f"{path}/images/{name}/push" + query(destination=destination))
            check(400 <= answer.status < 500, f"push to {destination} is refused by {path}", answer)
    fails(p1.docker("push", IMAGE))
    shows(p1.docker("tag", IMAGE, _name(world, "p1/base:1")))
    ok(p1.docker("push", _name(world, "p1/base:1")), "a shared image is pushed under a name of one's own")
    ok(p1.docker("rmi", name, other, _name(world, "p1/base:1")))


def test_save_and_load(world):
    p1, p10 = world.p1, world.p10
    first, second = _name(world, "p1/first:1"), _name(world, "p1/second:2")
    ok(p1.docker("pull", _mine(world)))
    for name in (first, second):
        ok(p1.docker("tag", _mine(world), name))
    ok(p10.docker("pull", _mine(world)))
    ok(p10.docker("tag", _mine(world), _name(world, "p10/hidden:1")))
    for path, names in ((f"{API}/images/get" + query(names=[first, second]), [first, second]),
                        (f"{API}/images/{first}/get", [first]), (f"{API}/images/get" + query(names=[_id(world, first)]), []),
                        (f"{LIBPOD}/images/{second}/get?format=docker-archive", [second]),
                        (f"{LIBPOD}/images/export" + query(references=[first, second], format="docker-archive"), [first, second])):
        answer = p1.get(path)
        equal(answer.status, 200, path)
        lacks(answer.content, b"p10/hidden", f"{path} tells no name of p10's")
        index = json.loads(_members(answer.content)["manifest.json"])
        equal(sorted(tag for item in index for tag in item["RepoTags"] or []), names, f"{path} has the names that were asked for")
    ok(p10.docker("rmi", _name(world, "p10/hidden:1"), _mine(world)))

    identifier = _id(world, first)
    for words in (("docker-archive", first, second), ("oci-archive", first)):
        file = f"{p1.home}/image.tar"
        ok(p1.podman("save", "--format", words[0], "-o", file, *words[1:]))
        ok(p1.docker("rmi", first, second, _mine(world)))
        ok(p1.podman("load", "-i", file))
        if words[0] == "docker-archive":  # the other form is another image
            equal(_id(world, first), identifier, "saved, removed, loaded")
        says(p1.docker("run", "--rm", first, "echo", words[0]), words[0])
        check(not _sees(p10, first), "p10 does not see what p1 loads")
        ok(p1.docker("tag", first, second))
        ok(p1.docker("tag", first, _mine(world)))
    ok(p1.docker("save", "-o", f"{p1.home}/image.tar", first))
    data = open(f"{p1.home}/image.tar", "rb").read()
    ok(p1.docker("rmi", first, second, _mine(world)))
    shows(p1.docker("load", data=gzip.compress(data)), f"Loaded image: {first}")
    says(p1.docker("run", "--rm", first, "echo", "loaded"), "loaded")
    ok(p1.docker("rmi", first))


def test_load_forms(world):
    """Both forms and both endpoints: the names that podfence judged are the ones that Podman gives."""
    p1, direct = world.p1, world.engine.direct
    for path in (f"{API}/images/load", f"{LIBPOD}/images/load"):
        for members, names in ((docker_archive([_name(world, "p1/a:1"), _name(world, "p1/b:1")]), ["p1/a:1", "p1/b:1"]),
                               (oci_archive(_name(world, "p1/c:1")), ["p1/c:1"]),
                               # Podman reads the OCI index of a file that has both.
                               (oci_archive(_name(world, "p1/d:1")) + docker_archive([_name(world, "p1/not:1")])[2:], ["p1/d:1"])):
            before = _names(p1)
            answer = _load(p1, members, path)
            check(answer.status == 200, f"{path} loads {names}", answer)
            new = [_name(world, name) for name in names]
            equal([name for name in _names(p1) if name not in before], new, f"{path} gives the names {names}")
            for name in new:
                contains(answer.text, name, f"{path} tells {name}")
                ok(p1.docker("rmi", name))
        answer = _load(p1, docker_archive([], tar_of([("nameless", path.encode())])), path)
        identifier = answer.text.split("sha256:")[1][:64]
        check(_sees(p1, identifier) and not _sees(world.p10, identifier), f"{path}: an image without a name is p1's", answer)
        ok(p1.docker("rmi", identifier))
        equal(direct.get(f"{LIBPOD}/images/{identifier}/exists").status, 404, "and it can be removed")


def test_import_and_commit(world):
    p1, p10 = world.p1, world.p10
    root = tar_of([("bin/hello", b"#!/bin/sh\n"), ("etc/file", b"imported")])
    docker_name, podman_name = _name(world, "p1/imported:d"), _name(world, "p1/imported:p")
    ok(p1.docker("import", "-c", "ENV A=b", "-m", "message", "-", docker_name, data=root))
    with open(f"{p1.home}/root.tar.gz", "wb") as file:
        file.write(gzip.compress(root))
    ok(p1.podman("import", "--change", "CMD /bin/hello", f"{p1.home}/root.tar.gz", podman_name))
    for name in (docker_name, podman_name):
        document = p1.get(f"{API}/images/{name}/json").json()
        equal(document["Config"]["Labels"], {LABEL: "p1"}, f"{name} carries the project's label")
        check(not _sees(p10, name), f"p10 does not see {name}")
        saved = p1.get(f"{API}/images/{name}/get").content
        contains(saved, b"imported", f"{name} holds what was imported")
    equal(p1.get(f"{API}/images/{docker_name}/json").json()["Config"]["Env"], ["A=b"], "a change is applied")

    ok(p1.docker("run", "-d", "--name", "source", IMAGE, "sh", "-c", "echo committed > /file; trap 'exit 0' TERM; sleep 1000 & wait"))
    committed = [_name(world, "p1/committed:d"), _name(world, "p1/committed:p")]
    ok(p1.docker("commit", "--pause=false", "-a", "author", "-m", "message", "-c", "LABEL a=b", "source", committed[0]))
    ok(p1.podman("commit", "--pause=false", "-q", "-c", "ENV C=d", "source", committed[1]))
    for name in committed:
        says(p1.docker("run", "--rm", name, "cat", "/file"), "committed")
        equal(p1.get(f"{API}/images/{name}/json").json()["Config"]["Labels"][LABEL], "p1", f"{name} carries the project's label")
        check(not _sees(p10, name), f"p10 does not see {name}")
    equal(p1.get(f"{API}/images/{committed[0]}/json").json()["Author"], "author", "the author is kept")
    fails(p10.docker("commit", "source", _name(world, "p10/stolen:1")), part="o such container")
    world.clear(p1)
    ok(p1.docker("rmi", docker_name, podman_name, *committed))


def _moves(world, name):
    """Every way to give a name to an image, in both APIs."""
    p1, repository, tag = world.p1, *name.rsplit(":", 1)
    mine = _mine(world)
    yield "tag", p1.post(f"{API}/images/{mine}/tag" + query(repo=repository, tag=tag))
    yield "libpod tag", p1.post(f"{LIBPOD}/images/{mine}/tag" + query(repo=name))
    yield "commit", p1.post(f"{API}/commit" + query(container="source", repo=repository, tag=tag, pause=False), {})
    yield "libpod commit", p1.post(f"{LIBPOD}/commit" + query(container="source", repo=repository, tag=tag, pause=False))
    root = tar_of([("file", b"x")])
    yield "import", p1.post(f"{API}/images/create" + query(fromSrc="-", repo=repository, tag=tag), root, fields=TAR)
    yield "libpod import", p1.post(f"{LIBPOD}/images/import" + query(reference=name), root, fields=TAR)
    own = _name(world, "p1/beside:1")
    for path in (f"{API}/images/load", f"{LIBPOD}/images/load"):
        yield f"{path} docker", _load(p1, docker_archive([own, name]), path)
        yield f"{path} oci", _load(p1, oci_archive(name), path)
    yield "untag", p1.post(f"{LIBPOD}/images/{mine}/untag" + query(repo=repository, tag=tag))
    yield "remove", p1.delete(f"{API}/images/{name}?force=true")
    yield "libpod remove", p1.delete(f"{LIBPOD}/images/{name}?force=true")


def test_names_of_others_stay(world):
    p1, p10, direct = world.p1, world.p10, world.engine.direct
    ok(p1.docker("pull", _mine(world)))
    ok(p1.docker("run", "-d", "--name", "source", IMAGE, "sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"))
    spare = _name(world, "team/spare:latest")
    ok(p10.docker("pull", spare))
    made, host = _name(world, "p10/made:1"), _name(world, "host/own:1")
    ok(p10.docker("tag", spare, made))
    direct.post(f"{LIBPOD}/images/{spare}/tag" + query(repo=_name(world, "host/own"), tag="1"))
    direct.post(f"{LIBPOD}/manifests/{_name(world, 'host/list:1')}")
    for name in (made, spare, host, IMAGE):
        before = _id(world, name)
        for what, answer in _moves(world, name):
            check(400 <= answer.status < 500, f"{what} of {name} is refused", answer)
            equal(_id(world, name), before, f"{what} leaves {name} where it was")
    answer = p1.post(f"{API}/images/{_mine(world)}/tag" + query(repo=_name(world, "host/list"), tag="1"))
    check(answer.status == 403, "the name of a manifest list without images is taken as well", answer)
    equal(_id(world, _name(world, "p1/beside:1")), None, "nothing was loaded beside a name that is refused")
    for path in (f"{API}/images/create" + query(fromImage=_name(world, "p10/made"), tag="1"),
                 f"{LIBPOD}/images/pull" + query(reference=made)):
        check(p1.post(path).status == 403, "a name that p10 gave is not pulled over", path)
    direct.delete(f"{LIBPOD}/manifests/{_name(world, 'host/list:1')}")
    direct.delete(f"{LIBPOD}/images/{host}")
    world.clear(p1)
    ok(p10.docker("rmi", made, spare))
    ok(p1.docker("rmi", _mine(world)))


def test_archives_that_lie(world):
    """What an archive names and does not hold would come from the store, or from wherever it says."""
    p1, p10 = world.p1, world.p10
    ok(p10.docker("import", "-", _name(world, "p10/private:1"), data=tar_of([("secret", b"layer-canary")])))
    private = world.engine.direct.get(f"{LIBPOD}/images/{_name(world, 'p10/private:1')}/json").json()["RootFS"]["Layers"][0]
    name, asked = _name(world, "p1/thief:1"), []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_):
            pass
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/asked"
        good = oci_archive(name)
        lies = {"a layer by its digest": docker_archive([name], digest=private),
                "a layer by its digest alone": oci_archive(name, digest=private),
                "a blob under another's digest": [*oci_archive(name, digest=private), (f"blobs/sha256/{private[7:]}", b"x")],
                "an address": oci_archive(name, urls=[address]),
                "a file of the host": [*good[:-1], (good[-1][0], "/etc/hostname")],
                "the names behind a link": [*docker_archive([])[:2], ("names", docker_archive([name])[2][1]), ("manifest.json", "names")],
                "two lists of names": [*docker_archive([name]), docker_archive([IMAGE])[2]],
                "a name by another path": [*docker_archive([])[:2], ("a/../manifest.json", docker_archive([name])[2][1])],
                "no list of names": [*docker_archive([])[:2], ("repositories", _json({name.rsplit(":", 1)[0]: {"1": "x"}}))]}
        for what, members in lies.items():
            for path in (f"{API}/images/load", f"{LIBPOD}/images/load"):
                answer = _load(p1, members, path)
                check(400 <= answer.status < 500, f"{what} is refused", answer)
                equal(_id(world, name), None, f"{what} makes no image")
        equal(asked, [], "nothing was fetched")
        server.shutdown()
    answer = p1.get(f"{API}/images/get" + query(names=_name(world, "p10/private:1")))
    equal(answer.status, 404, "p10's image is not saved by p1")
    ok(p10.docker("rmi", _name(world, "p10/private:1")))


def test_what_is_told(world):
    """Tree, history, changes and lists tell no name of another project, though layers are shared."""
    p1, p10 = world.p1, world.p10
    hidden = _name(world, "p10/hidden-canary:1")
    ok(p1.docker("pull", _mine(world)))
    ok(p10.docker("pull", _mine(world)))
    ok(p10.docker("tag", _mine(world), hidden))
    identifier = _id(world, _mine(world))
    for path in (f"{LIBPOD}/images/{_mine(world)}/tree", f"{LIBPOD}/images/{IMAGE}/tree", f"{LIBPOD}/images/{identifier}/changes",
                 f"{API}/images/{_mine(world)}/history", f"{LIBPOD}/images/{_mine(world)}/history", f"{API}/images/json?all=true",
                 f"{LIBPOD}/images/{identifier}/json", f"{LIBPOD}/images/json", f"{API}/images/{identifier}/json"):
        answer = p1.get(path)
        equal(answer.status, 200, path)
        lacks(answer.text, "hidden-canary", f"{path} tells nothing of p10's name")
    shows(p1.podman("image", "tree", _mine(world)), identifier[:12], _mine(world))
    check(p1.get(f"{LIBPOD}/images/{IMAGE}/tree?whatrequires=true").status == 403, "what others made of an image is not told")
    # Removed by p10: the past name stays untold.
    ok(p10.docker("rmi", hidden))
    lacks(p1.get(f"{LIBPOD}/images/json").text, "hidden-canary", "nor are names that p10 had")
    ok(p10.docker("rmi", _mine(world)))
    # A name of p10's is none to p1: to it the image is dangling.
    ok(p10.docker("pull", _mine(world)))
    ok(p1.podman("untag", identifier))
    contains(p1.post(f"{LIBPOD}/images/prune").text, identifier, "an image whose names are others' is pruned")
    check(not _sees(p1, identifier) and _sees(p10, _mine(world)), "from p1 alone")
    ok(p10.docker("rmi", _mine(world)))


def test_search_and_login(world):
    p1, registry = world.p1, world.engine.registry_name
    shows(p1.docker("search", f"{registry}/team/mine"), f"{registry}/team/mine")
    shows(p1.podman("search", "--list-tags", f"{registry}/team/mine"), "latest")
    says(p1.docker("login", "-u", "user", "-p", "password-of-mine", registry), "Login Succeeded")
    for term in ("localhost:1/x", "127.0.0.1:80/x", "quay.io/x", "10.0.0.1/x"):
        for path in (API, LIBPOD):
            answer = p1.get(f"{path}/images/search" + query(term=term))
            check(answer.status == 403, f"search of {term} is refused by {path}", answer)
    for server in ("localhost:1", "127.0.0.1:80", "http://127.0.0.1:80/v1/", "quay.io"):
        answer = p1.post(f"{API}/auth", {"username": "u", "password": "secret-of-mine", "serveraddress": server})
        check(400 <= answer.status <= 403, f"login to {server} is refused", answer)
    lacks("\n".join(world.audit()), "secret-of-mine", "the audit log tells no password")
    lacks(world.fence.log(), "secret-of-mine", "nor does podfence's own log")


def test_clean_up(world):
    world.clear(world.p1)
    for project in (world.p1, world.p10):
        for name in _names(project):
            if name != world.neighbour.image:
                project.delete(f"{LIBPOD}/images/{name}")
    world.unharmed()


def test_what_images_say(world):
    """An image's variables, labels and annotations become its containers', and Podman acts on them: `*` is the environment of its
    service, a unit of the host is restarted, the runtime writes a file."""
    p1, direct = world.p1, world.engine.direct
    layer = _members(world.engine.direct.get(f"{API}/images/{IMAGE}/get").content)
    layer = next(data for name, data in layer.items() if name.endswith("layer.tar") or name.endswith(".tar"))
    digest = "sha256:" + _digest(layer)
    says = {"variables": {"Env": ["PATH=/bin", "*"]}, "variable": {"Env": ["PATH=/bin", "PODFENCE_CANARY"]},
            "unit": {"Labels": {"PODMAN_SYSTEMD_UNIT": "victim.service"}},
            "update": {"Labels": {"io.containers.autoupdate": "registry"}}, "harmless": {"Env": ["PATH=/bin", "WORD=own"], "Labels": {LABEL: "p10"}}}
    archives = {what: docker_archive([_name(world, f"p1/says:{what}")], layer, digest, each) for what, each in says.items()}
    archives["annotation"] = oci_archive(_name(world, "p1/says:annotation"), layer, digest=None,
                                         annotations={"run.oci.hooks.stdout": "/tmp/podfence-planted"})
    for what, archive in archives.items():
        name = _name(world, f"p1/says:{what}")
        if what == "annotation":
            refused = _load(p1, archive)
            check(refused.status == 403 and refused.json()["cause"] == "label.reserved", "an archive with annotations for Podman is refused", refused)
            check(_id(world, name) is None, "and nothing of it is kept", name)
            _publish(world, archive, name)
            equal(p1.post(f"{API}/images/create" + query(fromImage=name)).status, 200, "a registry's image with annotations is pulled")
        else:
            equal(_load(p1, archive).status, 200, f"an image with {what} is loaded")
        effect = _said(direct, name)
        for family, body in ((LIBPOD, {"image": name, "command": ["env"]}), (API, {"Image": name, "Cmd": ["env"]})):
            made = p1.post(f"{family}/containers/create", body)
            if what == "harmless":
                equal(made.status, 201, "an image that says nothing of that is used")
                shown = p1.get(f"{API}/containers/{made.json()['Id']}/json").json()["Config"]
                equal(shown["Labels"][LABEL], "p1", "its label of another project counts for nothing")
            else:
                rule = "env.host" if what.startswith("variable") else "label.reserved"
                check(made.status == 403 and made.json()["cause"] == rule, f"no container is made of an image with {what}", made)
        if what.startswith("variable"):
            contains(effect["Env"], "PODFENCE_CANARY=engine-environment-canary", f"past podfence its {what} tells the service's environment")
        elif what == "annotation" and not effect.get("Annotations"):
            skip("annotations of images", "this Podman does not give them to containers")
        elif what != "harmless":
            check(effect["Labels" if what != "annotation" else "Annotations"].keys() & {"PODMAN_SYSTEMD_UNIT", "io.containers.autoupdate", "run.oci.hooks.stdout"},
                  f"past podfence its {what} is the container's", effect)
    world.clear(p1)
    for what in archives:
        equal(p1.delete(f"{LIBPOD}/images/{_name(world, f'p1/says:{what}')}").status, 200, "it is removed")


def test_volumes_of_images(world):
    """Each takes one of the locks that all of Podman's objects share, and no quota counts those without a name."""
    p1, direct = world.p1, world.engine.direct
    name = _name(world, "p1/volumes:1")
    says = {"Volumes": {f"/v{number}": {} for number in range(33)}, "Cmd": ["/x"]}
    equal(_load(p1, docker_archive([name], says=says)).status, 200, "an image with 33 volumes is loaded")
    before = len(direct.get(f"{LIBPOD}/volumes/json").json() or [])
    for family, body in ((LIBPOD, {"image": name}), (API, {"Image": name})):
        answer = p1.post(f"{family}/containers/create", body)
        check(answer.status == 403 and answer.json()["cause"] == "limit.volumes", "no container is made of it", answer)
    equal(len(direct.get(f"{LIBPOD}/volumes/json").json() or []), before, "and no volume")
    made = direct.post(f"{LIBPOD}/containers/create", {"image": name})
    equal(made.status, 201, "past podfence it is")
    equal(len(direct.get(f"{LIBPOD}/volumes/json").json()), before + 33, "with a volume for each")
    direct.delete(f"{LIBPOD}/containers/{made.json()['Id']}?force=true&v=true")
    equal(p1.delete(f"{LIBPOD}/images/{name}").status, 200, "it is removed")


def _publish(world, archive, name):
    """Past podfence, into the registry alone: as somebody else's work comes to it."""
    direct = world.engine.direct
    equal(_load(direct, archive).status, 200, f"past podfence {name} is loaded")
    world.engine.podman("push", "-q", name)
    equal(direct.delete(f"{LIBPOD}/images/{name}").status, 200, f"{name} is the registry's alone")


def _said(direct, name):
    """What a container has of the image past podfence."""
    made = direct.post(f"{LIBPOD}/containers/create", {"image": name, "command": ["env"]}).json()["Id"]
    config = direct.get(f"{LIBPOD}/containers/{made}/json").json()["Config"]
    direct.delete(f"{LIBPOD}/containers/{made}?force=true")
    return config
