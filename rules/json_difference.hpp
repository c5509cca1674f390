#pragma once
// What was changed in a JSON value, place by place. Names that differ in their case only are the same member, written
// in another spelling: so Podman reads them.

#include <optional>
#include <string>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules::json {

struct Difference {
  enum class Kind { Added, Removed, Changed, Respelled } kind;
  std::string where;            ///< JSON pointer, in the new spelling; items that are gone by their old index
  std::optional<Value> before;  ///< of Respelled: the old name
  std::optional<Value> after;   ///< of Respelled: the new one
};

/// In the order of `before`, then what is new. Objects that are new or gone are told member by member, but for those
/// that say nothing.
std::vector<Difference> differences(const Value& before, const Value& after);

}  // namespace podfence::rules::json
