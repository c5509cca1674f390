#include "proxy/connection.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <optional>

using namespace podfence::proxy;

namespace {

namespace asio = boost::asio;

/// Ours, as Asio has it, and the peer's.
struct Pair {
  explicit Pair(asio::io_context& context) {
    std::array<int, 2> files{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, files.data()) == 0);
    Connection::Socket socket(context);
    socket.assign(asio::local::stream_protocol(), files[0]);
    connection.emplace(std::move(socket));
    peer = files[1];
  }
  ~Pair() { ::close(peer); }
  void say() const { REQUIRE(::write(peer, "x", 1) == 1); }

  std::optional<Connection> connection;
  int peer = -1;
};

}  // namespace

// Asio keeps what it knows of a socket in an object that the next socket gets. Where the former one became readable in
// the turn in which it was closed, the next one is told so.
TEST_CASE("a connection is not taken for readable because one that is gone was") {
  asio::io_context context(1);
  Pair gone(context);
  std::optional<Pair> next;
  bool readable = false;
  gone.say();
  asio::post(context, [&] {
    gone.connection.reset();
    next.emplace(context);
    const auto wait = [&]() -> asio::awaitable<void> {
      co_await next->connection->until_readable();
      readable = true;
    };
    asio::co_spawn(context, wait, asio::detached);
  });
  for (int turn = 0; turn < 20; ++turn) context.poll_one();
  CHECK_FALSE(readable);
  next->say();
  for (int turn = 0; turn < 20 && !readable; ++turn) context.poll_one();
  CHECK(readable);
}
