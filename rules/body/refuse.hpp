#pragma once
// What checks answer with.

#include <optional>
#include <string_view>

#include "rules/decision.hpp"

namespace podfence::rules {

inline std::optional<Deny> refuse(const Refusal* rule, std::string_view subject) {
  return Deny{rule, std::string(subject), Kind::None};
}

}  // namespace podfence::rules
