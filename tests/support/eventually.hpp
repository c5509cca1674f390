#pragma once
// Waits for what must come about by itself.

#include <thread>

#include "tests/support/socket.hpp"

namespace podfence::testing {

/// True as soon as the condition is; false when it is not within `timeout`.
template <typename Condition>
bool eventually(const Condition& condition, Milliseconds timeout = patience) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return true;
}

}  // namespace podfence::testing
