"""Lists, events and sums: nothing of p10 occurs in an answer to p1, looked for as bytes, and what p1 asked for does."""

import time

from check import check, contains, equal
from clients import API, LIBPOD, ok, wait_for_end
from wire import LineStream, query
from world import IMAGE, LABEL, SLEEP

own = {}


def clean(world, answer, what):
    """The answer came, and it holds no canary. Ids are also looked for in the headers."""
    check(answer.status == 200, f"{what} answers 200", answer)
    where = answer.text + repr(answer.fields)
    for canary in [*world.neighbour.canaries(), '"p10"', "=p10"]:
        if canary in where:
            at = where.find(canary)
            check(False, f"{what} tells of p10: {canary}", where[max(0, at - 200):at + 100])
            return answer
    check(True, what)
    return answer


def ask(world, path, **parameters):
    text = path + (query(**parameters) if parameters else "")
    return clean(world, world.p1.get(text), f"GET {text}")


def setup(world):
    """p1's things: names that are prefixes of p10's, labels that p10's things have as well."""
    podman = world.p1.podman
    own["since"] = str(int(time.time()))
    ok(podman("network", "create", "--label", "tier=one", "net"))
    ok(podman("volume", "create", "--label", "tier=one", "--label", "role=store", "data"))
    ok(podman("volume", "create", "--label", "role=spare", "data2"))
    ok(podman("pod", "create", "--name", "pod", "--label", "tier=one"))
    own["pod member"] = ok(podman("run", "-d", "--pod", "pod", "--name", "member", IMAGE, *SLEEP)).text
    own["web"] = ok(podman("run", "-d", "--name", "web", "--network", "net", "--label", "tier=one", "-v", "data:/data", IMAGE,
                           *SLEEP)).text
    own["job"] = ok(podman("run", "-d", "--name", "job", "--label", "role=store", "localhost/volume:latest", "true")).text
    own["image"] = ok(podman("pull", "-q", f"{world.engine.registry_name}/team/mine:latest")).text


def names(answer):
    """Names of the things in a list of any kind."""
    items = answer.json()
    items = items.get("Volumes") if isinstance(items, dict) else items
    found = []
    for item in items or []:
        name = item.get("Names") or item.get("Name") or item.get("name") or item.get("RepoTags") or "<none>"
        found += [one.lstrip("/") for one in ([name] if isinstance(name, str) else name)]
    return sorted(found)


def both(**filters):
    """A filter in both encodings."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in filters.items()}
    return lists, {key: {one: True for one in value} for key, value in lists.items()}


def test_containers(world):
    setup(world)
    mine = ["job", "member", "web"]
    for family in (API, LIBPOD):
        path = f"{family}/containers/json"
        everything = [name for name in names(ask(world, path, all=True)) if not name.endswith("-infra")]
        equal(everything, mine, f"{path} all")
        equal([name for name in names(ask(world, path)) if not name.endswith("-infra")], ["member", "web"], path)
        ask(world, path, all=True, size=True)
        for filters, expected in (
                (both(label="tier=one"), ["web"]), (both(label="tier"), ["web"]), (both(label="role=store"), ["job"]),
                (both(label="t*=one"), None), (both(label=f"{LABEL}=p1"), mine), (both(label=LABEL), mine),
                (both(label=[f"{LABEL}=p1", "tier=one"]), ["web"]),
                (both(name="web"), ["web"]), (both(name=["web", "job"]), ["job", "web"]), (both(name=""), None),
                (both(name=".*"), mine), (both(id=own["web"]), ["web"]), (both(id=own["web"][:12]), ["web"]),
                (both(status="running"), ["member", "web"]), (both(status=["running", "exited"]), mine),
                (both(volume="data"), ["web"]), (both(network="net"), ["web"]), (both(pod="pod"), ["member"]),
                (both(ancestor=IMAGE), ["member", "web"]), (both(before="job"), ["member", "web"]), (both(since="web"), ["job"]),
                (both(exited="0"), ["job"])):
            for encoded in filters:
                answer = ask(world, path, all=True, filters=encoded)
                if expected is not None:
                    equal([name for name in names(answer) if not name.endswith("-infra")], expected, f"{path} {encoded}")
        for absent in ("web-canary", "member-canary"):
            answer = world.p1.get(path + query(all=True, filters={"name": [absent]}))
            equal((answer.status, answer.content.strip() in (b"[]", b"null")), (200, True), f"{path} name={absent}")
    for limit in range(1, 5):
        for path in (f"{API}/containers/json", f"{LIBPOD}/containers/json"):
            answer = ask(world, path, all=True, limit=limit)
            equal(len(answer.json()), limit, f"{path} limit={limit} counts one's own")
    equal(len(ask(world, f"{LIBPOD}/containers/json", all=True, last=2).json()), 2, "last=2 counts one's own")
    ask(world, f"{LIBPOD}/containers/json", all=True, external=True)
    ask(world, f"{LIBPOD}/containers/json", all=True, sync=True, namespace=True, pod=True)


def test_negated_labels(world):
    """`label!` is an error of Podman 4.3.1; where it is known it must not widen the list."""
    for path in (f"{API}/containers/json", f"{LIBPOD}/containers/json", f"{LIBPOD}/pods/json", f"{API}/networks",
                 f"{LIBPOD}/networks/json", f"{API}/volumes", f"{LIBPOD}/volumes/json", f"{API}/images/json"):
        for filters in ({"label!": ["tier=one"]}, {"label!": [f"{LABEL}=p1"]}, {"label!": {"x": True}}):
            answer = world.p1.get(path + query(all=True, filters=filters) if "containers" in path or "images" in path
                                  else path + query(filters=filters))
            for canary in world.neighbour.canaries():
                check(canary not in answer.text, f"{path} {filters} tells nothing of p10", answer)


def test_pods(world):
    path = f"{LIBPOD}/pods/json"
    equal(names(ask(world, path)), ["pod"], path)
    # Podman 4.3.1 looks at only one of a pod's containers, now this one and now that one, for `ctr-…`.
    for filters, expected in ((both(label="tier=one"), ["pod"]), (both(label="tier=two"), []), (both(name="pod"), ["pod"]),
                              (both(**{"ctr-names": "member"}), None), (both(status="running"), ["pod"]),
                              (both(**{"ctr-ids": own["pod member"]}), None)):
        for encoded in filters:
            answer = ask(world, path, filters=encoded)
            if expected is not None:
                equal(names(answer), expected, f"{path} {encoded}")
    document = ask(world, f"{LIBPOD}/pods/pod/json").json()
    equal(len(document["Containers"]), 2, "pod inspect shows its containers")


def test_volumes(world):
    anonymous = ask(world, f"{LIBPOD}/containers/job/json").json()["Mounts"][0]["Name"]
    mine = sorted(["data", "data2", anonymous])
    for path in (f"{API}/volumes", f"{LIBPOD}/volumes/json"):
        equal(names(ask(world, path)), mine, path)
        # Podman 4.3.1 takes any of several labels; the project's own must stay needed whatever is asked.
        for filters, expected in ((both(label="tier=one"), ["data"]), (both(label="role"), ["data", "data2"]),
                                  (both(name="data"), None), (both(driver="local"), mine), (both(dangling="true"), ["data2"]),
                                  (both(label=["tier=one", "role=spare"]), None), (both(label=["tier=one", LABEL]), None),
                                  (both(label="tier=two"), []), (both(scope="local"), mine)):
            for encoded in filters:
                answer = ask(world, path, filters=encoded)
                if expected is not None:
                    equal(names(answer), expected, f"{path} {encoded}")


def test_networks(world):
    for path in (f"{API}/networks", f"{LIBPOD}/networks/json"):
        listed = names(ask(world, path))
        contains(listed, "net", path)
        check(set(listed) <= {"net", "podman", "bridge"}, f"{path} lists one's own and the default", listed)
        for filters, expected in ((both(label="tier=one"), ["net"]), (both(name="^net$"), None),
                                  (both(label="tier=two"), []), (both(driver="bridge"), None), (both(dangling="false"), None)):
            for encoded in filters:
                answer = ask(world, path, filters=encoded)
                if expected is not None:
                    equal(names(answer), expected, f"{path} {encoded}")
    for name in ("bridge", "podman"):
        answer = world.p1.get(f"{API}/networks/{name}")
        for canary in world.neighbour.canaries():
            check(canary not in answer.text, f"inspect of the default network {name} shows no foreign container", answer)


def test_images(world):
    mine = f"{world.engine.registry_name}/team/mine:latest"
    for path in (f"{API}/images/json", f"{LIBPOD}/images/json"):
        answer = ask(world, path)
        for image in (mine, IMAGE, "localhost/volume:latest"):
            contains(answer.text, image, f"{path} lists {image}")
        ask(world, path, all=True)
        for filters, expected in ((both(reference=mine), True), (both(label="registry=mine"), True), (both(label="registry"), True),
                                  (both(dangling="false"), True), (both(dangling="true"), False),
                                  (both(label=["registry=mine", "registry"]), None), (both(since=IMAGE), None),
                                  (both(before=mine), False)):
            for encoded in filters:
                answer = ask(world, path, filters=encoded)
                if expected is not None:
                    equal(mine in answer.text, expected, f"{path} {encoded}")
    ask(world, f"{API}/images/{mine}/json")
    ask(world, f"{LIBPOD}/images/{mine}/json")
    ask(world, f"{API}/images/{mine}/history")


def test_image_held_by_both(world):
    """One image id with names of two projects: each sees its own name only."""
    name = f"{world.engine.registry_name}/team/mine:latest"
    direct = world.engine.direct
    direct.post(f"{LIBPOD}/images/{own['image']}/tag" + query(repo="localhost.canary/team", tag="other"))
    for path in (f"{API}/images/json", f"{LIBPOD}/images/json", f"{API}/images/{name}/json", f"{LIBPOD}/images/{name}/json",
                 f"{API}/images/{name}/history", f"{LIBPOD}/images/{name}/history"):
        contains(ask(world, path).text, name if "history" not in path else "[", path)
    direct.delete(f"{LIBPOD}/images/localhost.canary/team:other")


def test_inspect(world):
    """Documents of one's own things hold no path of the host and nothing of the engine's environment."""
    for path in ("containers/web/json", "containers/job/json", "containers/member/json"):
        for family in (API, LIBPOD):
            answer = ask(world, f"{family}/{path}")
            for word in (str(world.engine.home), str(world.engine.runtime), "engine-environment"):
                check(word not in answer.text, f"{family}/{path} holds no path of the host", _around(answer.text, word))
    for path in (f"{API}/volumes/data", f"{LIBPOD}/volumes/data/json", f"{API}/volumes", f"{LIBPOD}/volumes/json"):
        answer = ask(world, path)
        check(str(world.engine.home) not in answer.text, f"{path} holds no path of the host", answer)


def _around(text, word):
    at = text.find(word)
    return text[max(0, at - 100):at + 160]


def test_system(world):
    counts = {"Containers": 4, "ContainersRunning": 3, "ContainersStopped": 1, "ContainersPaused": 0}
    info = ask(world, f"{API}/info").json()
    for key, value in counts.items():
        equal(info[key], value, f"info counts one's own: {key}")
    libpod = ask(world, f"{LIBPOD}/info").json()
    store = libpod["store"]["containerStore"]
    equal((store["number"], store["running"], store["stopped"]), (4, 3, 1), "libpod info counts one's own")
    for path in (f"{API}/info", f"{LIBPOD}/info"):
        text = world.p1.get(path).text
        for word in (str(world.engine.home), str(world.engine.runtime), "engine-environment"):
            check(word not in text, f"{path} holds nothing of the host", _around(text, word))
    usage = ask(world, f"{API}/system/df").json()
    equal(len(usage["Containers"]), 4, "system df counts one's own containers")
    equal(len(usage["Volumes"]), 3, "system df counts one's own volumes")
    usage = ask(world, f"{LIBPOD}/system/df").json()
    equal((len(usage["Containers"]), len(usage["Volumes"])), (4, 3), "libpod system df counts one's own")
    ask(world, f"{API}/version")
    ask(world, f"{LIBPOD}/version")
    ask(world, f"{LIBPOD}/containers/showmounted")


def test_stats(world):
    """This Podman has no stats without cgroup v2: the status is then Podman's, and the answer holds no foreign name."""
    for path in (f"{LIBPOD}/containers/stats", f"{LIBPOD}/pods/stats"):
        for parameters in ({"stream": False}, {"stream": False, "all": True}):
            answer = world.p1.get(path + query(**parameters))
            for canary in world.neighbour.canaries():
                check(canary not in answer.text, f"{path} {parameters} tells nothing of p10", answer)


def _disturb(world):
    """Both projects do something of every type of event, p10 with names that must not be seen."""
    for project, suffix in ((world.p10, "-canary"), (world.p1, "")):
        name = "passing" + suffix
        project.post(f"{LIBPOD}/volumes/create", {"Name": name, "Labels": {"a": "b"}})
        project.post(f"{LIBPOD}/networks/create", {"name": name})
        project.post(f"{LIBPOD}/pods/create", {"name": name + "-pod"})
        created = project.post(f"{LIBPOD}/containers/create", {"image": IMAGE, "name": name, "command": ["true"],
                                                               "volumes": [{"Name": name, "Dest": "/v"}]})
        identifier = created.json()["Id"]
        project.post(f"{LIBPOD}/containers/{identifier}/start")
        wait_for_end(project, identifier)
        project.delete(f"{LIBPOD}/containers/{identifier}")
        project.delete(f"{LIBPOD}/pods/{name}-pod")
        project.delete(f"{LIBPOD}/networks/{name}")
        project.delete(f"{LIBPOD}/volumes/{name}")
        image = f"{world.engine.registry_name}/team/spare:latest"
        if suffix:
            project.post(f"{LIBPOD}/images/pull" + query(reference=image))
            project.delete(f"{LIBPOD}/images/{image}")


def test_events(world):
    streams = {family: LineStream(world.p1.path, f"{family}/events") for family in (API, LIBPOD)}
    _disturb(world)
    _disturb(world)
    canaries = [canary.encode() for canary in [*world.neighbour.canaries(), "team/spare", '"p10"']]
    for family, stream in streams.items():
        events = stream.rest(1.5)
        stream.close()
        for canary in canaries:
            check(canary not in stream.raw, f"{family}/events, live, tells nothing of p10 ({canary})", stream.raw[:2000])
        seen = {(event["Type"], event["Action"]) for event in events}
        for kind, actions in (("container", {"create", "start", "died", "die", "remove", "destroy"}),
                              ("volume", {"create", "remove", "destroy"}), ("pod", {"create", "remove", "destroy"})):
            found = {action for what, action in seen if what == kind}
            check("create" in found and found & {"remove", "destroy"}, f"{family}/events tells one's own {kind}s", sorted(seen))
    for family in (API, LIBPOD):
        for filters in ({}, {"type": ["container"]}, {"type": ["volume"]}, {"type": ["image"]}, {"type": ["pod"]},
                        {"type": ["network"]}, {"event": ["create"]}, {"event": ["remove"]}, {"container": ["passing"]},
                        {"volume": ["data"]}, {"label": [f"{LABEL}=p1"]}, {"label": [f"{LABEL}=p1", "tier=one"]}):
            # Podman stops reading when that time comes: were it near, on a busy machine before it has begun.
            until = int(time.time()) + 60
            path = f"{family}/events" + query(stream=False, since=own["since"], until=until, filters=filters)
            answer = world.p1.get(path)
            equal(answer.status, 200, f"{family}/events {filters}")
            for canary in canaries:
                check(canary not in answer.content, f"{family}/events {filters} tells nothing of p10 ({canary})",
                      answer.text[:1500])
            # The past of a volume that is gone is nobody's: its event tells a name and no owner.
            if filters.get("type") == ["volume"]:
                contains(answer.text, '"data"', f"{family}/events {filters} tells one's own volume")


def test_labels_of_p10_do_not_help(world):
    """A filter that asks for p10's label matches nothing."""
    for path in (f"{API}/containers/json", f"{LIBPOD}/containers/json", f"{LIBPOD}/pods/json", f"{LIBPOD}/volumes/json",
                 f"{LIBPOD}/networks/json"):
        for encoded in both(label=f"{LABEL}=p10"):
            parameters = {"filters": encoded, **({"all": True} if "containers" in path else {})}
            answer = world.p1.get(path + query(**parameters))
            check(answer.status >= 400 or answer.content.strip() in (b"[]", b"null"), f"{path} {encoded}", answer)
    world.unharmed()
