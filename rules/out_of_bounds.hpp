#pragma once
// A number that no policy allows, whoever asks for it.

#include <string>
#include <string_view>

#include "rules/decision.hpp"

namespace podfence::rules {

/// `what` is `said`, at `end` (least, most) `bound`: in the words of who asked.
inline Deny out_of_bounds(std::string_view what, std::string_view said, std::string_view end, std::string_view bound) {
  const std::string limit(bound);
  const auto subject = std::string(what).append(" is ").append(said).append(", at ").append(end).append(" ") + limit;
  return {refusal("limit.bound"), subject, Kind::None, "say " + limit};
}

}  // namespace podfence::rules
