#pragma once
// What kind of request a row of the endpoint table is, in few words: for metrics, whose labels must not be many.

#include <string_view>

#include "rules/endpoint.hpp"

namespace podfence::rules {

/// The first word of its path behind the family: "containers", "build".
std::string_view group_of(const Endpoint& endpoint);

/// read, create, change, remove, stream; or none, of a row that is never served.
std::string_view act_of(const Endpoint& endpoint);

}  // namespace podfence::rules
