// GET /decisions: a stream of server-sent events on the operator's socket.

#include "proxy/decisions.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>

#include "tests/support/eventually.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using namespace podfence::proxy;
using testing::RawClient;
using testing::RunningOperator;
using namespace std::chrono_literals;

namespace {

constexpr const char* quota_of_one = R"({
  "projects": {"p1": {"quota": {"containers": 1}}, "p10": {}}})";

std::string create(const std::string& source) {
  const auto content = R"({"Image": "localhost/bb", "HostConfig": {"Binds": [")" + source + R"(:/x"]}})";
  return "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(content.size()) + "\r\n\r\n" + content;
}

constexpr const char* unknown = "GET /v1.41/nothing HTTP/1.1\r\nHost: d\r\n\r\n";

struct Reader {
  Reader(const RunningOperator& podfence, const std::string& target) : client(podfence.path) {
    client.send("GET " + target + " HTTP/1.1\r\nHost: d\r\n\r\n");
    head = client.read_until("as they are made\n\n\r\n");
  }
  std::string next() { return client.read_until("}\n\n"); }

  RawClient client;
  std::string head;
};

std::int64_t number_of(const std::string& event, const std::string& name) {
  const auto at = event.find("\"" + name + "\":");
  REQUIRE_MESSAGE(at != std::string::npos, event);
  return std::stoll(event.substr(at + name.size() + 3));
}

/// Decisions by themselves, with a reader that does not read.
struct Deaf {
  Deaf() : client(context), peer(context) { boost::asio::local::connect_pair(client, peer); }

  Task<void> follow(Connection& connection) {
    Deadline deadline(connection.executor(), connection);
    ClientAnswer answer(connection, deadline, limits, record, waits);
    const auto call = std::get<rules::OperatorCall>(rules::operator_call(rules::Method::Get, "/decisions"));
    refused = co_await decisions.follow(call, answer);
  }

  boost::asio::io_context context;
  Connection::Socket client, peer;
  Limits limits;
  Waits waits;
  rules::AuditRecord record;
  Decisions decisions{context.get_executor(), [](const rules::AuditRecord&) { return std::nullopt; }};
  std::optional<rules::Deny> refused;
};

}  // namespace

TEST_CASE("a decision is told as it is made, with the reason, the way out and the place of the policy") {
  RunningOperator podfence(quota_of_one);
  Reader reader(podfence, "/decisions");
  CHECK(reader.head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
  podfence.ask("p1", create("/etc"));
  const auto event = reader.next();
  for (
      const auto* part :
      {"event: decision\ndata: {", R"("project":"p1")",
       R"("decision":"refuse","rule":"mount.host-path","subject":"/etc")",
       R"("sentence":"a path of the host cannot be mounted: /etc","way_out":"use a named volume","policy":"workspace")",
       R"("place":{"line":2,"where":"/projects/p1/workspace","stands":false})", R"("own_us":)"})
    CHECK_MESSAGE(event.find(part) != std::string::npos, part, " is not in ", event);
}

TEST_CASE("podfence's own time is told apart from what Podman and the client take") {
  RunningOperator podfence;
  podfence.podman.on("GET ", [](testing::FakePodman::Connection& podman) {
    podman.pause(300ms);
    podman.answer();
  });
  Reader reader(podfence, "/decisions");
  REQUIRE(podfence.ask("p1", "GET /v1.41/version HTTP/1.1\r\nHost: d\r\n\r\n").status == 200);
  const auto slow_podman = reader.next();
  CHECK(number_of(slow_podman, "upstream_us") >= 300'000);
  CHECK(number_of(slow_podman, "own_us") < 200'000);

  const auto request = create("/etc");
  RawClient client(podfence.socket("p1"));
  client.send(request.substr(0, request.size() - 5));
  std::this_thread::sleep_for(300ms);
  CHECK(client.request(request.substr(request.size() - 5)).status == 403);
  const auto slow_client = reader.next();
  CHECK(number_of(slow_client, "duration_us") >= 250'000);  // the client's pause may begin before the head is read
  CHECK(number_of(slow_client, "own_us") < 200'000);
  CHECK(number_of(slow_client, "upstream_us") < 200'000);
}

TEST_CASE("the policy of a project that was added stands in its definition") {
  RunningOperator podfence(quota_of_one);
  REQUIRE(podfence.send("PUT", "/projects/p7", R"({"workspace": []})").status == 201);
  Reader reader(podfence, "/decisions?project=p7");
  podfence.ask("p7", create("/etc"));
  const auto event = reader.next();
  CHECK_MESSAGE(
      event.find(R"("place":{"file":"the definition of the project p7","where":"/workspace","stands":true})") !=
          std::string::npos,
      event);
}

TEST_CASE("a reader gets what it asks for, and what was before") {
  RunningOperator podfence;
  podfence.ask("p1", unknown);
  podfence.ask("p10", unknown);
  podfence.ask("p10", create("/etc"));
  Reader reader(podfence, "/decisions?project=p10&rule=mount,port&recent=10");
  CHECK(reader.next().find(R"("rule":"mount.host-path")") != std::string::npos);
  podfence.ask("p1", create("/etc"));
  podfence.ask("p10", unknown);
  podfence.ask("p10", create("/root"));
  const auto event = reader.next();
  CHECK(event.find("/root") != std::string::npos);
  CHECK(event.find("event: decision") == event.rfind("event: decision"));
  Reader last(podfence, "/decisions?recent=1");
  CHECK(last.next().find("/root") != std::string::npos);
}

TEST_CASE("many requests that are served do not push away the denials before them") {
  RunningOperator podfence;
  podfence.ask("p1", create("/etc"));
  RawClient client(podfence.socket("p1"));
  for (std::size_t i = 0; i < Decisions::max_recent + 1; ++i) client.request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
  Reader denied(podfence, "/decisions?decision=refuse&recent=1");
  CHECK(denied.next().find("/etc") != std::string::npos);
}

TEST_CASE("what a reader asks for must make sense") {
  RunningOperator podfence;
  CHECK(podfence.get("/decisions?recent=many").status == 400);
  CHECK(podfence.get("/decisions?projects=p1").status == 400);
  CHECK(podfence.get("/decisions?project=p1&project=p2").status == 400);
  CHECK(podfence.send("POST", "/decisions").status == 405);
}

TEST_CASE("only a few readers are served, and one that goes makes room at once") {
  RunningOperator podfence;
  std::list<Reader> readers;
  for (std::size_t i = 0; i < Decisions::max_readers; ++i) readers.emplace_back(podfence, "/decisions");
  const auto refused = podfence.get("/decisions");
  CHECK(refused.status == 503);
  CHECK(refused.content.find("operator.readers") != std::string::npos);
  CHECK(podfence.get("/metrics").content.find("podfence_decision_readers 8\n") != std::string::npos);
  readers.pop_front();
  CHECK(testing::eventually(
      [&] { return podfence.get("/metrics").content.find("podfence_decision_readers 7\n") != std::string::npos; }));
  CHECK(!Reader(podfence, "/decisions").head.empty());
}

TEST_CASE("a reader that does not read loses decisions, is told how many, and nothing grows") {
  Deaf deaf;
  Connection connection(std::move(deaf.client));
  boost::asio::co_spawn(deaf.context, deaf.follow(connection), [](const std::exception_ptr&) {});
  deaf.context.poll();
  REQUIRE(deaf.decisions.readers() == 1);
  rules::AuditRecord record;
  record.target = "/" + std::string(400, 'x');
  constexpr std::size_t told = 5000;
  for (std::size_t i = 0; i < told; ++i) {
    deaf.decisions.tell(record);
    deaf.context.poll();
  }
  std::string read;
  std::array<char, 65536> piece{};
  deaf.peer.non_blocking(true);
  for (int quiet = 0; quiet < 10;) {
    boost::system::error_code error;
    const auto size = deaf.peer.read_some(boost::asio::buffer(piece), error);
    read.append(piece.data(), size);
    quiet = error ? quiet + 1 : 0;
    deaf.context.poll();
  }
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = read.find(word, at)) != std::string::npos; at += word.size()) ++found;
    return found;
  };
  std::size_t lost = 0;
  for (std::size_t at = 0; (at = read.find("{\"lost\":", at)) != std::string::npos; at += 8)
    lost += std::stoul(read.substr(at + 8));
  CHECK(lost > 1000);
  CHECK(count("event: decision") + lost == told);
  CHECK(read.size() < 2'000'000);
  deaf.peer.close();
  deaf.decisions.tell(record);
  deaf.context.run_for(200ms);
  CHECK(deaf.decisions.readers() == 0);
}

TEST_CASE("in silence a reader is told that there is nothing") {
  boost::asio::io_context context;
  Connection::Socket client(context), peer(context);
  boost::asio::local::connect_pair(client, peer);
  Connection connection(std::move(client));
  Deadline deadline(connection.executor(), connection);
  Limits limits;
  Waits waits;
  rules::AuditRecord record;
  ClientAnswer answer(connection, deadline, limits, record, waits);
  Decisions decisions(
      context.get_executor(), [](const rules::AuditRecord&) { return std::nullopt; }, 30ms);
  const auto call = std::get<rules::OperatorCall>(rules::operator_call(rules::Method::Get, "/decisions"));
  const auto follow = [&]() -> Task<void> { co_await decisions.follow(call, answer); };
  boost::asio::co_spawn(context, follow(), [](const std::exception_ptr&) {});
  context.run_for(200ms);
  std::array<char, 4096> piece{};
  const auto size = peer.read_some(boost::asio::buffer(piece));
  const std::string read(piece.data(), size);
  CHECK(read.find(": nothing\n\n") != std::string::npos);
  CHECK(read.find("event:") == std::string::npos);
  peer.close();
  context.run_for(200ms);
  CHECK(decisions.readers() == 0);
}
