// An engine that takes what is asked and says nothing: what podfence asks for itself ends all the same, and the
// operator's socket goes on.

#include <doctest/doctest.h>

#include "proxy/run_alone.hpp"
#include "proxy/teardown.hpp"
#include "rules/json.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_operator.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence;
using namespace podfence::proxy;
using namespace std::chrono_literals;
using rules::Kind;
using testing::FakePodman;
using testing::RawClient;
using testing::RunningOperator;
using Heard = std::variant<WholeAnswer, rules::Deny>;

namespace {

constexpr std::size_t places_for_operators = 16;

void say_nothing(FakePodman::Connection& connection) { connection.drain(); }

/// A server without clients, on the test's own thread.
struct Alone {
  testing::TemporaryDirectory directory;
  FakePodman podman{directory.path("upstream.sock")};
  SqliteLedger ledger{":memory:"};
  AuditLog audit{rules::AuditSettings{directory.path("audit.log")}};
  boost::asio::io_context context{1};
  Server server{
      context,         connect_to_socket(directory.path("upstream.sock")), {}, testing::short_limits(), ledger, audit,
      directory.path()};
  ConnectionBudget places{16, 16, 1};
  SessionGroup clients{context.get_executor(), server.services(), places};

  Task<void> ask_into(Heard& heard, rules::UpstreamRequest request) {
    BufferBudget::Share share(server.services().buffers, "");
    heard = co_await ask_whole(server.services().upstream, std::move(request), 1024, share, 1s);
  }
  Heard ask(rules::Method method) {
    Heard heard;
    run_alone(context, ask_into(heard, {method, "/anything", {}, std::nullopt}));
    context.restart();
    return heard;
  }

  Task<void> tear_down_into(rules::TeardownReport& report) {
    auto project = rules::ending_project("p7", "appx.project");
    report = co_await tear_down(server.services(), clients, std::move(project), rules::Teardown::Remove, 1s);
  }
  rules::TeardownReport remove() {
    rules::TeardownReport report;
    run_alone(context, tear_down_into(report));
    context.restart();
    return report;
  }
};

std::string cause(const testing::WireAnswer& answer) {
  const auto parsed = rules::json::parse(answer.content);
  const auto* document = std::get_if<rules::json::Value>(&parsed);
  return document ? std::string(document->text("cause")) : answer.content;
}

}  // namespace

TEST_CASE("who asks at the operator's socket and goes makes room for another one") {
  for (const std::string target : {"/readyz", "/projects/p1"}) {
    CAPTURE(target);
    RunningOperator podfence;
    podfence.podman.on("GET ", say_nothing);
    const auto before = podfence.podman.requests("GET ").size();
    {
      std::vector<RawClient> askers;
      for (std::size_t i = 0; i < places_for_operators; ++i)
        askers.emplace_back(podfence.path).send(testing::get(target));
      // Each of them asks the engine something.
      CHECK(testing::eventually(
          [&] { return podfence.podman.requests("GET ").size() >= before + places_for_operators; }));
    }
    CHECK(testing::eventually([&] { return podfence.get("/healthz").status == 200; }));
    CHECK(podfence.get("/metrics").status == 200);
  }
}

TEST_CASE("an engine that says nothing is not ready, and that is told within seconds") {
  RunningOperator podfence;
  podfence.podman.on("GET /_ping", say_nothing);
  const auto answer = RawClient(podfence.path).request(testing::get("/readyz"), 20s);
  CHECK(answer.status == 503);
  CHECK(cause(answer) == "operator.engine");
  CHECK_MESSAGE(answer.content.find("no answer within 5 s") != std::string::npos, answer.content);
}

TEST_CASE("a question of podfence's own has a limit, a change has none") {
  Alone alone;
  alone.podman.on("GET /anything", say_nothing);
  alone.podman.on("POST /anything", [](FakePodman::Connection& connection) {
    connection.read_content();
    connection.pause(testing::Milliseconds(1200));
    connection.send(testing::http_answer(200, "done"));
  });
  const auto changed = alone.ask(rules::Method::Post);
  REQUIRE(std::holds_alternative<WholeAnswer>(changed));
  CHECK(std::get<WholeAnswer>(changed).content == "done");
  CHECK(alone.server.services().upstream.health().up);
  const auto asked = alone.ask(rules::Method::Get);
  REQUIRE(std::holds_alternative<rules::Deny>(asked));
  CHECK(std::get<rules::Deny>(asked).rule->id == "upstream.unreachable");
  CHECK(std::get<rules::Deny>(asked).subject == "no answer within 1 s");
  CHECK_FALSE(alone.server.services().upstream.health().up);
  CHECK(alone.podman.ended("GET /anything"));
}

TEST_CASE("an answer that begins and does not go on is none") {
  Alone alone;
  alone.podman.on("GET /anything", [](FakePodman::Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhal");
    connection.drain();
  });
  CHECK(std::holds_alternative<rules::Deny>(alone.ask(rules::Method::Get)));
}

TEST_CASE("a thing that Podman does not come to an end with is left, and the others are torn down") {
  Alone alone;
  const auto stuck = alone.podman.add(Kind::Container, "stuck", "p7");
  alone.podman.add(Kind::Container, "web", "p7");
  alone.podman.on("DELETE /v4.0.0/libpod/containers/" + stuck, say_nothing);
  const auto report = alone.remove();
  REQUIRE(report.left.size() == 1);
  CHECK(report.left[0] == "containers: " + stuck + ": no answer within 1 s");
  CHECK_FALSE(alone.podman.has(Kind::Container, "web"));
  CHECK(alone.podman.has(Kind::Container, "stuck"));
  CHECK_FALSE(alone.server.services().makers.are_at_work("p7"));
}

TEST_CASE("a list that does not come is told as what is left") {
  Alone alone;
  alone.podman.add(Kind::Container, "web", "p7");
  alone.podman.on("GET ", say_nothing);
  const auto report = alone.remove();
  REQUIRE(report.left.size() == 1);
  CHECK_MESSAGE(report.left[0].starts_with("containers: podfence: Podman cannot be reached: no answer within 1 s"),
                report.left[0]);
  CHECK(alone.podman.has(Kind::Container, "web"));
}
