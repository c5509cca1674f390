#include "proxy/deadline.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <utility>

namespace podfence::proxy {

Deadline::Deadline(const boost::asio::any_io_executor& executor, Connection& connection)
    : timer_(executor, Clock::time_point::max()), connection_(connection) {}

void Deadline::set(std::chrono::milliseconds time, Kind kind) {
  end_ = Clock::now() + time;
  time_ = time;
  untaken_ = kind == Kind::Sending ? std::numeric_limits<std::size_t>::max() : 0;
  active_ = true;
  passed_ = false;
  connection_.resume();
  // The watch looks again when it wakes; it has to be woken only for an end before that.
  if (end_ < timer_.expiry()) timer_.cancel();
}

/// The kernel says that there is room for more only when most of what it has was taken: a reader that is slow looks
/// like one that reads nothing.
bool Deadline::has_taken_something() {
  const auto before = std::exchange(untaken_, connection_.unread_by_peer());
  return untaken_ < before;
}

Task<void> Deadline::watch() {
  while (true) {
    if (active_ && end_ <= Clock::now() && has_taken_something()) end_ = Clock::now() + time_;
    const bool over = end_ <= Clock::now();
    if (over && active_) {
      active_ = false;
      passed_ = true;
      connection_.interrupt();
    }
    // A limit that was cleared already is slept for as well: the next one will most likely be no earlier.
    timer_.expires_at(over ? Clock::time_point::max() : end_);
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

}  // namespace podfence::proxy
