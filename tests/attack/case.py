"""The corpus as its files tell it. README.md describes the format; a file that says something else does not load."""

import json
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent

STEP_KEYS = {"send", "query", "fields", "content", "text", "tar", "chunked", "input", "seconds", "keep", "raw", "by"}
CLAIM_KEYS = {"status", "holds", "at", "is", "is not", "has"}
EFFECT_KEYS = {"output": set(), "answer": set(), "engine": CLAIM_KEYS, "host": {"exists", "holds", "owner"}, "listens": set(),
               "asked": set()}


class Malformed(Exception):
    """A file of the corpus that does not say what it should."""


def demand(claim, where, what):
    if not claim:
        raise Malformed(f"{where}: {what}")


@dataclass
class Case:
    name: str        # family/case
    title: str
    source: str      # where this attack is described, or "podfence" where it is our own
    attack: list     # steps
    effect: dict
    bites: list      # versions of Podman on which the effect occurs when nothing stands in the way
    harmless: dict = field(default_factory=dict)   # version: why it does not occur there
    not_claimed: dict = field(default_factory=dict)  # version: why podfence cannot stop it there; docs/threat-model.md says so
    needs: str = ""                                # what the machine must have for the effect
    given: list = field(default_factory=list)      # what there is before: names in given.json
    run: str = ""                                  # the container that is started afterwards, for its output
    refused: list = field(default_factory=list)    # rule ids, one of which podfence answers with
    hidden: bool = False                           # answered as if the thing named were absent
    served: str = ""                               # served, and why it does no harm
    names: str = ""                                # "private": the client's project has its names to itself


def check_step(step, where):
    demand(("send" in step) != ("raw" in step), where, "a step has either `send` or `raw`")
    demand(step.keys() <= STEP_KEYS, where, f"unknown in a step: {sorted(step.keys() - STEP_KEYS)}")
    demand(len(step.keys() & {"content", "text", "tar"}) <= 1, where, "a step has one content")


def check_effect(effect, where):
    kinds = effect.keys() & EFFECT_KEYS.keys()
    demand(len(kinds) == 1, where, f"an effect is one of {sorted(EFFECT_KEYS)}")
    kind = kinds.pop()
    claims = effect if kind != "answer" else effect["answer"]
    allowed = CLAIM_KEYS if kind == "answer" else EFFECT_KEYS[kind] | {kind}
    demand(claims.keys() <= allowed, where, f"unknown in the effect: {sorted(claims.keys() - allowed)}")
    demand("at" in claims or not claims.keys() & {"is", "is not", "has"}, where, "`is` and `has` need `at`")


def load(path):
    where = f"{path.parent.name}/{path.stem}"
    document = json.loads(path.read_text())
    try:
        case = Case(name=where, **document)
    except TypeError as error:
        raise Malformed(f"{where}: {error}") from None
    demand(sum(map(bool, (case.refused, case.hidden, case.served))) == 1, where, "one of `refused`, `hidden` and `served`")
    demand(case.bites or case.harmless, where, "`bites` or `harmless`")
    told = [*case.bites, *case.harmless]
    demand(len(set(told)) == len(told), where, "a case either bites on a version or is harmless there")
    demand(case.names in ("", "private"), where, "`names` is private or nothing")
    demand(case.attack, where, "no step")
    for step in case.attack:
        check_step(step, where)
        demand("by" not in step, where, "the attack is made by p1")
    check_effect(case.effect, where)
    demand("output" not in case.effect or case.run, where, "an output needs `run`")
    told = case.effect.get("answer", {}).get("holds")
    demand(not told or told not in json.dumps(case.attack), where, "the text of an answer stands in the request itself")
    return case


def load_all():
    return [load(path) for path in sorted((HERE / "cases").glob("*/*.json"))]


def load_given():
    """What cases may presuppose, by name: lists of steps."""
    given = json.loads((HERE / "given.json").read_text())
    for name, steps in given.items():
        for step in steps:
            check_step(step, f"given.json: {name}")
            demand(step.get("by") in ("p1", "p10", "engine"), f"given.json: {name}", "a step is `by` p1, p10 or the engine")
    return given
