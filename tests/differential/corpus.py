#!/usr/bin/env python3
"""Writes every request of the repository's corpora as raw HTTP, with a NUL behind each, to standard output: contents that clients
sent, attacks, seeds of fuzzers, explained requests. `podfence replay -` and the differential test read that."""

import json
import re
import sys
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]

TARGETS = {
    "container-create-compat": "/v1.41/containers/create?name=made",
    "container-create-libpod": "/v4.3.1/libpod/containers/create",
    "container-update-compat": "/v1.41/containers/web/update",
    "container-update-libpod": "/v5.4.2/libpod/containers/web/update",
    "pod-create": "/v4.3.1/libpod/pods/create",
    "volume-create-compat": "/v1.41/volumes/create",
    "volume-create-libpod": "/v4.3.1/libpod/volumes/create",
    "network-create-compat": "/v1.41/networks/create",
    "network-create-libpod": "/v4.3.1/libpod/networks/create",
    "network-connect-compat": "/v1.41/networks/net/connect",
    "network-connect-libpod": "/v4.3.1/libpod/networks/net/connect",
    "network-disconnect": "/v1.41/networks/net/disconnect",
    "exec-create-compat": "/v1.41/containers/web/exec",
    "exec-create-libpod": "/v4.3.1/libpod/containers/web/exec",
    "exec-start": "/v1.41/exec/e1/start",
    "exec-remove": "/v5.4.2/libpod/exec/e1/remove",
}

# What the cases of tests/attack leave open. An id is one of no object.
WORDS = {"HOST": "/srv/attack", "IMAGE": "localhost/bb:latest", "PORT": "20080", "LISTENER": "20081"}


def message(method, target, content=b"", fields=()):
    lines = [f"{method} {target} HTTP/1.1", "Host: d", *fields]
    if content:
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + content


def filled(value):
    """With every {NAME} replaced, also in the names of members."""
    if isinstance(value, str):
        return re.sub(r"\{([A-Z][A-Z0-9_]*)\}", lambda found: WORDS.get(found[1], found[1].lower().replace("_", "-")), value)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        return {filled(name): filled(item) for name, item in value.items()}
    return value


def bodies():
    for folder, target in TARGETS.items():
        files = sorted((ROOT / "tests/data/bodies" / folder).glob("*.json"))
        if not files:
            sys.exit(f"tests/data/bodies/{folder} is empty")
        for file in files:
            yield message("POST", target, file.read_bytes())


def attack(step):
    if "raw" in step:
        return "\r\n".join(step["raw"]).encode()
    method, _, target = step["send"].partition(" ")
    target = ("/v4.0.0" if target.startswith("/libpod/") else "/v1.41") + target
    query = step.get("query", {})
    pairs = [(name, json.dumps(one) if isinstance(one, (dict, bool)) else one)
             for name, value in query.items() for one in (value if isinstance(value, list) else [value])]
    if pairs:
        target += "?" + urlencode(pairs)
    content = step.get("text", json.dumps(step["content"]) if "content" in step else "").encode()
    fields = [f"{name}: {value}" for name, value in step.get("fields", {}).items()]
    return message(method, target, content, fields)


def attacks():
    for file in sorted((ROOT / "tests/attack/cases").glob("*/*.json")):
        for step in json.loads(file.read_text())["attack"]:
            yield attack(filled(step))


def fuzz_seeds():
    for file in sorted((ROOT / "fuzz/corpus/decision").iterdir()):
        line, _, content = file.read_bytes().partition(b"\n")
        method, _, target = line.decode("utf-8", "surrogateescape").partition(" ")
        yield message(method, target, content)
    for file in sorted((ROOT / "fuzz/corpus/target").iterdir()):
        yield message("GET", file.read_bytes().decode("utf-8", "surrogateescape"))
    for file in sorted((ROOT / "fuzz/corpus/json").iterdir()):
        yield message("POST", "/v1.41/containers/create", file.read_bytes())


def explained():
    for file in sorted((ROOT / "tests/data/explain").glob("*.http")):
        if b"\r\n" in file.read_bytes():
            yield file.read_bytes()


def main():
    for source in (bodies, attacks, fuzz_seeds, explained):
        for request in source():
            if b"\0" not in request:  # it stands between requests
                sys.stdout.buffer.write(request + b"\0")


if __name__ == "__main__":
    main()
