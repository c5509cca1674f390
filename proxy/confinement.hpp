#pragma once
// podfence confines itself once it serves: what a client that had taken it over could reach is what podfence needs, and
// no more. docs/confinement.md tells what that is, and what it is not.

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/landlock.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {

/// The sanitizers' own work (a leak is looked for by another process) needs what is given up here.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// What it came to.
struct Confinement {
  bool calls = false;  ///< seccomp
  int files = 0;       ///< version of Landlock; 0: none
  /// A line for the log.
  std::string text() const;
};

/// What podfence opens when it serves that configuration. `file`: where the configuration came from, "" for none;
/// `policies`: the policy files that were read.
Reach reach_of(const rules::Configuration& configuration, const std::string& file,
               const std::vector<std::string>& policies);

/// Bytes of memory that podfence may have (RLIMIT_DATA), by what its limits say that it can need.
std::uint64_t memory_limit(const rules::HttpLimits& limits);

/// Does podfence, with its connector, give up what it does not need?
inline bool confines(const rules::Configuration& configuration) { return !configuration.unconfined && !is_sanitized; }

/// From now on nothing outside `reach` is opened, no program started, nobody connected to,
/// no capability held but, for root, those that pass by the modes of files. Landlock is as good as the kernel's; the
/// rest must work: throws std::system_error.
Confinement confine(const Reach& reach, std::uint64_t memory);

}  // namespace podfence::proxy
