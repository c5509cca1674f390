#include "proxy/head_scan.hpp"

#include <algorithm>

#include "rules/plain_steps.hpp"

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

/// What stands within a line and means nothing here: up to the next control character, or the limit.
void HeadScan::skip_text(std::string_view received) {
  if (line_size_ == 0 || previous_ == '\r') return;
  const auto begin = position_;
  const auto end = std::min(received.size(), limit_);
  if (begin < end) position_ += rules::plain_steps<rules::Plain::InLine>(received.data() + begin, end - begin);
  while (position_ < end && static_cast<unsigned char>(received[position_]) >= ' ') ++position_;
  if (position_ == begin) return;
  line_size_ += position_ - begin;
  previous_ = received[position_ - 1];
}

HeadScan::State HeadScan::scan(std::string_view received) {
  while (position_ < received.size()) {
    skip_text(received);
    if (position_ == received.size()) break;
    if (position_ >= limit_) return State::TooLarge;
    const auto state = step(received[position_++]);
    if (state != State::Incomplete) return state;
  }
  return State::Incomplete;
}

}  // namespace podfence::proxy
