#include "rules/escaped.hpp"

namespace podfence::rules {

std::string escaped(std::string_view text, std::size_t limit) {
  constexpr char digits[] = "0123456789abcdef";
  std::string line;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
      line += c;
    } else {
      line += "\\x";
      line += digits[byte >> 4];
      line += digits[byte & 0xf];
    }
  }
  return line;
}

}  // namespace podfence::rules
