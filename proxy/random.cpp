#include "proxy/random.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "proxy/hexadecimal.hpp"

namespace podfence::proxy {

std::string random_digits() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) throw std::runtime_error("no random numbers");
  return hexadecimal(bytes);
}

}  // namespace podfence::proxy
