#pragma once
// Runs of characters that stand in a JSON string as themselves: what most of every text is.

#include <bit>
#include <cstdint>
#include <cstring>

namespace podfence::rules::json {

/// How many characters come before one that is less than a space, a quote or a backslash, or not many fewer. Eight at a
/// time, by the carries of a subtraction, whose lowest flag is exact; a rest of less than eight is not looked at.
inline std::size_t plain_steps(const char* text, std::size_t size) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x80 * ones;
  const auto less = [](std::uint64_t word, std::uint64_t than) { return (word - than * ones) & ~word & tops; };
  for (std::size_t at = 0; at + 8 <= size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text + at, sizeof word);
    const auto odd = less(word, ' ') | less(word ^ '"' * ones, 1) | less(word ^ '\\' * ones, 1);
    if (odd == 0) continue;
    if constexpr (std::endian::native != std::endian::little) return at;
    return at + static_cast<std::size_t>(std::countr_zero(odd)) / 8;
  }
  return size - size % 8;
}

}  // namespace podfence::rules::json
