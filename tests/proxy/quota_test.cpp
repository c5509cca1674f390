// Quotas with many requests at once, with requests that fail, and with clients that go away: never one too many, and
// nothing refused that there is room for.

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "proxy/archive.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;
using podfence::rules::Resource;

namespace {

podfence::rules::Policy with_quota(Resource resource, std::int64_t quota) {
  podfence::rules::Policy policy;
  policy.quota(resource) = quota;
  return policy;
}

/// Hundreds of clients at once on a machine that has other things to do.
constexpr Milliseconds long_patience{120'000};

podfence::proxy::Limits roomy_limits() {
  auto limits = short_limits();
  limits.project_connections = 512;
  for (auto* time : {&limits.head_time, &limits.content_idle_time, &limits.send_idle_time, &limits.lock_time})
    *time = long_patience;
  return limits;
}

struct QuotaProxy : RunningProxy {
  QuotaProxy(Resource resource, std::int64_t quota) : RunningProxy(roomy_limits(), with_quota(resource, quota)) {}

  std::size_t creates() { return podman.requests("POST /v1.41/containers/create").size(); }
  std::size_t counts() { return podman.requests("GET /v4.0.0/libpod/containers/json").size(); }
};

std::string post(const std::string& target, const std::string& content) {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         content;
}

std::string create(const std::string& name, const std::string& volume = "") {
  const auto host = volume.empty() ? "" : R"(,"HostConfig":{"Binds":[")" + volume + R"(:/data"]})";
  return post("/v1.41/containers/create?name=" + name, R"({"Image":"localhost/bb:latest")" + host + "}");
}

/// Begins to answer at once, and is done when the gate opens.
auto goes_on_until(Gate& done, const std::string& begins_with = "") {
  return [&done, begins_with](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(chunked_head + begins_with);
    connection.wait(done);
    connection.send("0\r\n\r\n");
  };
}

/// The statuses of the answers to that many requests at once, each on a connection of its own.
template <class Request>
std::vector<int> all_at_once(const RunningProxy& proxy, std::size_t count, Request request) {
  std::vector<int> statuses(count);
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < count; ++i)
    clients.emplace_back(
        [&, i] { statuses[i] = proxy.client().request(request(std::to_string(i)), long_patience).status; });
  for (auto& client : clients) client.join();
  return statuses;
}

}  // namespace

TEST_CASE("of 200 creates at once with a quota of 100 exactly 100 reach upstream") {
  QuotaProxy proxy(Resource::Containers, 100);
  // The moment between what is decided and what is to be seen in a count.
  proxy.podman.on("POST /v1.41/containers/create", [](FakePodman::Connection& connection) {
    connection.pause(Milliseconds(5));
    connection.answer();
  });
  std::string with;
  SUBCASE("plain") {}
  SUBCASE("with volumes of their own") { with = "data"; }
  SUBCASE("with one volume") { with = "one"; }
  const auto statuses = all_at_once(proxy, 200, [&](const std::string& number) {
    return create("c" + number, with == "data" ? with + number : with);
  });
  CHECK(std::ranges::count(statuses, 201) == 100);
  CHECK(std::ranges::count(statuses, 403) == 100);
  CHECK(proxy.creates() == 100);
  const auto refused = proxy.ask(create("more"));
  CHECK(refused.status == 403);
  CHECK(refused.content.find("100 of 100 containers") != std::string::npos);
}

TEST_CASE("creates of one project go on together as long as there is room") {
  QuotaProxy proxy(Resource::Containers, 100);
  Gate done;
  proxy.podman.on("POST /v1.41/containers/create", FakePodman::answers_behind(done));
  auto first = proxy.client(), second = proxy.client(), third = proxy.client();
  first.send(create("first"));  // counts, and then is one of them
  CHECK(proxy.podman.saw("name=first"));
  second.send(create("second"));
  third.send(create("third"));
  CHECK(proxy.podman.saw("name=second"));
  CHECK(proxy.podman.saw("name=third"));
  done.open();
  CHECK(first.read_answer().status == 201);
  CHECK(second.read_answer().status == 201);
  CHECK(third.read_answer().status == 201);
  CHECK(proxy.counts() == 1);
}

TEST_CASE("creates that fail use nothing up") {
  QuotaProxy proxy(Resource::Containers, 3);
  std::atomic<bool> broken = true;
  proxy.podman.on("POST /v1.41/containers/create", [&](FakePodman::Connection& connection) {
    if (!broken) return connection.answer();
    connection.read_content();
    connection.send(http_answer(500, error_content(500, "no space left on device")));
  });
  const auto failed = all_at_once(proxy, 20, [](const std::string& number) { return create("c" + number); });
  CHECK(std::ranges::count(failed, 500) == 20);
  broken = false;
  const auto statuses = all_at_once(proxy, 20, [](const std::string& number) { return create("d" + number); });
  CHECK(std::ranges::count(statuses, 201) == 3);
  CHECK(std::ranges::count(statuses, 403) == 17);
}

TEST_CASE("what is removed makes room, whoever removes it") {
  QuotaProxy proxy(Resource::Containers, 2);
  proxy.podman.add(Kind::Container, "theirs", "p10");
  CHECK(proxy.ask(create("a")).status == 201);
  CHECK(proxy.ask(create("b")).status == 201);
  CHECK(proxy.ask(create("c")).status == 403);
  CHECK(proxy.ask("DELETE /v1.41/containers/a HTTP/1.1\r\nHost: d\r\n\r\n").status == 204);
  CHECK(proxy.ask(create("c")).status == 201);
  CHECK(proxy.ask(create("d")).status == 403);
  auto host_user = RawClient(proxy.upstream());
  CHECK(host_user.request("DELETE /v4.0.0/libpod/containers/b HTTP/1.1\r\nHost: d\r\n\r\n").status == 204);
  CHECK(proxy.ask(create("d")).status == 201);
  CHECK(proxy.ask(create("e")).status == 403);
}

TEST_CASE("a client that goes away does not make its create uncounted") {
  QuotaProxy proxy(Resource::Containers, 1);
  Gate done;
  proxy.podman.on("POST /v1.41/containers/create", FakePodman::answers_behind(done));
  auto first = proxy.client();
  first.send(create("first"));
  REQUIRE(proxy.podman.saw("name=first"));
  first.vanish();
  auto second = proxy.client();
  second.send(create("second"));
  CHECK(second.silent(Milliseconds(200)));  // the count waits for what is being made
  done.open();
  CHECK(second.read_answer().status == 403);
  CHECK(proxy.podman.has(Kind::Container, "first"));
  CHECK(proxy.creates() == 1);
}

TEST_CASE("a project whose creates take long or are counted delays no other") {
  QuotaProxy proxy(Resource::Containers, 1);
  Gate done;
  proxy.podman.on("POST /v1.41/containers/create?name=slow", FakePodman::answers_behind(done));
  auto slow = proxy.client(), waiting = proxy.client();
  slow.send(create("slow", "data"));
  REQUIRE(proxy.podman.saw("name=slow"));
  waiting.send(create("waiting", "other"));
  CHECK(waiting.silent(Milliseconds(50)));
  CHECK(proxy.ask(create("theirs"), "p10").status == 201);
  CHECK(proxy.ask(create("theirs-with-volume", "third"), "p10").status == 201);
  CHECK(proxy.ask(post("/v4.0.0/libpod/containers/prune", ""), "p10").status == 200);
  CHECK(proxy.ask(get("/v1.41/containers/json")).status == 200);
  CHECK(waiting.silent(Milliseconds(50)));
  done.open();
  CHECK(slow.read_answer().status == 201);
  CHECK(waiting.read_answer().status == 403);
  CHECK_FALSE(proxy.podman.has(Kind::Volume, "other"));
}

TEST_CASE("volumes and networks are counted as exactly") {
  const auto volume = [](const std::string& number) {
    return post("/v1.41/volumes/create", R"({"Name":"v)" + number + "\"}");
  };
  const auto network = [](const std::string& number) {
    return post("/v1.41/networks/create", R"({"Name":"n)" + number + "\"}");
  };
  SUBCASE("volumes") {
    QuotaProxy proxy(Resource::Volumes, 10);
    const auto statuses = all_at_once(proxy, 40, volume);
    CHECK(std::ranges::count(statuses, 201) == 10);
    CHECK(std::ranges::count(statuses, 403) == 30);
    CHECK(proxy.ask(create("c", "another")).status == 403);
    CHECK(proxy.creates() == 0);
  }
  SUBCASE("networks") {
    QuotaProxy proxy(Resource::Networks, 10);
    const auto statuses = all_at_once(proxy, 40, network);
    CHECK(std::ranges::count(statuses, 201) == 10);
    CHECK(std::ranges::count(statuses, 403) == 30);
  }
}

TEST_CASE("open streams are counted, and only those") {
  QuotaProxy proxy(Resource::Streams, 2);
  proxy.podman.add(Kind::Container, "c1", "p1");
  const auto waits = [](FakePodman::Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.drain();
  };
  proxy.podman.on("GET /v1.41/events", waits);
  proxy.podman.on("GET /v1.41/containers", waits);
  auto events = proxy.client(), logs = proxy.client();
  events.send(get("/v1.41/events"));
  CHECK(events.read_head().status == 200);
  logs.send(get("/v1.41/containers/c1/logs?follow=1&stdout=1"));
  CHECK(logs.read_head().status == 200);
  const auto third = proxy.ask(get("/v1.41/events"));
  CHECK(third.status == 403);
  CHECK(third.content.find("2 of 2 streams") != std::string::npos);
  CHECK(proxy.ask(post("/v1.41/containers/c1/attach?stream=1&stdout=1", "")).status == 403);
  CHECK(proxy.ask(get("/_ping")).status == 200);
  auto theirs = proxy.client("p10");
  theirs.send(get("/v1.41/events"));
  CHECK(theirs.read_head().status == 200);
  events.vanish();
  CHECK(proxy.podman.ended("GET /v1.41/events"));
  auto again = proxy.client();
  again.send(get("/v1.41/events"));
  CHECK(again.read_head().status == 200);
  CHECK(proxy.audit().find("quota.exceeded") != std::string::npos);
}

TEST_CASE("a build counts until it ends, also when its client has gone") {
  QuotaProxy proxy(Resource::Builds, 1);
  Gate done;
  proxy.podman.on("POST /v4.0.0/libpod/build", goes_on_until(done, chunk("{\"stream\":\"STEP 1/1\"}\n")));
  podfence::proxy::ArchiveWriter context;
  context.add("Dockerfile", "FROM scratch\n");
  context.finish();
  const auto build = post("/v4.0.0/libpod/build?t=quay.io/me/app:1", context.written());
  auto first = proxy.client();
  first.send(build);
  CHECK(first.read_head().status == 200);
  first.vanish();
  CHECK_FALSE(eventually([&] { return proxy.ask(build).status != 403; }, Milliseconds(300)));
  done.open();
  CHECK(eventually([&] { return proxy.ask(build).status == 200; }));
}

TEST_CASE("pulls that are under way count as images") {
  QuotaProxy proxy(Resource::Images, 1);
  Gate done;
  proxy.podman.on("POST /v1.41/images/create", goes_on_until(done));
  const auto pull = post("/v1.41/images/create?fromImage=docker.io/library/a&tag=1", "");
  auto first = proxy.client();
  first.send(pull);
  CHECK(first.read_head().status == 200);
  CHECK(proxy.ask(pull).status == 403);
  CHECK(proxy.ask(create("c")).status == 201);  // nobody waits for a pull
  done.open();
  first.read_until("0\r\n\r\n");
  CHECK(proxy.ask(pull).status == 200);
}
