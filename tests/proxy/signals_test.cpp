// The program and its signals, while requests are running: SIGHUP touches none of them, SIGTERM lets them end, cuts off
// what has no end, and is a success.

#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>

#include "tests/support/fake_podman.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/program.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string start = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n";

/// The program with a log that is followed, an attached terminal, and a connection that is idle.
struct Scene {
  Gate more, finish;  // before who waits for them
  TemporaryDirectory directory;
  FakePodman podman{directory.path("upstream.sock")};
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  Program program{directory.path("upstream.sock")};
  RawClient logs = program.client(), terminal = program.client(), idle = program.client();

  Scene() {
    podman.on("GET /v1.41/containers/" + c1 + "/logs", [this](FakePodman::Connection& connection) {
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
      connection.wait(more);
      connection.send("5\r\nworld\r\n");
      connection.drain();
    });
    podman.on("POST /v1.41/containers/" + c1 + "/attach", [](FakePodman::Connection& connection) {
      connection.send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
      connection.echo();
    });
    podman.on("POST /v1.41/containers/" + c1 + "/start", [this](FakePodman::Connection& connection) {
      connection.wait(finish);
      connection.send("HTTP/1.1 204 No Content\r\n\r\n");
    });
    logs.send("GET /v1.41/containers/c1/logs?follow=true&stdout=true HTTP/1.1\r\nHost: d\r\n\r\n");
    CHECK(logs.read_until("hello\r\n").ends_with("5\r\nhello\r\n"));
    terminal.send(
        "POST /v1.41/containers/c1/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
        "Upgrade: tcp\r\n\r\n");
    CHECK(terminal.read_head().status == 101);
    CHECK(idle.request(ping).content == "OK");
  }
  void check_streams() {
    more.open();
    CHECK(logs.read_until("world\r\n") == "5\r\nworld\r\n");
    terminal.send("typed");
    CHECK(terminal.read_until("typed") == "typed");
  }
};

}  // namespace

TEST_CASE("SIGHUP leaves streams, tunnels and connections alone") {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    scene.program.signal(SIGHUP);
    CHECK(scene.program.client().request(ping).content == "OK");
  }
  scene.check_streams();
  CHECK(scene.idle.request(ping).content == "OK");
  scene.finish.open();
  CHECK(scene.program.client().request(start).status == 204);
}

TEST_CASE(
    "SIGTERM: idle connections end, requests are answered, streams go on for a while and are cut, the exit code is 0") {
  Scene scene;
  auto running = scene.program.client();
  running.send(start);
  CHECK(scene.podman.saw("/start"));
  scene.program.signal(SIGTERM);
  CHECK(scene.idle.ended());
  CHECK_FALSE(std::filesystem::exists(scene.program.socket()));
  scene.check_streams();
  scene.finish.open();
  const auto answer = running.read_answer();
  CHECK(answer.status == 204);
  CHECK(answer.field("Connection") == "close");
  CHECK(running.ended());
  // The time that is left to them is ten seconds.
  CHECK(scene.program.exit_code(Milliseconds(10'000) + patience) == 0);
  CHECK(scene.logs.read_to_end() == "");  // no last chunk: it is not over
  CHECK(scene.terminal.read_to_end() == "");
  CHECK(scene.program.said().find("cut off what still ran when the time to end was over: connections 2") !=
        std::string::npos);
  const auto audit = scene.program.audit();
  std::size_t stopped = 0;
  for (auto at = audit.find("\"aborted\":\"stopped\""); at != std::string::npos;
       at = audit.find("\"aborted\":\"stopped\"", at + 1))
    ++stopped;
  CHECK(stopped == 2);
}

TEST_CASE("SIGTERM: without anything that runs the program is gone at once") {
  TemporaryDirectory directory;
  FakePodman podman(directory.path("upstream.sock"));
  Program program(directory.path("upstream.sock"));
  auto idle = program.client();
  CHECK(idle.request(ping).content == "OK");
  program.signal(SIGTERM);
  CHECK(program.exit_code() == 0);
  CHECK(idle.ended());
}
