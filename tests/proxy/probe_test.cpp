// Whether somebody is there: asked before the first client is let in.
#include "proxy/probe.hpp"

#include <doctest/doctest.h>

#include <system_error>

#include "proxy/unix_socket.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using namespace podfence::testing;
using namespace std::chrono_literals;

namespace {

const std::string ping_answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK";

}  // namespace

TEST_CASE("nobody listens on a socket that is not there, or that was left behind") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("podman.sock");
  CHECK_FALSE(is_listening(path));
  CHECK(wrong_with_engine(path, 1s) == "No such file or directory");
  { const Socket listener = Socket::listen(path); }
  CHECK_FALSE(is_listening(path));
  CHECK(wrong_with_engine(path, 1s) == "Connection refused");
  CHECK_THROWS_AS(is_listening("/" + std::string(200, 'a')), std::system_error);
}

TEST_CASE("an engine is known by its answer, not by its socket") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("podman.sock");
  FakePodman podman(path);
  CHECK(is_listening(path));
  podman.on("GET /_ping", FakePodman::says_and_closes(ping_answer));
  CHECK(wrong_with_engine(path, 5s) == "");
  for (const char* answer :
       {"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\nOK",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\n", ""}) {
    CAPTURE(answer);
    podman.on("GET /_ping", FakePodman::says_and_closes(answer));
    CHECK(wrong_with_engine(path, 5s) == "it does not answer as an engine does");
  }
}

TEST_CASE("somebody who never answers is given up") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("podman.sock");
  const Socket listener = Socket::listen(path);
  CHECK(is_listening(path));
  CHECK(wrong_with_engine(path, 1s) == "it does not answer as an engine does");
}
