#include "rules/amount.hpp"

#include <charconv>
#include <limits>

#include "rules/ascii.hpp"
#include "rules/body/size.hpp"
#include "rules/units.hpp"

namespace podfence::rules {
namespace {

/// Digits at the front of the text, taken off. Nothing here is longer: sums and products stay far from overflow.
std::optional<std::int64_t> take_number(std::string_view& text) {
  constexpr std::size_t most_digits = 9;
  std::size_t size = 0;
  while (size < text.size() && ascii::is_digit(text[size])) ++size;
  if (size == 0 || size > most_digits) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + size, number);
  text.remove_prefix(size);
  return number;
}

std::optional<std::int64_t> parse_seconds(std::string_view text) {
  constexpr std::pair<char, std::int64_t> units[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
  std::int64_t seconds = 0;
  const auto* unit = std::begin(units);
  do {
    const auto number = take_number(text);
    while (unit != std::end(units) && (text.empty() || unit->first != text.front())) ++unit;
    if (!number || unit == std::end(units)) return std::nullopt;
    seconds += *number * unit->second;
    text.remove_prefix(1);
    ++unit;
  } while (!text.empty());
  return seconds;
}

std::optional<std::int64_t> parse_nanoseconds(std::string_view text) {
  const auto seconds = parse_seconds(text);
  if (!seconds || *seconds > std::numeric_limits<std::int64_t>::max() / second) return std::nullopt;
  return *seconds * second;
}

/// Up to nine decimals, exactly: no floating point.
std::optional<std::int64_t> parse_processors(std::string_view text) {
  const auto whole = take_number(text);
  if (!whole) return std::nullopt;
  std::string decimals;
  if (text.starts_with('.')) decimals = text.substr(1);
  if (text.size() != (decimals.empty() ? 0 : decimals.size() + 1) || decimals.size() > 9) return std::nullopt;
  decimals.resize(9, '0');
  std::string_view rest = decimals;
  const auto fraction = take_number(rest);
  return fraction && rest.empty() ? std::optional(*whole * processor + *fraction) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_amount(Unit unit, const json::Value& value) {
  const std::string* text = value.string();
  switch (unit) {
    case Unit::Count:
      return value.int64();
    case Unit::Processors:
      return value.number() ? parse_processors(value.number()->text) : std::nullopt;
    case Unit::Bytes:
      return text ? parse_size(*text) : std::nullopt;
    case Unit::Seconds:
      return text ? parse_seconds(*text) : std::nullopt;
    case Unit::Nanoseconds:
      return text ? parse_nanoseconds(*text) : std::nullopt;
  }
  return std::nullopt;
}

std::string amount_phrase(Unit unit) {
  switch (unit) {
    case Unit::Count:
      break;
    case Unit::Bytes:
      return "a size such as \"512m\" or \"4g\"";
    case Unit::Processors:
      return "a number of processors such as 2 or 1.5";
    case Unit::Seconds:
    case Unit::Nanoseconds:
      return "a duration such as \"90s\" or \"1h30m\"";
  }
  return "a number";
}

}  // namespace podfence::rules
