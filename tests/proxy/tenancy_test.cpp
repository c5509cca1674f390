// Projects that come and go while podfence runs.

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "rules/audit.hpp"
#include "rules/json.hpp"
#include "rules/json_pointer.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using testing::RunningOperator;

namespace {

constexpr const char* ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";

rules::json::Value read(const testing::WireAnswer& answer) {
  auto parsed = rules::json::parse(answer.content);
  REQUIRE_MESSAGE(std::holds_alternative<rules::json::Value>(parsed), answer.content);
  return std::get<rules::json::Value>(std::move(parsed));
}

std::string cause(const testing::WireAnswer& answer) { return std::string(read(answer).text("cause")); }

std::string text_at(const testing::WireAnswer& answer, const std::string& pointer) {
  const auto document = read(answer);
  const auto* found = rules::json::find(document, pointer);
  INFO(answer.content);
  return found ? rules::json::write(*found) : "nothing";
}

ino_t inode(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string container_create(const std::string& image) {
  const auto content = R"({"Image": ")" + image + R"("})";
  return "POST /v1.41/containers/create?name=web HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(content.size()) + "\r\n\r\n" + content;
}

/// An orphan of p3, and the operator who has it removed: Podman takes as long as the gate is shut.
struct Removal {
  Removal(RunningOperator& podfence, testing::Gate& gate, bool goes) {
    const std::string removal = "DELETE /v4.0.0/libpod/volumes/data";
    podfence.podman.add(rules::Kind::Volume, "data", "p3");
    podfence.podman.on(removal, [&gate, goes](testing::FakePodman::Connection& connection) {
      connection.wait(gate);
      if (goes)
        connection.answer();
      else
        connection.send(testing::http_answer(500, testing::error_content(500, "device or resource busy")));
    });
    collected = std::async(std::launch::async, [&podfence] { return podfence.send("POST", "/gc"); });
    REQUIRE(podfence.podman.saw(removal));
  }

  std::future<testing::WireAnswer> collected;
};

/// p7 was added, and its ports are those of the configuration's p1 since.
RunningOperator with_p7_that_does_not_fit(const testing::TemporaryDirectory& directory) {
  const auto store = directory.path("projects.sqlite");
  {
    RunningOperator podfence(R"({"projects": {}})", store);
    CHECK(podfence.send("PUT", "/projects/p7", R"({"ports": {"first": 20000, "last": 20099}})").status == 201);
  }
  return RunningOperator(R"({"projects": {"p1": {"ports": {"first": 20000, "last": 20009}}}})", store);
}

}  // namespace

TEST_CASE("a project that is added is served at once, and gone when it is removed") {
  RunningOperator podfence;
  CHECK(podfence.get("/projects/p7").status == 404);
  const auto added = podfence.send("PUT", "/projects/p7", R"({"quota": {"containers": 3}})");
  CHECK(added.status == 201);
  CHECK(read(added).text("socket") == podfence.socket("p7"));
  CHECK(podfence.ask("p7", ping).content == "OK");
  CHECK(podfence.send("PUT", "/projects/p7", R"({"quota": {"containers": 3}})").status == 200);

  testing::RawClient held(podfence.socket("p7"));
  CHECK(held.request(ping).content == "OK");
  CHECK(podfence.send("DELETE", "/projects/p7").status == 204);
  CHECK(held.ended());
  CHECK(inode(podfence.socket("p7")) == 0);
  CHECK(podfence.get("/projects/p7").status == 404);
  CHECK(podfence.ask("p1", ping).content == "OK");
}

TEST_CASE("a policy is replaced for what begins from then on, and the socket stays the same") {
  RunningOperator podfence;
  podfence.podman.add(rules::Kind::Image, "localhost/bb:latest", "");
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  const auto socket = inode(podfence.socket("p7"));
  testing::RawClient client(podfence.socket("p7"));
  CHECK(client.request(container_create("localhost/bb")).status == 404);
  CHECK(podfence.send("PUT", "/projects/p7", R"({"images": {"shared": ["localhost/bb"]}})").status == 200);
  CHECK(client.request(container_create("localhost/bb")).status == 201);
  CHECK(inode(podfence.socket("p7")) == socket);
}

TEST_CASE("what cannot be a project is refused with its place, and nothing changes") {
  RunningOperator podfence;
  const struct {
    const char* target;
    const char* content;
    int status;
    const char* cause;
    const char* says;
  } rows[] = {
      {"/projects/P7", "{}", 400, "operator.project", "no project id: P7"},
      {"/projects/p1", "{}", 409, "operator.project-configured", "p1"},
      {"/projects/p7", "{", 400, "content.json", "byte"},
      {"/projects/p7", "[]", 400, "operator.invalid", "must be"},
      {"/projects/p7", R"({"quota": {"containes": 1}})", 400, "operator.invalid",
       "the project p7:1: /quota/containes is not a key"},
      {"/projects/p7", R"({"quotum": 1})", 400, "operator.invalid", "lease, holder, teardown. See docs/"},
      {"/projects/p7", R"({"policy": "absent"})", 400, "operator.invalid", "/policy names"},
      {"/projects/p7", R"({"workspace": [{"client": "/w", "host": "/none"}]})", 400, "operator.invalid",
       "/projects/p7/workspace/0/host does not exist"},
      {"/projects/p7?x=1", "{}", 400, "query.unknown", "x"},
      {"/project", "{}", 404, "operator.endpoint", "/project"},
      {"/projects", "{}", 405, "operator.method", "/projects"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CAPTURE(row.content);
    const auto answer = podfence.send("PUT", row.target, row.content);
    CHECK(answer.status == row.status);
    CHECK(cause(answer) == row.cause);
    CHECK_MESSAGE(answer.content.find(row.says) != std::string::npos, answer.content);
  }
  CHECK(inode(podfence.socket("p7")) == 0);
  CHECK(read(podfence.get("/projects")).list("projects").size() == 2);
}

TEST_CASE("projects that are added share neither sockets nor ports with others") {
  RunningOperator podfence(R"({"projects": {"p1": {"ports": {"first": 20000, "last": 20099}}}})");
  const auto taken = podfence.send("PUT", "/projects/p7", R"({"ports": {"first": 20050, "last": 20150}})");
  CHECK(taken.status == 400);
  CHECK(taken.content.find("overlaps with that of the project p1, 20000 to 20099") != std::string::npos);
  const auto same = podfence.send("PUT", "/projects/p7", R"({"socket": ")" + podfence.socket("p1") + R"("})");
  CHECK(same.status == 400);
  CHECK(same.content.find("is the socket of the project p1 already") != std::string::npos);
  CHECK(podfence.ask("p1", ping).content == "OK");
}

TEST_CASE("projects that were added are there again after a restart, and those that were removed are not") {
  testing::TemporaryDirectory directory;
  const auto store = directory.path("projects.sqlite");
  {
    RunningOperator podfence(R"({"projects": {}})", store);
    CHECK(podfence.send("PUT", "/projects/p7", R"({"access": "read"})").status == 201);
    CHECK(podfence.send("PUT", "/projects/p8", "{}").status == 201);
    CHECK(podfence.send("DELETE", "/projects/p8").status == 204);
  }
  RunningOperator podfence(R"({"projects": {}})", store);
  CHECK(read(podfence.get("/projects")).list("projects").size() == 1);
  CHECK(text_at(podfence.get("/projects/p7"), "/definition") == R"({"access":"read"})");
  CHECK(podfence.ask("p7", container_create("x")).status == 403);
}

TEST_CASE("a project that was added and does not fit the configuration any more is told, and not served") {
  testing::TemporaryDirectory directory;
  const auto podfence = with_p7_that_does_not_fit(directory);
  const auto shown = podfence.get("/projects/p7");
  CHECK(text_at(shown, "/served") == "false");
  CHECK(shown.content.find("overlaps") != std::string::npos);
  CHECK(inode(podfence.socket("p7")) == 0);
  CHECK(podfence.send("DELETE", "/projects/p7").status == 204);
}

TEST_CASE("a project whose definition does not fit any more is corrected by another one") {
  testing::TemporaryDirectory directory;
  const auto podfence = with_p7_that_does_not_fit(directory);
  CHECK(text_at(podfence.get("/projects/p7"), "/served") == "false");
  CHECK(podfence.send("PUT", "/projects/p7", R"({"ports": {"first": 20010, "last": 20099}})").status == 200);
  CHECK(text_at(podfence.get("/projects/p7"), "/served") == "true");
  CHECK(podfence.ask("p7", ping).content == "OK");
  const auto moved = podfence.send("PUT", "/projects/p7", R"({"socket": ")" + directory.path("other.sock") + R"("})");
  CHECK(cause(moved) == "operator.restart");
}

TEST_CASE("a project is shown with what it has of its quotas") {
  RunningOperator podfence;
  podfence.podman.add(rules::Kind::Container, "web", "p1");
  podfence.podman.add(rules::Kind::Container, "other", "p10");
  podfence.podman.add(rules::Kind::Volume, "data", "p1");
  const auto shown = podfence.get("/projects/p1");
  CHECK(text_at(shown, "/quota/containers") == R"({"used":1,"most":500})");
  CHECK(text_at(shown, "/quota/streams/used") == "0");
  CHECK(text_at(shown, "/objects/volumes") == R"(["data"])");
  CHECK(text_at(shown, "/source") == R"("configuration")");
  CHECK(text_at(shown, "/last_request") == "nothing");
  CHECK(podfence.ask("p1", ping).status == 200);
  CHECK(text_at(podfence.get("/projects/p1"), "/last_request").ends_with("Z\""));
}

TEST_CASE("a configuration that is read again counts whole or not at all") {
  RunningOperator podfence(R"({"projects": {"p1": {}, "p10": {}}})");
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  const auto socket = inode(podfence.socket("p1"));
  podfence.configure(R"({"projects": {"p1": {"access": "read"}, "p3": {}, "p4": {"quota": 7}}})");
  const auto refused = podfence.send("POST", "/reload");
  CHECK(refused.status == 400);
  CHECK(refused.content.find("/projects/p4/quota") != std::string::npos);
  CHECK(podfence.ask("p10", ping).content == "OK");
  CHECK(inode(podfence.socket("p3")) == 0);

  podfence.configure(R"({"projects": {"p1": {"access": "read"}, "p3": {}}})");
  const auto loaded = podfence.send("POST", "/reload");
  CHECK(loaded.status == 200);
  CHECK(text_at(loaded, "/generation") == "3");
  CHECK(inode(podfence.socket("p1")) == socket);
  CHECK(podfence.ask("p1", container_create("x")).status == 403);
  CHECK(podfence.ask("p3", ping).content == "OK");
  CHECK(podfence.ask("p7", ping).content == "OK");
  CHECK(inode(podfence.socket("p10")) == 0);
}

TEST_CASE("an audit line says which generation of projects and policies its request was judged under") {
  RunningOperator podfence(R"({"projects": {"p1": {}}})");
  podfence.ask("p1", ping);
  testing::RawClient slow(podfence.socket("p1"));
  const std::string content = R"({"Image": "localhost/x"})";
  slow.send("POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
            "\r\nExpect: 100-continue\r\n\r\n");
  CHECK(slow.read_head().status == 100);  // it is being judged
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  podfence.ask("p1", ping);
  podfence.configure(R"({"projects": {"p1": {"access": "read"}}})");
  CHECK(podfence.send("POST", "/reload").status == 200);
  podfence.ask("p1", container_create("x"));
  slow.send(content);
  CHECK(slow.read_answer().status == 404);
  std::vector<std::pair<std::size_t, std::string>> lines;
  CHECK(testing::eventually([&] {
    lines.clear();
    std::ifstream log(podfence.directory() + "/audit.log");
    for (std::string line; std::getline(log, line);) {
      const auto record = rules::read_audit_line(line);
      if (const auto* read = std::get_if<rules::AuditRecord>(&record)) lines.emplace_back(read->generation, read->rule);
    }
    return lines.size() == 4;
  }));
  CHECK(lines == decltype(lines){{1, ""}, {2, ""}, {3, "access.read"}, {1, "ownership.hidden"}});
}

TEST_CASE("a reload says what only a restart can change, and what was added already") {
  RunningOperator podfence;
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  const struct {
    const char* text;
    const char* cause;
    const char* says;
  } rows[] = {
      {R"({"label": "a.b", "projects": {"p1": {}}})", "operator.restart", "label"},
      {R"({"http": {"fields": 50}, "projects": {"p1": {}}})", "operator.restart", "http"},
      {R"({"projects": {"p1": {"socket": "{DIR}/other.sock"}}})", "operator.restart", "socket of the project p1"},
      {R"({"projects": {"p7": {}}})", "operator.invalid", "p7 was added already"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    podfence.configure(row.text);
    const auto answer = podfence.send("POST", "/reload");
    CHECK(cause(answer) == row.cause);
    CHECK_MESSAGE(answer.content.find(row.says) != std::string::npos, answer.content);
  }
  CHECK(podfence.ask("p10", ping).content == "OK");
}

TEST_CASE("a project that a reload brings is served when orphans of its name have been removed, and not before") {
  bool goes = true;
  SUBCASE("all of them") {}
  SUBCASE("as far as they go") { goes = false; }
  testing::Gate gate;
  RunningOperator podfence(R"({"projects": {"p1": {}}})");
  Removal removal(podfence, gate, goes);
  podfence.configure(R"({"projects": {"p1": {"access": "read"}, "p3": {"ports": {"first": 20000, "last": 20099}}}})");
  for (int time = 0; time < 2; ++time) {  // the second reload finds it waiting
    CHECK(podfence.send("POST", "/reload").status == 200);
    const auto shown = podfence.get("/projects/p3");
    CHECK(text_at(shown, "/served") == "false");
    CHECK_MESSAGE(shown.content.find("is still being removed") != std::string::npos, shown.content);
  }
  CHECK(podfence.ask("p1", container_create("x")).status == 403);
  CHECK(cause(podfence.send("PUT", "/projects/p3", "{}")) == "operator.project-configured");
  // Its ports are its own already.
  CHECK(cause(podfence.send("PUT", "/projects/p7", R"({"ports": {"first": 20050, "last": 20150}})")) ==
        "operator.invalid");
  std::this_thread::sleep_for(testing::Milliseconds(200));  // ten looks
  CHECK(inode(podfence.socket("p3")) == 0);
  gate.open();
  CHECK(removal.collected.get().status == 200);
  CHECK(testing::eventually([&] { return text_at(podfence.get("/projects/p3"), "/served") == "true"; }));
  CHECK(podfence.ask("p3", ping).content == "OK");
  CHECK(podfence.podman.has(rules::Kind::Volume, "data") == !goes);
}

TEST_CASE(
    "a project that is gone again before orphans of its name are is not served, and its name is free behind them") {
  testing::Gate gate;
  RunningOperator podfence(R"({"projects": {"p1": {}}})");
  Removal removal(podfence, gate, true);
  for (const char* projects : {R"({"projects": {"p1": {}, "p3": {}}})", R"({"projects": {"p1": {}}})"}) {
    podfence.configure(projects);
    CHECK(podfence.send("POST", "/reload").status == 200);
  }
  CHECK(podfence.get("/projects/p3").status == 404);
  CHECK(cause(podfence.send("PUT", "/projects/p3", "{}")) == "operator.ending");
  gate.open();
  CHECK(removal.collected.get().status == 200);
  CHECK(inode(podfence.socket("p3")) == 0);
  CHECK(testing::eventually([&] { return podfence.send("PUT", "/projects/p3", "{}").status == 201; }));
  CHECK(podfence.ask("p3", ping).content == "OK");
}

TEST_CASE("a stream that is open when the policy is replaced goes on, and is cut when the project goes") {
  RunningOperator podfence;
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  podfence.podman.on("GET /v1.41/events", [](testing::FakePodman::Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.drain();
  });
  testing::RawClient events(podfence.socket("p7"));
  events.send("GET /v1.41/events HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(events.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  CHECK(podfence.send("PUT", "/projects/p7", R"({"access": "read"})").status == 200);
  CHECK(events.silent(testing::Milliseconds(100)));
  CHECK(podfence.send("DELETE", "/projects/p7").status == 204);
  CHECK(events.ended());
}

TEST_CASE("a configuration is validated without being taken") {
  RunningOperator podfence;
  CHECK(text_at(podfence.send("POST", "/validate", R"({"projects": {"a": {}, "b": {}}})"), "/projects") == "2");
  const auto wrong = podfence.send("POST", "/validate", "{\n\"projects\": {\"a\": {\"x\": 1}}}");
  CHECK(wrong.status == 400);
  CHECK(wrong.content.find("the content:2: /projects/a/x is not a key") != std::string::npos);
  CHECK(podfence.ask("p1", ping).content == "OK");
}

TEST_CASE("connections to Podman that nobody wants any more are closed") {
  RunningOperator podfence;
  podfence.podman.on("GET /_ping", [](testing::FakePodman::Connection& connection) {
    connection.pause(testing::Milliseconds(300));
    connection.answer();
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) clients.emplace_back([&] { podfence.ask("p1", ping); });
  for (auto& client : clients) client.join();
  CHECK(podfence.podman.connections() >= 4);
  // The caretaker's own surveys keep one.
  CHECK(testing::eventually(
      [&] {
        podfence.podman.forget();
        return podfence.podman.connections() <= 1;
      },
      testing::Milliseconds(20'000)));
}

TEST_CASE("readiness is Podman's, health is podfence's own") {
  RunningOperator podfence;
  CHECK(podfence.get("/readyz").content == "ok\n");
  podfence.podman.on("GET /_ping", testing::FakePodman::says("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"));
  CHECK(podfence.get("/readyz").status == 503);
  CHECK(podfence.get("/healthz").status == 200);
}
