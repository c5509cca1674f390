#include "proxy/random.hpp"

#include <openssl/rand.h>

#include <array>
#include <span>
#include <stdexcept>

#include "proxy/hexadecimal.hpp"

namespace podfence::proxy {

namespace {

constexpr std::size_t size = 16;

void fill(std::span<unsigned char> bytes) {
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) throw std::runtime_error("no random numbers");
}

}  // namespace

std::string random_digits() {
  std::array<unsigned char, size> bytes{};
  fill(bytes);
  return hexadecimal(bytes);
}

/// The generator takes as long for a thousand bytes as for a few.
std::string random_id() {
  static std::array<unsigned char, 64 * size> stock;
  static std::size_t left = 0;
  if (left == 0) {
    fill(stock);
    left = stock.size();
  }
  left -= size;
  return hexadecimal(std::span(stock).subspan(left, size));
}

}  // namespace podfence::proxy
