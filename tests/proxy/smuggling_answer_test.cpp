// Where does an answer of upstream end? A client must never read bytes that belong to another answer, and an answer
// that cannot be understood is not passed on (RFC 9112 section 6.3, RFC 9110 section 15.6.3).

#include <doctest/doctest.h>

#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;
using podfence::rules::Kind;

namespace {

/// A proxy whose upstream answers the logs of c1 and its start with a script.
struct Scripted : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");

  void logs(FakePodman::Script script) { podman.on("GET /v1.41/containers/" + c1 + "/logs", std::move(script)); }
  void start(FakePodman::Script script) { podman.on("POST /v1.41/containers/" + c1 + "/start", std::move(script)); }
};

const std::string logs_request = get_request("/v1.41/containers/c1/logs?stdout=true");
const std::string start_request = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

/// Whatever the client asks next must be answered by upstream's true answer.
void check_unpoisoned(RunningProxy& proxy, RawClient& client) {
  const auto next = client.request(get_request("/_ping"));
  if (next.status != 0) CHECK(next.content == "OK");
  for (int i = 0; i < 3; ++i) CHECK(proxy.alive());
}

}  // namespace

TEST_CASE("an answer whose framing is ambiguous or whose head is broken becomes a 502") {
  const struct {
    const char* id;
    std::string bytes;
  } rows[] = {
      {"R01 no status line", "hello\r\n\r\n"},
      {"R02 no space behind the status", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"},
      {"R04 coding and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"},
      {"R05 two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nevil!"},
      {"R06 signed length", "HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\nevil"},
      {"R07 gzip and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 4\r\n\r\nevil"},
      {"R07 chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
      {"R09 status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R09 status 600", "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R10 status 99", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"},
      {"R11 bare CR in a field", "HTTP/1.1 200 OK\r\nX-A: b\rc\r\nContent-Length: 0\r\n\r\n"},
      {"R12 NUL in a field", "HTTP/1.1 200 OK\r\nX-A: b\0\r\nContent-Length: 0\r\n\r\n"s},
      {"R13 head without end", "HTTP/1.1 200 OK\r\nX-A: " + std::string(200'000, 'x') + "\r\n\r\n"},
      {"R15 upgrade that nobody asked for", "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nevil"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.id);
    Scripted proxy;
    proxy.logs(FakePodman::says(row.bytes));
    auto client = proxy.client();
    const auto answer = client.request(logs_request);
    CAPTURE(answer.head);
    CHECK(answer.complete());
    CHECK(answer.status == 502);
    CHECK(answer.content.find("\"response\":502") != std::string::npos);
    CHECK(answer.content.find("evil") == std::string::npos);
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("R03: bytes behind an answer that has no content are no answer to anybody") {
  for (const auto* head : {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
                           "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"}) {
    CAPTURE(head);
    Scripted proxy;
    proxy.start(FakePodman::says(head + evil));
    auto client = proxy.client();
    const auto answer = client.request(start_request);
    CHECK(answer.complete());
    CHECK(answer.status == std::stoi(std::string(head).substr(9, 3)));
    CHECK(answer.field("Content-Length") != "5");
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("a second answer that nobody asked for is given to nobody") {
  for (const auto pause : {0, 30}) {
    CAPTURE(pause);
    Scripted proxy;
    proxy.logs([pause](FakePodman::Connection& connection) {
      connection.send(http_answer(200, "logs", "text/plain"));
      connection.pause(Milliseconds(pause));
      connection.send(evil);
    });
    auto client = proxy.client();
    CHECK(client.request(logs_request).content == "logs");
    std::this_thread::sleep_for(Milliseconds(pause + 20));
    check_unpoisoned(proxy, client);
  }
}

TEST_CASE("a content longer than its length is cut there") {
  Scripted proxy;
  proxy.logs(FakePodman::says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlogs and more" + evil));
  auto client = proxy.client();
  CHECK(client.request(logs_request).content == "logs");
  check_unpoisoned(proxy, client);
}

TEST_CASE("R14: a 205 with content is read to its end") {
  Scripted proxy;
  proxy.logs(FakePodman::says("HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nlogs"));
  auto client = proxy.client();
  const auto answer = client.request(logs_request);
  CHECK((answer.status == 205 || answer.status == 502));
  check_unpoisoned(proxy, client);
}

TEST_CASE("interim answers are swallowed") {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n";
  Scripted proxy;
  SUBCASE("two") { proxy.logs(FakePodman::says(interim + http_answer(200, "logs", "text/plain"))); }
  SUBCASE("in pieces") {
    proxy.logs([interim](FakePodman::Connection& connection) {
      for (const char c : interim + http_answer(200, "logs", "text/plain")) connection.send(std::string(1, c));
    });
  }
  const auto answer = proxy.ask(logs_request);
  CHECK(answer.status == 200);
  CHECK(answer.content == "logs");
  CHECK(answer.field("Link") == "");
}

TEST_CASE("a storm of interim answers neither hangs nor reaches the client") {
  Scripted proxy;
  std::string storm;
  for (int i = 0; i < 5000; ++i) storm += "HTTP/1.1 102 Processing\r\n\r\n";
  proxy.logs(FakePodman::says(storm + http_answer(200, "logs", "text/plain")));
  const auto answer = proxy.ask(logs_request);
  CHECK((answer.status == 200 || answer.status == 502));
  CHECK(proxy.alive());
}

TEST_CASE("fields of an answer cross by allow-list only, and never those that Connection names") {
  Scripted proxy;
  proxy.logs(FakePodman::says(
      "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Type: text/plain\r\nSet-Cookie: a=b\r\nLocation: /etc\r\n"
      "X-Evil: 1\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive, x-evil\r\nTrailer: X-T\r\n"
      "Transfer-Encoding: chunked\r\n\r\n4\r\nlogs\r\n0\r\nX-T: 1\r\nSet-Cookie: c=d\r\n\r\n"));
  auto client = proxy.client();
  const auto answer = client.request(logs_request);
  CHECK(answer.complete());
  CHECK(answer.content == "logs");
  CHECK(answer.field("Api-Version") == "1.41");
  CHECK(answer.field("Content-Type") == "text/plain");
  for (const auto* name : {"Set-Cookie", "Location", "X-Evil", "Keep-Alive", "Trailer", "X-T"}) {
    CAPTURE(name);
    CHECK(answer.field(name) == "");
  }
  check_unpoisoned(proxy, client);
}
