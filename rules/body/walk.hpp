#pragma once
// Judges a JSON value by a table of fields.

#include <optional>

#include "rules/body/table.hpp"

namespace podfence::rules {

/// Of what a client said, `judged.content` gets what rows let through, in Podman's spelling.
std::optional<Deny> walk(const Table& table, const json::Value& said, Exchange& exchange, JudgedBody& judged);

}  // namespace podfence::rules
