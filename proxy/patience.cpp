#include "proxy/patience.hpp"

#include <algorithm>

namespace podfence::proxy {

namespace {

constexpr std::chrono::milliseconds pause_step{5}, longest_pause{100};

}  // namespace

Task<bool> Patience::wait() {
  if (std::chrono::steady_clock::now() >= end_) co_return false;
  pause_ = std::min(pause_ + pause_step, longest_pause);
  timer_.expires_after(pause_);
  co_await timer_.async_wait(as_task);
  co_return true;
}

}  // namespace podfence::proxy
