"""Volumes, networks, pods and secrets."""

import base64

from exchanges.archives import tar_of
from exchanges.containers import ALL, LABELS, OWN, SPEAKS, TAR
from exchanges.play import Exchange as X
from world import IMAGE


def _in_volume(api):
    """A container that uses it, and what that makes impossible."""
    if api:
        yield X("POST /libpod/containers/create", content={"image": IMAGE, "name": "user", "command": ["true"], "labels": LABELS,
                                                           "volumes": [{"Name": "vault", "Dest": "/data"}, {"Dest": "/spare"}]}, made="user")
    else:
        yield X("POST /containers/create", query="name=user", content={"Image": IMAGE, "Cmd": ["true"], "Labels": LABELS,
                                                                       "Volumes": {"/spare": {}}, "HostConfig": {"Binds": ["vault:/data:ro", "implied:/implied"]}}, made="user")
    yield X(f"GET {api}/containers/{{name}}/json", "user")
    yield X(f"GET {api}/containers/json", query=ALL)
    yield X(f"DELETE {api}/volumes/{{name}}", "vault")
    yield X("GET /libpod/volumes/json", query='filters={{"name":["implied"]}}')
    yield X(f"DELETE {api}/containers/{{name}}", "user", "v=true")
    yield X(f"DELETE {api}/volumes/{{name}}", "implied")


def volumes_by_docker():
    yield X("POST /volumes/create", content={"Name": "vault", "Labels": LABELS, "Driver": "local"})
    yield X("POST /volumes/create", content={"Name": "vault", "Labels": LABELS})
    yield X("POST /volumes/create", content={"Name": "bad/name"})
    yield X("GET /volumes", query=OWN)
    yield X("GET /volumes/{name}", "vault")
    yield from _in_volume("")
    yield X("POST /volumes/prune", query=OWN)
    yield X("POST /volumes/create", content={"Name": "vault"})
    yield X("DELETE /volumes/{name}", "vault", "force=true")
    yield X("DELETE /volumes/{name}", "vault", "force=true")


def volumes_by_libpod():
    one = "/libpod/volumes/{name}"
    yield X("POST /libpod/volumes/create", content={"Name": "vault", "Labels": LABELS})
    yield X("POST /libpod/volumes/create", content={"Name": "vault", "Labels": LABELS})
    yield X("POST /libpod/volumes/create", content={"Name": "bad/name"})
    yield X("GET /libpod/volumes/json", query=OWN)
    yield X(f"GET {one}/json", "vault")
    yield X(f"GET {one}/exists", "vault")
    yield X(f"POST {one}/import", "vault", content=tar_of([("given", b"a file\n")]), fields=TAR)
    yield X(f"GET {one}/export", "vault")
    yield from _in_volume("/libpod")
    yield X("POST /libpod/volumes/prune", query=OWN)
    yield X("POST /libpod/volumes/create", content={"Name": "vault"})
    yield X(f"DELETE {one}", "vault", "force=true")


def networks_by_docker():
    web = {"Image": IMAGE, "Cmd": SPEAKS, "Labels": LABELS, "HostConfig": {"NetworkMode": "net"},
           "NetworkingConfig": {"EndpointsConfig": {"net": {"Aliases": ["front"]}}}}
    yield X("POST /networks/create", content={"Name": "net", "Labels": LABELS, "CheckDuplicate": True,
                                              "IPAM": {"Config": [{"Subnet": "10.89.201.0/24"}]}}, made="net")
    yield X("POST /networks/create", content={"Name": "net", "CheckDuplicate": True})
    yield X("POST /networks/create", content={"Name": "side", "Labels": LABELS, "IPAM": {"Config": [{"Subnet": "10.89.202.0/24"}]}}, made="side")
    yield X("GET /networks", query=OWN)
    yield X("GET /networks/{name}", "net")
    yield X("POST /containers/create", query="name=web", content=web, made="web")
    yield X("POST /containers/{name}/start", "web")
    yield X("GET /networks/{name}", "net")
    yield X("GET /containers/{name}/json", "web")
    yield X("POST /networks/{name}/connect", "side", content={"Container": "web", "EndpointConfig": {"Aliases": ["back"]}})
    yield X("POST /networks/{name}/connect", "side", content={"Container": "web"})
    yield X("GET /containers/json", query=ALL)
    yield X("POST /networks/{name}/disconnect", "side", content={"Container": "web"})
    yield X("POST /networks/{name}/disconnect", "side", content={"Container": "web"})
    yield X("POST /networks/{name}/connect", "side", content={"Container": "absent"})
    yield X("DELETE /networks/{name}", "net")
    yield X("DELETE /containers/{name}", "web", "force=true")
    yield X("DELETE /networks/{name}", "net")
    yield X("POST /networks/prune", query=OWN)


def networks_by_libpod():
    one = "/libpod/networks/{name}"
    yield X("POST /libpod/networks/create", content={"name": "net", "driver": "bridge", "labels": LABELS, "dns_enabled": True,
                                                     "subnets": [{"subnet": "10.89.201.0/24"}]}, made="net")
    yield X("POST /libpod/networks/create", content={"name": "net"})
    yield X("POST /libpod/networks/create", content={"name": "side", "labels": LABELS, "subnets": [{"subnet": "10.89.202.0/24"}]}, made="side")
    yield X("GET /libpod/networks/json", query=OWN)
    yield X(f"GET {one}/json", "net")
    yield X(f"GET {one}", "net")
    yield X(f"GET {one}/exists", "net")
    yield X("POST /libpod/containers/create", content={"image": IMAGE, "name": "web", "command": SPEAKS, "labels": LABELS,
                                                       "netns": {"nsmode": "bridge"}, "Networks": {"net": {"aliases": ["front"]}}}, made="web")
    yield X("POST /libpod/containers/{name}/start", "web")
    yield X("GET /libpod/containers/{name}/json", "web")
    yield X(f"GET {one}/json", "net")
    yield X(f"POST {one}/connect", "side", content={"container": "web", "aliases": ["back"]})
    yield X(f"POST {one}/connect", "side", content={"container": "web"})
    yield X(f"POST {one}/disconnect", "side", content={"container": "web"})
    yield X(f"POST {one}/update", "net", content={"adddnsservers": [], "removednsservers": []})
    yield X(f"DELETE {one}", "net")
    yield X("DELETE /libpod/containers/{name}", "web", "force=true&timeout=0")
    yield X(f"DELETE {one}", "net")
    yield X("POST /libpod/networks/prune", query=OWN)


def pods():
    one = "/libpod/pods/{name}"
    yield X("POST /libpod/pods/create", content={"name": "group", "labels": LABELS, "hostname": "front"}, made="group")
    yield X("POST /libpod/pods/create", content={"name": "group"})
    yield X("POST /libpod/containers/create", content={"image": IMAGE, "name": "member", "command": SPEAKS, "pod": "group", "labels": LABELS},
            made="member")
    yield X("GET /libpod/pods/json", query=OWN)
    yield X(f"GET {one}/json", "group")
    yield X(f"GET {one}/exists", "group")
    yield X(f"POST {one}/start", "group")
    yield X(f"POST {one}/start", "group")
    yield X("GET /libpod/containers/json", query='pod=true&filters={{"label":["parity=yes"]}}')
    yield X("GET /libpod/containers/{name}/json", "member")
    yield X(f"GET {one}/top", "group")
    yield X("GET /libpod/pods/stats", query="namesOrIDs=group&stream=false")
    yield X(f"POST {one}/pause", "group")
    yield X(f"POST {one}/unpause", "group")
    yield X(f"POST {one}/restart", "group")
    yield X(f"POST {one}/kill", "group", "signal=URG")
    yield X(f"POST {one}/stop", "group", "t=5")
    yield X(f"POST {one}/stop", "group", "t=5")
    yield X(f"GET {one}/json", "group")
    yield X(f"DELETE {one}", "group", "force=true")
    yield X("POST /libpod/pods/create", content={"name": "spare", "labels": LABELS}, made="spare")
    yield X("POST /libpod/pods/prune", query=OWN)


def secrets():
    value = base64.b64encode(b"word").decode()
    yield X("POST /secrets/create", content={"Name": "word", "Labels": LABELS, "Data": value}, made="word")
    yield X("POST /secrets/create", content={"Name": "word", "Data": value})
    yield X("POST /secrets/create", content={"Name": "bad/name", "Data": value})
    yield X("GET /secrets", query='filters={{"name":["word"]}}')
    yield X("GET /secrets/{name}", "word")
    yield X("DELETE /secrets/{name}", "word")
    yield X("DELETE /secrets/{name}", "word")
    yield X("POST /libpod/secrets/create", query="name=word", content=b"word", fields=(("Content-Type", "application/octet-stream"),), made="word")
    yield X("POST /libpod/secrets/create", query="name=word", content=b"word", fields=(("Content-Type", "application/octet-stream"),))
    yield X("GET /libpod/secrets/json", query='filters={{"name":["word"]}}')
    yield X("GET /libpod/secrets/{name}/json", "word", "showsecret=true")
    yield X("GET /libpod/secrets/{name}/exists", "word")
    yield X("DELETE /libpod/secrets/{name}", "word")
