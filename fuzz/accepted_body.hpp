#pragma once
// What must hold of every content that goes upstream, read from the field tables once more, in another way than the
// rules do.

#include "fuzz/world.hpp"
#include "rules/body.hpp"

namespace podfence::fuzz {

/// Does the object that is made carry the project's label?
bool is_labelled(rules::Body body);

/// Claims: no field outside of the table and none that it drops or denies, each of the JSON type that it says; the
/// project's label exactly once where it belongs; nothing foreign named, no namespace of the host, and nothing of the
/// host mounted but workspaces.
void check_accepted(rules::Body body, const rules::json::Value& content, const Setting& setting);

/// Could a client say the same? Not paths of the host, nor podfence's own volumes and networks, nor the operator's
/// gate: what is written of those is no fixpoint.
bool can_be_said(const std::string& content, const Setting& setting);

}  // namespace podfence::fuzz
