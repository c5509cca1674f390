// The process that connects for podfence.
#include "proxy/connector.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "tests/support/socket.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::patience;
using podfence::testing::Socket;
using podfence::testing::TemporaryDirectory;

namespace {

bool has_ended(const Connector& connector, podfence::testing::Milliseconds time) {
  pollfd end{connector.ended(), POLLIN, 0};
  return ::poll(&end, 1, static_cast<int>(time.count())) == 1;
}

}  // namespace

TEST_CASE("connections come from the connector, each a new one, and errors as they are") {
  const TemporaryDirectory directory;
  const auto path = directory.path("upstream.sock");
  Connector connector(path);
  CHECK(connector.connect().error == ENOENT);
  {
    const Socket listener = Socket::listen(path);
    for (int i = 0; i < 3; ++i) {
      auto connected = connector.connect();
      REQUIRE(connected.error == 0);
      Socket ours(connected.socket.release()), theirs(::accept(listener.file(), nullptr, nullptr));
      CHECK(ours.send("question"));
      CHECK(theirs.receive(patience) == "question");
      CHECK(theirs.send("answer"));
      CHECK(ours.receive(patience) == "answer");
    }
  }
  CHECK(connector.connect().error == ECONNREFUSED);
}

TEST_CASE("a connection for which there is no room is an error, and no connection") {
  const TemporaryDirectory directory;
  const auto path = directory.path("upstream.sock");
  Connector connector(path);
  const Socket listener = Socket::listen(path);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = ::dup(0);
  ::close(next);
  const rlimit full{static_cast<rlim_t>(next), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &full) == 0);
  const auto connected = connector.connect();
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(connected.error == EMFILE);
  CHECK(connected.socket.descriptor() < 0);
  CHECK(connector.connect().error == 0);
}

TEST_CASE("the connector tells who listens, and hands no connection to anybody but upstream out") {
  const TemporaryDirectory directory;
  Connector connector(directory.path("upstream.sock"));
  const auto other = directory.path("other.sock");
  CHECK_FALSE(connector.is_listening(other));
  const Socket listener = Socket::listen(other);
  CHECK(connector.is_listening(other));
  Socket knocked(::accept(listener.file(), nullptr, nullptr));
  CHECK(knocked.receive(patience) == "");  // closed at once
  CHECK(connector.connect().error == ENOENT);
  CHECK_THROWS_AS(connector.is_listening(std::string(200, 'a')), std::system_error);
  CHECK_THROWS_AS(connector.is_listening(""), std::system_error);
}

TEST_CASE("the connector outlives the signals that end podfence, and not podfence") {
  const TemporaryDirectory directory;
  const auto path = directory.path("upstream.sock");
  const Socket listener = Socket::listen(path);
  Connector connector(path);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    ::kill(connector.id(), signal);
    CHECK(connector.connect().error == 0);
  }
  CHECK_FALSE(has_ended(connector, std::chrono::milliseconds(0)));
  ::kill(connector.id(), SIGKILL);
  CHECK(has_ended(connector, patience));
  CHECK(connector.connect().error != 0);
  CHECK(connector.connect().error != 0);
}
