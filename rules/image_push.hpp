#pragma once

#include <string>
#include <variant>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

/// The client's words for the image that it pushes: Docker has the tag apart.
std::string pushed_reference(const Exchange& exchange);

/// The normalised name that it is pushed to: said by the client, or `own_tag`, the image's name of the project's that
/// the client's reference stands for. Nothing but a registry.
std::variant<std::string, Deny> push_destination(const Exchange& exchange, const std::string& own_tag);

}  // namespace podfence::rules
