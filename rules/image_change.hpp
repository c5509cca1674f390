#pragma once
// Lines of a Dockerfile that commit and import apply to the configuration of the image that they make.

#include <string>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

/// The client's `changes`, with the project's label as the last one: of two labels the last one counts.
std::variant<std::vector<std::string>, Deny> judge_changes(const Exchange& exchange);

}  // namespace podfence::rules
