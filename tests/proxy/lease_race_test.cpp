// Projects that go on in the moment at which they seemed to end.

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "proxy/project_store.hpp"
#include "rules/json.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::FakePodman;
using testing::RunningOperator;

namespace {

const std::string one(64, 'a'), two(64, 'b');
constexpr auto ten_looks = 200ms;

rules::json::Value read(const testing::WireAnswer& answer) {
  auto parsed = rules::json::parse(answer.content);
  REQUIRE_MESSAGE(std::holds_alternative<rules::json::Value>(parsed), answer.content);
  return std::get<rules::json::Value>(std::move(parsed));
}

bool is_served(const RunningOperator& podfence, const std::string& project) {
  return read(podfence.get("/projects/" + project)).flag("served");
}

bool is_gone(const RunningOperator& podfence, const std::string& project, testing::Milliseconds time = 8s) {
  return testing::eventually([&] { return podfence.get("/projects/" + project).status == 404; }, time);
}

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Two containers that run, as each of them tells; `list` answers when Podman is asked which ones do.
void play_holders(FakePodman& podman, const FakePodman::Script& list) {
  for (const auto& [name, id] : {std::pair("one", one), std::pair("two", two)})
    podman.on(std::string("GET /v4.0.0/libpod/containers/") + name + "/json",
              FakePodman::says(testing::http_answer(200, R"({"Id":")" + id + R"(","State":{"Status":"running"}})")));
  podman.on("GET /v4.0.0/libpod/containers/json?", [list](FakePodman::Connection& connection) {
    const auto& head = connection.head();
    const bool of_holders = head.find(one) != std::string::npos || head.find(two) != std::string::npos;
    of_holders ? list(connection) : connection.answer();
  });
}

const std::string both = R"([{"Id":")" + one + R"(","State":"running"},{"Id":")" + two + R"(","State":"running"}])";

testing::WireAnswer hold(const RunningOperator& podfence, const std::string& project, const std::string& container) {
  return podfence.send("PUT", "/projects/" + project, R"({"holder": {"container": ")" + container + R"("}})");
}

}  // namespace

TEST_CASE("who has another holder, or the same anew, or is another project by the time Podman has answered lives on") {
  testing::Gate told;
  std::atomic<int> asked = 0;
  std::atomic<bool> gone = false;
  RunningOperator podfence(R"({"projects": {}})");
  play_holders(podfence.podman, [&](FakePodman::Connection& connection) {
    const int number = ++asked;
    if (number == 2) connection.wait(told);
    connection.send(testing::http_answer(200, number <= 2 || gone ? "[]" : both));
  });
  REQUIRE(hold(podfence, "p7", "one").status == 201);
  REQUIRE(testing::eventually([&] { return asked == 2; }));  // the look that is to end it
  SUBCASE("another holder") { CHECK(hold(podfence, "p7", "two").status == 200); }
  SUBCASE("the same, which was started again") { CHECK(hold(podfence, "p7", "one").status == 200); }
  SUBCASE("another project") {
    CHECK(podfence.send("DELETE", "/projects/p7?teardown=none").status == 204);
    CHECK(hold(podfence, "p7", "two").status == 201);
  }
  told.open();
  REQUIRE(testing::eventually([&] { return asked >= 5; }));
  CHECK(is_served(podfence, "p7"));
  gone = true;
  CHECK(is_gone(podfence, "p7"));
}

TEST_CASE("a lease runs out by the clock, however long Podman takes to tell of holders, and only of who is served") {
  const testing::TemporaryDirectory directory;
  const auto store = directory.path("projects.sqlite"), socket = directory.path("p9.sock");
  const std::string lease = R"({"lease": {"time": "10s"}})";
  proxy::ProjectStore(store).put(
      {"p9", R"({"lease": {"time": "10s"}, "socket": ")" + socket + R"("})", "", "", seconds_since_1970()});
  std::ofstream(socket) << "in the way";
  testing::Gate told;
  std::atomic<int> asked = 0;
  RunningOperator podfence(R"({"projects": {}})", store);
  play_holders(podfence.podman, [&](FakePodman::Connection& connection) {
    ++asked;
    connection.wait(told);
    connection.send(testing::http_answer(200, both));
  });
  CHECK_FALSE(is_served(podfence, "p9"));
  REQUIRE(hold(podfence, "p6", "one").status == 201);
  REQUIRE(testing::eventually([&] { return asked > 0; }));
  REQUIRE(podfence.send("PUT", "/projects/p7", lease).status == 201);
  REQUIRE(podfence.send("PUT", "/projects/p8", lease).status == 201);
  std::this_thread::sleep_for(5s);
  CHECK(podfence.send("POST", "/projects/p8/renew").status == 200);
  CHECK(is_gone(podfence, "p7", 10s));
  CHECK(is_served(podfence, "p8"));
  CHECK(podfence.send("POST", "/projects/p8/renew").status == 200);
  told.open();
  std::this_thread::sleep_for(ten_looks);
  for (const char* id : {"p6", "p8"}) CHECK(is_served(podfence, id));

  REQUIRE(podfence.get("/projects/p9").status == 200);
  std::filesystem::remove(socket);
  CHECK(podfence.send("POST", "/reload").status == 200);
  std::this_thread::sleep_for(ten_looks);
  CHECK(is_served(podfence, "p9"));
}

TEST_CASE("a lease runs anew from the reload by which its project is served, whatever was wrong before") {
  const testing::TemporaryDirectory directory;
  const auto store = directory.path("projects.sqlite"), socket = directory.path("p7.sock");
  const std::string ports = R"({"ports": {"first": 20000, "last": 20009}})";
  std::string configuration = R"({"projects": {}})", said = R"(, "socket": ")" + socket + R"("})";
  SUBCASE("its socket") { std::ofstream(socket) << "in the way"; }
  SUBCASE("its definition") {
    configuration = R"({"projects": {"p1": )" + ports + "}}";
    said = ", " + ports.substr(1);
  }
  proxy::ProjectStore(store).put({"p7", R"({"lease": {"time": "1h"})" + said, "", "", seconds_since_1970()});
  RunningOperator podfence(configuration, store);
  CHECK_FALSE(is_served(podfence, "p7"));
  std::this_thread::sleep_for(2s);
  std::filesystem::remove(socket);
  podfence.configure(R"({"projects": {}})");
  const auto mended = steady_clock::now();
  CHECK(podfence.send("POST", "/reload").status == 200);
  const auto shown = read(podfence.get("/projects/p7"));
  const auto passed = std::chrono::ceil<std::chrono::seconds>(steady_clock::now() - mended).count();
  CHECK(shown.flag("served"));
  CHECK(shown.int64("lease_left") >= 3600 - passed);
}

TEST_CASE("a renewal behind a restart is kept for the next one") {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path("projects.sqlite");
  const auto before = seconds_since_1970() - 1800;
  proxy::ProjectStore store(path);
  store.put({"p7", R"({"lease": {"time": "1h"}})", "", "", before});
  RunningOperator podfence(R"({"projects": {}})", path);
  CHECK(podfence.ask("p7", "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
  CHECK(testing::eventually([&] { return store.all().at(0).renewed >= before + 1800; }));
}
