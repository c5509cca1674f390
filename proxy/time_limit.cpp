#include "proxy/time_limit.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "proxy/concurrently.hpp"

namespace podfence::proxy {

namespace {

Task<void> run_out(std::chrono::milliseconds time) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
  co_await timer.async_wait(as_task);
}

}  // namespace

Task<bool> in_time(Task<> task, std::chrono::milliseconds time) {
  const auto first = co_await first_of(std::move(task), run_out(time));
  co_return first == 0;
}

}  // namespace podfence::proxy
