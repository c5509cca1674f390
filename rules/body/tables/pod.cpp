// Podman's pod create (specgen.PodSpecGenerator), and what it shares with containers.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row rows[] = {
    {"",                       Object,   checked(finish_pod, "the project's label is added; the network is the default one of policy unless one of yours is named")},
    {"name",                   Text,     new_name<Kind::Pod>},
    {"hostname",               Text,     hostname},
    {"exit_policy",            Text,     choice("continue stop")},
    {"labels{}",               Text,     label},
    {"no_infra",               Boolean,  pass},
    {"infra_conmon_pid_file",  Text,     deny_path},
    {"infra_command",          Any,      deny_infra},
    {"infra_image",            Text,     deny_infra},
    {"infra_name",             Text,     new_name<Kind::Container>},
    {"shared_namespaces[]",    Text,     choice("ipc net uts pid cgroup")},
    {"restart_policy",         Text,     choice("no always on-failure unless-stopped")},
    {"restart_tries",          Unsigned, bounds::restart_count},
    {"share_parent",           Boolean,  keep_zero(pass)},
    {"pod_create_command",     Any,      drop},
    {"pod_devices",            Any,      deny_device},
    {"sysctl{}",               Text,     sysctl},
    {"no_manage_resolv_conf",  Boolean,  pass},
    {"no_manage_hostname",     Boolean,  pass},
    {"no_manage_hosts",        Boolean,  pass},
    {"hostsFile",              Text,     choice("none image")},
    {"cpu_period",             Unsigned, bounds::cpu_period},
    {"cpu_quota",              Integer,  bounds::cpu_quota},
    {"throttleReadBpsDevice",  Any,      deny_device},
    {"security_opt",           Any,      deny_security},
    {"serviceContainerID",     Text,     deny_field},
};

constexpr Row namespaces[] = {
    {"pidns",                        Object,   pid_object},
    {"pidns.nsmode",                 Text,     pass},
    {"pidns.value",                  Text,     pass},
    {"ipcns",                        Object,   ipc_object},
    {"ipcns.nsmode",                 Text,     pass},
    {"ipcns.value",                  Text,     pass},
    {"utsns",                        Object,   uts_object},
    {"utsns.nsmode",                 Text,     pass},
    {"utsns.value",                  Text,     pass},
    {"userns",                       Object,   user_object},
    {"userns.nsmode",                Text,     pass},
    {"userns.value",                 Text,     pass},
    // podman sends "the host's" for "the rootless user's own": the maps that any container has
    {"idmappings.HostUIDMapping",    Boolean,  default_is("true", deny_security)},
    {"idmappings.HostGIDMapping",    Boolean,  default_is("true", deny_security)},
    {"idmappings.UIDMap",            Any,      deny_security},
    {"idmappings.GIDMap",            Any,      deny_security},
    {"idmappings.AutoUserNs",        Boolean,  deny_security},
    {"idmappings.AutoUserNsOpts",    Any,      deny_security},
    {"netns",                        Object,   network_object},
    {"netns.nsmode",                 Text,     pass},
    {"netns.value",                  Text,     pass},
    {"Networks{}",                   Object,   network_key},
    {"cni_networks[]",               Text,     network_item},
    {"network_options",              Any,      deny(refusal("network.mode"))},
    {"portmappings[]",               Object,   port_mapping},
    {"portmappings[].host_ip",       Text,     pass},
    {"portmappings[].container_port", Unsigned, pass},
    {"portmappings[].host_port",     Unsigned, pass},
    {"portmappings[].range",         Unsigned, pass},
    {"portmappings[].protocol",      Text,     pass},
    {"dns_server[]",                 Text,     address},
    {"dns_search[]",                 Text,     pass},
    {"dns_option[]",                 Text,     pass},
    {"hostadd[]",                    Text,     host_entry},
    {"cgroup_parent",                Text,     deny_limit},
};

constexpr Row storage[] = {
    {"mounts[]",                     Object,   mount_libpod},
    {"mounts[].destination",         Text,     pass},
    {"mounts[].type",                Text,     pass},
    {"mounts[].source",              Text,     pass},
    {"mounts[].options[]",           Text,     pass},
    {"mounts[].uidMappings",         Any,      deny_security},
    {"mounts[].gidMappings",         Any,      deny_security},
    {"volumes[]",                    Object,   volume_libpod},
    {"volumes[].Name",               Text,     pass},
    {"volumes[].Dest",               Text,     pass},
    {"volumes[].Options[]",          Text,     pass},
    {"volumes[].IsAnonymous",        Boolean,  pass},
    {"volumes[].SubPath",            Text,     deny_path},
    {"overlay_volumes",              Any,      deny_path},
    {"image_volumes[].Source",       Text,     image_volume},
    {"image_volumes[].Destination",  Text,     target},
    {"image_volumes[].ReadWrite",    Boolean,  deny_field},
    {"image_volumes[].subPath",      Text,     deny_path},
    {"volumes_from[]",               Text,     volumes_from},
    {"shm_size",                     Integer,  bounds::shared_memory},
    {"shm_size_systemd",             Integer,  bounds::shared_memory},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> pod_rows = rows;
constinit const std::span<const Row> namespace_rows = namespaces;
constinit const std::span<const Row> storage_rows = storage;

}  // namespace podfence::rules
