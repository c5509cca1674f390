"""What p1 cannot say or see in any way that its clients know: the environment of the service, and another project's label. The
escapes one by one are in the attack corpus."""

from check import check, equal
from clients import API, LIBPOD
from world import LABEL


def test_environment_is_out_of_reach(world):
    """Nothing that p1 can ask for shows the environment of the service."""
    p1 = world.p1
    p1.docker("run", "-d", "--name", "web", "localhost/bb:latest", "sleep", "100")
    for words in (("exec", "web", "env"), ("exec", "-e", "PODFENCE_CANARY", "web", "env"), ("inspect", "web"), ("info",),
                  ("run", "--rm", "-e", "PODFENCE_CANARY", "localhost/bb:latest", "env")):
        ran = p1.docker(*words)
        check("engine-environment" not in ran.out + ran.err, f"{' '.join(words)} shows nothing of the service", ran)
    for words in (("info",), ("run", "--rm", "-e", "PODFENCE*", "localhost/bb:latest", "env"),
                  ("run", "--rm", "--env-host", "localhost/bb:latest", "env")):
        ran = p1.podman(*words)
        check("engine-environment" not in ran.out + ran.err, f"podman {' '.join(words)} shows nothing of the service", ran)
    p1.docker("rm", "-f", "web")


def test_own_label_of_another(world):
    """p1 cannot make a thing that is p10's, nor one that is nobody's."""
    direct = world.engine.direct
    for path, content, fetch in (
            (f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "Labels": {LABEL: "p10"}}, "containers/made"),
            (f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "labels": {LABEL: "p10"}}, "containers/made"),
            (f"{LIBPOD}/containers/create", {"image": "localhost/bb:latest", "name": "made", "labels": {LABEL: ""}}, "containers/made"),
            (f"{LIBPOD}/pods/create", {"name": "made", "labels": {LABEL: "p10"}}, "pods/made"),
            (f"{API}/volumes/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "volumes/made"),
            (f"{LIBPOD}/volumes/create", {"Name": "made", "Label": {LABEL: "p10"}}, "volumes/made"),
            (f"{LIBPOD}/volumes/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "volumes/made"),
            (f"{API}/networks/create", {"Name": "made", "Labels": {LABEL: "p10"}}, "networks/made"),
            (f"{LIBPOD}/networks/create", {"name": "made", "labels": {LABEL: "p10"}}, "networks/made")):
        answer = world.p1.post(path, content)
        check(400 <= answer.status < 500, f"{path} with p10's label", answer)
        equal(direct.get(f"{LIBPOD}/{fetch}/json").status, 404, f"{path} with p10's label makes nothing")
    for labels in ({}, None, {LABEL: "p1"}):
        answer = world.p1.post(f"{API}/containers/create?name=made", {"Image": "localhost/bb:latest", "Labels": labels})
        equal(answer.status, 201, f"create with labels {labels}")
        document = direct.get(f"{LIBPOD}/containers/made/json").json()
        equal(document["Config"]["Labels"].get(LABEL), "p1", f"create with labels {labels} carries the project's label")
        world.p1.delete(f"{API}/containers/made?force=true")
