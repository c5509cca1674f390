#include "rules/amount_text.hpp"

#include <array>

namespace podfence::rules {

namespace {

struct Size {
  std::int64_t bytes;
  char letter;
};
constexpr auto sizes = std::to_array<Size>({{1LL << 40, 't'}, {1LL << 30, 'g'}, {1LL << 20, 'm'}, {1LL << 10, 'k'}});
constexpr std::int64_t longest = 99'999;

/// With up to that many decimals, the rest cut off.
std::string decimal(std::int64_t amount, std::int64_t unit, int decimals) {
  std::string text = std::to_string(amount / unit), digits;
  for (auto rest = amount % unit; decimals > 0; --decimals, rest %= unit) {
    // The rest is below the unit, and no unit is so large that ten times as much would not be a number.
    rest *= 10;
    digits += static_cast<char>('0' + rest / unit);
  }
  digits.resize(digits.find_last_not_of('0') + 1);
  return digits.empty() ? text : text + "." + digits;
}

std::string bytes_text(std::int64_t bytes) {
  for (const auto& size : sizes)
    if (bytes % size.bytes == 0 && bytes / size.bytes > 0 && bytes / size.bytes <= longest)
      return std::to_string(bytes / size.bytes) + size.letter;
  for (const auto& size : sizes)
    if (bytes > longest && bytes >= size.bytes) return decimal(bytes, size.bytes, 1) + size.letter;
  return std::to_string(bytes);
}

}  // namespace

std::string amount_text(std::int64_t amount, Unit unit) {
  switch (unit) {
    case Unit::Bytes:
      return bytes_text(amount);
    case Unit::Processors:
    case Unit::Nanoseconds:
      return decimal(amount, 1'000'000'000, 3);
    case Unit::Count:
    case Unit::Seconds:
      return std::to_string(amount);
  }
  return "";
}

}  // namespace podfence::rules
