#pragma once
// The two ends of a connection: ours, as Asio has it, and the peer's.

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <string_view>

#include "proxy/connection.hpp"

namespace podfence::testing {

struct ConnectionPair {
  explicit ConnectionPair(boost::asio::io_context& context) {
    std::array<int, 2> files{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, files.data()) == 0);
    proxy::Connection::Socket socket(context);
    socket.assign(boost::asio::local::stream_protocol(), files[0]);
    connection.emplace(std::move(socket));
    peer = files[1];
  }
  ~ConnectionPair() { ::close(peer); }
  ConnectionPair(const ConnectionPair&) = delete;
  ConnectionPair& operator=(const ConnectionPair&) = delete;
  void say(std::string_view bytes) const {
    REQUIRE(::write(peer, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }

  std::optional<proxy::Connection> connection;
  int peer = -1;
};

}  // namespace podfence::testing
