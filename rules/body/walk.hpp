#pragma once
// Judges a JSON value by a table of fields.

#include <optional>

#include "rules/body/table.hpp"

namespace podfence::rules {

/// Rewrites `content` in place; it then holds only what rows let through, in Podman's spelling.
std::optional<Deny> walk(const Table& table, json::Value& content, Exchange& exchange, JudgedBody& judged);

}  // namespace podfence::rules
