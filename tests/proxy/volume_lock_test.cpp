// Named volumes of a container create: made first, labelled, read back, and undone when the create fails. Volume names
// are one name space for all projects, so check and use must not be interleaved.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

std::string create(const std::string& volume) {
  const auto content = R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":[")" + volume + R"(:/data"]}})";
  return "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

/// Where in the order of arrival a request stands; npos when there is none.
std::size_t place(const std::vector<std::string>& lines, std::string_view part) {
  const auto found = std::ranges::find_if(lines, [&](const std::string& line) { return line.find(part) != line.npos; });
  return found == lines.end() ? std::string::npos : static_cast<std::size_t>(found - lines.begin());
}

const FakePodman::Script failing = FakePodman::says(http_answer(500, error_content(500, "no space left on device")));

}  // namespace

TEST_CASE("a new volume is made, labelled and read back before the container is") {
  RunningProxy proxy;
  CHECK(proxy.ask(create("data")).status == 201);
  CHECK(proxy.podman.project_of(Kind::Volume, "data") == "p1");
  const auto lines = proxy.podman.lines();
  const auto made = place(lines, "/volumes/create");
  const auto container = place(lines, "/containers/create");
  REQUIRE(made != std::string::npos);
  REQUIRE(container != std::string::npos);
  CHECK(made < container);
  const std::vector behind(lines.begin() + static_cast<std::ptrdiff_t>(made), lines.end());
  CHECK(place(behind, "/volumes/data/json") < container - made);
}

TEST_CASE("an own volume is used as it is, and never removed") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Volume, "data", "p1");
  CHECK(proxy.ask(create("data")).status == 201);
  CHECK(place(proxy.podman.lines(), "/volumes/create") == std::string::npos);
  proxy.podman.on("POST /v1.41/containers/create", failing);
  CHECK(proxy.ask(create("data")).status == 500);
  CHECK(proxy.podman.has(Kind::Volume, "data"));
}

TEST_CASE("the volume of another project is refused, and nothing is created") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Volume, "data", "p10");
  const auto answer = proxy.ask(create("data"));
  CHECK(answer.status >= 400);
  CHECK(answer.status < 500);
  CHECK(proxy.podman.requests("POST").empty());
  CHECK(proxy.podman.project_of(Kind::Volume, "data") == "p10");
}

TEST_CASE("a volume that was made for a create that fails is removed again") {
  RunningProxy proxy;
  SUBCASE("refused by upstream") { proxy.podman.on("POST /v1.41/containers/create", failing); }
  SUBCASE("upstream dies") { proxy.podman.on("POST /v1.41/containers/create", FakePodman::says_and_closes("")); }
  CHECK(proxy.ask(create("data")).status >= 500);
  CHECK_FALSE(proxy.podman.has(Kind::Volume, "data"));
}

TEST_CASE("a volume that turns out to be another's when it is read back is not used") {
  // Somebody beside the proxy was faster.
  const auto foreign = R"({"Name":"data","Labels":{"appx.project":"p10"},"Options":{}})";
  std::atomic<bool> made = false;
  RunningProxy proxy;
  proxy.podman.on("POST /v4.0.0/libpod/volumes/create", [&](FakePodman::Connection& connection) {
    connection.read_content();
    made = true;
    connection.send(http_answer(500, error_content(500, "volume with name data already exists")));
  });
  proxy.podman.on("GET /v4.0.0/libpod/volumes/data/json", [&](FakePodman::Connection& connection) {
    connection.send(made ? http_answer(200, foreign) : http_answer(404, error_content(404, "no such volume")));
  });
  const auto answer = proxy.ask(create("data"));
  CHECK(made);
  CHECK(answer.status >= 400);
  CHECK(answer.content.find("p10") == std::string::npos);
  CHECK(place(proxy.podman.lines(), "/containers/create") == std::string::npos);
  CHECK(place(proxy.podman.lines(), "DELETE") == std::string::npos);
}

TEST_CASE("many creates of one project with another's volume do not keep that one from its own") {
  auto limits = short_limits();
  limits.lock_time = Milliseconds(3000);
  RunningProxy proxy(limits);
  proxy.podman.add(Kind::Volume, "data", "p10");
  proxy.podman.on("GET /v4.0.0/libpod/volumes/", [](FakePodman::Connection& connection) {
    connection.pause(Milliseconds(1));
    connection.answer();
  });
  std::string binds = R"("data:/d")";
  for (int i = 0; i < 250; ++i) binds += ",\"zz" + std::to_string(i) + ":/d" + std::to_string(i) + "\"";
  const auto content = R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":[)" + binds + "]}}";
  const auto request =
      "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
      "\r\n\r\n" + content;
  std::atomic<bool> stop = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 20; ++i)
    others.emplace_back([&] {
      while (!stop) proxy.ask(request);
    });
  std::this_thread::sleep_for(Milliseconds(1000));
  CHECK(proxy.ask(create("data"), "p10").status == 201);
  stop = true;
  for (auto& other : others) other.join();
}

TEST_CASE("of two projects that create the same new volume at once exactly one wins") {
  RunningProxy proxy;
  for (int round = 0; round < 15; ++round) {
    const auto name = "data" + std::to_string(round);
    CAPTURE(name);
    // Every look at the volume takes a moment: without the lock both would find it missing.
    proxy.podman.on("GET /v4.0.0/libpod/volumes/" + name, [](FakePodman::Connection& connection) {
      connection.pause(Milliseconds(5));
      connection.answer();
    });
    std::array<int, 2> statuses{};
    const std::array<std::string, 2> projects{"p1", "p10"};
    std::array<std::thread, 2> clients;
    for (std::size_t i = 0; i < 2; ++i)
      clients[i] = std::thread([&, i] { statuses[i] = proxy.ask(create(name), projects[i]).status; });
    for (auto& client : clients) client.join();
    CHECK(std::ranges::count(statuses, 201) == 1);
    const std::size_t winner = statuses[0] == 201 ? 0 : 1;
    CHECK(statuses[1 - winner] >= 400);
    CHECK(statuses[1 - winner] < 500);
    CHECK(proxy.podman.project_of(Kind::Volume, name) == projects[winner]);
  }
}

TEST_CASE("one project's creates of the same volume at once all succeed and share it") {
  RunningProxy proxy;
  std::array<int, 6> statuses{};
  std::array<std::thread, 6> clients;
  for (std::size_t i = 0; i < clients.size(); ++i)
    clients[i] = std::thread([&, i] { statuses[i] = proxy.ask(create("data")).status; });
  for (auto& client : clients) client.join();
  CHECK(std::ranges::count(statuses, 201) == 6);
  CHECK(proxy.podman.project_of(Kind::Volume, "data") == "p1");
}

TEST_CASE("a client that vanishes while its volume is made leaves the name free for others") {
  RunningProxy proxy;
  auto client = proxy.client("p10");
  proxy.podman.on("GET /v4.0.0/libpod/volumes/data", [](FakePodman::Connection& connection) {
    connection.pause(Milliseconds(30));
    connection.answer();
  });
  client.send(create("data"));
  CHECK(proxy.podman.saw("/volumes/data"));
  client.vanish();
  std::this_thread::sleep_for(Milliseconds(300));
  const auto answer = proxy.ask(create("data"));
  // Either the vanished client's exchange was carried through, or undone; the lock is free in both cases.
  CHECK((answer.status == 201 || proxy.podman.project_of(Kind::Volume, "data") == "p10"));
  CHECK(answer.status != 0);
}

TEST_CASE("a stream that its client sends slowly locks nobody out, nor does a prune that waits") {
  auto limits = short_limits();
  limits.lock_time = Milliseconds(500);  // shorter than the slow client may be silent
  RunningProxy proxy(limits);
  proxy.podman.add(Kind::Volume, "data", "p1");
  proxy.podman.on("POST /v4.0.0/libpod/volumes/data/import", [](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send(http_answer(204, ""));
  });
  auto slow = proxy.client();
  slow.send("POST /v4.0.0/libpod/volumes/data/import HTTP/1.1\r\nHost: d\r\nContent-Length: 1000\r\n\r\n" +
            std::string(512, 'x'));
  CHECK(proxy.podman.saw("/volumes/data/import"));
  CHECK(proxy.ask("POST /v4.0.0/libpod/volumes/prune HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n").status == 200);
  CHECK(proxy.ask(create("data")).status == 201);
  CHECK(proxy.ask(create("other"), "p10").status == 201);
}

TEST_CASE("who waits too long for a name that upstream keeps busy is told so, and nobody else waits") {
  auto limits = short_limits();
  limits.lock_time = Milliseconds(200);
  RunningProxy proxy(limits);
  proxy.podman.add(Kind::Volume, "data", "p1");
  Gate done;
  proxy.podman.on("POST /v1.41/containers/create?name=first", [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.wait(done);
    connection.send(http_answer(500, error_content(500, "at last")));
  });
  auto first = proxy.client();
  auto named = create("data");
  named.replace(named.find("create"), 6, "create?name=first");
  first.send(named);
  CHECK(proxy.podman.saw("create?name=first"));
  auto pruning = proxy.client();
  pruning.send("POST /v4.0.0/libpod/volumes/prune HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n");
  std::this_thread::sleep_for(Milliseconds(30));
  CHECK(proxy.ask(create("other"), "p10").status == 201);
  const auto late = proxy.ask(create("data"));
  CHECK(late.status == 503);
  CHECK(late.content.find("server.busy") != std::string::npos);
  CHECK(pruning.read_answer().status == 503);
  done.open();
  CHECK(first.read_answer().status == 500);
  CHECK(proxy.ask(create("data")).status == 201);
}

TEST_CASE("a prune that has found its volumes locks those only while it removes them") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Volume, "data", "p1");
  Gate done;
  proxy.podman.on("DELETE /v4.0.0/libpod/volumes/data", FakePodman::answers_behind(done));
  auto pruning = proxy.client();
  pruning.send("POST /v4.0.0/libpod/volumes/prune HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n");
  REQUIRE(proxy.podman.saw("DELETE /v4.0.0/libpod/volumes/data"));
  CHECK(proxy.ask(create("other"), "p10").status == 201);
  auto same = proxy.client("p10");
  same.send(create("data"));
  CHECK(same.silent(Milliseconds(100)));
  done.open();
  CHECK(pruning.read_answer().status == 200);
  CHECK(same.read_answer().status == 201);
}
