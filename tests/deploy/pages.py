"""Manual pages and completions are those of this program, and nothing is missing in them."""

import contextlib
import json
import re
import subprocess
from pathlib import Path

from check import check, equal

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
# Names of the parser for what stands without "--", and options that need no words.
POSITIONAL = {"id", "request", "input", "word"}


@contextlib.contextmanager
def stage(options):
    yield options


def parser_text():
    return (ROOT / "proxy" / "command_line.cpp").read_text()


def keys(schema, node, found):
    if isinstance(node, dict):
        found.update(name for name, child in node.get("properties", {}).items() if "not" not in child)
        for child in node.values():
            keys(schema, child, found)
    elif isinstance(node, list):
        for child in node:
            keys(schema, child, found)
    return found


def test_up_to_date(stage):
    ran = subprocess.run([DEPLOY / "package" / "pages", stage.podfence, "--check"], stdout=subprocess.PIPE, text=True, check=False)
    equal(ran.stdout, "", "pages and completions are up to date")


def test_every_option(_):
    options = set(re.findall(r'[( ]add\("([a-z-]+)"|\)\("([a-z-]+)",', parser_text()))
    options = {one or other for one, other in options} - POSITIONAL
    check(len(options) > 20, "the parser's options are found", options)
    page = (DEPLOY / "man" / "podfence.1").read_text().replace("\\-", "-")
    bash = (DEPLOY / "completions" / "podfence.bash").read_text()
    for option in sorted(options):
        check(f"--{option}" in page, f"podfence(1) tells --{option}")
        check(re.search(rf"--{option}\b", bash), f"bash completes --{option}")
        check(f"-l {option} " in (DEPLOY / "completions" / "podfence.fish").read_text(), f"fish completes --{option}")
        check(re.search(rf"'--{option}[=\[]", (DEPLOY / "completions" / "_podfence").read_text()), f"zsh completes --{option}")


def test_every_command(_):
    commands = re.findall(r'\{"([a-z -]+)", Command::', parser_text())
    check(len(commands) > 10, "the parser's commands are found", commands)
    page = (DEPLOY / "man" / "podfence.1").read_text().replace("\\-", "-")
    bash = (DEPLOY / "completions" / "podfence.bash").read_text()
    for command in commands:
        if command.startswith("-"):
            continue
        check(command.split()[-1] in page, f"podfence(1) tells {command}")
        check(re.search(rf"\b{re.escape(command.split()[-1])}\b", bash), f"bash completes {command}")


def test_every_key(stage):
    schema = json.loads(subprocess.run([stage.podfence, "schema"], stdout=subprocess.PIPE, check=True).stdout)
    page = (DEPLOY / "man" / "podfence.json.5").read_text().replace("\\-", "-")
    told = {line.removeprefix(".B ").split(".")[-1] for line in page.splitlines() if line.startswith(".B ")}
    found = keys(schema, schema, set())
    check(len(found) > 60, "the schema's keys are found", found)
    missing = sorted(found - told - {"least", "most", "default"})
    equal(missing, [], "podfence.json(5) tells every key of the schema")
