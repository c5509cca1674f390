#pragma once
// References to objects of the project, as contents hold them.

#include <string>
#include <variant>

#include "rules/body/table.hpp"

namespace podfence::rules {

/// The full id, or the name itself while the fact is not known yet. Foreign and missing are hidden alike.
std::variant<std::string, Deny> resolve(Kind kind, const std::string& name, const Place& place);

/// Writes the id over the name.
std::optional<Deny> resolve_text(Kind kind, json::Value& value, const Place& place);

}  // namespace podfence::rules
