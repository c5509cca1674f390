#pragma once
// For commands: one coroutine, and nothing beside it.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>

#include "proxy/connection.hpp"

namespace podfence::proxy {

/// Runs the context until it has nothing left to do. Throws what the task threw.
inline void run_alone(boost::asio::io_context& context, Task<void> task) {
  std::exception_ptr failure;
  boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error) { failure = std::move(error); });
  context.run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace podfence::proxy
