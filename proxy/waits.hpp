#pragma once
// Where the time of one exchange goes that is not podfence's own.

#include <chrono>

namespace podfence::proxy {

struct Waits {
  using Duration = std::chrono::steady_clock::duration;
  Duration client{};
  Duration upstream{};
};

}  // namespace podfence::proxy
