#pragma once
// The one conversion from a refusal to what a client reads: Podman's error shape, {"cause","message","response"}.

#include "rules/decision.hpp"
#include "rules/endpoint.hpp"

namespace podfence::rules {

/// A hidden object gets the very bytes that Podman answers for an absent one of that kind in that family.
Reply error_answer(const Deny& deny, Family family);

}  // namespace podfence::rules
