#include "rules/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace podfence::rules {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::optional<std::uint32_t> digit_of(char c) {
  if (c == '+') c = '-';
  if (c == '/') c = '_';
  const auto place = alphabet.find(c);
  if (place == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(place);
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const auto digit = digit_of(c);
    if (!digit) return std::nullopt;
    buffer = (buffer << 6 | *digit) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(buffer >> bits & 0xff));
  }
  return bytes;
}

std::optional<std::string> decode_exact_base64(std::string_view text) {
  auto bytes = decode_base64(text);
  if (!bytes || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  std::string written = encode_base64(*bytes);
  std::ranges::replace(written, '-', '+');
  std::ranges::replace(written, '_', '/');
  if (written != text) return std::nullopt;
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t buffer = 0;
    for (std::size_t j = 0; j < 3; ++j)
      buffer = buffer << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text.push_back(i + j <= bytes.size() ? alphabet[buffer >> (18 - 6 * j) & 0x3f] : '=');
  }
  return text;
}

}  // namespace podfence::rules
