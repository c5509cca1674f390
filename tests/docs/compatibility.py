"""The part of docs/compatibility.md that is made from the table of differences: between two marks, a part for each reason."""

import sys

from blocks import ROOT

sys.path.insert(0, str(ROOT / "tests" / "real"))

from exchanges.differences import DIFFERENCES, REASONS  # noqa: E402

PAGE = ROOT / "docs" / "compatibility.md"
BEGIN, END = "<!-- made from tests/real/exchanges by tests/docs/run -->", "<!-- end -->"
ENGINES = {"45": "4.3.1, 5.4.2", "4": "4.3.1", "5": "5.4.2"}


def _listed(patterns):
    return ", ".join(f"`{each}`" for each in patterns.split(", "))


def _table():
    lines = []
    for reason, sentence in REASONS.items():
        rows = [row for row in DIFFERENCES if row.reason == reason]
        lines += [f"**{sentence}**", "", "| answer to | part | how | Podman |", "|---|---|---|---|"]
        lines += [f"| {_listed(row.endpoints)} | {_listed(row.paths)} | {', '.join(row.what.split())} | {ENGINES[row.engines]} |" for row in rows]
        lines.append("")
    return "\n".join(lines).rstrip()


def renewed():
    """The page as it should be."""
    before, rest = PAGE.read_text().split(BEGIN)
    return f"{before}{BEGIN}\n\n{_table()}\n\n{END}{rest.split(END)[1]}"
