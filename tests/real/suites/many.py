"""Many containers of others: p1's lists are whole, and what Podman does not have to look at for them it is not asked about, so that they
take less time than Podman's own: this tells how much. docs/performance.md tells of more."""

import time

from check import check, equal
from clients import API, LIBPOD
from wire import query
from world import IMAGE, LABEL

ALL, ONE_IN = 300, 5
made = []


def test_many_are_made(world):
    """Created and not started: p10 has most of them."""
    for number in range(ALL):
        who, label = (world.p1, "p1") if number % ONE_IN == 0 else (world.p10, "p10")
        body = {"image": IMAGE, "name": f"many-{number}", "command": ["true"], "labels": {LABEL: label}}
        answer = who.post(f"{LIBPOD}/containers/create", body)
        check(answer.status == 201, f"container {number} of many", answer)
        made.append((who, answer.json()["Id"]))


def _time(ask):
    begun = time.monotonic()
    answer = ask()
    return time.monotonic() - begun, answer


def test_lists_are_whole(world):
    """Times are told and not asserted: what else the machine does falls on one side or the other. In turn, so that all have the same."""
    for path in (f"{API}/containers/json", f"{LIBPOD}/containers/json"):
        filtered = path + query(all=True, filters={"label": [f"{LABEL}=p1"]})
        path += query(all=True)
        direct, alone, through = [], [], []
        for _ in range(5):
            took, everything = _time(lambda: world.engine.direct.get(path))
            direct.append(took)
            took, labelled = _time(lambda: world.engine.direct.get(filtered))
            alone.append(took)
            took, own = _time(lambda: world.p1.get(path))
            through.append(took)
        check(len(everything.json()) >= ALL, f"{path} has all of them past podfence")
        mine = {item["Id"] for item in own.json()}
        equal({ident for who, ident in made if who is world.p1} - mine, set(), f"{path} has all of p1's")
        equal(mine, {item["Id"] for item in labelled.json()}, f"{path} has none of another's")
        print(f"  {path}: {min(direct) * 1e3:.0f} ms past podfence, p1's {min(alone) * 1e3:.0f} ms, {min(through) * 1e3:.0f} ms through it")


def test_remove_many(world):
    """They are in nobody's way afterwards."""
    for who, ident in made:
        equal(who.delete(f"{API}/containers/{ident}?force=true").status, 204, f"removal of {ident[:12]}")
