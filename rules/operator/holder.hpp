#pragma once
// The containers that projects were made for, as Podman tells of them.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decision.hpp"

namespace podfence::rules {

UpstreamRequest holder_request(const std::string& container);
struct HeldBy {
  std::string id = {};     ///< full
  std::string wrong = {};  ///< why no project can be bound to it; "" when there is an id
};
HeldBy holder_of(int status, std::string_view content);

/// All of them at once, by full ids.
UpstreamRequest holders_request(const std::vector<std::string>& ids);
/// Ids of those that have not ended: they run, or are yet to be started. nullopt: the answer cannot be understood.
std::optional<std::set<std::string>> living_holders(int status, std::string_view content);

}  // namespace podfence::rules
