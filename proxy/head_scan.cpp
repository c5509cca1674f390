#include "proxy/head_scan.hpp"

namespace podfence::proxy {

HeadScan::State HeadScan::step(char c) {
  const char before = previous_;
  previous_ = c;
  if (c == '\0') return State::Nul;
  if ((c == '\n') != (before == '\r')) return State::BareLineEnd;
  if (c == '\n') {
    if (line_size_ == 0) return State::Complete;
    line_size_ = 0;
    return State::Incomplete;
  }
  if (c == '\r') return State::Incomplete;
  // A line that begins with white space continues the one before it (RFC 9112 section 5.2).
  if (line_size_ == 0 && (c == ' ' || c == '\t')) return State::Folded;
  ++line_size_;
  return State::Incomplete;
}

HeadScan::State HeadScan::scan(std::string_view received) {
  while (position_ < received.size()) {
    if (position_ >= limit_) return State::TooLarge;
    const auto state = step(received[position_++]);
    if (state != State::Incomplete) return state;
  }
  return State::Incomplete;
}

}  // namespace podfence::proxy
