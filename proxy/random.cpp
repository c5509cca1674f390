#include "proxy/random.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace podfence::proxy {

std::string random_digits() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) throw std::runtime_error("no random numbers");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) text.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  return text;
}

}  // namespace podfence::proxy
