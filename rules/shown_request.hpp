#pragma once
// What people are shown of a request (`podfence explain`, `podfence replay`): everything but the values of secrets.

#include "rules/decision.hpp"

namespace podfence::rules {

/// With a word in the place of each value that is confidential.
UpstreamRequest as_shown(UpstreamRequest request);

}  // namespace podfence::rules
