"""What the programs in Python say: a line of JSON for each claim."""

import json
import time


def claim(actual, expected, what):
    print(json.dumps({"what": what, "actual": repr(actual), "expected": repr(expected)}), flush=True)


def started(kind, call):
    """Podman 5's pasta may hold a published port a moment longer than its container lives. `kind`: what the library raises."""
    for _ in range(50):
        if "Address already in use" not in (said := raised(kind, call)):
            return claim(said, "nothing was raised", "a start")
        time.sleep(0.2)


def raised(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    return "nothing was raised"
