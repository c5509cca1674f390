#pragma once
// How much a project has of what its quota counts.

#include <cstdint>
#include <optional>

#include "rules/exchange.hpp"

namespace podfence::rules {

/// nullopt: noted as questions. Of exec sessions it may be too many as long as it is below the quota.
std::optional<std::int64_t> count_of(Exchange& exchange, Resource resource, std::int64_t quota);

}  // namespace podfence::rules
