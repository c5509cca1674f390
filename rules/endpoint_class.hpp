#pragma once
// What kind of request a row of the endpoint table is: does it change something, and what is it in few words, for
// metrics, whose labels must not be many.

#include <string_view>

#include "rules/endpoint.hpp"

namespace podfence::rules {

/// The method tells, with two exceptions: waiting only reads, and a health check runs a program in the container.
bool changes_something(const Endpoint& endpoint);

/// The first word of its path behind the family: "containers", "build".
std::string_view group_of(const Endpoint& endpoint);

/// read, create, change, remove, stream; or none, of a row that is never served.
std::string_view act_of(const Endpoint& endpoint);

/// Is something made, changed or removed by it, until it is over? A stream is never over by itself.
bool is_change(const Endpoint& endpoint);

}  // namespace podfence::rules
