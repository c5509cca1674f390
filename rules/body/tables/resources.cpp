// Limits and health checks. What names a device, an interface or a file of the host, and what lifts a limit, is
// refused.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row host_resources[] = {
    {"CpuShares",             Integer, bounds::cpu_shares},
    {"Memory",                Integer, bounds::memory},
    {"NanoCpus",              Integer, bounds::nano_cpus},
    {"CgroupParent",          Text,    deny_limit},
    {"BlkioWeight",           Integer, bounds::block_weight},
    {"BlkioWeightDevice",     Any,     deny_device},
    {"BlkioDeviceReadBps",    Any,     deny_device},
    {"BlkioDeviceWriteBps",   Any,     deny_device},
    {"BlkioDeviceReadIOps",   Any,     deny_device},
    {"BlkioDeviceWriteIOps",  Any,     deny_device},
    {"CpuPeriod",             Integer, bounds::cpu_period},
    {"CpuQuota",              Integer, bounds::cpu_quota},
    {"CpuRealtimePeriod",     Integer, deny_limit},
    {"CpuRealtimeRuntime",    Integer, deny_limit},
    {"CpusetCpus",            Text,    cpu_set},
    {"CpusetMems",            Text,    cpu_set},
    {"Devices",               Any,     deny_device},
    {"DeviceCgroupRules",     Any,     deny_device},
    {"DeviceRequests",        Any,     deny_device},
    {"KernelMemory",          Integer, deny_limit},
    {"KernelMemoryTCP",       Integer, deny_limit},
    {"MemoryReservation",     Integer, bounds::memory},
    {"MemorySwap",            Integer, bounds::memory_and_swap},
    {"MemorySwappiness",      Integer, bounds::swappiness},
    {"OomKillDisable",        Boolean, deny_limit},
    {"PidsLimit",             Integer, bounds::processes},
    {"Ulimits[]",             Object,  ulimit},
    {"Ulimits[].Name",        Text,    pass},
    {"Ulimits[].Hard",        Integer, keep_zero(pass)},
    {"Ulimits[].Soft",        Integer, keep_zero(pass)},
    {"CpuCount",              Any,     drop},  // Windows
    {"CpuPercent",            Any,     drop},
    {"IOMaximumIOps",         Any,     drop},
    {"IOMaximumBandwidth",    Any,     drop},
};

constexpr Row linux_resources[] = {
    {"devices",                  Any,      deny_device},
    {"memory.limit",             Integer,  bounds::memory},
    {"memory.reservation",       Integer,  bounds::memory},
    {"memory.swap",              Integer,  bounds::memory_and_swap},
    {"memory.kernel",            Integer,  deny_limit},
    {"memory.kernelTCP",         Integer,  deny_limit},
    {"memory.swappiness",        Integer,  bounds::swappiness},
    {"memory.disableOOMKiller",  Boolean,  deny_limit},
    {"memory.useHierarchy",      Boolean,  deny_limit},
    {"memory.checkBeforeUpdate", Boolean,  deny_limit},
    {"cpu.shares",               Unsigned, bounds::cpu_shares},
    {"cpu.quota",                Integer,  bounds::cpu_quota},
    {"cpu.burst",                Unsigned, bounds::cpu_burst},
    {"cpu.period",               Unsigned, bounds::cpu_period},
    {"cpu.realtimeRuntime",      Integer,  deny_limit},
    {"cpu.realtimePeriod",       Integer,  deny_limit},
    {"cpu.cpus",                 Text,     cpu_set},
    {"cpu.mems",                 Text,     cpu_set},
    {"cpu.idle",                 Integer,  deny_limit},
    {"pids.limit",               Integer,  bounds::processes},
    {"blockIO",                  Any,      deny_device},
    {"hugepageLimits",           Any,      deny_limit},
    {"network",                  Any,      deny_limit},  // names interfaces of the host
    {"rdma",                     Any,      deny_device},
    {"unified",                  Any,      deny_limit},  // files of the cgroup: undoes every other limit
};

constexpr Row health[] = {
    {"Test[]",        Text,    pass},
    {"Interval",      Integer, bounds::health_period},
    {"Timeout",       Integer, bounds::health_period},
    {"StartPeriod",   Integer, bounds::health_start_period},
    {"StartInterval", Integer, bounds::health_period},
    {"Retries",       Integer, bounds::health_count},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> health_rows = health;
constinit const std::span<const Row> host_resource_rows = host_resources;
constinit const std::span<const Row> linux_resource_rows = linux_resources;

}  // namespace podfence::rules
