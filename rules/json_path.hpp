#pragma once
// Members of members: "HostConfig.LogConfig.Type".

#include <string_view>

#include "rules/json.hpp"

namespace podfence::rules::json {

/// nullptr where a step is missing. "" is the value itself.
const Value* at(const Value& root, std::string_view path);
/// An empty object where a step is missing.
const Value& part(const Value& root, std::string_view path);

/// The value at the path; what is missing on the way is made. Every step that exists is an object.
Value& make(Value& root, std::string_view path);

}  // namespace podfence::rules::json
