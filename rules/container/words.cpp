#include "rules/container/words.hpp"

#include <algorithm>

namespace podfence::rules {

namespace {

using enum Amount;
using enum AmountRole;
constexpr std::int64_t with_swap = 2;  // clients send twice the memory

// clang-format off
constexpr AmountWord create_compat[] = {
    {Memory,         "HostConfig.Memory", Written},
    {Memory,         "HostConfig.MemoryReservation"},
    {Memory,         "HostConfig.MemorySwap", Aside, with_swap},
    {Cpus,           "HostConfig.NanoCpus", Written},
    {Processes,      "HostConfig.PidsLimit", Written},
    {SharedMemory,   "HostConfig.ShmSize", Written},
    {LogSize,        "HostConfig.LogConfig.Config.max-size", Written},
    {HealthInterval, "Healthcheck.Interval", Written},
    {HealthInterval, "Healthcheck.StartInterval", Like},
    {Restarts,       "HostConfig.RestartPolicy.MaximumRetryCount", Written},
    {StopTimeout,    "StopTimeout", Written},
};
constexpr QuotaWord create_compat_quotas[] = {{"HostConfig.CpuQuota", "HostConfig.CpuPeriod"}};

constexpr AmountWord update_compat[] = {
    {Memory,    "Memory", Limit},
    {Memory,    "MemoryReservation"},
    {Memory,    "MemorySwap", Aside, with_swap},
    {Cpus,      "NanoCpus", Limit},
    {Processes, "PidsLimit", Limit},
    {Restarts,  "RestartPolicy.MaximumRetryCount", Limit},
};
constexpr QuotaWord update_compat_quotas[] = {{"CpuQuota", "CpuPeriod"}};

constexpr AmountWord create_libpod[] = {
    {Memory,         "resource_limits.memory.limit", Written},
    {Memory,         "resource_limits.memory.reservation"},
    {Memory,         "resource_limits.memory.swap", Aside, with_swap},
    {Processes,      "resource_limits.pids.limit", Written},
    {SharedMemory,   "shm_size", Written},
    {SharedMemory,   "shm_size_systemd"},
    {LogSize,        "log_configuration.size", Written},
    {LogSize,        "log_configuration.options.max-size", Limit},
    {HealthInterval, "healthconfig.Interval", Written},
    {HealthInterval, "healthconfig.StartInterval", Like},
    {HealthInterval, "startupHealthConfig.Interval", Like},
    {Restarts,       "restart_tries", Written},
    {StopTimeout,    "stop_timeout", Written},
};
constexpr QuotaWord create_libpod_quotas[] = {{"resource_limits.cpu.quota", "resource_limits.cpu.period", Written},
                                              {"cpu_quota", "cpu_period"}};

constexpr AmountWord update_libpod[] = {
    {Memory,    "memory.limit", Limit},
    {Memory,    "memory.reservation"},
    {Memory,    "memory.swap", Aside, with_swap},
    {Processes, "pids.limit", Limit},
    {Memory,    "Resources.memory.limit", Limit},
    {Memory,    "Resources.memory.reservation"},
    {Memory,    "Resources.memory.swap", Aside, with_swap},
    {Processes, "Resources.pids.limit", Limit},
};
constexpr QuotaWord update_libpod_quotas[] = {{"cpu.quota", "cpu.period"}, {"Resources.cpu.quota", "Resources.cpu.period"}};

// The containers of a pod have limits of their own.
constexpr AmountWord create_pod[] = {
    {Memory,       "resource_limits.memory.limit", Limit},
    {Memory,       "resource_limits.memory.reservation"},
    {Memory,       "resource_limits.memory.swap", Aside, with_swap},
    {Processes,    "resource_limits.pids.limit", Limit},
    {SharedMemory, "shm_size", Limit},
    {SharedMemory, "shm_size_systemd"},
    {Restarts,     "restart_tries", Limit},
};
constexpr QuotaWord create_pod_quotas[] = {{"resource_limits.cpu.quota", "resource_limits.cpu.period"},
                                           {"cpu_quota", "cpu_period"}};

constexpr Words all[] = {
    {.body = Body::ContainerCreateCompat, .amounts = create_compat, .quotas = create_compat_quotas,
     .health_test = "Healthcheck.Test", .restart_policy = "HostConfig.RestartPolicy.Name",
     .ulimits = "HostConfig.Ulimits", .ulimit_name = "Name", .ulimit_soft = "Soft", .ulimit_hard = "Hard", .pod = "",
     .hostname = "Hostname", .uts = "HostConfig.UTSMode",
     .dropped_capabilities = "HostConfig.CapDrop", .read_only_root = "HostConfig.ReadonlyRootfs", .environment = "Env",
     .publish_exposed = "HostConfig.PublishAllPorts"},
    {.body = Body::ContainerCreateLibpod, .amounts = create_libpod, .quotas = create_libpod_quotas,
     .health_test = "healthconfig.Test", .restart_policy = "restart_policy",
     .ulimits = "r_limits", .ulimit_name = "type", .ulimit_soft = "soft", .ulimit_hard = "hard", .pod = "pod",
     .hostname = "hostname", .uts = "utsns.nsmode",
     .dropped_capabilities = "cap_drop", .read_only_root = "read_only_filesystem", .environment = "env",
     .publish_exposed = "publish_image_ports"},
    {.body = Body::PodCreate, .amounts = create_pod, .quotas = create_pod_quotas,
     .health_test = "", .restart_policy = "restart_policy",
     .ulimits = "", .ulimit_name = "", .ulimit_soft = "", .ulimit_hard = "", .pod = "",
     .hostname = "hostname", .uts = "utsns.nsmode",
     .dropped_capabilities = "", .read_only_root = "", .environment = "", .publish_exposed = ""},
    {.body = Body::ContainerUpdateCompat, .amounts = update_compat, .quotas = update_compat_quotas,
     .health_test = "", .restart_policy = "RestartPolicy.Name",
     .ulimits = "", .ulimit_name = "", .ulimit_soft = "", .ulimit_hard = "", .pod = "",
     .hostname = "", .uts = "",
     .dropped_capabilities = "", .read_only_root = "", .environment = "", .publish_exposed = ""},
    {.body = Body::ContainerUpdateLibpod, .amounts = update_libpod, .quotas = update_libpod_quotas,
     .health_test = "", .restart_policy = "",
     .ulimits = "", .ulimit_name = "", .ulimit_soft = "", .ulimit_hard = "", .pod = "",
     .hostname = "", .uts = "",
     .dropped_capabilities = "", .read_only_root = "", .environment = "", .publish_exposed = ""},
};
// clang-format on

}  // namespace

const Words* words_of(Body body) {
  const auto found = std::ranges::find(all, body, &Words::body);
  return found == std::end(all) ? nullptr : found;
}

}  // namespace podfence::rules
