#include "proxy/line_cutter.hpp"

namespace podfence::proxy {

bool LineCutter::take(std::string_view& piece) {
  const auto end = piece.find('\n');
  append(piece.substr(0, end));
  piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
  return end != std::string_view::npos;
}

void LineCutter::clear() {
  text_ = std::string();  // a long line must not hold its memory for the rest of the stream
  too_long_ = false;
}

void LineCutter::append(std::string_view part) {
  too_long_ |= part.size() > limit_ - text_.size();
  if (too_long_)
    text_ = std::string();
  else
    text_.append(part);
}

}  // namespace podfence::proxy
