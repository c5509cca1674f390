"""After all of the day: what the proxy takes, and what it has written about it."""

import json
import re

from check import check, equal, lacks, until
from clients import API, ok
from wire import Connection, request
from world import IMAGE

LIMIT = 16 * 1024  # kB


def _resident(world, kind):
    with open(f"/proc/{world.fence.process.pid}/status") as status:
        return int(re.search(rf"{kind}:\s+(\d+) kB", status.read()).group(1))


def test_memory(world):
    """What podfence holds itself. Pages of the program and its libraries come from files, and go when memory is short."""
    anonymous, files = _resident(world, "RssAnon"), _resident(world, "RssFile")
    check(anonymous < LIMIT, f"anonymous memory is below {LIMIT} kB", f"{anonymous} kB")
    print(f"  resident after the day: {anonymous} kB of its own, {files} kB of files")


def test_descriptors(world):
    """A few connections to Podman may wait to be used again; they go after some seconds."""
    allowed = world.descriptors_at_start + 8
    check(until(lambda: world.descriptors() <= allowed, 20), "descriptors are back where they were",
          f"{world.descriptors_at_start} at the start, {world.descriptors()} now")


def test_audit_log(world):
    """A line for each request, each line JSON, and nothing in it that a log must not hold."""
    p1 = world.p1
    credentials = "Y2FuYXJ5LWNyZWRlbnRpYWxz"
    before = len(world.audit())
    p1.post(f"{API}/images/create?fromImage=localhost/absent&tag=x", fields=[("X-Registry-Auth", credentials)])
    p1.post(f"{API}/containers/create?name=audited", {"Image": IMAGE, "Env": ["PASSWORD=env-of-client"], "Cmd": ["echo", "body-text"],
                                                     "Labels": {"note": "label-text"}})
    p1.post(f"{API}/containers/create", {"Image": IMAGE, "Env": ["PASSWORD=env-of-client"], "HostConfig": {"Privileged": True}})
    p1.get(f"{API}/containers/{world.neighbour.container}/json?secret=query-text")
    p1.get(f"{API}/containers/{world.neighbour.container}/json")
    p1.send(b"GET /a\x1b[31mb HTTP/1.1\r\nHost: d\r\n\r\n")
    with Connection(p1.path) as connection:
        for _ in range(3):
            connection.send(request("GET", "/_ping"))
            connection.receive()
    ok(p1.docker("rm", "audited"))
    expected = before + 6 + 3 + 2  # docker rm: HEAD /_ping and DELETE
    until(lambda: len(world.audit()) >= expected, 5)
    lines = world.audit()
    equal(len(lines), expected, "one line for each request")
    text = "\n".join(lines)
    for word in (credentials, "env-of-client", "body-text", "label-text", "env-canary", "engine-environment", "query-text"):
        lacks(text, word, f"the audit log does not hold {word!r}")
    bad = [line for line in lines if not _is_record(line)]
    check(not bad, "every line is a record in JSON", "\n".join(bad[:3]))
    check(text.isascii() and "\x1b" not in text, "bytes of clients are escaped")
    records = [json.loads(line) for line in lines]
    last = records[before:]
    decisions = [(record["decision"], record["status"]) for record in last]
    check(("refuse", 403) in decisions and ("hide", 404) in decisions, "decisions are told apart", decisions)
    refusal = next(record for record in last if record["decision"] == "refuse" and record["status"] == 403)
    check(refusal["rule"] == "privilege.privileged" and refusal["project"] == "p1" and refusal["peer_uid"] == 0,
          "a refusal tells rule, project and peer", refusal)
    identifiers = [record["request_id"] for record in records]
    equal(len(set(identifiers)), len(identifiers), "request ids are unique")
    answer = p1.get(f"{API}/containers/absent/json")
    identifier = answer.field("x-podfence-request-id")
    found = until(lambda: [line for line in world.audit() if identifier in line], 5)
    check(bool(identifier) and len(found) == 1, "the id that the client sees is in the log", identifier)


def _is_record(line):
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return all(key in record for key in ("time", "request_id", "project", "method", "decision", "status"))


def test_still_alive(world):
    equal(world.fence.process.poll(), None, "the proxy has not been restarted")
    log = world.fence.log()
    lacks(log, "terminate", "no crash in the log")
    lacks(log, "rror:", "no error in the log")
