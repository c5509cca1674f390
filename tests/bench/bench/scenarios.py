"""What is measured: a row for each figure, and how one comes about. A figure is a dictionary; `main` names its chief number."""

import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    name: str
    words: tuple            # of bench_load
    main: str               # the number that is compared: rate, p50, gib or one of memory
    engine: str = "small"
    one_core: bool = False  # everything on one core: else the wake-up of a sleeping core is measured
    without: tuple = ()     # targets that cannot do it
    longer: float = 1.0     # times the usual duration


# HAProxy cannot pass on a hijack whose request has content; the open loop and streams say nothing new of some targets.
HIJACK_FAILS = ("haproxy", "nginx")

SCENARIOS = (
    Scenario("ping_c16", ("ping", "--connections", 16), "rate"),
    Scenario("inspect_c16", ("inspect", "--connections", 16), "rate"),
    Scenario("inspect_name_c16", ("inspect_name", "--connections", 16), "rate"),
    Scenario("mix_c16", ("mix", "--connections", 16), "rate"),
    Scenario("newconn_c4", ("ping", "--connections", 4, "--new"), "rate"),
    Scenario("list50_c4", ("list", "--connections", 4), "rate"),
    Scenario("list500_c4", ("list", "--connections", 4), "rate", "large"),
    Scenario("events500_c4", ("events", "--connections", 4), "rate"),
    Scenario("create_c4", ("create", "--connections", 4), "rate"),
    Scenario("ping_1core", ("ping",), "p50", one_core=True),
    Scenario("inspect_1core", ("inspect",), "p50", one_core=True),
    Scenario("ping_c1", ("ping",), "p50"),
    Scenario("open_5k", ("ping", "--connections", 32, "--rate", 5000), "p50"),
    Scenario("live_event", ("live",), "p50"),
    Scenario("echo_64", ("echo",), "p50", without=HIJACK_FAILS),
    Scenario("echo_1core", ("echo",), "p50", one_core=True, without=HIJACK_FAILS),
    Scenario("down_chunked", ("down_chunked",), "gib"),
    Scenario("down_length", ("down_length",), "gib"),
    Scenario("up_chunked", ("up_chunked",), "gib"),
    Scenario("up_length", ("up_length",), "gib"),
)

LOWER_IS_BETTER = {"p50", "cpu_us", "cpu_gib", "upstream", "fresh", "idle", "stream", "peak"}


def measure(bench, target, scenario, seconds):
    """The figures of one round."""
    front = target.fronts[scenario.engine]
    core = 1 if scenario.one_core else 0
    if scenario.one_core:
        bench.move(bench.engine.pid, 1)
    try:
        cpu, requests = target.cpu(), bench.requests(scenario.engine)
        told = bench.load(front, (*scenario.words, "--seconds", seconds * scenario.longer), core)
        cpu, requests = target.cpu() - cpu, bench.requests(scenario.engine) - requests
    finally:
        if scenario.one_core:
            bench.move(bench.engine.pid, 0)
    count = max(told["count"], 1)
    figures = {"rate": told["count"] / told["seconds"], "p50": told["p50"], "p99": told["p99"],
               "gib": told["bytes"] / told["seconds"] / 2**30}
    if target.name != "direct":
        figures["cpu_us"] = cpu / count / 1e3
        figures["cpu_gib"] = cpu / 1e9 / (told["bytes"] / 2**30) if told["bytes"] else 0.0
    if scenario.main == "rate":
        figures["upstream"] = requests / count
    return figures


def build(bench, target, mebibytes):
    """A build context passes: GiB/s, and that beside a copy through a file as podfence makes one for judging it."""
    spool, begun = bench.folder / "spool", time.monotonic()
    for words in ("if=/dev/zero", f"of={spool}", f"count={mebibytes}"), (f"if={spool}", "of=/dev/null"):
        subprocess.run(bench.pinned(["dd", "bs=1M", "status=none", *words], 1), check=True)
    copied = mebibytes / 1024 / (time.monotonic() - begun)
    spool.unlink()
    told = bench.load(target.fronts["small"], ("build", "--count", mebibytes))
    passed = mebibytes / 1024 / told["seconds"]
    return {"gib": passed, "of_copy": passed / copied}


def memory(bench, target, idle, streams):
    """KiB: at the start, each idle connection and each silent stream of events more."""
    front = target.fronts["small"]
    figures = {"fresh": target.memory() / len(target.processes)}
    for name, kind, count in (("idle", "idle", idle), ("stream", "streams", streams)):
        before = target.memory()
        held = bench.hold(front, (kind, "--connections", count))
        time.sleep(1)
        figures[name] = (target.memory() - before) / count
        held.stdin.close()
        try:
            held.wait(10)
        except subprocess.TimeoutExpired:
            held.kill()
        time.sleep(0.5)
    return figures
