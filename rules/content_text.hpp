#pragma once
// The text of a content that is judged, read.

#include <string_view>
#include <variant>

#include "rules/body.hpp"
#include "rules/decision.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

/// JSON, or the list of YAML's documents.
std::variant<json::Value, Deny> read_content(Body body, std::string_view text, const json::Limits& limits);

}  // namespace podfence::rules
