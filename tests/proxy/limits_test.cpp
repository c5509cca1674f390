// What a client may take of the proxy: connections, time, and sizes. The limits of framing are in the smuggling tests.

#include <doctest/doctest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

}  // namespace

TEST_CASE("a connection above the cap gets 503 at once, and a freed place is given again") {
  auto limits = short_limits();
  limits.connections = 3;
  RunningProxy proxy(limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) CHECK(clients.emplace_back(proxy.client()).request(ping).status == 200);
  for (int i = 0; i < 5; ++i) {
    auto extra = proxy.client();
    const auto answer = extra.request(ping);
    CHECK(answer.complete());
    CHECK(answer.status == 503);
    CHECK(answer.content.find("\"response\":503") != std::string::npos);
    CHECK(extra.ended());
  }
  CHECK(proxy.ask(ping, "p10").status == 200);  // the cap is each listener's own
  CHECK(clients[1].request(ping).status == 200);
  clients.pop_back();
  bool again = false;
  for (int i = 0; i < 100 && !again; ++i) {
    again = proxy.ask(ping).status == 200;
    if (!again) std::this_thread::sleep_for(Milliseconds(10));
  }
  CHECK(again);
}

TEST_CASE("a head that is not complete in time gets 408, also when its bytes keep dribbling") {
  auto limits = short_limits();
  limits.head_time = Milliseconds(150);
  RunningProxy proxy(limits);
  auto client = proxy.client();
  SUBCASE("silent") { client.send("GET /_ping HTTP/1.1\r\nHo"); }
  SUBCASE("dribbling") {
    for (int i = 0; i < 20; ++i) {
      client.send(i == 0 ? "GET /_ping?" : "x");
      std::this_thread::sleep_for(Milliseconds(20));
    }
  }
  SUBCASE("behind a good request") {
    CHECK(client.request(ping).status == 200);
    client.send("GET ");
  }
  CHECK(client.read_answer().status == 408);
  CHECK(client.ended());
  CHECK(proxy.alive());
}

TEST_CASE("a connection without a request is closed after the idle time, without a word") {
  auto limits = short_limits();
  limits.idle_time = Milliseconds(100);
  RunningProxy proxy(limits);
  auto fresh = proxy.client();
  auto used = proxy.client();
  CHECK(used.request(ping).status == 200);
  CHECK(used.read_to_end() == "");
  const auto said = fresh.read_to_end();
  CHECK((said.empty() || said.starts_with("HTTP/1.1 408 ")));
}

TEST_CASE("keep-alive is the default, and close is obeyed") {
  RunningProxy proxy;
  auto client = proxy.client();
  for (int i = 0; i < 5; ++i) CHECK(client.request(ping).field("Connection") != "close");
  const auto last = client.request("GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
  CHECK(last.status == 200);
  CHECK(client.ended());
}

TEST_CASE("a refusal by the rules leaves the connection usable") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "c10", "p10");
  auto client = proxy.client();
  for (const auto* target : {"/v1.41/containers/c10/json", "/v1.41/containers/absent/json", "/v1.41/nothing"}) {
    CAPTURE(target);
    CHECK(client.request("GET " + std::string(target) + " HTTP/1.1\r\nHost: d\r\n\r\n").status == 404);
  }
  CHECK(client.request(ping).content == "OK");
}

TEST_CASE("many clients that come and vanish at every moment leave nothing behind") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "c1", "p1");
  const auto before = open_files();
  const std::string request = "GET /v1.41/containers/c1/json HTTP/1.1\r\nHost: d\r\n\r\n";
  for (std::size_t i = 0; i < 300; ++i) {
    auto client = proxy.client();
    client.send(std::string_view(request).substr(0, i % (request.size() + 1)));
    if (i % 3 == 0) client.half_close();
    client.vanish();
  }
  // The cap is 64: had they stayed, nobody would be served.
  bool served = false;
  for (int i = 0; i < 100 && !served; ++i) {
    served = proxy.ask(request).status == 200;
    if (!served) std::this_thread::sleep_for(Milliseconds(10));
  }
  CHECK(served);
  // Podman's end keeps a few idle connections; everything else has been closed again.
  auto files = open_files();
  for (int i = 0; i < 100 && files > before + 10; ++i) {
    std::this_thread::sleep_for(Milliseconds(10));
    files = open_files();
  }
  CHECK(files <= before + 10);
}
