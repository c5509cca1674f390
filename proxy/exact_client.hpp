#pragma once
// A client that sends exact bytes, each request on a connection of its own, and never waits for ever.

#include <chrono>
#include <string>

#include "proxy/upstream.hpp"

namespace podfence::proxy {

struct ExactRequest {
  std::string socket;
  std::string bytes;
  bool may_upgrade = false;  ///< a tunnel may be the answer; it is closed at once
  bool to_its_end = false;   ///< more than one request may be in the bytes: they have a moment behind the first answer
  std::chrono::seconds time{20};
};

/// The first answer; status 0 when there is none in time.
Task<WholeAnswer> ask_exactly(const ExactRequest& request);

}  // namespace podfence::proxy
