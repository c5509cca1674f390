#pragma once
// Faults of engines and runtimes that matter behind podfence, by the version that mended them.

#include <span>
#include <string_view>

namespace podfence::rules::doctor {

struct Danger {
  std::string_view program;  ///< "podman", or a runtime
  std::string_view mended;   ///< the first version without it
  std::string_view what;     ///< what somebody can do, and whom podfence keeps from it
};
std::span<const Danger> dangers();

/// Numbers between points: "5.10.0" is newer than "5.9". What is not a number ends it.
bool is_older(std::string_view version, std::string_view than);

}  // namespace podfence::rules::doctor
