// Answers that come in pieces: logs, events and the like. Every piece goes on as soon as it is there, as a chunk of its
// own, and the end of the stream is only ever said when upstream said it.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string logs_request = "GET /v1.41/containers/c1/logs?follow=true&stdout=true HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string events_request = "GET /v1.41/events HTTP/1.1\r\nHost: d\r\n\r\n";

struct StreamProxy : RunningProxy {
  explicit StreamProxy(podfence::proxy::Limits limits = short_limits()) : RunningProxy(limits) {}
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  std::string c10 = podman.add(Kind::Container, "c10", "p10");

  void logs(FakePodman::Script script) { podman.on("GET /v1.41/containers/" + c1 + "/logs", std::move(script)); }
};

std::string event(const std::string& id, const std::string& project, const std::string& action) {
  return R"({"status":")" + action + R"(","id":")" + id + R"(","Type":"container","Action":")" + action +
         R"(","Actor":{"ID":")" + id + R"(","Attributes":{"appx.project":")" + project +
         R"(","image":"localhost/bb:latest","name":"x"}},"scope":"local","time":1,"timeNano":1000000001})" + "\n";
}

}  // namespace

TEST_CASE("the head and every piece of a log arrive before upstream says more") {
  Gate head_seen, first_seen, second_seen;
  StreamProxy proxy;
  proxy.logs([&](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    connection.wait(head_seen);
    connection.send(chunk("hello"));
    connection.wait(first_seen);
    connection.send("5\r\nwor");  // a chunk header and half of its data
    connection.wait(second_seen);
    connection.send("ld\r\n0\r\n\r\n");
  });
  auto client = proxy.client();
  client.send(logs_request);
  const auto head = client.read_head();
  CHECK(head.status == 200);
  CHECK(head.field("Transfer-Encoding") == "chunked");
  head_seen.open();
  CHECK(client.read_until("hello\r\n") == "5\r\nhello\r\n");
  first_seen.open();
  CHECK(client.read_until("wor") == "5\r\nwor");
  second_seen.open();
  CHECK(client.read_until("0\r\n\r\n") == "ld\r\n0\r\n\r\n");
  CHECK(client.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
}

TEST_CASE("a chunk header that comes alone is no end of the stream") {
  Gate looked;
  StreamProxy proxy;
  proxy.logs([&](FakePodman::Connection& connection) {
    connection.send(chunked_head + "5\r\n");
    connection.wait(looked);
    connection.send("hello\r\n0\r\n");
    connection.pause(Milliseconds(20));
    connection.send("\r\n");
  });
  auto client = proxy.client();
  client.send(logs_request);
  CHECK(client.read_head().status == 200);
  CHECK(client.silent(Milliseconds(60)));
  looked.open();
  CHECK(client.read_until("\r\n0\r\n\r\n") == "5\r\nhello\r\n0\r\n\r\n");
}

TEST_CASE("an answer without a length, which would look complete when it is cut, is not passed on") {
  StreamProxy proxy;
  proxy.logs(FakePodman::says_and_closes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello world"));
  const auto answer = proxy.ask(logs_request);
  CHECK(answer.complete());
  CHECK(answer.status == 502);
  CHECK(answer.content.find("hello") == std::string::npos);
}

TEST_CASE("a quiet stream stays open longer than every limit of idleness") {
  auto limits = short_limits();
  limits.content_idle_time = limits.idle_time = limits.head_time = Milliseconds(100);
  StreamProxy proxy(limits);
  proxy.logs([](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    connection.pause(Milliseconds(350));
    connection.send(chunk("after the silence") + "0\r\n\r\n");
  });
  const auto answer = proxy.ask(logs_request);
  CHECK(answer.complete());
  CHECK(answer.content == "after the silence");
}

TEST_CASE("a client that vanishes during a silent stream ends upstream's side as well") {
  StreamProxy proxy;
  proxy.logs([](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    connection.drain();
  });
  auto client = proxy.client();
  client.send(logs_request);
  CHECK(client.read_head().status == 200);
  client.vanish();
  CHECK(proxy.podman.ended("/logs"));
}

TEST_CASE("a client that vanishes before upstream has answered ends upstream's side as well") {
  StreamProxy proxy;
  proxy.logs([](FakePodman::Connection& connection) { connection.drain(); });
  auto client = proxy.client();
  client.send(logs_request);
  CHECK(proxy.podman.saw("/logs"));
  client.vanish();
  CHECK(proxy.podman.ended("/logs"));
}

TEST_CASE("a reader that is slow gets everything, and others are served meanwhile") {
  StreamProxy proxy;
  const std::string piece(8000, 'x');
  proxy.logs([&](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    for (int i = 0; i < 500; ++i) connection.send(chunk(piece));
    connection.send("0\r\n\r\n");
  });
  auto client = proxy.client();
  client.send(logs_request);
  std::this_thread::sleep_for(Milliseconds(50));
  CHECK(proxy.alive());
  const auto answer = client.read_answer(Milliseconds(20'000));
  CHECK(answer.complete());
  CHECK(answer.content.size() == 500 * piece.size());
}

TEST_CASE("events: own lines pass, foreign ones do not, however upstream cuts them") {
  StreamProxy proxy;
  const auto own = event(proxy.c1, "p1", "start"), foreign = event(proxy.c10, "p10", "start");
  const auto last = event(proxy.c1, "p1", "die");
  const auto all = own + foreign + own + foreign + foreign + last;
  std::size_t piece = all.size();
  SUBCASE("whole") {}
  SUBCASE("in pieces of 100 bytes") { piece = 100; }
  SUBCASE("in pieces of 7 bytes") { piece = 7; }
  SUBCASE("in pieces of 1 byte") { piece = 1; }
  proxy.podman.on("GET /v1.41/events", [&](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    for (std::size_t i = 0; i < all.size(); i += piece) connection.send(chunk(all.substr(i, piece)));
    connection.send("0\r\n\r\n");
  });
  const auto answer = proxy.ask(events_request);
  CHECK(answer.status == 200);
  CHECK(answer.complete());
  CHECK(answer.content.find(proxy.c10) == std::string::npos);
  CHECK(answer.content.find("p10") == std::string::npos);
  CHECK(std::ranges::count(answer.content, '\n') == 3);
  CHECK(answer.content.find(R"("die")") != std::string::npos);
}

TEST_CASE("an event arrives when its line is complete, without waiting for the next") {
  Gate seen;
  StreamProxy proxy;
  const auto own = event(proxy.c1, "p1", "start");
  proxy.podman.on("GET /v1.41/events", [&](FakePodman::Connection& connection) {
    connection.send(chunked_head + chunk(own.substr(0, 20)));
    connection.pause(Milliseconds(20));
    connection.send(chunk(own.substr(20) + R"({"begin)"));
    connection.wait(seen);
    connection.send("0\r\n\r\n");
  });
  auto client = proxy.client();
  client.send(events_request);
  CHECK(client.read_head().status == 200);
  CHECK(client.read_until("\n\r\n").find(proxy.c1) != std::string::npos);
  seen.open();
  CHECK(client.read_until("0\r\n\r\n").find("begin") == std::string::npos);
}

TEST_CASE("events: a line longer than its limit is left out, and the stream goes on") {
  StreamProxy proxy;
  const auto own = event(proxy.c1, "p1", "start");
  std::string end = "\n";
  SUBCASE("between others") { end = "\n" + own; }
  SUBCASE("in one piece with what follows") { end = std::string(20'000, 'x') + "\n" + own; }
  SUBCASE("at the end") { end = ""; }
  proxy.podman.on("GET /v1.41/events", [&](FakePodman::Connection& connection) {
    connection.send(chunked_head + chunk(own));
    for (int i = 0; i < 100; ++i) connection.send(chunk(std::string(4096, 'x')));
    connection.send((end.empty() ? "" : chunk(end)) + "0\r\n\r\n");
  });
  const auto answer = proxy.ask(events_request);
  CHECK(answer.complete());
  CHECK(answer.content.find("xxxx") == std::string::npos);
  CHECK(std::ranges::count(answer.content, '\n') == (end.ends_with(own) ? 2 : 1));
  CHECK(proxy.alive());
}

TEST_CASE("a line longer than its limit ends the report of an operation, which would not be whole without it") {
  StreamProxy proxy;
  proxy.podman.on("POST /", [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(chunked_head);
    for (int i = 0; i < 100; ++i) connection.send(chunk(std::string(4096, 'x')));
    connection.send("0\r\n\r\n");
  });
  const auto answer = proxy.ask(
      "POST /v1.41/images/create?fromImage=registry.example/x&tag=1 HTTP/1.1\r\nHost: d\r\nContent-Length: "
      "0\r\n\r\n");
  CHECK(answer.status == 200);
  CHECK_FALSE(answer.complete());
  CHECK(proxy.alive());
}

TEST_CASE("events: a line about which upstream cannot answer is left out, and the stream goes on") {
  StreamProxy proxy;
  const auto own = event(proxy.c1, "p1", "start");
  // Says nothing of a project: upstream has to be asked about the container that was connected.
  const std::string id(64, 'e');
  const auto unknown = R"({"Type":"network","Action":"connect","status":"connect","id":")" + id +
                       R"(","Actor":{"ID":")" + id +
                       R"(","Attributes":{"name":"n","type":"bridge"}},"scope":"local","time":1,"timeNano":1})" + "\n";
  std::atomic<int> asked = 0;
  proxy.podman.on("GET /v4.0.0/libpod/containers/" + id, [&](FakePodman::Connection& connection) {
    ++asked;
    connection.send(http_answer(200, "not JSON"));
  });
  proxy.podman.on("GET /v1.41/events", [&](FakePodman::Connection& connection) {
    connection.send(chunked_head + chunk(own) + chunk(unknown) + chunk(own) + "0\r\n\r\n");
  });
  const auto answer = proxy.ask(events_request);
  CHECK(asked > 0);
  CHECK(answer.complete());
  CHECK(std::ranges::count(answer.content, '\n') == 2);
}

TEST_CASE("events: what is asked about lines does not add up") {
  auto limits = short_limits();
  limits.project_buffered_bytes = 32 * 1024;
  StreamProxy proxy(limits);
  proxy.podman.on("GET /v1.41/events", [&](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    for (int i = 1000; i < 1100; ++i) {
      const auto id = std::string(60, 'e') + std::to_string(i);
      connection.send(chunk(R"({"Type":"pod","Action":"start","status":"start","Actor":{"ID":")" + id +
                            R"(","Attributes":{}},"scope":"local","time":1,"timeNano":1})" + "\n"));
    }
    connection.send("0\r\n\r\n");
  });
  proxy.podman.on("GET /v4.0.0/libpod/pods/eeee", [](FakePodman::Connection& connection) {
    const auto id = connection.head().substr(connection.head().find("eeee"), 64);
    connection.send(http_answer(
        200, R"({"Id":")" + id + R"(","Labels":{"appx.project":"p1","large":")" + std::string(1024, 'x') + R"("}})"));
  });
  const auto answer = proxy.ask(events_request);
  CHECK(answer.complete());
  CHECK(std::ranges::count(answer.content, '\n') == 100);
}

TEST_CASE("HEAD is answered with the fields and without content, and the connection goes on") {
  RunningProxy proxy;
  auto client = proxy.client();
  for (int i = 0; i < 3; ++i) {
    client.send("HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
    const auto answer = client.read_answer(patience, true);
    CHECK(answer.status == 200);
    CHECK(answer.field("Api-Version") == "1.41");
    CHECK(answer.field("Server") != "");
  }
  CHECK(client.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
}

TEST_CASE("stop() cuts streams after the drain time, and the sockets are gone") {
  StreamProxy proxy;
  proxy.logs([](FakePodman::Connection& connection) {
    connection.send(chunked_head);
    connection.drain();
  });
  auto client = proxy.client();
  client.send(logs_request);
  CHECK(client.read_head().status == 200);
  auto idle = proxy.client();
  CHECK(idle.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").status == 200);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(proxy.stop());
  CHECK(std::chrono::steady_clock::now() - begin < Milliseconds(4000));
  CHECK(client.read_to_end().find("0\r\n") == std::string::npos);
  CHECK(idle.ended());
  CHECK_THROWS(proxy.client());
}
