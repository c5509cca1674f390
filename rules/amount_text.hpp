#pragma once
// Amounts as people write them.

#include <cstdint>
#include <string>

#include "rules/policy.hpp"

namespace podfence::rules {

/// "512m", "1.5", "20". Exact where that is short.
std::string amount_text(std::int64_t amount, Unit unit);

}  // namespace podfence::rules
