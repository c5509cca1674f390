#include "rules/dockerfile/characters.hpp"

namespace podfence::rules::dockerfile {

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xe0) return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (first < 0xf0) return {(first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(first & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4};
}

bool is_space(char32_t code) {
  switch (code) {
    case ' ':
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return (code >= '\t' && code <= '\r') || (code >= 0x2000 && code <= 0x200a);
  }
}

std::string_view trim_left(std::string_view text) {
  while (!text.empty()) {
    const auto character = character_at(text, 0);
    if (!is_space(character.code)) break;
    text.remove_prefix(character.size);
  }
  return text;
}

std::string_view trim(std::string_view text) {
  text = trim_left(text);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (text[last] & '\xc0') == '\x80') --last;
    if (!is_space(character_at(text, last).code)) break;
    text = text.substr(0, last);
  }
  return text;
}

}  // namespace podfence::rules::dockerfile
