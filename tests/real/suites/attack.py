"""The attack corpus of tests/attack: every case through podfence, where it must be refused and have no effect, and past it, where
it must have the effect that its file tells, so that the refusal proves something. Behind a run on another engine that is not shown once more. Each
case file is a topic."""

import json
import os
import sys
from collections import Counter
from functools import partial

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "attack"))

from case import load_all  # noqa: E402
from check import check, equal, lacks, skip, until  # noqa: E402
from conditions import met  # noqa: E402
from stage import Attempt, Stage  # noqa: E402

CASES_AT_LEAST, BARE_EFFECTS_AT_LEAST = 150, {"4.3.1": 140, "5.4.2": 540}
PATIENCE = 3  # seconds that an effect past podfence may take to be seen
TRIES = 3     # past podfence only: an attack that needs somebody to come first, or a network in time, has its effect in one of them

_stages = {}
_private = {}   # the podfence of cases with private names
_count = Counter()


def stage_of(world):
    if world not in _stages:
        _stages[world] = Stage(world)
    return _stages[world]


def _restored(stage, attempt, what):
    equal(stage.restore(attempt.left), [], f"{what}: the engine is as it was before")


def _refusal(case, attempt):
    """What a refusal says: its rule, what was wrong, and the id that the log has as well."""
    answer = attempt.answer
    if not check(answer.status >= 400, f"refused by podfence with one of {case.refused}", attempt):
        return
    document, _ = json.JSONDecoder().raw_decode(answer.text)  # what else was on the connection may follow
    check(document.get("cause") in case.refused, f"refused by one of {case.refused}", answer)
    check(document.get("message", "").startswith("podfence: "), "the refusal says in a sentence what was wrong", answer)
    check(answer.field("x-podfence-request-id"), "the refusal has a request id", answer.fields)


def _hidden(world, attempt, audited):
    check(attempt.answer.status == 404, "answered as if the thing were absent", attempt)

    def told():
        lines = map(json.loads, world.audit()[audited:])
        return any(line.get("rule") == "ownership.hidden" and line.get("project") == "p1" for line in lines)
    check(until(told, 2), "the audit log says that it was hidden", world.audit()[audited:])


def _nothing_foreign(world, attempt):
    """What p1 named itself may be repeated to it; nothing else of p10's may come."""
    for canary in world.p1.canaries:
        if canary not in attempt.named:
            lacks(attempt.answer.text + attempt.output, canary, "the answer tells nothing of p10's")


def _client(world, case):
    """p1, or p1 in front of another podfence, with its names to itself."""
    if not case.names:
        return world.p1
    if world not in _private:
        _private[world] = world.another("private", {"p1": {"names": "private"}}).__enter__()
    return _private[world].projects["p1"]


def through_podfence(world, stage, case):
    audited = len(world.audit())
    attempt = Attempt(stage, case, _client(world, case), 0)
    _count["through podfence"] += attempt.occurred
    check(not attempt.occurred, "no effect through podfence", attempt)
    check(not attempt.host_changed, "the host's directory is as it was", attempt)
    _nothing_foreign(world, attempt)
    if case.served:
        check(attempt.answer.status < 400, f"served by podfence: {case.served}", attempt)
    else:
        equal(attempt.changes, [], "a refused request makes and removes nothing")
        _refusal(case, attempt) if case.refused else _hidden(world, attempt, audited)
    _restored(stage, attempt, "through podfence")


def past_podfence(stage, case):
    bites = stage.version in case.bites and met(case.needs, stage)
    for _ in range(TRIES if bites else 1):
        attempt = Attempt(stage, case, stage.engine.direct, PATIENCE if bites else 0)
        _restored(stage, attempt, "past podfence")
        if attempt.occurred:
            break
    _count["bare"] += attempt.occurred
    if stage.version in case.harmless:
        reason = case.harmless[stage.version]
        check(not attempt.occurred, f"harmless past podfence, as the case says: {reason}", attempt)
        skip(case.name, f"has no effect on Podman {stage.version}: {reason}")
    elif not met(case.needs, stage):
        skip(case.name, f"cannot be shown past podfence without {case.needs}")
    elif stage.version in case.bites:
        check(attempt.occurred, "has its effect past podfence", attempt)
    elif attempt.occurred:
        print(f"  {case.name} has its effect on Podman {stage.version}, which its file does not tell")


def _topic(case, world):
    stage = stage_of(world)
    if stage.version in case.not_claimed:
        skip(case.name, f"podfence does not claim to stop it on Podman {stage.version}: {case.not_claimed[stage.version]}")
        return
    _count["cases"] += 1
    through_podfence(world, stage, case)
    if not world.again:
        past_podfence(stage, case)


globals().update({f"test_{case.name}": partial(_topic, case) for case in load_all()})


def test_all_of_it(world):
    version = stage_of(world).version
    print(f"attack: {_count['cases']} cases, bare effects {_count['bare']}, through podfence {_count['through podfence']}")
    check(_count["cases"] >= CASES_AT_LEAST, f"at least {CASES_AT_LEAST} cases", _count)
    check(world.again or _count["bare"] >= BARE_EFFECTS_AT_LEAST.get(version, 0), "so many of them have their effect past podfence", _count)
    equal(_count["through podfence"], 0, "effects through podfence")
    if world in _private:
        _private.pop(world).__exit__()
