#include "proxy/departure.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "proxy/concurrently.hpp"

namespace podfence::proxy {

Task<void> Departure::watch() {
  co_await first_of(client_.until_peer_closed(), until_sent_away());
  const bool is_gone = client_.peer_closed() || is_sent_away();
  // An interrupted session is about to end by itself.
  if (!is_gone || means_ == Means::Finish) co_await wait(std::chrono::steady_clock::duration::max());
  if (means_ == Means::Drain) co_await wait(close_time_);
}

/// Setting when the timer runs out ends the wait.
Task<void> Departure::until_sent_away() {
  boost::system::error_code ignored;
  if (!is_sent_away()) co_await sent_away_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

Task<void> Departure::wait(std::chrono::steady_clock::duration time) {
  boost::asio::steady_timer timer(executor_);
  if (time == std::chrono::steady_clock::duration::max())
    timer.expires_at(std::chrono::steady_clock::time_point::max());
  else
    timer.expires_after(time);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace podfence::proxy
