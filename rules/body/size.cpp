#include "rules/body/size.hpp"

#include <charconv>

#include "rules/ascii.hpp"

namespace podfence::rules {

std::optional<std::int64_t> parse_size(std::string_view text) {
  constexpr std::string_view units = "bkmg";
  if (text.empty() || !ascii::is_digit(text.front())) return std::nullopt;
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{}) return std::nullopt;
  std::string unit = ascii::lower(text.substr(static_cast<std::size_t>(end - text.data())));
  if (unit.size() == 2 && unit.front() != 'b' && unit.back() == 'b') unit.pop_back();
  if (unit.empty()) unit = "b";
  const std::size_t power = unit.size() == 1 ? units.find(unit) : std::string_view::npos;
  if (power == std::string_view::npos || size > (std::int64_t{1} << 50) >> (10 * power)) return std::nullopt;
  return size << (10 * power);
}

}  // namespace podfence::rules
