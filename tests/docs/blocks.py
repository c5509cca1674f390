"""The commands that README.md and docs/*.md show, in the order of the text."""

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A block whose first line begins with one of these, or with `$ `, is shell. One of another kind must be known by its beginning.
PROGRAMS = {"podfence", "podman", "docker", "docker-compose", "curl", "cmake", "ctest", "clang++", "mkdir", "journalctl", "loginctl", "systemctl",
            "export", "tail", "my-fuzzer", "afl-fuzz", "sudo", "apt", "apt-get", "dpkg", "kubectl", "cp", "install", "git", "unshare"}
NO_SHELL = ("{", '"', "podfence: ", "apiVersion:", "FROM ", "#")


class Unknown(Exception):
    """A block that is neither shell nor of a kind that is known not to be."""


@dataclass
class Command:
    page: str
    line: int
    text: str
    says: list = field(default_factory=list)   # what stands below it as its output


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _blocks(page):
    """(line, language, lines) of every block, indented or fenced."""
    lines, at = page.read_text().splitlines(), 0
    while at < len(lines):
        start = at
        if lines[at].startswith("```"):
            at += 1
            while not lines[at].startswith("```"):
                at += 1
            yield start + 2, lines[start][3:].strip(), lines[start + 1:at]
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            yield start + 1, "", textwrap.dedent("\n".join(lines[start:at])).split("\n")
            continue
        at += 1


def _is_command(text):
    first = text.split(" ", 1)[0]
    return first in PROGRAMS or re.match(r"(tests|deploy|fuzz|build)/", first) or re.fullmatch(r"[A-Z_]+=\S*", first)


def _is_shell(language, first, where):
    if language:
        return language in ("sh", "bash", "console")
    if first.startswith("$ ") or _is_command(first):
        return True
    if first.startswith(NO_SHELL) or any("─" <= character <= "▟" for character in first):
        return False
    raise Unknown(f"{where}: is this shell, or what? It begins with: {first[:80]}")


def _of_block(page, line, lines):
    """A command goes on behind a backslash or a pipe at the end of its line; with prompts, what has none is what it says."""
    prompted = any(text.startswith("$ ") for text in lines)
    found, going_on = [], False
    for number, text in enumerate(lines):
        is_one = going_on or text.startswith("$ ") or (not prompted and text.strip() and not text.startswith("#"))
        if going_on:
            found[-1].text += " " + _bare(text)
        elif is_one:
            found.append(Command(page.name, line + number, _bare(text.removeprefix("$ "))))
        elif found and text.strip():
            found[-1].says.append(text)
        going_on = is_one and text.rstrip().endswith(("\\", "|"))
    return found


def _bare(text):
    """Without its comment, and without what joins it to the next line."""
    return re.sub(r"\s{2,}#.*", "", text).rstrip().removesuffix("\\").strip()


def commands():
    for page in pages():
        for line, language, lines in _blocks(page):
            first = next((text for text in lines if text.strip()), "")
            if any("┤" in text or "▶" in text for text in lines):
                continue   # a picture
            if _is_shell(language, first, f"{page.name}:{line}"):
                yield from _of_block(page, line, lines)
