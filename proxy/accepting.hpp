#pragma once
// The loop of a listening socket, and how its address is written.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <new>
#include <sstream>
#include <string>

#include "proxy/connection.hpp"
#include "proxy/log.hpp"

namespace podfence::proxy {

/// "127.0.0.1:7443", "[::1]:7443".
inline std::string address_text(const boost::asio::ip::tcp::endpoint& endpoint) {
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

/// Gives every new connection to `adopt`, until the acceptor is closed.
template <class Acceptor, class Adopt>
Task<void> accept_all(Acceptor& acceptor, Adopt adopt) {
  namespace asio = boost::asio;
  // Without descriptors or memory accept fails at once, and would again: the loop must not spin.
  constexpr std::chrono::milliseconds accept_pause{100};
  asio::steady_timer pause(acceptor.get_executor());
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(as_task));
    if (!error) {
      try {
        adopt(std::move(socket));
      } catch (const std::bad_alloc&) {
        log("no memory for another client");
      }
    } else if (acceptor.is_open() && error != asio::error::connection_aborted) {
      pause.expires_after(accept_pause);
      co_await pause.async_wait(as_task);
    }
  }
}

}  // namespace podfence::proxy
