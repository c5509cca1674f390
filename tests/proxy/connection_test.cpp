#include "proxy/connection.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <optional>

#include "tests/support/connection_pair.hpp"

using namespace podfence::proxy;

namespace asio = boost::asio;
using podfence::testing::ConnectionPair;

// Asio keeps what it knows of a socket in an object that the next socket gets. Where the former one became readable in
// the turn in which it was closed, the next one is told so.
TEST_CASE("a connection is not taken for readable because one that is gone was") {
  asio::io_context context(1);
  ConnectionPair gone(context);
  std::optional<ConnectionPair> next;
  bool readable = false;
  gone.say("x");
  asio::post(context, [&] {
    gone.connection.reset();
    next.emplace(context);
    const auto wait = [&]() -> podfence::proxy::Task<void> {
      co_await next->connection->until_readable();
      readable = true;
    };
    asio::co_spawn(context, wait, asio::detached);
  });
  for (int turn = 0; turn < 20; ++turn) context.poll_one();
  CHECK_FALSE(readable);
  next->say("x");
  for (int turn = 0; turn < 20 && !readable; ++turn) context.poll_one();
  CHECK(readable);
}
