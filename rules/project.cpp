#include "rules/project.hpp"

#include <algorithm>

#include "rules/ascii.hpp"

namespace podfence::rules {

bool is_project_id(std::string_view text) {
  constexpr std::size_t max_size = 63;
  if (text.empty() || text.size() > max_size || text.front() == '-') return false;
  return std::ranges::all_of(text, [](char c) { return ascii::is_lower(c) || ascii::is_digit(c) || c == '-'; });
}

}  // namespace podfence::rules
