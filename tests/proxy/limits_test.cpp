// What a client may take of the proxy: connections and time. Sizes are in http_limits_test.cpp.

#include <doctest/doctest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "proxy/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";

/// A place is free when the server has seen its client go.
bool served_in_time(const RunningProxy& proxy, const std::string& project) {
  for (auto waited = Milliseconds(0); waited < patience; waited += Milliseconds(10)) {
    if (proxy.ask(ping, project).status == 200) return true;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return false;
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

}  // namespace

TEST_CASE("a connection above the project's bound gets 429, and a freed place is given again") {
  auto limits = short_limits();
  limits.project_connections = 3;
  RunningProxy proxy(limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) CHECK(clients.emplace_back(proxy.client()).request(ping).status == 200);
  const auto before = proxy.podman.bytes();
  for (int i = 0; i < 40; ++i) {  // more than may wait at once
    auto extra = proxy.client();
    const auto answer = extra.request(ping);
    CHECK(answer.complete());
    CHECK(answer.status == 429);
    CHECK(answer.content.find("\"response\":429") != std::string::npos);
    CHECK(answer.content.find("http.connections") != std::string::npos);
    CHECK(answer.field("Connection") == "close");
    CHECK(extra.ended());
  }
  CHECK(proxy.podman.bytes() == before);
  CHECK(proxy.ask(ping, "p10").status == 200);  // the bound is each project's own
  CHECK(clients[1].request(ping).status == 200);
  clients.pop_back();
  CHECK(served_in_time(proxy, "p1"));
}

TEST_CASE("a connection above the bound of all projects gets 503, and a project's share stays free for it") {
  auto limits = short_limits();
  limits.connections = 8;  // two for each project, four for who comes first
  RunningProxy proxy(limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 6; ++i) CHECK(clients.emplace_back(proxy.client()).request(ping).status == 200);
  const auto answer = proxy.ask(ping);
  CHECK(answer.complete());
  CHECK(answer.status == 503);
  CHECK(answer.content.find("server.connections") != std::string::npos);
  for (int i = 0; i < 2; ++i) CHECK(clients.emplace_back(proxy.client("p10")).request(ping).status == 200);
  CHECK(proxy.ask(ping, "p10").status == 503);
  clients.pop_back();
  CHECK(served_in_time(proxy, "p10"));
  CHECK(proxy.ask(ping).status == 503);
}

TEST_CASE("a client that is turned away is told so behind its request, also when that comes late") {
  auto limits = short_limits();
  limits.project_connections = 1;
  RunningProxy proxy(limits);
  auto holder = proxy.client();
  CHECK(holder.request(ping).status == 200);
  auto late = proxy.client();
  CHECK(late.silent(Milliseconds(100)));
  CHECK(late.request(ping).status == 429);
  CHECK(late.ended());
  // And one that sends nothing is told as well.
  auto mute = proxy.client();
  CHECK(mute.read_answer().status == 429);
}

TEST_CASE("a thousand half heads neither stop a client of another project nor leave their own without an answer") {
  constexpr std::size_t half_heads = 1000;
  const auto files = podfence::proxy::raise_file_limit().now;
  if (files < 2 * half_heads + 500) {
    MESSAGE("SKIPPED: ", files, " open files are too few for a thousand half heads (ulimit -Hn)");
    return;
  }
  auto limits = short_limits();
  limits.connections = 4096;
  limits.head_time = std::chrono::seconds(60);
  SUBCASE("more than the project may have") { limits.project_connections = 300; }
  SUBCASE("all of them served") { limits.project_connections = 2000; }
  SUBCASE("more than all may have") { limits.connections = limits.project_connections = 300; }
  RunningProxy proxy(limits);
  std::vector<RawClient> slow;
  for (std::size_t i = 0; i < half_heads; ++i) {
    slow.push_back(proxy.client());
    slow.back().send("GET /_ping HTTP/1.1\r\nHost: d\r\nX-A: ");
  }
  for (int i = 0; i < 20; ++i) CHECK(proxy.ask(ping, "p10").status == 200);
  const auto own = proxy.ask(ping);
  CHECK(own.complete());
  CHECK(own.status == (limits.project_connections > half_heads ? 200 : limits.connections > 300 ? 429 : 503));
  CHECK(proxy.podman.requests("GET /_ping").size() == (own.status == 200 ? 21 : 20));
  // When they are gone all is as before.
  slow.clear();
  CHECK(served_in_time(proxy, "p1"));
}

TEST_CASE("requests at work are bounded, of those of other projects a part is kept free, and idle clients take none") {
  auto limits = short_limits();
  limits.requests = 4;  // one for each of the two projects is kept free
  RunningProxy proxy(limits);
  Gate gate;
  proxy.podman.on("GET /_ping", FakePodman::answers_behind(gate));
  std::vector<RawClient> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(proxy.client());
  std::vector<RawClient> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(proxy.client());
    busy.back().send(ping);
  }
  CHECK(eventually([&] { return proxy.podman.requests("GET /_ping").size() == 3; }));
  const auto refused = proxy.ask(ping);
  CHECK(refused.status == 503);
  CHECK(refused.content.find("server.requests") != std::string::npos);
  auto other = proxy.client("p10");
  other.send(ping);
  CHECK(eventually([&] { return proxy.podman.requests("GET /_ping").size() == 4; }));
  gate.open();
  CHECK(other.read_answer().status == 200);
  for (auto& client : busy) CHECK(client.read_answer().status == 200);
  CHECK(idle.front().request(ping).status == 200);
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

TEST_CASE("judged content that stops coming gets 408, and upstream sees nothing of it") {
  auto limits = short_limits();
  limits.content_idle_time = Milliseconds(150);
  RunningProxy proxy(limits);
  const std::string head = "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\n";
  for (const auto* begun :
       {"Content-Length: 100\r\n\r\n", "Content-Length: 100\r\n\r\n{\"Image\":", "Transfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n9\r\n{\"Image", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"}) {
    CAPTURE(begun);
    auto client = proxy.client();
    client.send(head + begun);
    const auto answer = client.read_answer();
    CHECK(answer.status == 408);
    CHECK(answer.content.find("http.timeout") != std::string::npos);
    CHECK(client.ended());
  }
  CHECK(proxy.podman.bytes() == 0);
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
  // The bound is 64: had they stayed, nobody would be served.
  CHECK(served_in_time(proxy, "p1"));
  // Eight idle connections may be kept for the next request, and both ends of them are in this process; everything else
  // has been closed again.
  constexpr long kept = 2 * 8;
  auto files = open_files();
  for (int i = 0; i < 800 && files > before + kept; ++i) {
    std::this_thread::sleep_for(Milliseconds(10));
    files = open_files();
  }
  CHECK(files <= before + kept);
}
