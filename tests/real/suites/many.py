"""Many containers of others: what Podman does not have to look at for p1 it is not asked about, so that a list through podfence takes
less time than Podman's own. docs/performance.md tells of more."""

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


def test_lists_are_faster_than_podmans(world):
    """In turn, so that all have the same machine. Most of what libpod's list takes Podman 5 is reading its database, of which a filter
    spares it nothing: there the list takes no longer than Podman's own of p1's containers."""
    newer = int(world.engine.direct.get("/version").json()["Version"].split(".")[0]) >= 5
    for path in (f"{API}/containers/json", f"{LIBPOD}/containers/json"):
        filtered = path + query(all=True, filters={"label": [f"{LABEL}=p1"]})
        path += query(all=True)
        direct, alone, through = [], [], []
        for _ in range(5):
            took, everything = _time(lambda: world.engine.direct.get(path))
            direct.append(took)
            alone.append(_time(lambda: world.engine.direct.get(filtered))[0])
            took, own = _time(lambda: world.p1.get(path))
            through.append(took)
        check(len(everything.json()) >= ALL, f"{path} has all of them past podfence")
        mine = {item["Id"] for item in own.json()}
        equal({ident for who, ident in made if who is world.p1} - mine, set(), f"{path} has all of p1's")
        # What others on the machine take comes on top of each.
        print(f"  {path}: {min(direct) * 1e3:.0f} ms past podfence, p1's {min(alone) * 1e3:.0f} ms, {min(through) * 1e3:.0f} ms through it")
        if newer and path.startswith(LIBPOD):
            ratio = min(through) / min(alone)
            check(ratio <= 1.3, f"{path} takes what p1's containers alone take Podman", f"{ratio:.2f}")
        else:
            ratio = min(through) / min(direct)
            check(ratio <= 0.5, f"{path} takes at most half of what the whole list takes Podman", f"{ratio:.2f}")


def test_remove_many(world):
    """They are in nobody's way afterwards."""
    for who, ident in made:
        equal(who.delete(f"{API}/containers/{ident}?force=true").status, 204, f"removal of {ident[:12]}")
