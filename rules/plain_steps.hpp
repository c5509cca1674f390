#pragma once
// Runs of characters that mean nothing but themselves: what most of every text is.

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

namespace podfence::rules {

enum class Plain {
  InLine,   ///< not less than a space
  InJson,   ///< nor a quote or a backslash
  InAscii,  ///< nor anything beyond printable ASCII
};

/// How many characters come before one that is not plain, or not many fewer: a rest of less than a word is not looked
/// at. Sixteen at a time where the processor has such words, then eight, by the carries of a subtraction, whose lowest
/// flag is exact.
template <Plain plain>
inline std::size_t plain_steps(const char* text, std::size_t size) {
  std::size_t at = 0;
#ifdef __SSE2__
  const auto each = [](char c) { return _mm_set1_epi8(c); };
  for (; at + 16 <= size; at += 16) {
    const auto word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    auto marks = _mm_cmpeq_epi8(_mm_max_epu8(word, each(' ' - 1)), each(' ' - 1));
    if constexpr (plain != Plain::InLine)
      marks = _mm_or_si128(marks, _mm_or_si128(_mm_cmpeq_epi8(word, each('"')), _mm_cmpeq_epi8(word, each('\\'))));
    if constexpr (plain == Plain::InAscii)
      marks = _mm_or_si128(marks, _mm_cmpeq_epi8(_mm_max_epu8(word, each('\x7f')), word));
    const auto odd = static_cast<unsigned>(_mm_movemask_epi8(marks));
    if (odd != 0) return at + static_cast<std::size_t>(std::countr_zero(odd));
  }
#endif
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x80 * ones;
  const auto less = [](std::uint64_t word, std::uint64_t than) { return (word - than * ones) & ~word & tops; };
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text + at, sizeof word);
    auto odd = less(word, ' ');
    if constexpr (plain != Plain::InLine) odd |= less(word ^ '"' * ones, 1) | less(word ^ '\\' * ones, 1);
    if constexpr (plain == Plain::InAscii) odd |= (word & tops) | less(word ^ 0x7f * ones, 1);
    if (odd == 0) continue;
    if constexpr (std::endian::native != std::endian::little) return at;
    return at + static_cast<std::size_t>(std::countr_zero(odd)) / 8;
  }
  return at;
}

}  // namespace podfence::rules
