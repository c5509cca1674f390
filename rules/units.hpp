#pragma once
// Numbers that sizes, times and shares of processors are counted in.

#include <cstdint>
#include <limits>

namespace podfence::rules {

inline constexpr std::int64_t kibi = 1024, mebi = 1024 * kibi, gibi = 1024 * mebi;
inline constexpr std::int64_t second = 1'000'000'000;     // Go counts durations in nanoseconds
inline constexpr std::int64_t processor = 1'000'000'000;  // Docker counts processors in billionths

/// Microseconds: the kernel's and Podman's own period, for a quota that names none.
inline constexpr std::int64_t default_period = 100'000;

/// Billionths of a processor that so many microseconds in every period come to. A quota is not negative.
constexpr std::int64_t cpus_of_quota(std::int64_t quota, std::int64_t period) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return quota > most / processor ? most : quota * processor / period;
}

}  // namespace podfence::rules
