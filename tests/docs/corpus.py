"""The part of docs/threat-model.md that is made from the attack corpus: between two marks, a row for each family."""

import sys

from blocks import ROOT

sys.path.insert(0, str(ROOT / "tests" / "attack"))

from case import load_all  # noqa: E402

PAGE = ROOT / "docs" / "threat-model.md"
BEGIN, END = "<!-- made from tests/attack by tests/docs/run -->", "<!-- end -->"


def _table():
    families = {}
    for case in load_all():
        families.setdefault(case.name.split("/")[0], []).append(case)
    versions = sorted({version for cases in families.values() for case in cases for version in case.bites})
    lines = ["| family | attacks | " + " | ".join(f"of them with effect on {version}" for version in versions) + " | what is tried |",
             "|---|---|" + "---|" * len(versions) + "---|"]
    for family, cases in sorted(families.items()):
        bites = " | ".join(str(sum(version in case.bites for case in cases)) for version in versions)
        # An attack by both APIs has two files, the second of which says so.
        titles = "; ".join(dict.fromkeys(case.title for case in cases if not case.title.startswith("the same"))).replace("|", "\\|")
        lines.append(f"| `{family}` | {len(cases)} | {bites} | {titles} |")
    cases = [case for each in families.values() for case in each]
    bites = " | ".join(str(sum(version in case.bites for case in cases)) for version in versions)
    lines.append(f"| all | {len(cases)} | {bites} | {sum(map(bool, (c.refused for c in cases)))} are refused, "
                 f"{sum(c.hidden for c in cases)} are answered as if the thing were absent, {sum(map(bool, (c.served for c in cases)))} are served "
                 "in a form that does no harm |")
    return "\n".join(lines)


def renewed():
    """The page as it should be."""
    before, rest = PAGE.read_text().split(BEGIN)
    return f"{before}{BEGIN}\n\n{_table()}\n\n{END}{rest.split(END)[1]}"
