#pragma once
// The name that its project knows, for a container or pod whose name is private.

#include "rules/body/table.hpp"

namespace podfence::rules {

/// In a content whose networks are settled.
void add_short_name_compat(json::Value& content, const Place& place);
void add_short_name_libpod(json::Value& content, const Place& place);
void add_short_name_of_pod(json::Value& content, const Place& place);

}  // namespace podfence::rules
