#pragma once
// The one conversion from a refusal to what a client reads: Podman's error shape, {"cause","message","response"}.

#include "rules/decision.hpp"
#include "rules/endpoint.hpp"

namespace podfence::rules {

/// A hidden object gets the very bytes that Podman answers for an absent one of that kind in that family.
Reply error_answer(const Deny& deny, Family family);

/// Where the endpoint is known, or none: a removal of images answers by a report alone.
Reply error_answer(const Deny& deny, const Endpoint* endpoint);

/// Podman's error shape.
Reply write_error(int status, std::string_view cause, std::string_view message);

/// What was refused, the way out, and the rule's id, for people.
std::string reason_of(const Deny& deny);
/// The same, and who says so.
std::string sentence_of(const Deny& deny);

/// What kind of object an error's cause calls absent; None for every other cause.
Kind kind_of_cause(std::string_view cause);

}  // namespace podfence::rules
