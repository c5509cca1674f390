#pragma once
// Puts lines together out of the pieces in which a stream of them arrives.

#include <cstddef>
#include <string>
#include <string_view>

namespace podfence::proxy {

class LineCutter {
 public:
  /// `limit`: bytes of a line without its end.
  explicit LineCutter(std::size_t limit) : limit_(limit) {}

  /// Takes the front of the piece, up to and with the first line end. True: a line is complete; it stays until clear().
  bool take(std::string_view& piece);
  /// Behind the line that was dealt with.
  void clear();

  bool empty() const { return text_.empty() && !too_long_; }
  /// Then nothing of it is kept.
  bool too_long() const { return too_long_; }
  std::string_view text() const { return text_; }

 private:
  void append(std::string_view part);

  std::size_t limit_;
  std::string text_;
  bool too_long_ = false;
};

}  // namespace podfence::proxy
