#pragma once
// Characters as Go's unicode and strings packages see them: what the builder trims and where it splits. Text is
// well-formed UTF-8 (reading.cpp has looked).

#include <cstddef>
#include <string>
#include <string_view>

namespace podfence::rules::dockerfile {

/// The character at `at` and how many bytes it has.
struct Character {
  char32_t code = 0;
  std::size_t size = 1;
};
Character character_at(std::string_view text, std::size_t at);

/// unicode.IsSpace
bool is_space(char32_t code);

/// strings.TrimLeftFunc and TrimSpace
std::string_view trim_left(std::string_view text);
std::string_view trim(std::string_view text);

/// What the builder's regular expressions call white space, as far as texts can hold it.
inline constexpr std::string_view blanks = " \t";

}  // namespace podfence::rules::dockerfile
