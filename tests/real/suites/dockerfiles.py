"""Dockerfiles as podfence writes them mean to Podman what the client's own text means: both texts of tests/data/dockerfiles
are built past the proxy, and the images compared. A few of them, or all with PODFENCE_ALL_DOCKERFILES=1 in the environment."""

import hashlib
import json
import os
import tarfile
from pathlib import Path

from check import check, equal
from world import IMAGE

CORPUS = Path(__file__).resolve().parents[2] / "data" / "dockerfiles"
BASE_ID = "b" * 64  # of localhost/bb in the recorded texts
SOME = ["env-quotes", "escape-backtick", "heredoc-two", "stages"]
ONLY_5 = ("heredoc-", "run-network")


def _context(folder, text):
    folder.mkdir()
    (folder / "sub").mkdir()
    for name in ("a.txt", "b.txt", "sub/c.txt", "x.txt"):
        (folder / name).write_text(f"{name}\n")
    (folder / "Dockerfile").write_bytes(text)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return str(folder)


def _layer(archive, name):
    """What a layer holds, without the times at which it was made."""
    with tarfile.open(fileobj=archive.extractfile(name)) as layer:
        return sorted((entry.name, entry.type, entry.mode, entry.uid, entry.gid, entry.linkname,
                       hashlib.sha256(layer.extractfile(entry).read()).hexdigest() if entry.isreg() else "")
                      for entry in layer)


def _image(archive, entry):
    config = json.load(archive.extractfile(entry["Config"]))
    settings = {key: value for key, value in config["config"].items() if key not in ("Hostname", "Image")}
    return {"settings": settings, "author": config.get("author"), "architecture": config["architecture"],
            "layers": [_layer(archive, name) for name in entry["Layers"]]}


def _build(engine, folder, text):
    return engine.podman("build", "-q", "--no-cache", "--layers=false", "--format", "docker", _context(folder, text)).split()[-1]


def _compare(engine, case):
    base = engine.podman("image", "inspect", "--format", "{{.Id}}", IMAGE).strip()
    written = (CORPUS / f"{case}.canonical").read_bytes().replace(BASE_ID.encode(), base.encode())
    texts = ((CORPUS / f"{case}.dockerfile").read_bytes(), written)
    folder = engine.scratch / f"dockerfile-{case}"
    folder.mkdir()
    folder.chmod(0o755)
    ids = [_build(engine, folder / str(number), text) for number, text in enumerate(texts)]
    images = []
    for number, image in enumerate(ids):
        path = engine.home / f"dockerfile-{case}-{number}.tar"
        engine.podman("save", "-q", "-o", str(path), image)
        with tarfile.open(path) as archive:
            images.append(_image(archive, json.load(archive.extractfile("manifest.json"))[0]))
        path.unlink()
    for part in ("settings", "author", "architecture", "layers"):
        equal(images[1][part], images[0][part], f"{case}: the same {part}")


def test_written_means_the_same(world):
    everything = os.environ.get("PODFENCE_ALL_DOCKERFILES")
    cases = sorted(path.stem for path in CORPUS.glob("*.dockerfile")) if everything else SOME
    newer = world.engine.version.user.endswith("5")
    for case in cases:
        if newer or not case.startswith(ONLY_5):
            try:
                _compare(world.engine, case)
            except RuntimeError as error:
                check(False, f"{case}: both are built", error)
