"""The audit log of a podfence that records what was judged: nothing secret in it, every line explained once more comes to the
same verdict, and given another name under load it loses none."""

import base64
import json
import os
import signal
import subprocess
import threading

from check import check, contains, equal, lacks, until
from clients import API, LIBPOD, fails, ok
from wire import query
from world import IMAGE

SECRET = "hunter2-of-p1"
KUBE = f"""
kind: Secret
apiVersion: v1
metadata: {{name: kept}}
data: {{word: {base64.b64encode(SECRET.encode()).decode()}}}
---
kind: Pod
apiVersion: v1
metadata: {{name: audited-pod}}
spec:
  containers:
  - name: one
    image: {IMAGE}
    command: [sleep, "1000"]
    env: [{{name: WORD, value: {SECRET}}}]
"""


def _audited(world, name="audited", bodies="redacted"):
    fence = world.another(name, {"p1": {}, "p10": {}})
    fence.settings["audit"]["bodies"] = bodies
    return fence


def _records(fence, since=0):
    return [json.loads(line) for line in fence.audit()[since:]]


def _explained(world, fence, lines):
    """Each line's trace, explained with that podfence's configuration and ledger, and the engine."""
    command = [str(fence.folder / "podfence"), "explain", "--config", str(fence.folder / "podfence.json"), "--upstream",
               world.engine.socket_path, "--json", "--from-audit", "-"]
    ran = subprocess.run(command, input="\n".join(lines).encode(), capture_output=True, **world.engine.as_user())
    equal(ran.stderr.decode(), "", "every line can be explained")
    return [json.loads(line) for line in ran.stdout.decode().splitlines()], ran.returncode


def test_nothing_secret(world):
    with _audited(world) as fence:
        p1 = fence.projects["p1"]
        ok(p1.docker("run", "--rm", "-e", f"WORD={SECRET}", IMAGE, "sh", "-c", f"echo PASSWORD={SECRET}"))
        ok(p1.podman("run", "--rm", "-e", f"WORD={SECRET}", "--label", f"token={SECRET}", IMAGE, "true"))
        ok(p1.podman("secret", "create", "word", "-", data=SECRET))
        ok(p1.podman("secret", "rm", "word"))
        p1.docker("login", "-u", "u", "-p", SECRET, world.engine.registry_name)
        p1.post(f"{API}/images/create" + query(fromImage=f"user:{SECRET}@localhost/absent"), fields=[("X-Registry-Auth", SECRET)])
        p1.post(f"{API}/containers/create", {"Image": IMAGE, "Zz": SECRET, "Env": [SECRET]})
        ok(p1.podman("play", "kube", "-", data=KUBE))
        ok(p1.podman("play", "kube", "--down", "-", data=KUBE))
        text = "\n".join(fence.audit())
        for value in (SECRET, base64.b64encode(SECRET.encode()).decode()):
            lacks(text, value, "the log holds no secret")
        records = _records(fence)
        created = [record for record in records if record["endpoint"] == "/containers/create"]
        check(created and created[0]["content"]["Env"] == ["WORD=REDACTED"] and created[0]["content"]["Image"] == IMAGE,
              "what was judged is there, without the value", created[:1])
        played = [record["content"] for record in records if record["endpoint"].endswith("/kube") and record["method"] == "POST"]
        check(played and [document["kind"] for document in played[0]] == ["Secret", "Pod"], "so is Kubernetes YAML", played)
        equal(played[0][0]["data"], {"word": "REDACTED"}, "without the values of its Secret")
        check(not [record for record in records if "content" in record and ("secret" in record["endpoint"] or "auth" in record["endpoint"])],
              "nothing of contents that are about secrets")


def test_once_more(world):
    """Of every denial, and of what was served, what exists being the same."""
    with _audited(world) as fence:
        p1, neighbour = fence.projects["p1"], world.neighbour
        ok(p1.docker("create", "--name", "mine", IMAGE, "true"))
        before = len(fence.audit())
        for target in (f"{API}/containers/{neighbour.container}/json", f"{API}/volumes/{neighbour.volume}", f"{API}/containers/absent/json",
                       f"{API}/containers/json?zz=1", f"{API}/nothing", f"{API}/containers/mine/json", f"{API}/containers/json?all=1",
                       f"{LIBPOD}/pods/{neighbour.pod}/json", "/_ping", f"{API}/swarm"):
            p1.get(target)
        for content in ({"Image": IMAGE, "HostConfig": {"Privileged": True}}, {"Image": IMAGE, "HostConfig": {"Binds": ["/etc:/etc"]}},
                        {"Image": IMAGE, "HostConfig": {"NetworkMode": f"container:{neighbour.container}"}}, {"Image": IMAGE, "Env": ["PATH"]},
                        {"Image": neighbour.image}, {"Image": IMAGE, "HostConfig": {"PidMode": "host"}}, {"Image": IMAGE, "Xx": 1}):
            check(p1.post(f"{API}/containers/create?name=other", content).status >= 400, f"refused: {content}")
        fails(p1.podman("play", "kube", "-", data=KUBE.replace("env:", "securityContext: {privileged: true}\n    env:")), part="privileged")
        lines = until(lambda: len(fence.audit()) >= before + 18 and fence.audit()[before:], 5)
        traces, code = _explained(world, fence, lines)
        equal(len(traces), len(lines), "every line is explained")
        equal(code, 4, "no verdict is another one, and some are refusals")
        for trace, line in zip(traces, lines):
            check(trace["verdict"] == "same", f"the same verdict: {trace['method']} {trace['target']}", f"{line}\n{json.dumps(trace)}")
        ok(p1.docker("rm", "mine"))
        gone = [line for line in lines if "/containers/mine/json" in line]
        traces, code = _explained(world, fence, gone)
        equal([trace["verdict"] for trace in traces], ["other"], "of what has gone since there is another verdict")
        equal((traces[0]["recorded"]["decision"], traces[0]["decision"], code), ("rewrite", "hide", 6), "of then and of now")


def test_without_bodies(world):
    """What the line does not tell is told, and nothing is claimed that it does not carry."""
    before = len(world.audit())
    world.p1.post(f"{API}/containers/create", {"Image": IMAGE, "HostConfig": {"Privileged": True}})
    world.p1.get(f"{API}/containers/{world.neighbour.container}/json")
    lines = until(lambda: len(world.audit()) >= before + 2 and world.audit()[before:], 5)
    traces, _ = _explained(world, world.fence, lines)
    equal([trace["verdict"] for trace in traces], ["unknown", "same"], "a refused content cannot be told, what is hidden can")
    contains(" ".join(traces[0]["recorded"]["missing"]), "refused by that rule are: HostConfig.Privileged", "the field that it was")


def test_rotation(world):
    with _audited(world, "rotated", "none") as fence:
        p1, over, seen = fence.projects["p1"], threading.Event(), []
        clients = [threading.Thread(target=lambda: _ask(p1, over, seen)) for _ in range(3)]
        for client in clients:
            client.start()
        for number in range(1, 6):
            until(lambda: len(seen) > 10 * number, 30)  # between two changes of the file some are answered
            os.rename(fence.audit_path, f"{fence.audit_path}.{number}")
            fence.process.send_signal(signal.SIGUSR1)
            check(until(fence.audit_path.exists, 20), f"{number}: there is a file again")
        over.set()
        for client in clients:
            client.join(30)
        until(lambda: set(seen) <= set(_recorded(fence)), 5)  # a line comes behind its answer
        ids = _recorded(fence)
        check(len(seen) > 50, "requests were running", len(seen))
        equal(len(set(ids)), len(ids), "no line stands twice")
        equal(set(seen) - set(ids), set(), "no line is lost")


def _recorded(fence):
    """The ids of all lines, in whichever file."""
    return [json.loads(line)["request_id"] for path in fence.folder.glob("audit.log*") for line in path.read_text().splitlines()]


def _ask(project, over, seen):
    while not over.is_set():
        seen.append(project.get(f"{API}/containers/json").field("x-podfence-request-id"))
