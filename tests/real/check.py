"""What a test says: claims that hold or not. A claim that holds is counted, one that does not is also printed. Where
PODFENCE_EVIDENCE names a file, each is appended to it, for tests/evidence."""

import os
import sys
import time
import traceback


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = []
        self.engine = ""   # which one this is about


tally = Tally()
_topic = ""
_file = ""   # of the topic, as the pages name it
_evidence = open(os.environ.get("PODFENCE_EVIDENCE", os.devnull), "a")


def _record(outcome, claim):
    line = "\t".join((outcome, _file, f"test_{_topic.partition('.')[2]}", " ".join(claim.split()), tally.engine))
    print(line, file=_evidence, flush=True)


def check(claim, what, detail=""):
    _record("passed" if claim else "failed", what)
    if claim:
        tally.passed += 1
        return True
    tally.failed += 1
    print(f"  FAILED {_topic}: {what}")
    for line in str(detail).splitlines()[:12]:
        print(f"         {line[:400]}")
    sys.stdout.flush()
    return False


def equal(actual, expected, what):
    return check(actual == expected, what, f"expected {expected!r}\n     got {actual!r}")


def contains(text, part, what):
    return check(part in text, what, f"{part!r} is not in\n{text!r}"[:2000])


def lacks(text, part, what):
    return check(part not in text, what, f"{part!r} is in\n{_around(text, part)}")


def _around(text, part):
    at = text.find(part)
    return repr(text[max(0, at - 120):at + len(part) + 120])


def skip(what, why):
    """A part that cannot be shown here is said aloud, never passed over."""
    _record("skipped", f"{what}: {why}")
    tally.skipped.append(f"{_topic}: {what}: {why}")


def leave_out(suite):
    """A suite that ran on another engine in this run, for tests/evidence."""
    print("\t".join(("left out", f"tests/real/suites/{suite}.py", "", "", tally.engine)), file=_evidence, flush=True)


def until(claim, seconds=10.0, pause=0.05):
    """Waits for a claim to become true; its last value."""
    end = time.monotonic() + seconds
    while True:
        value = claim()
        if value or time.monotonic() > end:
            return value
        time.sleep(pause)


def run_topics(module, world, only=""):
    """Every function of the module that is called `test_…`, in the order of the text. One that raises has failed."""
    global _topic, _file
    _file = os.path.relpath(module.__file__, os.path.join(os.path.dirname(__file__), "..", ".."))
    for name, function in list(vars(module).items()):
        if not name.startswith("test_") or (only and only not in name):
            continue
        _topic = f"{module.__name__}.{name[5:]}"
        try:
            function(world)
        except Exception as error:  # the next topic must have its turn
            where = traceback.extract_tb(error.__traceback__)
            lines = "\n".join(f"{frame.name} line {frame.lineno}: {frame.line}" for frame in where[-4:])
            check(False, f"ended with {type(error).__name__}: {error}", lines)
    _topic = _file = ""
