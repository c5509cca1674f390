#pragma once
// Finds the end of a head in raw bytes. What a parser repairs silently and another one does not is refused here, while
// it can still be seen: line folding, bare CR, bare LF, NUL. Counts start line and fields together, however they were
// cut.

#include <cstddef>
#include <string_view>

namespace podfence::proxy {

class HeadScan {
 public:
  enum class State { Incomplete, Complete, TooLarge, BareLineEnd, Folded, Nul };

  explicit HeadScan(std::size_t limit) : limit_(limit) {}

  /// `received` is everything since the first byte of the message; only what is new is looked at.
  State scan(std::string_view received);
  /// Bytes of the head with its empty line, when complete.
  std::size_t size() const { return position_; }
  /// What was looked at so far ends within the start line.
  bool is_in_start_line() const { return position_ == line_size_; }

 private:
  State step(char c);
  void skip_text(std::string_view received);

  std::size_t limit_;
  std::size_t position_ = 0;
  std::size_t line_size_ = 0;
  char previous_ = 0;
};

}  // namespace podfence::proxy
