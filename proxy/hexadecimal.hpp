#pragma once

#include <span>
#include <string>
#include <string_view>

namespace podfence::proxy {

/// Two lower-case digits for each byte.
inline std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) text.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  return text;
}

}  // namespace podfence::proxy
