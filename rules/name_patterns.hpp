#pragma once
// The `name` filters of a list whose project has private names: Podman would hold the client's patterns against names
// that the client does not know. So they are held against the clients' names here, when the list has come: regular
// expressions of Go's syntax, any of which may match anywhere (podman: StringMatchRegexSlice).

#include <cstddef>
#include <optional>

#include "rules/exchange.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

/// Drops the items that the request's filters by name do not want. Nothing where upstream has looked at the names.
void keep_wanted_names(const Exchange& exchange, json::Array& items);

/// How many containers the client wants at most, where that is counted here as well: behind a filter by name. nullopt:
/// upstream counts, or all are wanted.
std::optional<std::size_t> counted_here(const Exchange& exchange);

}  // namespace podfence::rules
