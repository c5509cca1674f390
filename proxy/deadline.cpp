#include "proxy/deadline.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podfence::proxy {

Deadline::Deadline(const boost::asio::any_io_executor& executor, Connection& connection)
    : timer_(executor, Clock::time_point::max()), connection_(connection) {}

void Deadline::set(std::chrono::milliseconds time) {
  end_ = Clock::now() + time;
  passed_ = false;
  connection_.resume();
  // The watch looks again when it wakes; it has to be woken only for an end before that.
  if (end_ < timer_.expiry()) timer_.cancel();
}

Task<void> Deadline::watch() {
  while (true) {
    if (end_ <= Clock::now()) {
      end_ = Clock::time_point::max();
      passed_ = true;
      connection_.interrupt();
    }
    timer_.expires_at(end_);
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

}  // namespace podfence::proxy
