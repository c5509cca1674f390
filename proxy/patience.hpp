#pragma once
// How long podfence asks Podman again for what only failed because others were removing something at that moment.

#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "proxy/connection.hpp"

namespace podfence::proxy {

class Patience {
 public:
  explicit Patience(const Executor& executor) : timer_(executor) {}

  /// False when it is over; true behind a pause, each longer than the one before.
  Task<bool> wait();

 private:
  boost::asio::steady_timer timer_;
  /// A prune of another project removes many images one behind the other, and a list fails by each of them.
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::chrono::milliseconds pause_{0};
};

}  // namespace podfence::proxy
