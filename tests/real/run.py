#!/usr/bin/env python3
"""Runs the suites on a real rootless Podman, through podfence or, with --bare, past it. As root, since it needs an
unprivileged user of its own. The last line is `N passed, N failed`."""

import argparse
import fcntl
import importlib
import os
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites"))

from check import check, leave_out, run_topics, skip, tally  # noqa: E402
from engine import Engine, VERSIONS  # noqa: E402
from world import World  # noqa: E402

SUITES = ["docker_day_containers", "docker_day_objects", "compose_day", "podman_day_containers", "podman_day_objects",
          "images", "manifests", "holders", "visibility", "crash", "secrets", "names", "builds", "dockerfiles", "kube", "foreign_equals_absent", "lists",
          "prune_and_remove", "escapes", "attack", "workspace", "workspace_paths", "workspace_races", "policy", "quota", "bad_input",
          "explain", "audit", "streams", "many", "control_plane", "life", "confinement", "dashboard", "verify", "footprint",
          "doctor", "documented", "parity", "client_docker", "client_compose", "client_podman", "client_python", "client_node",
          "client_runner", "negotiation", "messages", "soak"]
# What runs on a second engine as well, behind a run on the first one: where the two differ, in what they answer and in what can be done to
# them. A run on one engine alone has all suites.
AGAIN = ["images", "secrets", "dockerfiles", "foreign_equals_absent", "lists", "attack", "workspace_paths", "parity"]
# What the suites of clients do as well.
DAYS = ["docker_day_containers", "docker_day_objects", "compose_day", "podman_day_containers", "podman_day_objects"]
# What a program with sanitizers cannot be asked.
NOT_SANITIZED = {"confinement": "a program with sanitizers does not confine itself", "footprint": "sanitizers take memory of their own",
                 "documented": "the pages tell of the release build"}
BARE = [*DAYS, "streams"]


def alone(user):
    """One run per user of the tests: a second one on this machine waits for the first. Held until this process ends."""
    lock = open(f"/run/{user}.lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another run of these suites is going on here: waiting for it", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--podfence", help="the program to test")
    parser.add_argument("--podman", choices=sorted(VERSIONS), default="4", help="which Podman, engine and client")
    parser.add_argument("--bare", action="store_true", help="without podfence: do the client commands work at all?")
    parser.add_argument("--names", choices=("shared", "private"), default="shared", help="of the projects p1 and p10")
    parser.add_argument("--again", action="store_true", help="behind a run on another engine: only where the two differ, and attacks through podfence only")
    parser.add_argument("--brief", action="store_true", help="without the days, which the suites of clients have as well")
    parser.add_argument("--sanitized", action="store_true", help="the program was built with sanitizers")
    parser.add_argument("--suite", action="append", default=[], help="only this suite (may be repeated)")
    parser.add_argument("--only", default="", help="only topics whose name holds this text")
    parser.add_argument("--registry-program", default=shutil.which("docker-registry"))
    parser.add_argument("--docker-program", default=shutil.which("docker"))
    parser.add_argument("--keep", action="store_true", help="leave the engine's things and logs as they are")
    return parser.parse_args()


def run_suite(name, world, only):
    before, start = (tally.passed, tally.failed), time.monotonic()
    try:
        world.refresh(name)
        run_topics(importlib.import_module(name), world, only)
    except Exception as error:
        check(False, f"{name} could not run: {type(error).__name__}: {error}")
    passed, failed = tally.passed - before[0], tally.failed - before[1]
    print(f"{name}: {passed} passed, {failed} failed, {time.monotonic() - start:.0f} s", flush=True)


def main():
    options = arguments()
    if os.geteuid() != 0:
        sys.exit("the suites on a real engine need root: they run Podman as a user of their own")
    version = VERSIONS[options.podman]
    lock = alone(version.user)
    engine = Engine(version, options.registry_program)
    programs = {"docker": options.docker_program, "docker-compose": shutil.which("docker-compose"),
                "podman": [*version.entry, "podman"]}
    world = World(engine, programs, None if options.bare else options.podfence, options.names, options.again, options.sanitized)
    start = time.monotonic()
    try:
        engine.start()
        tally.engine = f"Podman {engine.direct.get('/version').json()['Version']}"
        world.start()
        print(f"engine and projects ready after {time.monotonic() - start:.0f} s", flush=True)
        for name in options.suite or (BARE if options.bare else SUITES):
            if not options.suite and ((options.again and name not in AGAIN) or (options.brief and name in DAYS)):
                leave_out(name)
            elif options.sanitized and name in NOT_SANITIZED:
                skip(name, NOT_SANITIZED[name])
            else:
                run_suite(name, world, options.only)
    finally:
        world.stop()
        if options.keep:
            print(f"kept: {engine.scratch}, socket {engine.socket_path}")
        else:
            engine.stop()
    for line in tally.skipped:
        print(f"SKIPPED {line}")
    lock.close()
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed or not tally.passed else 0)


if __name__ == "__main__":
    main()
