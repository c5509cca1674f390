#include "rules/yaml_scalar.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"

namespace podfence::rules::yaml {

namespace {

constexpr auto nothing = std::to_array<std::string_view>({"", "~", "null", "Null", "NULL"});
// Not `y` and `n`, which are texts to Podman: names of variables and labels.
constexpr auto yes = std::to_array<std::string_view>({"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"});
constexpr auto no = std::to_array<std::string_view>({"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"});
constexpr auto no_numbers = std::to_array<std::string_view>({".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"});

bool all_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

constexpr std::string_view digits = "0123456789";

/// Behind the sign. nullopt: no integer of that base that fits.
std::optional<json::Value> integer(bool negative, std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return json::Value(json::Number{(negative && number != 0 ? "-" : "") + std::to_string(number)});
}

/// Digits with a point or an exponent.
bool is_fraction(std::string_view text) {
  const auto exponent = text.find_first_of("eE");
  auto mantissa = text.substr(0, exponent);
  if (exponent != std::string_view::npos) {
    auto power = text.substr(exponent + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (!all_of(power, digits)) return false;
  }
  const auto point = mantissa.find('.');
  if (point == std::string_view::npos) return exponent != std::string_view::npos && all_of(mantissa, digits);
  const auto behind = mantissa.substr(point + 1);
  mantissa = mantissa.substr(0, point);
  return (mantissa.empty() || all_of(mantissa, digits)) && (behind.empty() || all_of(behind, digits)) &&
         !(mantissa.empty() && behind.empty());
}

/// As JSON writes it; nullopt where it cannot be one number only.
std::optional<json::Value> fraction(bool negative, std::string_view text) {
  std::string written(text);
  if (written.starts_with('.')) written.insert(0, "0");
  const auto point = written.find('.');
  if (point != std::string::npos && (point + 1 == written.size() || !ascii::is_digit(written[point + 1])))
    written.insert(point + 1, "0");
  const auto parsed = json::parse((negative ? "-" : "") + written);
  const auto* value = std::get_if<json::Value>(&parsed);
  return value && value->number() ? std::optional(*value) : std::nullopt;
}

}  // namespace

std::optional<json::Value> plain_scalar(std::string_view text) {
  if (contains(nothing, text)) return json::Value();
  if (contains(yes, text)) return json::Value(true);
  if (contains(no, text)) return json::Value(false);
  auto number = text;
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  if (contains(no_numbers, number)) return std::nullopt;
  if (number.empty() || !(ascii::is_digit(number.front()) || number.front() == '.')) return json::Value(text);
  if (all_of(number, "0123456789_") && number.find('_') != std::string_view::npos) return std::nullopt;
  if (number.starts_with("0x") && all_of(number.substr(2), "0123456789abcdefABCDEF"))
    return integer(negative, number.substr(2), 16);
  if (number.starts_with("0o") && all_of(number.substr(2), "01234567")) return integer(negative, number.substr(2), 8);
  if (number.starts_with("0b") && all_of(number.substr(2), "01")) return integer(negative, number.substr(2), 2);
  if (all_of(number, digits)) return integer(negative, number, number.size() > 1 && number.front() == '0' ? 8 : 10);
  return is_fraction(number) ? fraction(negative, number) : json::Value(text);
}

}  // namespace podfence::rules::yaml
