// Container updates. The rules of a create hold for them: what a create may not say, an update may not either.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row compat[] = {
    {"",                                Object,  checked(finish_update_compat, "limits are those of policy")},
    {"RestartPolicy.Name",              Text,    choice("no always on-failure unless-stopped")},
    {"RestartPolicy.MaximumRetryCount", Integer, bounds::restart_count},
};

constexpr Row libpod[] = {
    {"",                         Object,   checked(finish_update_libpod, "limits are those of policy")},
    {"health_log_destination",   Text,     choice("local")},
    {"health_max_log_size",      Unsigned, bounds::health_log_size},
    {"health_max_log_count",     Unsigned, bounds::health_count},
    {"health_on_failure",        Text,     choice("none kill restart stop")},
    {"no_healthcheck",           Boolean,  keep_zero(pass)},
    {"health_cmd",               Text,     pass},
    {"health_interval",          Text,     health_period_text},
    {"health_retries",           Unsigned, bounds::health_count},
    {"health_timeout",           Text,     health_period_text},
    {"health_start_period",      Text,     health_period_text},
    {"health_startup_cmd",       Text,     pass},
    {"health_startup_interval",  Text,     health_period_text},
    {"health_startup_retries",   Unsigned, bounds::health_count},
    {"health_startup_timeout",   Text,     health_period_text},
    {"health_startup_success",   Unsigned, bounds::health_count},
    {"BlkIOWeightDevice",        Any,      deny_device},
    {"DeviceReadBPs",            Any,      deny_device},
    {"DeviceWriteBPs",           Any,      deny_device},
    {"DeviceReadIOPs",           Any,      deny_device},
    {"DeviceWriteIOPs",          Any,      deny_device},
    {"Env[]",                    Text,     environment},
    {"UnsetEnv[]",               Text,     pass},
    {"r_limits[]",               Object,   ulimit},
    {"r_limits[].type",          Text,     pass},
    {"r_limits[].hard",          Unsigned, keep_zero(pass)},
    {"r_limits[].soft",          Unsigned, keep_zero(pass)},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> update_compat_rows = compat;
constinit const std::span<const Row> update_libpod_rows = libpod;

}  // namespace podfence::rules
