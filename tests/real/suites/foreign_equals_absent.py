"""What another project has and what nobody has are the same to a client: for every endpoint and every way to name a thing,
the two answers have the same bytes once the name itself is taken out."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import reference_table as table
from check import check, equal, skip
from clients import ok, versioned
from wire import query
from world import IMAGE, SLEEP

ROOT = Path(__file__).resolve().parents[3]
HEX = "0123456789abcdef"
SECRET = "word-canary"  # of p10, while this suite runs
_secrets = {}


def absent(reference):
    """A reference of the same length and shape that names nothing."""
    bare = reference.removeprefix("sha256:")
    if re.fullmatch("[0-9a-f]+", bare):
        turned = "".join(HEX[15 - HEX.index(digit)] for digit in bare)
        return reference[:len(reference) - len(bare)] + turned
    return reference.replace("canary", "absent").replace("cana", "abse")


def references(world):
    """Every way to name p10's things, by kind."""
    it, ids = world.neighbour, world.neighbour.ids

    def by_id(value):
        return [value, value[:12], value[:5]]
    return {
        "container": [it.container, it.job, *by_id(ids["container"]), ids["job"], ids["infra"]],
        "exec": [ids["exec"], ids["exec"][:12]],
        "pod": [it.pod, *by_id(ids["pod"])],
        "volume": [it.volume, "data-cana", ids["anonymous volume"], ids["anonymous volume"][:12]],
        "network": [it.network, "net-cana", *by_id(ids["network"])],
        "image": [it.image, it.image.removesuffix(":latest"), *by_id(ids["image"]), "sha256:" + ids["image"]],
        "id": [ids["image"], "sha256:" + ids["image"]],
        "secret": [SECRET, *by_id(_secrets[SECRET])],
        "manifest": [it.image, it.image.removesuffix(":latest")],
    }


def without(text, reference):
    for form in (reference, quote(reference, safe=""), quote(reference)):
        text = text.replace(form, "REF")
    return text


def same(world, method, path, content, reference, substitute):
    """Sends the request with a foreign reference and with an absent one."""
    answers = []
    for name in (reference, absent(reference)):
        where, what = substitute(path, content, name)
        answer = world.p1.call(method, versioned(where), what, timeout=20)
        fields = sorted((key, without(value, name)) for key, value in answer.fields
                        if key not in ("x-podfence-request-id", "date"))
        answers.append((answer.status, without(answer.text, name), fields))
    label = f"{method} {path} {json.dumps(content)[:150] if isinstance(content, dict) else ''} with {reference}"
    equal(answers[0], answers[1], label)
    if substitute is not _in_query or method != "GET":  # a list is empty, anything else is not carried out
        if f"{method} {path}" in table.GONE:
            equal(answers[0][:2], (204, ""), f"{label} says that it is gone")
            world.unharmed(f"{label} is not carried out")
            return
        reported = '"ExitCode":1' in answers[0][1]  # a batch says it in its report
        check(answers[0][0] >= 400 or reported, f"{label} is not carried out", answers[0])


def _in_path(path, content, name):
    if isinstance(content, dict):
        content = json.loads(json.dumps(content).replace("REF", name))
    return path.replace("REF", quote(name, safe="")), content


def _in_query(path, content, name):
    """`path parameters`; a parameter `filters:KEY` stands for a filter."""
    where, parameters = path.split(" ")
    plain, _, key = parameters.partition("filters:")
    text = where + "?" + plain.replace("REF", quote(name, safe=""))
    if key:
        text = text.removesuffix("?") + ("" if plain else "?") + query(filters={key: [name]})[1:]
    return text, content


def _in_body(path, content, name):
    return path, json.loads(json.dumps(content).replace("REF", name))


def setup(world):
    p1 = world.p1
    _secrets[SECRET] = world.p10.post(versioned(f"/libpod/secrets/create?name={SECRET}"), b"value-canary").json()["ID"]
    ok(p1.podman("network", "create", "net"))
    ok(p1.podman("run", "-d", "--name", "web", "--network", "net", IMAGE, *SLEEP))


def test_paths(world):
    setup(world)
    for line in table.PATHS.strip().splitlines():
        kind, method, path = line.split()
        content = table.BODIES.get(path.split("?")[0])
        for reference in references(world)[kind]:
            same(world, method, path, content, reference, _in_path)


def test_queries(world):
    for line in table.QUERIES.strip().splitlines():
        kind, method, path = line.split(maxsplit=2)
        for reference in references(world)[kind]:
            same(world, method, path, None, reference, _in_query)


def test_bodies(world):
    for kind, path, content in table.CONTENTS:
        for reference in references(world)[kind]:
            same(world, "POST", path, content, reference, _in_body)


def test_volumes_named_in_bodies(world):
    """A volume that nobody has is made, so here the two cannot be equal; the foreign one must be hidden all the same."""
    it = world.neighbour
    for name in (it.volume, it.ids["anonymous volume"]):
        for path, content in (
                ("/containers/create", {"Image": IMAGE, "HostConfig": {"Binds": [f"{name}:/x"]}}),
                ("/containers/create", {"Image": IMAGE, "HostConfig": {"Mounts": [
                    {"Type": "volume", "Source": name, "Target": "/x"}]}}),
                ("/libpod/containers/create", {"image": IMAGE, "volumes": [{"Name": name, "Dest": "/x"}]}),
                ("/libpod/pods/create", {"name": "made", "volumes": [{"Name": name, "Dest": "/x"}]}),
                ("/volumes/create", {"Name": name}),
                ("/libpod/volumes/create", {"Name": name})):
            answer = world.p1.post(versioned(path), content)
            check(400 <= answer.status < 500, f"{path} with p10's volume {name}", answer)
            for canary in ("p10", "/storage/volumes", it.ids["container"][:12]):
                check(canary not in answer.text, f"{path} with p10's volume tells nothing about it", answer)


def test_names_that_are_taken(world):
    """Names are one space for all projects in Podman: the clash is told, and nothing of the thing that has the name."""
    it = world.neighbour
    for path, content in ((f"/containers/create?name={it.container}", {"Image": IMAGE}),
                          ("/libpod/containers/create", {"image": IMAGE, "name": it.container}),
                          ("/libpod/pods/create", {"name": it.pod}),
                          ("/networks/create", {"Name": it.network}),
                          ("/libpod/networks/create", {"name": it.network}),
                          (f"/containers/web/rename?name={it.container}", None),
                          (f"/libpod/containers/web/rename?name={it.container}", None)):
        answer = world.p1.post(versioned(path), content)
        check(answer.status >= 400, f"{path} with a name of p10's", answer)
        for canary in (value[:12] for value in it.ids.values()):
            check(canary not in answer.text, f"{path} with a name of p10's does not tell its id", answer)


def test_every_served_endpoint_is_here(world):
    """docs/endpoints.md is generated from the program's own table."""
    document = ROOT / "docs" / "endpoints.md"
    if not document.exists():
        skip("comparison with docs/endpoints.md", "it is not there")
        return
    rows = [line.split()[1:3] for line in table.PATHS.strip().splitlines()]
    rows += [line.split()[1:3] for line in table.QUERIES.strip().splitlines()]
    rows += [["POST", path] for _, path, _ in table.CONTENTS]
    rows += [line.split() for line in table.WITHOUT_REFERENCE.strip().splitlines()]
    covered = {(method, path.split("?")[0].replace("REF", "{}").replace("/net/", "/{}/")) for method, path in rows}
    served = set()
    for line in document.read_text().splitlines():
        cells = [cell.strip(" `") for cell in line.strip().strip("|").split("|")]
        if len(cells) > 2 and cells[0] in ("GET", "HEAD", "POST", "PUT", "DELETE") and "`endpoint." not in line:
            served.add((cells[0], re.sub(r"\{[^}]*\}", "{}", cells[1])))
    check(len(served) > 80, "docs/endpoints.md lists what is served", len(served))
    equal(sorted(served - covered), [], "every served endpoint is in the table of this test")
    equal(sorted(covered - served), [], "every row of this test is served")


def test_nothing_happened(world):
    world.unharmed()
    removed = world.p10.delete(versioned(f"/libpod/secrets/{SECRET}"))
    equal(removed.status, 204, "p10's secret was there to the end")
    listed = ok(world.p1.docker("ps", "-aq")).out.split()
    equal(len(listed), 1, "no container of p1's was made by a refused request")
