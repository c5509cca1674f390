// Volumes, exec sessions, container updates.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row volume_compat[] = {
    {"",                   Object,  checked(finish_labels_compat, "the project's label is added")},
    {"Name",               Text,    new_name},
    {"Driver",             Text,    choice("local")},
    {"DriverOpts",         Any,     deny_path},  // type, o and device make a bind of it
    {"Labels{}",           Text,    label},
    {"ClusterVolumeSpec",  Any,     deny_field},
};

constexpr Row volume_libpod[] = {
    {"",                   Object,  checked(finish_volume_libpod, "the project's label is added; `Label` is put into `Labels`")},
    {"Name",               Text,    new_name},
    {"Driver",             Text,    choice("local")},
    {"Label{}",            Text,    label},
    {"Labels{}",           Text,    label},
    {"Options",            Any,     deny_path},
    {"IgnoreIfExists",     Any,     drop},  // would answer with a foreign volume of the name
    {"UID",                Integer, deny_field},
    {"GID",                Integer, deny_field},
};

constexpr Row exec_create[] = {
    {"User",          Text,     pass},
    {"Privileged",    Boolean,  deny_privileged},
    {"Tty",           Boolean,  pass},
    {"ConsoleSize[]", Unsigned, pass},
    {"AttachStdin",   Boolean,  pass},
    {"AttachStderr",  Boolean,  pass},
    {"AttachStdout",  Boolean,  pass},
    {"Detach",        Boolean,  pass},
    {"DetachKeys",    Text,     keep_zero(pass)},
    {"Env[]",         Text,     environment},
    {"WorkingDir",    Text,     pass},
    {"Cmd[]",         Text,     pass},
};

constexpr Row exec_start[] = {
    {"Detach",         Boolean,  pass},
    {"Tty",            Boolean,  pass},
    {"ConsoleSize[]",  Unsigned, pass},
    {"h",              Unsigned, pass},
    {"w",              Unsigned, pass},
};

constexpr Row exec_remove[] = {{"Force", Boolean, pass}};

constexpr Row update_compat[] = {
    {"RestartPolicy.Name",              Text,    choice("no always on-failure unless-stopped")},
    {"RestartPolicy.MaximumRetryCount", Integer, bounds::restart_count},
};

constexpr Row update_libpod[] = {
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

constinit const std::span<const Row> volume_compat_rows = volume_compat;
constinit const std::span<const Row> volume_libpod_rows = volume_libpod;
constinit const std::span<const Row> exec_create_rows = exec_create;
constinit const std::span<const Row> exec_start_rows = exec_start;
constinit const std::span<const Row> exec_remove_rows = exec_remove;
constinit const std::span<const Row> update_compat_rows = update_compat;
constinit const std::span<const Row> update_libpod_rows = update_libpod;

}  // namespace podfence::rules
