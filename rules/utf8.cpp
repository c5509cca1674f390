#include "rules/utf8.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace podfence::rules {

namespace {

/// One row of RFC 3629 section 4: lead bytes, the range of the byte behind the lead, and how many bytes follow in all.
struct Sequence {
  unsigned char first_lead, last_lead, first_second, last_second;
  std::size_t continuation;
};

constexpr auto sequences = std::to_array<Sequence>({
    {0xC2, 0xDF, 0x80, 0xBF, 1},
    {0xE0, 0xE0, 0xA0, 0xBF, 2},
    {0xE1, 0xEC, 0x80, 0xBF, 2},
    {0xED, 0xED, 0x80, 0x9F, 2},
    {0xEE, 0xEF, 0x80, 0xBF, 2},
    {0xF0, 0xF0, 0x90, 0xBF, 3},
    {0xF1, 0xF3, 0x80, 0xBF, 3},
    {0xF4, 0xF4, 0x80, 0x8F, 3},
});

bool within(char c, unsigned char first, unsigned char last) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

/// Bytes of ASCII that it begins with, eight at a time.
std::size_t ascii_words(std::string_view text) {
  constexpr std::uint64_t tops = 0x8080808080808080;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (word & tops) break;
  }
  return at;
}

/// Bytes of the sequence that begins the text; 0 where it is malformed.
std::size_t sequence_size(std::string_view text) {
  if (within(text[0], 0x00, 0x7F)) return 1;
  for (const Sequence& row : sequences) {
    if (!within(text[0], row.first_lead, row.last_lead)) continue;
    if (text.size() <= row.continuation || !within(text[1], row.first_second, row.last_second)) return 0;
    for (std::size_t i = 2; i <= row.continuation; ++i)
      if (!within(text[i], 0x80, 0xBF)) return 0;
    return row.continuation + 1;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_words(text));
    if (text.empty()) break;
    const std::size_t size = sequence_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace podfence::rules
