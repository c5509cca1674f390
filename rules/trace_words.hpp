#pragma once
// What both forms of a trace say in the same words.

#include <string>
#include <string_view>

#include "rules/trace.hpp"

namespace podfence::rules {

/// As the audit log has it: "allow", "rewrite", "hide", "refuse" or "error".
std::string_view decision_word(const Trace& trace);

/// "own", "shared", "foreign" or "missing".
std::string_view ownership_word(Ownership ownership);

/// "add", "remove", "change" or "respell".
std::string_view difference_word(json::Difference::Kind kind);

/// "hold image", "drop image", "own tag" or "drop tag".
std::string_view claim_word(Claim::Change change);

/// The page and section that tells of the endpoint, or of its content; "" where none does.
std::string endpoint_document(const Endpoint& endpoint);
std::string content_document(const Endpoint& endpoint);

/// What the client reads.
Reply answer_to(const Trace& trace, const Deny& deny);

/// What may be printed of a field of the request to Podman.
std::string_view printable_field(const Field& field);

}  // namespace podfence::rules
