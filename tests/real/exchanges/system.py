"""Kubernetes YAML, events, and what is asked of the engine itself."""

import json

from exchanges.containers import LABELS
from exchanges.play import Exchange as X
from world import IMAGE

POD = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "group", "labels": LABELS}, "spec": {
    "restartPolicy": "Never", "containers": [{"name": "web", "image": IMAGE, "command": ["/bin/sh", "-c", "trap 'exit 0' TERM; /bin/sleep 1000 & wait"], "env": [{"name": "A", "value": "b"}]}]}}).encode()


def kube():
    for play, generate in (("/libpod/play/kube", "/libpod/generate/kube"), ("/libpod/kube/play", "/libpod/kube/generate")):
        yield X(f"POST {play}", content=POD)
        yield X("GET /libpod/pods/{name}/json", "group")
        yield X("GET /libpod/containers/{name}/json", "group-web")
        yield X(f"GET {generate}", query="names=group")
        yield X(f"GET {generate}", query="names=absent")
        yield X(f"POST {play}", content=POD)
        yield X(f"DELETE {play}", content=POD)
        yield X(f"DELETE {play}", content=POD)
        yield X(f"POST {play}", content=b"kind: [")


def _events(api, create):
    one = f"{api}/containers/{{name}}"
    yield create
    yield X(f"POST {one}/start", "brief")
    yield X(f"POST {one}/wait", "brief")
    yield X(f"GET {api}/events", query='stream=false&since={since}&filters={{"container":["{brief}"]}}', until="cleanup")
    yield X(f"DELETE {one}", "brief")


def events_by_docker():
    yield from _events("", X("POST /containers/create", query="name=brief", content={"Image": IMAGE, "Cmd": ["false"], "Labels": LABELS}, made="brief"))


def events_by_libpod():
    yield from _events("/libpod", X("POST /libpod/containers/create", made="brief",
                                    content={"image": IMAGE, "name": "brief", "command": ["false"], "labels": LABELS}))


def about_the_engine():
    for api in ("", "/libpod"):
        yield X(f"GET {api}/_ping")
        yield X(f"HEAD {api}/_ping")
        yield X(f"GET {api}/version")
        yield X(f"GET {api}/info")
        yield X(f"GET {api}/system/df")
