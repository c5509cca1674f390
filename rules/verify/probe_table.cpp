// The rows. Each must be harmless where it is not refused: containers are created and never started, what would remove
// or change something does it to the decoy's things only, and prunes name a label that nothing else has.
#include <array>

#include "rules/verify/probe.hpp"

namespace podfence::rules::verify {

namespace {

using enum Sound;
using enum Form;

#define CREATE "POST /v1.41/containers/create?name={new}"
#define LIBPOD_CREATE "POST /v4.0.0/libpod/containers/create"
#define VOLUME_HEAD "POST /v1.41/volumes/create HTTP/1.1\r\nHost: podfence\r\nContent-Type: application/json\r\n"

constexpr std::string_view other_name = "make things that count as another project's";
constexpr std::string_view other_things = "reach another project's things";
constexpr std::string_view told = "learn what other projects have";
constexpr std::string_view removes = "remove what other projects have";
constexpr std::string_view host_files = "read and write the files of the user who runs Podman";
constexpr std::string_view host_spaces = "step out of its container into the host or into another project";
constexpr std::string_view host_rights = "have rights over the host's kernel and devices";
constexpr std::string_view open_ports = "listen on the host's addresses, and find what listens on the host";
constexpr std::string_view host_build = "reach the host or another project from a build";
constexpr std::string_view moved_names = "put its own image in the place of another project's";
constexpr std::string_view runs_there = "run commands in another project's containers";
constexpr std::string_view unseen = "send Podman requests that podfence does not see";
constexpr std::string_view tunnels = "talk to another project's processes, or past podfence through a tunnel";
constexpr std::string_view unbounded = "use up podfence, Podman or the host";

constexpr auto rows = std::to_array<Probe>({
    // clang-format off
    {"label", "a container without a label", CREATE, R"({"Image":"{image}"})", Confined, other_name, Json, Trait::OwnLabel},
    {"label", "a container that says it is the decoy's", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","labels":{"{label}":"{decoy}"}})", Refused, other_name},
    {"label", "the same in a second spelling behind the right one", CREATE,
     R"({"Image":"{image}","Labels":{"{label}":"{project}"},"labels":{"{label}":"{decoy}"}})", Refused, other_name},
    {"label", "a volume that says it is the decoy's", "POST /v1.41/volumes/create",
     R"({"Name":"{new-volume}","Labels":{"{label}":"{decoy}"}})", Refused, other_name},
    {"label", "a network that says it is the decoy's", "POST /v1.41/networks/create",
     R"({"Name":"{new-network}","Labels":{"{label}":"{decoy}"}})", Refused, other_name},
    {"label", "a pod that says it is the decoy's", "POST /v4.0.0/libpod/pods/create",
     R"({"name":"{new-pod}","no_infra":true,"labels":{"{label}":"{decoy}"}})", Refused, other_name},

    {"foreign", "inspecting a container", "GET /v1.41/containers/{container}/json", "", Absent, other_things},
    {"foreign", "inspecting a container by the beginning of its id",
     "GET /v4.0.0/libpod/containers/{short-id}/json", "", Absent, other_things},
    {"foreign", "reading a container's logs", "GET /v1.41/containers/{running}/logs?stdout=1&stderr=1", "", Absent, other_things},
    {"foreign", "copying files out of a container", "GET /v1.41/containers/{container}/archive?path=/", "", Absent, other_things},
    {"foreign", "killing a container", "POST /v1.41/containers/{running}/kill?signal=SIGKILL", "", Absent, other_things},
    {"foreign", "renaming a container", "POST /v1.41/containers/{container}/rename?name={new}", "", Absent, other_things},
    {"foreign", "removing a container", "DELETE /v1.41/containers/{container}?force=true", "", Absent, other_things},
    {"foreign", "making an image of a container",
     "POST /v1.41/commit?container={container}&repo=localhost/{new}&tag=latest", "{}", Absent, other_things},
    {"foreign", "taking a container's volumes", CREATE,
     R"({"Image":"{image}","HostConfig":{"VolumesFrom":["{container}"]}})", Absent, other_things},
    {"foreign", "stopping a pod", "POST /v4.0.0/libpod/pods/{pod}/kill", "", Absent, other_things},
    {"foreign", "removing a pod", "DELETE /v4.0.0/libpod/pods/{pod}?force=true", "", Absent, other_things},
    {"foreign", "inspecting a volume", "GET /v1.41/volumes/{volume}", "", Absent, other_things},
    {"foreign", "removing a volume", "DELETE /v4.0.0/libpod/volumes/{volume}", "", Absent, other_things},
    {"foreign", "mounting a volume", CREATE, R"({"Image":"{image}","HostConfig":{"Binds":["{volume}:/stolen"]}})", Confined, other_things, Json,
     Trait::OtherVolumes},
    {"foreign", "inspecting a network", "GET /v1.41/networks/{network}", "", Absent, other_things},
    {"foreign", "removing a network", "DELETE /v1.41/networks/{network}", "", Absent, other_things},
    {"foreign", "joining a network", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","netns":{"nsmode":"bridge"},"Networks":{"{network}":{}}})", Absent, other_things},
    {"foreign", "inspecting a secret", "GET /v4.0.0/libpod/secrets/{secret}/json", "", Absent, other_things},
    {"foreign", "removing a secret", "DELETE /v4.0.0/libpod/secrets/{secret}", "", Absent, other_things},
    {"foreign", "putting a secret into a container", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","secrets":[{"Source":"{secret}","Target":"stolen"}]})", Absent, other_things},
    {"foreign", "inspecting an image", "GET /v1.41/images/{foreign-image}/json", "", Absent, other_things},
    {"foreign", "running an image", CREATE, R"({"Image":"{foreign-image}"})", Absent, other_things},

    {"list", "all containers", "GET /v1.41/containers/json?all=true", "", Silent, told},
    {"list", "containers by the decoy's label",
     R"(GET /v4.0.0/libpod/containers/json?all=true&filters={"label":["{label}={decoy}"]})", "", Silent, told},
    {"list", "all pods", "GET /v4.0.0/libpod/pods/json", "", Silent, told},
    {"list", "all volumes", "GET /v1.41/volumes", "", Silent, told},
    {"list", "all networks", "GET /v1.41/networks", "", Silent, told},
    {"list", "all images", "GET /v1.41/images/json?all=true", "", Silent, told},
    {"list", "all secrets", "GET /v4.0.0/libpod/secrets/json", "", Silent, told},
    {"list", "disk usage", "GET /v1.41/system/df", "", Silent, told},

    {"events", "all that happened since the decoy was made", "GET /v1.41/events?since={since}&until={now}", "", Silent, told},
    {"events", "events by the decoy's label",
     R"(GET /v4.0.0/libpod/events?stream=false&since={since}&until={now}&filters={"label":["{label}={decoy}"]})", "", Silent, told},

    {"prune", "containers", R"(POST /v1.41/containers/prune?filters={"label":["podfence.verify={run}"]})", "", Silent, removes},
    {"prune", "volumes", R"(POST /v4.0.0/libpod/volumes/prune?filters={"label":["podfence.verify={run}"]})", "", Silent, removes},
    {"prune", "networks", R"(POST /v4.0.0/libpod/networks/prune?filters={"label":["podfence.verify={run}"]})", "", Silent, removes},

    {"mount", "the host's root directory as a bind",
     CREATE, R"({"Image":"{image}","HostConfig":{"Binds":["/:/host"]}})", Refused, host_files},
    {"mount", "a host directory as a mount", CREATE,
     R"({"Image":"{image}","HostConfig":{"Mounts":[{"Type":"bind","Source":"/etc","Target":"/host"}]}})", Refused, host_files},
    {"mount", "a host directory by Podman's own API", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","mounts":[{"type":"bind","source":"/etc","destination":"/host"}]})", Refused, host_files},
    {"mount", "a host directory as an overlay", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","overlay_volumes":[{"source":"/etc","destination":"/host"}]})", Refused, host_files},
    {"mount", "a volume that is a host directory", "POST /v1.41/volumes/create",
     R"({"Name":"{new-volume}","Driver":"local","DriverOpts":{"type":"none","o":"bind","device":"/etc"}})", Refused, host_files},
    {"mount", "a host directory as the root of a container", LIBPOD_CREATE,
     R"({"name":"{new}","rootfs":"/usr","command":["/bin/true"]})", Refused, host_files},

    {"namespace", "the host's processes", CREATE, R"({"Image":"{image}","HostConfig":{"PidMode":"host"}})", Refused, host_spaces},
    {"namespace", "the host's network", CREATE, R"({"Image":"{image}","HostConfig":{"NetworkMode":"host"}})", Refused, host_spaces},
    {"namespace", "the host's shared memory", CREATE, R"({"Image":"{image}","HostConfig":{"IpcMode":"host"}})", Refused, host_spaces},
    {"namespace", "a namespace by its path", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","pidns":{"nsmode":"path","value":"/proc/self/ns/pid"}})", Refused, host_spaces},
    {"namespace", "the processes of a foreign container", CREATE,
     R"({"Image":"{image}","HostConfig":{"PidMode":"container:{container}"}})", Absent, host_spaces},
    {"namespace", "the network of a foreign container", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","netns":{"nsmode":"container","value":"{container}"}})", Absent, host_spaces},
    {"namespace", "a foreign pod", LIBPOD_CREATE, R"({"name":"{new}","image":"{image}","pod":"{pod}"})", Absent, host_spaces},

    {"privilege", "a privileged container", CREATE, R"({"Image":"{image}","HostConfig":{"Privileged":true}})", Refused, host_rights},
    {"privilege", "the same by Podman's own API",
     LIBPOD_CREATE, R"({"name":"{new}","image":"{image}","privileged":true})", Refused, host_rights},
    {"privilege", "the capability to mount", CREATE, R"({"Image":"{image}","HostConfig":{"CapAdd":["SYS_ADMIN"]}})", Refused, host_rights},
    {"privilege", "a device of the host", CREATE,
     R"({"Image":"{image}","HostConfig":{"Devices":[{"PathOnHost":"/dev/null","PathInContainer":"/dev/x"}]}})", Refused, host_rights},
    {"privilege", "no filter of system calls", CREATE,
     R"({"Image":"{image}","HostConfig":{"SecurityOpt":["seccomp=unconfined"]}})", Refused, host_rights},
    {"privilege", "a plain container may not gain privileges",
     CREATE, R"({"Image":"{image}"})", Confined, host_rights, Json, Trait::NoNewPrivileges},

    {"port", "a port on all addresses", CREATE,
     R"({"Image":"{image}","HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":"0.0.0.0","HostPort":"{port}"}]}}})",
     Confined, open_ports, Json, Trait::LoopbackPorts},
    {"port", "a port of an address that nobody gave", LIBPOD_CREATE,
     R"({"name":"{new}","image":"{image}","portmappings":[{"container_port":80,"host_port":{port},"host_ip":"192.0.2.1"}]})",
     Confined, open_ports, Json, Trait::LoopbackPorts},
    {"port", "a privileged port", CREATE,
     R"({"Image":"{image}","HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":"127.0.0.1","HostPort":"443"}]}}})",
     Refused, open_ports},

    {"build", "the host's network in a build", "POST /v1.41/build?t=localhost/{new-build}:latest&networkmode=host",
     "FROM scratch\nLABEL podfence.verify={run}\n", Refused, host_build, Context},
    {"build", "a host directory in a build", "POST /v4.0.0/libpod/build?t=localhost/{new-build}:latest&volume=/etc:/host",
     "FROM scratch\nLABEL podfence.verify={run}\n", Refused, host_build, Context},
    {"build", "a build on a foreign image", "POST /v1.41/build?t=localhost/{new-build}:latest",
     "FROM {foreign-image}\nLABEL podfence.verify={run}\n", Refused, host_build, Context},
    {"build", "a build that copies out of a foreign image", "POST /v1.41/build?t=localhost/{new-build}:latest",
     "FROM scratch\nCOPY --from={foreign-image} / /\nLABEL podfence.verify={run}\n", Refused, host_build, Context},

    {"tag", "tagging an own image over a foreign one",
     "POST /v1.41/images/{own-image}/tag?repo={foreign-repo}&tag=latest", "", Refused, moved_names},
    {"tag", "importing an image over a foreign one",
     "POST /v4.0.0/libpod/images/import?reference={foreign-repo}:latest{may-import}", "nothing", Refused, moved_names, Files},
    {"tag", "building an image over a foreign one", "POST /v1.41/build?t={foreign-repo}:latest{may-build}",
     "FROM scratch\nLABEL podfence.verify={run}\n", Refused, moved_names, Context},
    {"tag", "taking a foreign image's name away", "DELETE /v1.41/images/{foreign-repo}:latest", "", Absent, moved_names},

    {"exec", "a command in a foreign container",
     "POST /v1.41/containers/{running}/exec", R"({"Cmd":["true"],"AttachStdout":true})", Absent, runs_there},
    {"exec", "looking at a foreign command", "GET /v1.41/exec/{exec}/json", "", Absent, runs_there},
    {"exec", "starting a foreign command", "POST /v1.41/exec/{exec}/start", R"({"Detach":true})", Absent, runs_there},

    {"framing", "a message with two lengths", "POST with Content-Length and Transfer-Encoding",
     VOLUME_HEAD "Content-Length: 4\r\n"
     "Transfer-Encoding: chunked\r\n\r\n{name-chunk}", Refused, unseen, Bytes},
    {"framing", "a folded header field", "POST with a folded Content-Type",
     "POST /v1.41/volumes/create HTTP/1.1\r\nHost: podfence\r\nContent-Type:\r\n application/json\r\n"
     "Content-Length: {name-length}\r\n\r\n{name-json}",
     Refused, unseen, Bytes},
    {"framing", "a path that leads to another one", "GET with dot segments",
     "GET /v1.41/images/../containers/{container}/json HTTP/1.1\r\nHost: podfence\r\n\r\n", Refused, unseen, Bytes},
    {"framing", "a target with another host in it", "GET in absolute form",
     "GET http://podman/v1.41/containers/json HTTP/1.1\r\nHost: podfence\r\n\r\n", Refused, unseen, Bytes},
    {"framing", "the same name twice in JSON",
     "POST /v1.41/volumes/create", R"({"Name":"{new-volume}","name":"{new-volume}-other"})", Refused, unseen},
    {"framing", "content that is cut by its length", "POST with JSON behind its end",
     VOLUME_HEAD "Content-Length: {longer-length}\r\n\r\n{name-json}{}",
     Refused, unseen, Bytes},

    {"hijack", "attaching to a foreign container",
     "POST /v1.41/containers/{running}/attach?stream=1&stdout=1&stdin=1", "", Absent, tunnels, Upgrade},
    {"hijack", "starting a foreign command in a tunnel",
     "POST /v1.41/exec/{exec}/start", R"({"Detach":false,"Tty":false})", Absent, tunnels, Upgrade},
    {"hijack", "a tunnel where there is none", "GET /v1.41/containers/json?all=true", "", Refused, tunnels, Upgrade},
    {"hijack", "a request behind a tunnel that is refused", "POST attach to a foreign container, and a create behind it",
     "POST /v1.41/containers/{container}/attach?stream=1 HTTP/1.1\r\nHost: podfence\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
     "Content-Length: 0\r\n\r\n"
     VOLUME_HEAD "Content-Length: {name-length}\r\n\r\n{name-json}",
     Refused, tunnels, Bytes},

    {"limit", "a head of 200 kB", "GET /v1.41/containers/json with a long header field",
     "GET /v1.41/containers/json HTTP/1.1\r\nHost: podfence\r\nX-Long: {long}\r\n\r\n", Refused, unbounded, Bytes},
    {"limit", "content of 17 MB that would be judged",
     "POST /v1.41/volumes/create", R"({"Name":"{new-volume}","Padding":"{huge}"})", Refused, unbounded},
    {"limit", "JSON that is nested 2000 times",
     "POST /v1.41/volumes/create", R"({"Name":"{new-volume}","Padding":{deep}})", Refused, unbounded},
    {"limit", "a million processes", CREATE, R"({"Image":"{image}","HostConfig":{"PidsLimit":1000000}})", Refused, unbounded},
    {"limit", "a terabyte of shared memory", CREATE,
     R"({"Image":"{image}","HostConfig":{"ShmSize":1099511627776}})", Confined, unbounded, Json, Trait::LittleMemory},
    // clang-format on
});

#undef CREATE
#undef LIBPOD_CREATE
#undef VOLUME_HEAD

}  // namespace

std::span<const Probe> probes() { return rows; }

}  // namespace podfence::rules::verify
