#pragma once
// A Fetch (decision.hpp) as the request that a client would send for it.

#include <string>
#include <string_view>

#include "rules/exchange.hpp"

namespace podfence::rules {

Request pull_of(const Fetch& wanted);
Match endpoint_of(const Request& pull);

/// What went wrong, from an error answer of podfence's or Podman's, or from a line of a pull; "" when nothing did.
std::string error_message(std::string_view answer);
std::string error_of_line(std::string_view line);

}  // namespace podfence::rules
