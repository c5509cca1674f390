"""Quotas on a real engine: with many requests at once never one too many, and what goes makes room again."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from check import check, contains, equal, skip, until
from clients import API, LIBPOD, fails, ok
from wire import query
from world import IMAGE, LABEL, SLEEP

QUOTA = {"containers": 20, "pods": 3, "volumes": 5, "networks": 3, "images": 1, "execs": 4, "streams": 3}
PROJECTS = {"few": {"quota": QUOTA}, "other": {},
            "sums": {"quota": {"memory": "1g", "cpus": 4},
                     "limits": {"memory": {"default": "64m"}, "cpus": {"default": 0.5}}}}
OWN = {"label": [f"{LABEL}=few"]}


def _fenced(topic):
    """The topic with a podfence of its own, and nothing of its projects before and behind it."""
    def run(world):
        with world.another("quotas", PROJECTS) as fence:
            for project in fence.projects.values():
                project.canaries = world.neighbour.canaries()
                world.clear(project)
            try:
                topic(world, fence.projects)
            finally:
                for project in fence.projects.values():
                    world.clear(project)
    return run


def _at_once(count, request):
    """The statuses of that many requests at the same time, each on a connection of its own."""
    with ThreadPoolExecutor(count) as threads:
        return Counter(answer.status for answer in threads.map(request, range(count)))


def _there(world, kind):
    """How many of that kind the project has, past the proxy."""
    everything = {"all": True} if kind == "containers" else {}
    return len(world.engine.direct.get(f"{LIBPOD}/{kind}/json" + query(filters=OWN, **everything)).json() or [])


def _container(project, name, **host):
    return project.post(f"{API}/containers/create?name={name}", {"Image": IMAGE, "Cmd": SLEEP, "HostConfig": host}, timeout=600)


def _refused(answer, used_up, what):
    equal(answer.status, 403, what)
    contains(answer.text, used_up, f"{what}: says so")
    contains(answer.text, "quota.exceeded", f"{what}: names the rule")


@_fenced
def test_containers(world, projects):
    """200 at once, of which some fail by themselves: they use nothing up."""
    few, quota = projects["few"], QUOTA["containers"]
    taken = _at_once(15, lambda _: _container(few, "taken"))
    equal(taken[201], 1, "one of those of the same name is made")
    statuses = _at_once(200, lambda number: _container(few, f"c{number}"))
    equal(statuses, Counter({201: quota - 1, 403: 200 - quota + 1}), "200 creates at once")
    equal(_there(world, "containers"), quota, "containers that are there")
    _refused(few.post(f"{LIBPOD}/containers/create", {"image": IMAGE}), f"{quota} of {quota} containers", "libpod's create")
    _refused(few.post(f"{LIBPOD}/pods/create", {"name": "full"}), "containers", "a pod, which has a container of its own")
    fails(few.docker("run", "--rm", IMAGE, "true"), part="quota is used up")
    fails(few.podman("run", "--rm", IMAGE, "true"), part="quota is used up")
    equal(_container(projects["other"], "elsewhere").status, 201, "another project goes on")
    ok(few.docker("rm", "taken"))
    ok(few.docker("run", "--rm", IMAGE, "true"), "what is removed makes room")
    ok(few.docker("run", "--rm", IMAGE, "true"), "and so does what removes itself")
    equal(_container(few, "last").status, 201, "the last one")
    _refused(_container(few, "more"), "containers", "one more")
    world.engine.podman("rm", "last")
    equal(_container(few, "after").status, 201, "what the host's user removes makes room too")
    equal(_there(world, "containers"), quota, "containers that are there in the end")


@_fenced
def test_volumes(world, projects):
    few, quota = projects["few"], QUOTA["volumes"]
    statuses = _at_once(40, lambda number: few.post(f"{API}/volumes/create", {"Name": f"v{number}"}))
    equal(statuses, Counter({201: quota, 403: 40 - quota}), "40 volumes at once")
    equal(_there(world, "volumes"), quota, "volumes that are there")
    mine = few.get(f"{API}/volumes").json()["Volumes"][0]["Name"]
    equal(few.post(f"{API}/volumes/create", {"Name": mine}).status, 201, "one that is there already is none more")
    equal(_container(few, "uses", Binds=[f"{mine}:/data"]).status, 201, "and may be mounted")
    _refused(_container(few, "makes", Binds=["another:/data"]), "volumes", "a container that would make one more")
    equal(_there(world, "volumes"), quota, "none is left behind")
    equal(_there(world, "containers"), 1, "nor a container")
    ok(few.docker("rm", "uses"))
    ok(few.docker("volume", "rm", mine))
    statuses = _at_once(20, lambda number: _container(few, f"w{number}", Binds=[f"w{number}:/data"]))
    equal((statuses[201], statuses[403]), (1, 19), "containers with new volumes at once")
    equal(_there(world, "volumes"), quota, "volumes that are there in the end")


@_fenced
def test_networks(world, projects):
    few, quota = projects["few"], QUOTA["networks"]
    statuses = _at_once(12, lambda number: few.post(f"{API}/networks/create", {"Name": f"n{number}"}))
    equal(statuses, Counter({201: quota, 403: 12 - quota}), "12 networks at once")
    equal(_there(world, "networks"), quota, "networks that are there")
    fails(few.podman("network", "create", "more"), part="quota is used up")
    ok(few.docker("network", "prune", "-f"))
    ok(few.podman("network", "create", "more"))


@_fenced
def test_pods(world, projects):
    few, quota = projects["few"], QUOTA["pods"]
    statuses = _at_once(12, lambda number: few.post(f"{LIBPOD}/pods/create", {"name": f"pod{number}"}, timeout=600))
    equal(statuses, Counter({201: quota, 403: 12 - quota}), "12 pods at once")
    equal((_there(world, "pods"), _there(world, "containers")), (quota, quota), "pods that are there, and their containers")
    fails(few.podman("pod", "create", "more"), part="quota is used up")
    ok(few.podman("pod", "rm", "-a", "-f"))
    ok(few.podman("pod", "create", "more"))


@_fenced
def test_execs(world, projects):
    few, quota = projects["few"], QUOTA["execs"]
    ok(few.docker("run", "-d", "--name", "busy", IMAGE, *SLEEP))

    def create(_=0):
        return few.post(f"{API}/containers/busy/exec", {"Cmd": ["true"], "AttachStdout": True})
    statuses = _at_once(20, create)
    equal(statuses, Counter({201: quota, 403: 20 - quota}), "20 exec sessions at once")
    document = world.engine.direct.get(f"{LIBPOD}/containers/busy/json").json()
    equal(len(document["ExecIDs"]), quota, "sessions that are there")
    fails(few.docker("exec", "busy", "true"), part="quota is used up")
    few.post(f"{API}/exec/{document['ExecIDs'][0]}/start", {"Detach": False, "Tty": False})
    ran = until(lambda: few.docker("exec", "busy", "echo", "room").out == "room\n", 10)
    check(ran, "a session that has ended makes room")
    ok(few.docker("restart", "-t", "0", "busy"))
    equal(_at_once(20, create)[201], quota, "a container that was restarted has none")


@_fenced
def test_images(world, projects):
    few, quota = projects["few"], QUOTA["images"]
    equal(quota, 1, "the test is made for one image")
    mine, spare = (f"{world.engine.registry_name}/team/{name}:latest" for name in ("mine", "spare"))
    ok(few.docker("pull", "-q", mine))
    fails(few.docker("pull", spare), part="quota is used up")
    fails(few.podman("pull", spare), part="quota is used up")
    ok(few.docker("rmi", mine))
    ok(few.podman("pull", "-q", spare))
    ok(few.docker("rmi", spare))


@_fenced
def test_streams(world, projects):
    few, quota = projects["few"], QUOTA["streams"]
    # Podman sends the head of an answer with the first line of it.
    ok(few.docker("run", "-d", "--name", "talks", IMAGE, *SLEEP[:2], f"echo hello; {SLEEP[2]}"))
    streams = [few.events(f"{API}/events") for _ in range(quota - 1)]
    streams.append(few.events(f"{API}/containers/talks/logs?follow=1&stdout=1"))
    equal([stream.status for stream in streams], [200] * quota, "streams up to the quota")
    _refused(few.get(f"{API}/events"), f"{quota} of {quota} streams", "one more")
    _refused(few.post(f"{API}/containers/talks/wait"), "streams", "waiting")
    fails(few.docker("attach", "talks"), part="403", what="docker attach says the status, as it does of every refusal")
    _refused(few.post(f"{API}/containers/talks/attach?stream=1&stdout=1"), "streams", "attaching")
    ok(few.docker("ps"), "what is no stream goes on")
    streams.pop().close()
    check(until(lambda: few.docker("logs", "talks").code == 0, 10), "a stream that ends makes room")
    for stream in streams:
        stream.close()


@_fenced
def test_sums(world, projects):
    """Memory and processors. Podman without cgroups of its own drops limits, and shows none: then there is no sum."""
    sums, direct = projects["sums"], world.engine.direct
    too_much = _container(sums, "large", Memory=2 << 30)
    _refused(too_much, "0 of 1g memory, and the request adds 2g", "more than the quota")
    _refused(_container(sums, "fast", NanoCpus=5_000_000_000), "0 of 4 cpus, and the request adds 5", "more processors")
    equal(_container(sums, "first", Memory=256 << 20).status, 201, "a part of it")
    if not direct.get(f"{LIBPOD}/containers/first/json").json()["HostConfig"]["Memory"]:
        skip("sums of memory and processors", "this engine keeps no limits")
        return
    statuses = _at_once(30, lambda number: _container(sums, f"m{number}", Memory=256 << 20))
    equal(statuses, Counter({201: 3, 403: 27}), "30 of a quarter each at once")
    _refused(sums.post(f"{LIBPOD}/containers/create", {"image": IMAGE}), "1g of 1g memory, and the request adds 64m",
             "one that says nothing gets the default, which is too much")
    ok(sums.docker("rm", "first"))
    equal(_container(sums, "again", Memory=128 << 20).status, 201, "what is removed makes room")
    statuses = _at_once(10, lambda number: _container(sums, f"d{number}"))
    equal((statuses[201], statuses[403]), (2, 8), "ten with the default, of which two have room")
    world.clear(sums)
    answers = [_container(sums, f"p{number}", NanoCpus=1_500_000_000).status for number in range(3)]
    equal(answers, [201, 201, 403], "processors")
