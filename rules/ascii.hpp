#pragma once
// ASCII character classes and caseless comparison. <cctype> depends on the locale and on the sign of char; names of
// HTTP fields, query parameters and JSON members never do.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace podfence::rules::ascii {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
constexpr bool is_control(char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }
/// Printable, and no space.
constexpr bool is_graphic(char c) { return c > 0x20 && c < 0x7f; }

/// A class of characters that is asked about for every byte of a text.
class Set {
 public:
  template <class Predicate>
  consteval explicit Set(Predicate holds) {
    for (std::size_t byte = 0; byte < holds_.size(); ++byte) holds_[byte] = holds(static_cast<char>(byte));
  }
  constexpr bool operator()(char c) const { return holds_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> holds_{};
};

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool equal_caseless(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](char a, char b) { return lower(a) == lower(b); });
}

inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

}  // namespace podfence::rules::ascii
