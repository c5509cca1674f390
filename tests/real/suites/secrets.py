"""Secrets of two projects on a real engine: podman --remote, docker, raw requests."""

import base64
import hashlib
import json
import threading

from check import check, contains, equal, lacks
from clients import LIBPOD, fails, ok, says, shows
from wire import query
from world import IMAGE

VALUE = "value-of-p1"


def _create(project, name, value=VALUE, **parameters):
    return project.post(f"{LIBPOD}/secrets/create" + query(name=name, **parameters), value.encode())


def _names(project):
    return sorted(secret["Spec"]["Name"] for secret in project.get(f"{LIBPOD}/secrets/json").json())


def _remove_all(world):
    for project in (world.p1, world.p10):
        for name in _names(project):
            equal(project.delete(f"{LIBPOD}/secrets/{name}").status, 204, f"{project.name} removes {name}")


def _no_value_in_the_log(world, *values):
    text = "\n".join(world.audit())
    for value in values:
        lacks(text, value, "the audit log holds no value")
        lacks(text, base64.b64encode(value.encode()).decode(), "the audit log holds no encoded value")


def test_podman_remote(world):
    podman = world.p1.podman
    identifier = ok(podman("secret", "create", "word", "-", data=VALUE)).text
    equal(len(identifier), 25, "secret create says the id")
    fails(podman("secret", "create", "word", "-", data="other"), part="secret name in use")
    shows(podman("secret", "ls", "--format", "{{.ID}} {{.Name}} {{.Driver}}"), f"{identifier} word file")
    says(podman("secret", "ls", "--quiet", "--filter", "name=^wo"), identifier)
    says(podman("secret", "ls", "--quiet", "--filter", "name=^x"), "")
    for word in ("word", identifier, identifier[:6]):
        document = json.loads(ok(podman("secret", "inspect", word)).out)[0]
        equal((document["ID"], document["Spec"]["Name"]), (identifier, "word"), f"secret inspect {word}")
        equal(document["Spec"]["Driver"].get("Options") or {}, {}, "without the directory of the host")
    says(podman("run", "--rm", "--secret", "word", IMAGE, "cat", "/run/secrets/word"), VALUE)
    says(podman("run", "--rm", "--secret", f"{identifier},target=/etc/word,mode=0400", IMAGE, "cat", "/etc/word"), VALUE)
    says(podman("run", "--rm", "--secret", "word,type=env,target=WORD", IMAGE, "sh", "-c", "echo $WORD"), VALUE)
    fails(podman("run", "--rm", "--secret", "absent", IMAGE, "true"), part="no such secret")
    says(podman("secret", "rm", "word"), identifier)
    fails(podman("secret", "inspect", "word"), part="no such secret")
    _no_value_in_the_log(world, VALUE)


def test_docker(world):
    docker = world.p1.docker
    created = ok(docker("secret", "create", "--label", "role=word", "word", "-", data=VALUE))
    shows(docker("secret", "ls"), created.text, "word")
    document = json.loads(ok(docker("secret", "inspect", "word")).out)[0]
    equal(document["Spec"]["Labels"], {"appx.project": "p1", "role": "word"}, "labels of a secret")
    says(docker("secret", "rm", "word"), "word")
    fails(docker("secret", "inspect", "word"))


def test_values_of_any_kind(world):
    value = bytes(range(256)) * 16
    equal(world.p1.post(f"{LIBPOD}/secrets/create?name=bytes", value).status, 200, "a value that is no text")
    ran = world.p1.podman("run", "--rm", "--secret", "bytes", IMAGE, "sh", "-c", "md5sum < /run/secrets/bytes")
    contains(ran.out, hashlib.md5(value).hexdigest(), "the container reads the bytes that were sent")
    answer = world.p1.post(f"{LIBPOD}/secrets/create?name=big", b"x" * 512001)
    equal((answer.status, answer.json()["cause"]), (413, "content.too-large"), "more than Podman takes")
    _remove_all(world)


def test_another_projects(world):
    identifier = _create(world.p10, "word", "value-of-p10").json()["ID"]
    taken = _create(world.p1, "word")
    equal((taken.status, taken.json()["cause"]), (409, "name.taken"), "a name that another project has")
    for word in ("word", identifier, identifier[:6]):
        for method, target in (("GET", f"{LIBPOD}/secrets/{word}/json"), ("GET", f"{LIBPOD}/secrets/{word}/json?showsecret=true"),
                               ("GET", f"{LIBPOD}/secrets/{word}/exists"), ("DELETE", f"{LIBPOD}/secrets/{word}"),
                               ("GET", f"/v1.41/secrets/{word}"), ("DELETE", f"/v1.41/secrets/{word}")):
            foreign = world.p1.call(method, target)
            absent = world.p1.call(method, target.replace(word, "nobodys-word"))
            equal(foreign.status, 404, f"{method} {target}")
            equal(foreign.text.replace(word, "nobodys-word"), absent.text, "foreign and absent are told alike")
    equal(_names(world.p1), [], "p1 lists none")
    equal(_names(world.p10), ["word"], "p10 lists its own")
    equal(world.p10.get(f"{LIBPOD}/secrets/word/exists").status, 204, "its own exists")
    for words in (("--secret", "word"), ("--secret", f"{identifier},type=env,target=X")):
        fails(world.p1.podman("run", "--rm", *words, IMAGE, "env"), part="no such secret")
    _remove_all(world)
    _no_value_in_the_log(world, "value-of-p10")


def test_a_secret_in_an_environment_stays(world):
    podman = world.p1.podman
    ok(podman("secret", "create", "word", "-", data=VALUE))
    ok(podman("create", "--name", "reader", "--secret", "word,type=env,target=WORD", IMAGE, "sh", "-c", "echo $WORD"))
    fails(podman("secret", "rm", "word"), part="secret.in-use")
    says(podman("start", "--attach", "reader"), VALUE)
    fails(podman("create", "--label", "appx.project.secrets=", "--secret", "word,type=env", IMAGE), part="label.reserved")
    ok(podman("rm", "reader"))
    ok(podman("secret", "rm", "word"))
    # A copy is given to a container that has it as a file: that one needs it no longer.
    ok(podman("secret", "create", "word", "-", data=VALUE))
    ok(podman("create", "--name", "reader", "--secret", "word", IMAGE, "cat", "/run/secrets/word"))
    ok(podman("secret", "rm", "word"))
    equal(_create(world.p10, "word", "value-of-p10").status, 200, "p10 takes the name")
    says(podman("start", "--attach", "reader"), VALUE, "the container reads what it was given")
    ok(podman("rm", "reader"))
    _remove_all(world)


def test_who_comes_first(world):
    """Two projects give the same name at once: one has it, the other is told so, and both read their own afterwards."""
    for round_number in range(12):
        answers = {}

        def give(project):
            answers[project.name] = _create(project, "race", f"value-of-{project.name}", replace="true")
        threads = [threading.Thread(target=give, args=(project,)) for project in (world.p1, world.p10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [name for name, answer in answers.items() if answer.status == 200]
        equal(len(winners), 1, f"one of the two has the name, round {round_number}: {answers}")
        for project in (world.p1, world.p10):
            equal(_names(project), ["race"] if [project.name] == winners else [], f"{project.name} lists what is its own")
        loser = next(answer for name, answer in answers.items() if [name] != winners)
        check(loser.status == 409, "the other one is told that the name is taken", loser)
        _remove_all(world)


def test_the_engine_loses_one(world):
    """What the engine has forgotten is absent, and its name is free."""
    identifier = _create(world.p1, "word").json()["ID"]
    world.engine.podman("secret", "rm", "word")
    equal(world.p1.get(f"{LIBPOD}/secrets/{identifier}/json").status, 404, "absent by its id")
    equal(_names(world.p1), [], "listed no more")
    equal(_create(world.p10, "word", "value-of-p10").status, 200, "the name is free for another project")
    equal(world.p1.get(f"{LIBPOD}/secrets/word/json").status, 404, "and that one's is not p1's")
    _remove_all(world)
    world.unharmed()
