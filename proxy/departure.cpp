#include "proxy/departure.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podfence::proxy {

Task<void> Departure::watch() {
  co_await client_.until_peer_closed();
  // An interrupted session is about to end by itself.
  if (!client_.peer_closed() || means_ == Means::Finish) co_await wait(std::chrono::steady_clock::duration::max());
  if (means_ == Means::Drain) co_await wait(close_time_);
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
