#pragma once
// The path of a request as people read it in a refusal: their own, not the template of the endpoint.

#include <string>

#include "rules/target.hpp"

namespace podfence::rules {

/// Decoded, and without the version.
std::string shown_path(const Target& target);

}  // namespace podfence::rules
