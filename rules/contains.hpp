#pragma once
// std::ranges::contains of C++23.

#include <algorithm>
#include <functional>
#include <ranges>

namespace podfence::rules {

template <std::ranges::input_range Range, class Value, class Projection = std::identity>
constexpr bool contains(const Range& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

}  // namespace podfence::rules
