#include "rules/kube/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "rules/ascii.hpp"

namespace podfence::rules::kube {

namespace {

__extension__ using Wide = __int128;
constexpr Wide most = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view text;
  std::int64_t factor = 1, divisor = 1;
};
constexpr std::int64_t thousand = 1000, kibi = 1024;
constexpr auto suffixes = std::to_array<Suffix>({
    {""},
    {"n", 1, thousand* thousand* thousand},
    {"u", 1, thousand* thousand},
    {"m", 1, thousand},
    {"k", thousand},
    {"M", thousand* thousand},
    {"G", thousand* thousand* thousand},
    {"T", thousand* thousand* thousand* thousand},
    {"P", thousand* thousand* thousand* thousand* thousand},
    {"Ki", kibi},
    {"Mi", kibi* kibi},
    {"Gi", kibi* kibi* kibi},
    {"Ti", kibi* kibi* kibi* kibi},
    {"Pi", kibi* kibi* kibi* kibi* kibi},
});

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, ascii::is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// `e3`, `E-2`: behind it there is no suffix. nullopt: something else.
std::optional<int> exponent_of(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) return std::nullopt;
  text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  constexpr int largest = 18;
  if (error != std::errc{} || end != text.data() + text.size() || exponent > largest || exponent < -largest)
    return std::nullopt;
  return exponent;
}

std::optional<std::int64_t> result(Wide number, Wide divisor) {
  const Wide rounded = (number + divisor - 1) / divisor;
  return rounded <= most ? std::optional(static_cast<std::int64_t>(rounded)) : std::nullopt;
}

/// number * factor; nullopt when it would be too large for what follows.
bool grow(Wide& number, Wide factor) {
  constexpr Wide bound = most * thousand * thousand * thousand;
  if (factor != 0 && number > bound / factor) return false;
  number *= factor;
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_quantity(const json::Value& value, std::int64_t unit) {
  constexpr std::size_t max_digits = 18;
  if (!value.string() && !value.number()) return std::nullopt;
  std::string_view text = value.string() ? std::string_view(*value.string()) : std::string_view(value.number()->text);
  const auto whole = take_digits(text);
  std::string_view part;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    part = take_digits(text);
  }
  if (whole.size() + part.size() == 0 || whole.size() + part.size() > max_digits) return std::nullopt;
  Wide number = 0, divisor = 1;
  for (const char digit : whole) number = number * 10 + (digit - '0');
  for (const char digit : part) {
    number = number * 10 + (digit - '0');
    divisor *= 10;
  }
  if (!grow(number, unit)) return std::nullopt;
  if (const auto exponent = exponent_of(text)) {
    for (int i = 0; i < *exponent; ++i)
      if (!grow(number, 10)) return std::nullopt;
    if (*exponent < 0 && divisor > most) return std::nullopt;
    for (int i = *exponent; i < 0; ++i) divisor *= 10;
    return result(number, divisor);
  }
  const auto* const suffix = std::ranges::find(suffixes, text, &Suffix::text);
  if (suffix == suffixes.end() || !grow(number, suffix->factor)) return std::nullopt;
  return result(number, divisor * suffix->divisor);
}

}  // namespace podfence::rules::kube
