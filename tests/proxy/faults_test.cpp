// Upstream fails in every place where it can. The client gets a true error or a visibly cut answer, never a complete
// one that upstream did not give; nothing is sent twice; nobody else notices.

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>

#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string logs_request = "GET /v1.41/containers/c1/logs?stdout=true HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string list_request = "GET /v1.41/containers/json HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string create_content = R"({"Image":"localhost/bb:latest"})";
const std::string create_request =
    "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(create_content.size()) +
    "\r\n\r\n" + create_content;

struct FaultyProxy : RunningProxy {
  explicit FaultyProxy(podfence::proxy::Limits limits = short_limits()) : RunningProxy(limits) {}
  std::string c1 = podman.add(Kind::Container, "c1", "p1");

  void logs(FakePodman::Script script) { podman.on("GET /v1.41/containers/" + c1 + "/logs", std::move(script)); }
};

void check_error(const WireAnswer& answer, int status) {
  CAPTURE(answer.head);
  CHECK(answer.complete());
  CHECK(answer.status == status);
  CHECK(answer.field("Content-Type") == "application/json");
  CHECK(answer.field("X-Podfence-Request-Id") != "");
  for (const auto& part :
       {std::string("\"cause\":"), std::string("\"message\":"), "\"response\":" + std::to_string(status)})
    CHECK(answer.content.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("upstream that dies before or in its head becomes a 502") {
  for (const auto* bytes : {"", "HTTP", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"}) {
    CAPTURE(bytes);
    FaultyProxy proxy;
    proxy.logs(FakePodman::says_and_closes(bytes));
    check_error(proxy.ask(logs_request), 502);
    CHECK(proxy.alive());
  }
}

TEST_CASE("upstream that dies in a streamed content cuts the client off, without a false end") {
  const std::string sized = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhello";
  const std::string chunks = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const auto& bytes :
       {sized, chunks, chunks + "5\r\nhel", chunks + "5\r\nhello\r\n", chunks + "5\r\nhello\r\n0\r\n",
        chunks + "5\r\nhello\r\nxyz\r\n", chunks + "5\r\nhelloX\r\n0\r\n\r\n"}) {
    CAPTURE(bytes);
    FaultyProxy proxy;
    proxy.logs(FakePodman::says_and_closes(bytes));
    auto client = proxy.client();
    const auto answer = client.request(logs_request);
    CHECK(answer.status == 200);
    CHECK_FALSE(answer.complete());
    CHECK(client.ended());
    CHECK(proxy.alive());
  }
}

TEST_CASE("an answer that is rewritten and comes cut, broken or too large becomes a 502") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const std::string item = R"({"Id":"aaaa","Labels":{"appx.project":"p1"},"Names":["/x"]},)";
  std::string large = "[";
  while (large.size() < 300 * 1024) large += item;
  large.back() = ']';
  const struct {
    const char* what;
    std::string bytes;
  } rows[] = {
      {"cut", head + "Content-Length: 100\r\n\r\n[]"},
      {"cut chunks", head + "Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n"},
      {"no JSON", head + "Content-Length: 5\r\n\r\nhello"},
      {"two documents", head + "Content-Length: 4\r\n\r\n[][]"},
      {"another shape", head + "Content-Length: 4\r\n\r\ntrue"},
      {"empty", head + "Content-Length: 0\r\n\r\n"},
      {"too large", head + "Content-Length: " + std::to_string(large.size()) + "\r\n\r\n" + large},
      {"too large, until the end", head + "\r\n" + large},
      {"compressed", head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x01"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    FaultyProxy proxy;
    proxy.podman.on("GET /v1.41/containers/json", FakePodman::says_and_closes(row.bytes));
    const auto answer = proxy.ask(list_request);
    check_error(answer, 502);
    CHECK(answer.content.find("hello") == std::string::npos);
    CHECK(proxy.alive());
  }
}

TEST_CASE("a health check, which runs a program, is sent once, though its method is GET") {
  FaultyProxy proxy;
  const auto line = "GET /v4.0.0/libpod/containers/" + proxy.c1 + "/";
  proxy.podman.on(line + "healthcheck", FakePodman::says_and_closes(""));
  proxy.podman.on(line + "top", FakePodman::says_and_closes(""));
  const auto ask = [&](const std::string& verb) {
    CHECK(proxy.ask(list_request).status == 200);  // leaves a connection that could be used again
    const auto request = "GET /v4.0.0/libpod/containers/c1/" + verb + " HTTP/1.1\r\nHost: d\r\n\r\n";
    check_error(proxy.ask(request), 502);
    return proxy.podman.requests(line + verb).size();
  };
  CHECK(ask("top") == 2);
  CHECK(ask("healthcheck") == 1);
}

TEST_CASE("a question that upstream cannot answer refuses the request") {
  for (const auto* bytes :
       {"", "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"}) {
    CAPTURE(bytes);
    FaultyProxy proxy;
    proxy.podman.on("GET /v4.0.0/libpod/containers/c1/json", FakePodman::says_and_closes(bytes));
    check_error(proxy.ask("DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n"), 502);
    CHECK(proxy.podman.requests("DELETE").empty());
  }
}

TEST_CASE("an upstream that is not there becomes a 502, and one that comes back is used again") {
  FaultyProxy proxy;
  const auto aside = proxy.upstream() + ".aside";
  std::filesystem::rename(proxy.upstream(), aside);
  auto client = proxy.client();
  check_error(client.request(ping), 502);
  std::filesystem::rename(aside, proxy.upstream());
  CHECK(proxy.alive());
}

TEST_CASE("a slow answer is waited for") {
  auto limits = short_limits();
  limits.head_time = limits.content_idle_time = limits.idle_time = Milliseconds(100);
  FaultyProxy proxy(limits);
  proxy.logs([](FakePodman::Connection& connection) {
    connection.pause(Milliseconds(300));
    connection.send(http_answer(200, "logs", "text/plain"));
  });
  CHECK(proxy.ask(logs_request).content == "logs");
}

TEST_CASE("field case 91: an idle connection that upstream closed is not used for a POST") {
  FaultyProxy proxy;
  proxy.podman.on("GET /_ping", [](FakePodman::Connection& connection) {
    connection.send(http_answer(200, "OK", "text/plain"));
    connection.close();
  });
  auto client = proxy.client();
  for (int i = 0; i < 20; ++i) {
    CHECK(client.request(ping).content == "OK");
    CHECK(client.request(create_request).status == 201);
  }
  CHECK(proxy.podman.requests("POST").size() == 20);
}

TEST_CASE("a POST that upstream took and did not answer is never sent again") {
  FaultyProxy proxy;
  for (const bool warm : {false, true}) {
    CAPTURE(warm);
    auto client = proxy.client();
    if (warm) CHECK(client.request(ping).content == "OK");
    const auto before = proxy.podman.requests("POST").size();
    proxy.podman.on("POST /v1.41/containers/create", FakePodman::says_and_closes(""));
    check_error(client.request(create_request), 502);
    std::this_thread::sleep_for(Milliseconds(30));
    CHECK(proxy.podman.requests("POST").size() == before + 1);
  }
}

TEST_CASE("upstream connections are used again instead of piling up") {
  FaultyProxy proxy;
  auto client = proxy.client();
  for (int i = 0; i < 100; ++i) CHECK(client.request(ping).content == "OK");
  CHECK(proxy.podman.connections() <= 3);
}

TEST_CASE("upstream's error answers keep Podman's shape and status") {
  FaultyProxy proxy;
  proxy.podman.on("POST /v1.41/containers/" + proxy.c1 + "/start",
                  FakePodman::says(http_answer(500, error_content(500, "OCI runtime error"))));
  const auto answer = proxy.ask("POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n");
  check_error(answer, 500);
  CHECK(answer.content.find("OCI runtime error") != std::string::npos);
  proxy.podman.on("POST /v1.41/containers/" + proxy.c1 + "/start",
                  FakePodman::says(http_answer(500, "panic: nil\n", "text/plain")));
  check_error(proxy.ask("POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n"), 500);
}
