"""What may differ, and why. A row is used by the exchanges, or it fails; what no row allows fails as well."""

import json
import re
from dataclasses import dataclass

REASONS = {
    "host": "Paths, names and settings of the host are not shown.",
    "network": "A container that asks for no network gets one that it shares with nobody, in place of Podman's default bridge.",
    "privileges": "Every container is made without a way to new privileges, and without the engine's notify socket.",
    "isolation": "Every network is made with `isolate`.",
    "own": "Things of other projects are not shown, not counted, and their ids are hidden in texts.",
    "full id": "An object is asked for by its full id, and Podman repeats what it was asked for.",
    "absent": "What is not there and what belongs to another project are told in the same words, whatever the verb: those of an inspect.",
    "refused": "podfence says no itself, with 400 or 403, the name of the rule and the way out, before Podman sees the request.",
    "own answer": "An answer that podfence makes itself does not say that it is Podman's. Clients read the versions from `_ping`, `version` and `info`.",
    "each": "Prunes and removals are made one by one, and podfence writes the report: sizes are told of images only, empty lists are `[]`, and images "
            "between the removed one and its base are not told.",
    "build": "What is built begins with the id of an image that was judged, and gets the project's label and the one that keeps build caches apart.",
    "parent": "Of the images below one only the project's own are told.",
    "kube": "Kubernetes YAML is made into creates of pods, containers and volumes, so that reports have what these tell and errors are those of creates; "
            "and what is generated is read and written anew.",
    "errors": "Errors in a stream are written anew, in the form of Podman's other errors.",
    "push": "The name and the tag of what is pushed go on apart, as Docker's clients send them.",
    "mended": "What Podman 4.3 does not do as it was asked, it is asked in a way that it does: the tag of an import, and members of a manifest list, "
              "which it looks for in registries.",
    "processes": "Docker's `top` shows the columns of `podman top`, which Podman reads itself: no `ps` is started, of the container's or the host's.",
    "unknown endpoint": "This Podman does not have the endpoint. podfence passes the status on, and not a text that is no JSON.",
}


@dataclass(frozen=True)
class Difference:
    """One of an exchange: where, which way, the two values, and the two answers that they stand in."""
    endpoint: str
    path: str
    what: str        # absent, added or other through podfence
    direct: object
    fenced: object
    answers: tuple

    def both(self, status):
        return all(answer["status"] == status for answer in self.answers)


def emptied(difference):
    return difference.fenced in ("", None)


def hides(difference):
    """The same text, but for ids."""
    direct, fenced = (re.sub(r"<[^>]+>|\b(?:web|net|side)\b", "*", str(text)) for text in (difference.direct, difference.fenced))
    return direct == fenced


def by_absence(difference):
    """Both say that it is not there. Podman has 400 and 500 for some verbs."""
    direct, fenced = difference.answers
    words = "No such image|failed to find image|no such|not known|not found|unknown|Not Found"
    return fenced["status"] == 404 and direct["status"] in (400, 404, 500) and bool(re.search(words, json.dumps(direct["body"])))


def by_podfence(difference):
    """podfence has refused what Podman refuses too, by its status or in the stream."""
    direct, fenced = difference.answers
    return (direct["status"] >= 400 or "errorDetail" in direct["body"]) and fenced["status"] in (400, 403) and str(fenced["body"].get("message")).startswith("podfence: ")


def own_answer(difference):
    """Made by podfence: its own errors, reports, and what it knows without asking."""
    return "_ping" not in difference.endpoint and not difference.endpoint.endswith(("/version", "/info"))


def is_bridge(difference):
    return "podman" in str(difference.direct)


def sized_zero(difference):
    return difference.fenced == 0


def none_and_empty(difference):
    return difference.direct is None and difference.fenced == []


def no_endpoint(difference):
    direct, fenced = difference.answers
    return direct["body"] == ["Not Found"] and fenced["status"] == direct["status"]


def of_build(difference):
    """Steps that are podfence's, and the ids that come of them."""
    texts = [str(one) for one in (difference.direct, difference.fenced) if one is not None]
    return all(re.search(r"FROM|appx\.project|--> |Using cache|<id>|<built>|Successfully tagged|#\(nop\)|/bin/sh -c", text) for text in texts)


@dataclass(frozen=True)
class Row:
    """`*` stands for anything, a comma between alternatives."""
    reason: str
    endpoints: str
    paths: str
    what: str = "other"
    test: object = None
    engines: str = "45"

    def fits(self, difference):
        return (difference.what in self.what.split() and _fits(self.endpoints, difference.endpoint) and _fits(self.paths, difference.path)
                and (not self.test or self.test(difference)))


def _fits(patterns, text):
    return any(re.fullmatch(re.escape(each).replace(r"\*", ".*"), text) for each in patterns.split(", "))


INSPECT = "GET /containers/{name}/json, GET /libpod/containers/{name}/json"
LISTS = "GET /containers/json, GET /libpod/containers/json"
IMAGES = "GET /images/json, GET /libpod/images/json, GET /images/{name:.*}/json, GET /libpod/images/{name:.*}/json"
CREATES = "POST /containers/create, POST /libpod/containers/create"
BUILDS = "POST /build, POST /libpod/build"
KUBE = "POST /libpod/play/kube, POST /libpod/kube/play, DELETE /libpod/play/kube, DELETE /libpod/kube/play"
GENERATED = "GET /libpod/generate/kube, GET /libpod/kube/generate"

DIFFERENCES = (
    # The host
    Row("host", INSPECT, "body.LogPath, body.ResolvConfPath, body.HostnamePath, body.HostsPath, body.StaticDir, body.OCIConfigPath, "
                         "body.ConmonPidFile, body.PidFile, body.HostConfig.LogConfig.Path, body.NetworkSettings.SandboxKey", test=emptied),
    Row("host", INSPECT, "body.State.CgroupPath", test=emptied),
    Row("host", f"{INSPECT}, {IMAGES}", "body.GraphDriver.Data.*", test=emptied),
    Row("host", f"{INSPECT}, {LISTS}", "body*Mounts[].Source", test=emptied),
    Row("host", "*/volumes*", "body*Mountpoint", test=emptied),
    Row("host", "GET /libpod/containers/showmounted", "body.*", test=emptied),
    Row("host", "GET /libpod/pods/json, GET /libpod/pods/{name}/json", "body*.Cgroup, body[].Cgroup, body.CgroupParent, body.CgroupPath", test=emptied),
    Row("host", "GET /secrets*, GET /libpod/secrets/*", "body*.Spec.Driver.Options.path", "absent"),
    Row("host", "GET /info, GET /libpod/info", "body*path, body*Path, body*executable, body*configFile, body.DockerRootDir, body.store.*", test=emptied),
    # crun tells its directory in its version
    Row("host", "GET /info, GET /libpod/info, GET /version, GET /libpod/version", "body.Name, body.host.hostname, body.RegistryConfig.*, body.registries.*, "
        "body.Runtimes*, body.host.ociRuntime.version, body.Components[].Version", "other absent"),
    Row("processes", "GET /containers/{name}/top", "body.Titles*, body.Processes*", "other absent added"),
    # Networks and privileges
    Row("network", "GET /containers/{name}/json", "body.HostConfig.NetworkMode, body.NetworkSettings.Gateway, body.NetworkSettings.IPAddress, "
        "body.NetworkSettings.IPPrefixLen, body.NetworkSettings.MacAddress"),
    Row("network", "GET /containers/{name}/json, GET /containers/json", "body*NetworkSettings.Networks*", "absent added other"),
    Row("privileges", "GET /containers/{name}/json, GET /libpod/containers/{name}/json", "body.HostConfig.SecurityOpt[]", "added"),
    Row("privileges", "GET /libpod/containers/{name}/json", "body.Config.sdNotifyMode", "added"),
    Row("isolation", "* /libpod/networks/*", "body.options, body[].options", "added"),
    # Others' things
    Row("own", "*", "body.message", test=lambda each: "<hidden>" in str(each.fenced) and (hides(each) or "in use" in each.fenced)),
    Row("own", "GET /libpod/info", "body.host.freeLocks", test=lambda each: each.fenced == 0, engines="5"),
    Row("own", "GET /libpod/containers/showmounted", "body.<id>", "absent"),
    Row("own", "GET /images/{name:.*}/history, GET /libpod/images/{name:.*}/history", "body[].Tags[], body[].Tags", "absent other", engines="5"),
    Row("own", "GET /libpod/images/{name:.*}/tree", "body.Tree"),
    Row("own", "GET /images/json, GET /libpod/images/json", "body[].Containers", test=lambda each: each.fenced == -1),
    Row("own", "GET /libpod/containers/json", "body[].Image", test=lambda each: "podman-pause" in str(each.direct)),
    Row("own", "GET /info, GET /libpod/info", "body.Containers, body.ContainersRunning, body.ContainersStopped, body.Images, body.store.*.number, "
                                              "body.store.containerStore.*"),
    Row("own", "GET /system/df, GET /libpod/system/df", "body.Images[], body.Containers[], body.Volumes[]", "absent"),
    Row("own", "GET /system/df, GET /libpod/system/df", "body.*"),
    Row("parent", "GET /images/json, GET /libpod/images/json, GET /images/{name:.*}/json", "body[].ParentId, body.Parent", test=emptied),
    Row("full id", "GET /containers/{name}/logs, GET /libpod/containers/{name}/logs, POST /libpod/containers/{name}/wait, POST /networks/{name}/disconnect", "body.cause, body.message", test=hides),
    Row("full id", "PUT /libpod/manifests/{name:.*}", "body.images[]", engines="5"),
    # podfence's own words
    Row("own answer", "*", "head.api-version, head.libpod-api-version, head.server", "absent", own_answer),
    Row("absent", "*", "status, body.cause, body.message, body.response", test=by_absence),
    Row("absent", "GET /containers/{name}/top, GET /containers/{name}/stats", "body", test=lambda each: each.both(404), engines="4"),
    Row("refused", "*", "status, body.cause, body.message, body.response, head.content-type", "other added", by_podfence),
    Row("refused", BUILDS, "body.error, body.errorDetail", "absent", by_podfence),
    Row("errors", "POST /images/create", "head.content-type, body.cause, body.response", "added", engines="5"),
    Row("push", "POST /images/{name:.*}/push", "body[].status", test=lambda each: each.direct.replace(":latest]", "]") == each.fenced),
    Row("unknown endpoint", "*", "head.content-type, head.x-content-type-options, body",
        "other absent", no_endpoint),
    Row("unknown endpoint", "GET /libpod/secrets/{name}/exists", "status, head.*, body[]", "other absent", engines="4"),
    Row("mended", "GET /images/{name:.*}/json, DELETE /images/{name:.*}", "body.RepoTags[], body[].Untagged", engines="4",
        test=lambda each: str(each.direct).replace(":latest", ":one") == each.fenced),
    Row("mended", "PUT /libpod/manifests/{name:.*}", "status, body.Id, body.errors, body.images", "absent added other", engines="4"),
    Row("mended", "GET /libpod/manifests/{name:.*}/json", "body.manifests", engines="4"),
    # Reports
    Row("each", "POST /containers/prune, POST /libpod/containers/prune, POST /volumes/prune, POST /libpod/volumes/prune",
        "body.SpaceReclaimed, body[].Size", test=sized_zero),
    Row("each", "POST /*/prune, DELETE /libpod/images/remove", "body.*Deleted, body.Errors", test=none_and_empty),
    Row("each", "DELETE /images/{name:.*}, DELETE /libpod/images/{name:.*}", "body[], body.Deleted[]", "absent"),
    # Builds and Kubernetes
    Row("build", BUILDS, "body[], body[].stream", "absent added other", of_build),
    Row("build", IMAGES, "body*Labels.podfence.cache", "added"),
    Row("build", IMAGES + ", GET /images/{name:.*}/history, GET /libpod/images/{name:.*}/history", "body[]*, body.History[]*", "absent added other", of_build),
    Row("kube", KUBE, "body.VolumeRmReport, body.SecretRmReport, body.ServiceContainerID, body.ExitCode, body.Secrets, body.Volumes, body.Pods, "
                      "body.StopReport*, body.RmReport*", "absent", engines="5"),
    Row("kube", KUBE, "status, body.message, body.response"),
    Row("kube", "GET /libpod/pods/{name}/json", "body.InfraConfig.Networks, body.RestartPolicy", "other absent"),
    Row("kube", "GET /libpod/containers/{name}/json", "body.NetworkSettings.Networks, body.*Annotations.io.podman.annotations.kube.*, body.Config.Passwd",
        "absent added", lambda each: "kube" in str(each.answers[0]["body"])),
    Row("kube", "GET /libpod/containers/{name}/json", "body.Config.Env[], body.Config.Umask", "added other", lambda each: "kube" in str(each.answers[0]["body"]),
        engines="4"),
    Row("kube", "DELETE /libpod/play/kube, DELETE /libpod/kube/play", "body.cause, body.message, body.response", "added",
        lambda each: each.answers[1]["status"] == 404, engines="5"),
    Row("kube", GENERATED, "head.content-type, body[]", "absent added other"),
)


def allowed(difference):
    return next((row for row in DIFFERENCES if row.fits(difference)), None)
