// Upstream answers too early, too late, too much, too little or without an end of it, and closes what was kept for it
// in the worst moment. What it says in one exchange never becomes part of another.

#include <doctest/doctest.h>

#include <atomic>

#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";
const std::string secret = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";

struct Proxy : RunningProxy {
  std::string c1 = podman.add(Kind::Container, "c1", "p1");
  const std::string logs = "GET /v1.41/containers/c1/logs?stdout=true HTTP/1.1\r\nHost: d\r\n\r\n";
  const std::string start = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n\r\n";

  std::string line(const std::string& method, const std::string& verb) const {
    return method + " /v1.41/containers/" + c1 + "/" + verb;
  }
};

/// Podman's answer when something of another project goes while it lists.
std::string fails_by(const std::string& cause) {
  return http_answer(500, R"({"cause":")" + cause + R"(","message":"of-another: )" + cause + R"(","response":500})");
}

}  // namespace

TEST_CASE("bytes behind an answer are of no exchange, whether they come with it or later") {
  const struct {
    const char* what;
    std::string request, answer;
    int status;
    std::string content;
  } rows[] = {
      {"a length that is too short", "logs", ok + "Content-Length: 5\r\n\r\nhello", 200, "hello"},
      {"chunks", "logs", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"no content", "start", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
      {"not modified", "start", "HTTP/1.1 304 Not Modified\r\n\r\n", 304, ""},
      {"HEAD", "head", ok + "Content-Length: 6\r\n\r\n", 200, ""},
  };
  for (const auto& row : rows) {
    for (const bool at_once : {true, false}) {
      CAPTURE(std::string(row.what));
      CAPTURE(at_once);
      Proxy proxy;
      Gate answered;
      std::atomic<bool> said = false;
      const auto script = [&](FakePodman::Connection& connection) {
        connection.read_content();
        connection.send(row.answer + (at_once ? secret : ""));
        if (!at_once) connection.wait(answered);
        if (!at_once) connection.send(secret);
        said = true;
        connection.drain();
      };
      for (const auto& line : {proxy.line("GET", "logs"), proxy.line("POST", "start"), std::string("HEAD /_ping")})
        proxy.podman.on(line, script);
      auto client = proxy.client();
      const bool head = row.request == std::string("head");
      const auto answer = client.request(head ? "HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n"
                                              : (row.request == std::string("logs") ? proxy.logs : proxy.start));
      CHECK(answer.complete());
      CHECK(answer.status == row.status);
      CHECK(answer.content == row.content);
      answered.open();
      CHECK(eventually([&] { return said.load(); }));
      for (int i = 0; i < 3; ++i) CHECK(client.request(ping).content == "OK");
    }
  }
}

TEST_CASE("an answer that comes before the content was read is passed on, and its connection is not used again") {
  Proxy proxy;
  bool reads_on = false;
  SUBCASE("upstream reads the rest") { reads_on = true; }
  SUBCASE("upstream reads no more") {}
  Gate answered;
  proxy.podman.on(proxy.line("PUT", "archive"), [&](FakePodman::Connection& connection) {
    connection.send(http_answer(500, error_content(500, "no space left on device")));
    connection.wait(answered);
    if (reads_on) connection.drain();
  });
  auto client = proxy.client();
  client.send("PUT /v1.41/containers/c1/archive?path=/tmp HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(std::string(512, 'x')));
  const auto answer = client.read_answer();
  CHECK(answer.status == 500);
  CHECK(answer.complete());
  CHECK(answer.field("Connection") == "close");
  client.send("5\r\nworld\r\n0\r\n\r\n" + proxy.start);
  answered.open();
  CHECK(client.ended());
  client.vanish();
  CHECK(proxy.alive());
  CHECK(proxy.idle());
  CHECK(proxy.podman.requests("POST").empty());
}

TEST_CASE("interim answers are swallowed, and a storm of them is a 502") {
  Proxy proxy;
  std::atomic<int> count = 0;
  proxy.podman.on(proxy.line("POST", "start"), [&](FakePodman::Connection& connection) {
    for (int i = 0; i < count; ++i) connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
    connection.send("HTTP/1.1 204 No Content\r\n\r\n");
  });
  for (const auto& [interim, status] : {std::pair(1, 204), {16, 204}, {17, 502}, {100'000, 502}}) {
    CAPTURE(interim);
    count = interim;
    auto client = proxy.client();
    const auto answer = client.request(proxy.start);
    CHECK(answer.complete());
    CHECK(answer.status == status);
    CHECK(answer.head.find("Link") == std::string::npos);
    CHECK(client.request(ping).content == "OK");
  }
  CHECK(proxy.podman.requests("POST").size() == 4);
}

TEST_CASE("an interim answer that never ends is a 502 as soon as it is too long") {
  Proxy proxy;
  proxy.podman.on(proxy.line("POST", "start"), [](FakePodman::Connection& connection) {
    connection.send("HTTP/1.1 103 Early Hints\r\n");
    while (true) connection.send("X: " + std::string(1000, 'x') + "\r\n");
  });
  CHECK(proxy.ask(proxy.start).status == 502);
  CHECK(proxy.alive());
}

TEST_CASE("a 101 that nobody asked for is a 502") {
  Proxy proxy;
  const std::string bytes = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n" + secret;
  proxy.podman.on(proxy.line("POST", "start"), FakePodman::says(bytes));
  proxy.podman.on(proxy.line("GET", "logs"), FakePodman::says(bytes));
  for (const auto& request : {proxy.start, proxy.logs}) {
    auto client = proxy.client();
    const auto answer = client.request(request);
    CHECK(answer.status == 502);
    CHECK(answer.content.find("secret") == std::string::npos);
    CHECK(client.request(ping).content == "OK");
  }
}

TEST_CASE("a kept connection that dies under a request: what reads is asked once more, what changes was never there") {
  Proxy proxy;
  // Upstream closes the connection when its second request arrives, as one does whose idle time ends just then.
  std::atomic<int> died = 0;
  const auto dies_when_kept = [&](FakePodman::Connection& connection) {
    connection.answer();
    if (!connection.read_head()) return;
    ++died;
    connection.close();
  };
  proxy.podman.on("GET /_ping", dies_when_kept);
  auto client = proxy.client();
  for (int i = 0; i < 20; ++i) {
    CHECK(client.request(ping).content == "OK");
    CHECK(client.request(proxy.start).status == 204);
  }
  CHECK(died > 0);
  CHECK(proxy.podman.requests("POST").size() == 20);
}

TEST_CASE("what reads is asked at most twice, whatever is kept") {
  Proxy proxy;
  // Eight connections are kept, by eight clients at once.
  Gate all_there;
  proxy.podman.on(proxy.line("GET", "logs"), [&](FakePodman::Connection& connection) {
    connection.wait(all_there);
    connection.send(http_answer(200, "logs", "text/plain"));
  });
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(proxy.client());
  for (auto& client : clients) client.send(proxy.logs);
  CHECK(eventually([&] { return proxy.podman.requests(proxy.line("GET", "logs")).size() == 8; }));
  all_there.open();
  for (auto& client : clients) CHECK(client.read_answer().content == "logs");
  proxy.podman.on("GET /_ping", FakePodman::says_and_closes(""));
  CHECK(proxy.ask(ping).status == 502);
  CHECK(proxy.podman.requests("GET /_ping").size() == 2);
  proxy.podman.on("GET /_ping", FakePodman::says_and_closes("H"));
  const auto before = proxy.podman.requests("GET /_ping").size();
  CHECK(proxy.ask(ping).status == 502);
  CHECK(proxy.podman.requests("GET /_ping").size() == before + 1);
}

TEST_CASE("a list that fails by removals of another project, one behind the other, is asked for until it does not") {
  const struct {
    const char *request, *upstream, *cause;
  } rows[] = {
      {"POST /v1.41/images/prune", "GET /v4.0.0/libpod/images/json", "image not known"},
      {"GET /v1.41/images/json", "GET /v1.41/images/json", "layer not known"},
      {"GET /v4.0.0/libpod/volumes/json", "GET /v4.0.0/libpod/volumes/json", "no such volume"},
      {"GET /v1.41/networks", "GET /v1.41/networks", "network not found"},
      {"GET /v1.41/containers/json", "GET /v1.41/containers/json", "container has already been removed"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.request));
    Proxy proxy;
    const int removals = 20;
    std::atomic<int> asked = 0;
    proxy.podman.on(row.upstream, [&](FakePodman::Connection& connection) {
      if (++asked > removals) return connection.answer();
      connection.send(fails_by(row.cause));
    });
    const auto answer = proxy.ask(std::string(row.request) + " HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n");
    CHECK_MESSAGE(answer.status == 200, answer.content);
    CHECK(asked == removals + 1);
  }
}

TEST_CASE("a list that fails by removals for too long says so, and does not tell what was removed") {
  Proxy proxy;
  proxy.podman.on("GET /v4.0.0/libpod/volumes/json",
                  [](FakePodman::Connection& connection) { connection.send(fails_by("no such volume")); });
  const auto answer = proxy.ask("GET /v4.0.0/libpod/volumes/json HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(answer.status == 503);
  CHECK_MESSAGE(answer.content.find("upstream.changing") != std::string::npos, answer.content);
  CHECK_MESSAGE(answer.content.find("of-another") == std::string::npos, answer.content);
}
