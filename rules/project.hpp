#pragma once
// A project: the tenant on whose behalf a client speaks, and what its policy grants.

#include <string>
#include <string_view>

#include "rules/policy.hpp"

namespace podfence::rules {

struct Project {
  std::string id;  ///< `[a-z0-9][a-z0-9-]{0,62}`
  std::string label_key = "appx.project";
  Policy policy;
  std::string socket = {};  ///< where its clients connect: what a container gets that mounts the engine's socket
};

/// What podfence makes for itself is called so, and clients may not call anything so.
inline constexpr std::string_view own_name_prefix = "podfence.";
inline bool is_own_name(std::string_view name) { return name.starts_with(own_name_prefix); }

bool is_project_id(std::string_view text);

}  // namespace podfence::rules
