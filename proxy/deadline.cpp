#include "proxy/deadline.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <utility>

namespace podfence::proxy {

namespace {

constexpr int looks = 4;  // in one limit

}  // namespace

Deadline::Deadline(const boost::asio::any_io_executor& executor, Connection& connection)
    : timer_(executor, Clock::time_point::max()), connection_(connection) {}

void Deadline::set(std::chrono::milliseconds time, Kind kind) {
  time_ = time;
  sending_ = kind == Kind::Sending;
  untaken_ = std::numeric_limits<std::size_t>::max();
  taken_at_ = Clock::now();
  end_ = taken_at_ + (sending_ ? time / looks : time);
  active_ = true;
  passed_ = false;
  connection_.resume();
  // The watch looks again when it wakes; it has to be woken only for an end before that.
  if (end_ < timer_.expiry()) timer_.cancel();
}

/// The kernel says that there is room for more only when most of what it has was taken: a reader that is slow looks
/// like one that reads nothing.
bool Deadline::goes_on() {
  if (!sending_) return false;
  const auto now = Clock::now();
  const auto before = std::exchange(untaken_, connection_.unread_by_peer());
  if (untaken_ < before) taken_at_ = now;
  if (now - taken_at_ >= time_) return false;
  end_ = now + time_ / looks;
  return true;
}

Task<void> Deadline::watch() {
  while (true) {
    const bool over = end_ <= Clock::now() && !(active_ && goes_on());
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
