#pragma once
// Content that is sent upstream piece by piece, as it arrives from the client or is written from what has arrived.

#include <string_view>

#include "proxy/message_io.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

class ContentSource {
 public:
  virtual ~ContentSource() = default;
  /// Valid until the next call. Empty only when nothing follows.
  virtual Task<ContentPiece> next_piece() = 0;
  /// Nothing followed because that was all.
  virtual bool complete() const = 0;
  /// Why it is not complete.
  virtual rules::Deny failure() const = 0;
};

}  // namespace podfence::proxy
