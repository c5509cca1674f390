#pragma once
// What any project may ask for at most. Policy may say less (rules/policy.hpp), and never more.

#include <cstdint>

#include "rules/body/table.hpp"
#include "rules/units.hpp"

namespace podfence::rules::bounds {

/// Bytes of all labels of an object. They stand in every list and event, also in those that others are shown parts of.
inline constexpr std::size_t labels_size = 64 * 1024;

/// Of EnvMerge: how many entries, their bytes, and bytes of what a variable may hold that they name.
inline constexpr std::size_t merged_entries = 8, merged_entry_size = 1024, merged_value_size = 4096;
/// A line of /etc/passwd or /etc/group.
inline constexpr std::size_t account_line_size = 1024;
/// The kernel's own.
inline constexpr std::size_t path_size = 4095;

constexpr Rule within(std::int64_t least, std::int64_t most) {
  return {.kind = Rule::Kind::Bounded, .least = least, .most = most};
}

inline constexpr Rule memory = within(1, 64 * gibi);
inline constexpr Rule memory_and_swap = within(1, 128 * gibi);  // clients send twice the memory
inline constexpr Rule swappiness = default_is("-1", keep_zero(within(0, 100)));
inline constexpr Rule shared_memory = within(1, gibi);
inline constexpr Rule processes = within(1, 16384);
inline constexpr Rule cpu_shares = within(2, 262144);        // the kernel's own range
inline constexpr Rule cpu_period = within(1000, 1'000'000);  // likewise
inline constexpr Rule cpu_quota = within(1000, 1024 * 1'000'000);
inline constexpr Rule cpu_burst = within(1, 1024 * 1'000'000);
inline constexpr Rule nano_cpus = within(1'000'000, 1024 * second);
inline constexpr Rule block_weight = within(10, 1000);
inline constexpr Rule oom_score = within(1, 1000);
inline constexpr Rule stop_seconds = keep_zero(within(0, 3600));
inline constexpr Rule restart_count = within(1, 1000);
inline constexpr Rule log_size = within(4 * kibi, gibi);
inline constexpr Rule signal_number = within(1, 64);

// Every run of a health check costs the host a timer and processes.
inline constexpr Rule health_period = within(second, 24 * 3600 * second);
inline constexpr Rule health_start_period = within(1, 24 * 3600 * second);
inline constexpr Rule health_count = within(1, 1000);
inline constexpr Rule health_log_size = within(1, 100'000);

inline constexpr std::int64_t tmpfs_size = 8 * gibi;

inline constexpr std::int64_t last_port = 65535;
inline constexpr std::int64_t port_range = 1000;

inline constexpr std::int64_t least_mtu = 576, most_mtu = 65535;

}  // namespace podfence::rules::bounds
