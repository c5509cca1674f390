#!/usr/bin/env python3
"""corpus.py FOLDER writes every request of the repository's corpora as raw HTTP into a file of its own in that new folder: contents
that clients sent, attacks, seeds of fuzzers, explained requests. `podfence replay FOLDER` and the differential test read that."""

import io
import json
import re
import sys
import tarfile
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
            yield f"{folder}-{file.stem}", message("POST", target, file.read_bytes())


def archive(files):
    """A tar; a member that is an object is a tar itself."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, text in files.items():
            data = archive(text) if isinstance(text, dict) else text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return written.getvalue()


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
    if "tar" in step:
        content = archive(step["tar"])
    fields = [f"{name}: {value}" for name, value in step.get("fields", {}).items()]
    return message(method, target, content, fields)


def attacks():
    for file in sorted((ROOT / "tests/attack/cases").glob("*/*.json")):
        for number, step in enumerate(json.loads(file.read_text())["attack"], 1):
            yield f"attack-{file.parent.name}-{file.stem}-{number}", attack(filled(step))


def fuzz_seeds():
    for file in sorted((ROOT / "fuzz/corpus/decision").iterdir()):
        line, _, content = file.read_bytes().partition(b"\n")
        method, _, target = line.decode("utf-8", "surrogateescape").partition(" ")
        yield f"decision-{file.name}", message(method, target, content)
    for file in sorted((ROOT / "fuzz/corpus/target").iterdir()):
        yield f"target-{file.name}", message("GET", file.read_bytes().decode("utf-8", "surrogateescape"))
    for file in sorted((ROOT / "fuzz/corpus/body").glob("text-*")):
        yield f"json-{file.name}", message("POST", "/v1.41/containers/create", file.read_bytes()[2:])


def explained():
    for file in sorted((ROOT / "tests/data/explain").glob("*.http")):
        if b"\r\n" in file.read_bytes():
            yield f"explain-{file.stem}", file.read_bytes()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for source in (bodies, attacks, fuzz_seeds, explained):
        for name, request in source():
            (folder / name).write_bytes(request)


if __name__ == "__main__":
    main()
