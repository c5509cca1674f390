#pragma once
// What a scalar without quotes is in YAML: the readers of Kubernetes (sigs.k8s.io/yaml) go by YAML 1.1.

#include <optional>
#include <string_view>

#include "rules/json.hpp"

namespace podfence::rules::yaml {

/// A boolean, a number, null, else the text. nullopt: something that looks like a number and is not the same to all
/// readers (`1_000`, `08`, `.inf`), or is too large for one.
std::optional<json::Value> plain_scalar(std::string_view text);

}  // namespace podfence::rules::yaml
