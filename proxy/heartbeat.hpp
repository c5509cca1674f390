#pragma once
// Tells the service manager when Podman has answered for the first time, and from then on that podfence is at work.

#include <chrono>
#include <string>

#include "proxy/services.hpp"
#include "proxy/task_group.hpp"

namespace podfence::proxy {

class Heartbeat {
 public:
  Heartbeat(const Executor& executor, Services& services) : services_(services), tasks_(executor) {}

  /// Until stop(). `engine`: Podman's socket, which is asked again and again unless `answers`.
  void begin(const std::string& engine, bool answers);
  void stop() { tasks_.cancel(); }

 private:
  Task<void> wait_for_engine(std::string engine);
  Task<void> beat(std::chrono::microseconds pause);

  Services& services_;
  TaskGroup tasks_;
};

}  // namespace podfence::proxy
