#pragma once
// Kubernetes' amounts: `1.5`, `500m`, `128Mi`, `1e3`.

#include <cstdint>
#include <optional>

#include "rules/json.hpp"

namespace podfence::rules::kube {

/// How many of the unit it comes to, rounded up: with 1 bytes, with `processor` billionths of one. nullopt for what is
/// no such amount, or negative, or too large to be counted.
std::optional<std::int64_t> parse_quantity(const json::Value& value, std::int64_t unit = 1);

}  // namespace podfence::rules::kube
