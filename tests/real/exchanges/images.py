"""Images, builds and manifest lists."""

from exchanges.archives import tar_of
from exchanges.containers import TAR
from exchanges.play import Exchange as X
from world import IMAGE

MINE = "{registry}/team/mine:latest"
DOCKERFILE = f"FROM {IMAGE}\nLABEL parity=yes\nRUN echo built > /built\nCOPY given /given\nCMD [\"cat\", \"/given\"]\n"
CONTEXT = tar_of([("Dockerfile", DOCKERFILE.encode()), ("given", b"a file\n")])
BROKEN = tar_of([("Dockerfile", f"FROM {IMAGE}\nRUN exit 3\n".encode())])
ROOT = tar_of([("file", b"imported\n")])
BUILT = 'filters={{"label":["parity=yes"]}}'


def _looks(api, name):
    one = f"{api}/images/{{name:.*}}"
    yield X(f"GET {one}/json", name)
    yield X(f"GET {one}/history", name)
    yield X(f"GET {api}/images/json", query='filters={{"reference":["*/team/mine"]}}')
    yield X(f"POST {one}/tag", name, "repo=localhost/kept&tag=two")
    yield X(f"POST {one}/tag", name, "repo=localhost/UPPER&tag=two")
    yield X(f"GET {one}/json", "localhost/kept:two")
    yield X(f"GET {one}/get", "localhost/kept:two")
    yield X(f"DELETE {one}", "localhost/kept:two")


def by_docker():
    one = "/images/{name:.*}"
    yield X("POST /images/create", query="fromImage={registry}/team/mine&tag=latest")
    yield X("POST /images/create", query="fromImage={registry}/team/mine&tag=latest")
    yield X("POST /images/create", query="fromImage={registry}/team/absent&tag=latest")
    yield from _looks("", MINE)
    yield X("GET /images/get", query=f"names={MINE}")
    yield X(f"POST {one}/push", MINE)
    yield X("GET /images/search", query="term={registry}/team&limit=3")
    yield X("POST /auth", content={"username": "u", "password": "p", "serveraddress": "{registry}"})
    yield X("POST /containers/create", query="name=user", content={"Image": MINE, "Cmd": ["true"]}, made="user")
    yield X(f"DELETE {one}", MINE)
    yield X("DELETE /containers/{name}", "user")
    yield X(f"DELETE {one}", MINE)
    yield X(f"DELETE {one}", MINE)
    yield X("POST /images/create", query="fromSrc=-&repo=localhost/parity&tag=one", content=ROOT, fields=TAR, made="imported")
    yield X(f"GET {one}/json", "{imported}")
    yield X(f"DELETE {one}", "{imported}")
    yield X("POST /build", query="t=localhost/built:one", content=CONTEXT, fields=TAR, made="built")
    yield X(f"GET {one}/json", "localhost/built:one")
    yield X(f"GET {one}/history", "localhost/built:one")
    yield X("POST /build", query="t=localhost/broken:one", content=BROKEN, fields=TAR)
    yield X("POST /build", query="t=localhost/broken:one", content=tar_of([("other", b"")]), fields=TAR)
    yield X(f"POST {one}/tag", "localhost/built:one", "repo=localhost/built&tag=two")
    yield X("GET /images/json", query=BUILT)
    yield X(f"DELETE {one}", "localhost/built:two")
    yield X(f"DELETE {one}", "localhost/built:one")
    yield X("POST /build", query="t=localhost/built:one&q=true", content=CONTEXT, fields=TAR)
    yield X(f"DELETE {one}", "localhost/built:one")
    yield X("POST /images/prune", query=BUILT)
    yield X("POST /images/load", content=_saved("localhost/loaded:one"), fields=TAR)
    yield X(f"GET {one}/json", "localhost/loaded:one")
    yield X(f"DELETE {one}", "localhost/loaded:one")
    yield X("POST /images/load", content=b"no archive", fields=TAR)


def _saved(name):
    """A small image as `docker save` writes it."""
    import hashlib
    import json
    layer = hashlib.sha256(ROOT).hexdigest()
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Cmd": ["true"], "Labels": {"parity": "loaded"}},
                         "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
                         "history": [{"created": "2023-11-14T22:13:20Z", "created_by": "made here"}]}).encode()
    file = hashlib.sha256(config).hexdigest() + ".json"
    manifest = json.dumps([{"Config": file, "RepoTags": [name], "Layers": [f"{layer}.tar"]}]).encode()
    return tar_of([(file, config), (f"{layer}.tar", ROOT), ("manifest.json", manifest)])


def by_libpod():
    one = "/libpod/images/{name:.*}"
    yield X("POST /libpod/images/pull", query=f"reference={MINE}")
    yield X("POST /libpod/images/pull", query=f"reference={MINE}&quiet=true")
    yield X("POST /libpod/images/pull", query="reference={registry}/team/absent:latest")
    yield from _looks("/libpod", MINE)
    yield X(f"GET {one}/exists", MINE)
    yield X(f"GET {one}/tree", MINE)
    yield X("GET /libpod/images/{name:.*}/changes", "localhost/other")
    yield X(f"GET {one}/get", MINE, "format=oci-archive")
    yield X("GET /libpod/images/export", query=f"format=docker-archive&references={MINE}")
    yield X(f"POST {one}/push", MINE, f"destination={MINE}")
    yield X(f"POST {one}/push", MINE, f"destination={MINE}&quiet=false")
    yield X("GET /libpod/images/search", query="term={registry}/team&limit=3")
    yield X(f"POST {one}/tag", MINE, "repo=localhost/kept&tag=two")
    yield X(f"POST {one}/untag", MINE, "repo=localhost/kept&tag=two")
    yield X("DELETE /libpod/images/remove", query=f"images={MINE}")
    yield X("DELETE /libpod/images/remove", query=f"images={MINE}")
    yield X("POST /libpod/images/import", query="reference=localhost/parity:one&message=said&changes=CMD%20true", content=ROOT, fields=TAR, made="imported")
    yield X(f"GET {one}/json", "localhost/parity:one")
    yield X(f"DELETE {one}", "localhost/parity:one")
    yield X("POST /libpod/images/load", content=_saved("localhost/loaded:one"), fields=TAR)
    yield X(f"DELETE {one}", "localhost/loaded:one")
    yield X("POST /libpod/build", query="t=localhost/built:one", content=CONTEXT, fields=TAR, made="built")
    yield X(f"GET {one}/json", "localhost/built:one")
    yield X("POST /libpod/build", query="t=localhost/broken:one", content=BROKEN, fields=TAR)
    yield X("GET /libpod/images/json", query=BUILT)
    yield X(f"DELETE {one}", "localhost/built:one", "force=true")
    yield X("POST /libpod/images/prune", query=BUILT)


def manifests():
    one = "/libpod/manifests/{name:.*}"
    name = "localhost/many:latest"
    yield X(f"POST {one}", name, content={}, made="many")
    yield X(f"POST {one}", name, content={})
    yield X(f"GET {one}/exists", name)
    yield X(f"GET {one}/json", name)
    yield X(f"PUT {one}", name, content={"operation": "update", "images": ["localhost/other:latest"]})
    yield X(f"GET {one}/json", name)
    yield X(f"DELETE {one}", name)
    yield X(f"DELETE {one}", name)
