// Docker's container create (compat/containers_create.go:CreateContainer). Docker's clients send every field, so zero
// values stand for "not said"; -1 does so for the swappiness.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row rows[] = {
    {"",                           Object,     checked(finish_container_compat, "the project's label and what policy forces are added; the network is the default one of policy unless one of yours is named")},
    {"Name",                       Any,        drop},  // the query has the name
    {"Hostname",                   Text,       hostname},
    {"Domainname",                 Any,        drop},
    {"User",                       Text,       pass},
    {"AttachStdin",                Boolean,    pass},
    {"AttachStdout",               Boolean,    pass},
    {"AttachStderr",               Boolean,    pass},
    {"ExposedPorts{}",             Object,     port_key},
    {"Tty",                        Boolean,    pass},
    {"OpenStdin",                  Boolean,    pass},
    {"StdinOnce",                  Boolean,    pass},
    {"Env[]",                      Text,       environment},
    {"EnvMerge[]",                 Text,       merged_environment},
    {"UnsetEnv[]",                 Text,       pass},
    {"UnsetEnvAll",                Boolean,    pass},
    {"Cmd",                        TextOrList, pass},
    {"ArgsEscaped",                Any,        drop},  // Windows
    {"Image",                      Text,       image},
    {"Volumes{}",                  Object,     volume_key},
    {"WorkingDir",                 Text,       directory},
    {"Entrypoint",                 TextOrList, pass},
    {"NetworkDisabled",            Boolean,    pass},
    {"OnBuild",                    Any,        drop},
    {"Labels{}",                   Text,       label},
    {"MacAddress",                 Text,       hardware_address},
    {"StopSignal",                 Text,       pass},
    {"StopTimeout",                Integer,    bounds::stop_seconds},
    {"Shell",                      Any,        drop},
    {"VolumesFrom",                Any,        deny_field},  // dockerode sends it empty; Podman hears HostConfig's

    {"HostConfig.Binds[]",           Text,     bind},
    {"HostConfig.ContainerIDFile",   Text,     deny_path},  // Podman 4.4 and later delete that file of the host
    {"HostConfig.LogConfig.Type",    Text,     choice("json-file k8s-file journald none")},
    {"HostConfig.LogConfig.Config{}", Text,    log_option},
    {"HostConfig.NetworkMode",       Text,     network_text},
    {"HostConfig.PortBindings{}",    Any,      port_key},
    {"HostConfig.PortBindings{}[]",  Object,   port_binding},
    {"HostConfig.PortBindings{}[].HostIp",   Text, pass},
    {"HostConfig.PortBindings{}[].HostPort", Text, pass},
    {"HostConfig.RestartPolicy.Name", Text,    choice("no always on-failure unless-stopped")},
    {"HostConfig.RestartPolicy.MaximumRetryCount", Integer, bounds::restart_count},
    {"HostConfig.AutoRemove",        Boolean,  pass},
    {"HostConfig.VolumeDriver",      Text,     default_is("\"local\"", deny_field)},
    {"HostConfig.VolumesFrom[]",     Text,     volumes_from},
    {"HostConfig.ConsoleSize[]",     Unsigned, pass},
    {"HostConfig.Annotations{}",     Text,     annotation},
    {"HostConfig.CapAdd[]",          Text,     capability},
    {"HostConfig.CapDrop[]",         Text,     pass},
    {"HostConfig.CgroupnsMode",      Text,     cgroup_text},
    {"HostConfig.Dns[]",             Text,     address},
    {"HostConfig.DnsOptions[]",      Text,     pass},
    {"HostConfig.DnsSearch[]",       Text,     pass},
    {"HostConfig.ExtraHosts[]",      Text,     host_entry},
    {"HostConfig.GroupAdd[]",        Text,     group},
    {"HostConfig.IpcMode",           Text,     ipc_text},
    {"HostConfig.Cgroup",            Text,     deny_limit},
    {"HostConfig.Links",             Any,      deny_field},
    {"HostConfig.OomScoreAdj",       Integer,  bounds::oom_score},
    {"HostConfig.PidMode",           Text,     pid_text},
    {"HostConfig.Privileged",        Boolean,  deny_privileged},
    {"HostConfig.PublishAllPorts",   Boolean,  publish_exposed},
    {"HostConfig.ReadonlyRootfs",    Boolean,  pass},
    {"HostConfig.SecurityOpt[]",     Text,     security_option},
    {"HostConfig.StorageOpt",        Any,      deny_limit},
    {"HostConfig.Tmpfs{}",           Text,     tmpfs},
    {"HostConfig.UTSMode",           Text,     uts_text},
    {"HostConfig.UsernsMode",        Text,     user_text},
    {"HostConfig.ShmSize",           Integer,  bounds::shared_memory},
    {"HostConfig.Sysctls{}",         Text,     sysctl},
    {"HostConfig.Runtime",           Text,     deny_field},
    {"HostConfig.Isolation",         Any,      drop},  // Windows
    {"HostConfig.MaskedPaths",       Any,      deny_security},
    {"HostConfig.ReadonlyPaths",     Any,      deny_security},
    {"HostConfig.Init",              Boolean,  keep_zero(pass)},

    {"HostConfig.Mounts[]",                                Object,   mount},
    {"HostConfig.Mounts[].Type",                           Text,     pass},
    {"HostConfig.Mounts[].Source",                         Text,     pass},
    {"HostConfig.Mounts[].Target",                         Text,     pass},
    {"HostConfig.Mounts[].ReadOnly",                       Boolean,  pass},
    {"HostConfig.Mounts[].Consistency",                    Text,     choice("default consistent cached delegated")},
    {"HostConfig.Mounts[].BindOptions.Propagation",        Text,     choice("private rprivate")},
    {"HostConfig.Mounts[].BindOptions.NonRecursive",       Boolean,  pass},
    {"HostConfig.Mounts[].BindOptions.CreateMountpoint",   Any,      drop},
    {"HostConfig.Mounts[].BindOptions.ReadOnlyNonRecursive",   Any,  drop},
    {"HostConfig.Mounts[].BindOptions.ReadOnlyForceRecursive", Any,  drop},
    {"HostConfig.Mounts[].VolumeOptions.NoCopy",           Any,      drop},
    {"HostConfig.Mounts[].VolumeOptions.Labels",           Any,      drop},
    {"HostConfig.Mounts[].VolumeOptions.Subpath",          Text,     deny_path},
    {"HostConfig.Mounts[].VolumeOptions.DriverConfig",     Any,      deny_path},
    {"HostConfig.Mounts[].ImageOptions",                   Any,      deny_field},
    {"HostConfig.Mounts[].TmpfsOptions.SizeBytes",         Integer,  bounds::within(1, bounds::tmpfs_size)},
    {"HostConfig.Mounts[].TmpfsOptions.Mode",              Unsigned, pass},
    {"HostConfig.Mounts[].TmpfsOptions.Options",           Any,      deny(refusal("mount.option"))},
    {"HostConfig.Mounts[].ClusterOptions",                 Any,      deny_field},

    {"NetworkingConfig.EndpointsConfig{}", Object, network_key},
    {"NetworkingConfig{}",                 Any,    deny_field},  // docker-py says the network's name here, with null
};
// clang-format on

}  // namespace

constinit const std::span<const Row> container_compat_rows = rows;

}  // namespace podfence::rules
