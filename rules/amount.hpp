#pragma once
// Amounts as the configuration writes them: "512m", 1.5, "1h30m", 100.

#include <cstdint>
#include <optional>
#include <string>

#include "rules/json.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {

/// In the unit's own measure (bytes, billionths of a processor, seconds, nanoseconds); nullopt for what is none, or too
/// large to be counted.
std::optional<std::int64_t> parse_amount(Unit unit, const json::Value& value);

/// "a size such as \"512m\"": behind "must be".
std::string amount_phrase(Unit unit);

}  // namespace podfence::rules
