// What becomes of an exchange whose client goes, or is sent away because its project ends.
#include "proxy/departure.hpp"

#include <doctest/doctest.h>

#include "tests/support/connection_pair.hpp"

using namespace podfence::proxy;
using namespace std::chrono_literals;

namespace {

/// With a client for whom a tunnel would be drained for longer than any test lasts.
struct Watched {
  explicit Watched(Departure::Means means) {
    session.slot().assign([this](boost::asio::cancellation_type) { ended = true; });
    departure.set(means);
  }
  void leave() {
    ::shutdown(pair.peer, SHUT_RDWR);
    context.run_for(100ms);  // looks
  }

  boost::asio::io_context context{1};
  podfence::testing::ConnectionPair pair{context};
  boost::asio::cancellation_signal session;
  bool ended = false;
  Departure departure{*pair.connection, 1h, session};
  const Departure::Exchange exchange{departure};
};

}  // namespace

TEST_CASE("who is sent away has nothing passed on any more, at once") {
  for (const auto means : {Departure::Means::Cancel, Departure::Means::Drain, Departure::Means::Outlast}) {
    Watched watched(means);
    watched.departure.send_away();
    CHECK(watched.ended);
  }
}

TEST_CASE("a tunnel is drained for a client that has gone, until that is sent away") {
  Watched watched(Departure::Means::Drain);
  watched.leave();
  CHECK_FALSE(watched.ended);
  watched.departure.send_away();
  CHECK(watched.ended);
}

TEST_CASE("what upstream makes is seen to its end also for who is sent away, who does not hold it up") {
  Watched watched(Departure::Means::Finish);
  watched.departure.send_away();
  watched.leave();
  CHECK_FALSE(watched.ended);
  CHECK(watched.pair.connection->interrupted());
}
