// Projects that end while something is at work for them: requests of their own clients and of a control plane, another
// teardown, or the removal of orphans.

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>

#include "proxy/archive.hpp"
#include "rules/json.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using rules::Kind;
using testing::FakePodman;
using testing::Gate;
using testing::Milliseconds;
using testing::RawClient;
using testing::WireAnswer;

namespace {

const std::string definition = R"({"images": {"shared": ["localhost/bb"]}})";
const std::string removal = "/projects/p7?teardown=remove";

std::string configuration() {
  return R"({"projects": {"p1": )" + definition +
         R"(}, "control": [{"socket": "{DIR}/control.sock", "identities": [{"user": )" + std::to_string(::geteuid()) +
         R"(, "projects": ["*"]}]}]})";
}

rules::json::Value document_of(const WireAnswer& answer) {
  auto parsed = rules::json::parse(answer.content);
  REQUIRE_MESSAGE(std::holds_alternative<rules::json::Value>(parsed), answer.content);
  return std::get<rules::json::Value>(std::move(parsed));
}

/// `fields`: each with its line end.
std::string post(const std::string& target, const std::string& content, const std::string& fields) {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\n" + fields + "Content-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

std::string create(const std::string& name, const std::string& fields) {
  const auto content = R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":["data:/data"]}})";
  return post("/v1.41/containers/create?name=" + name, content, fields);
}

const std::string for_p7 = "X-Appx-Project: p7\r\n";

/// podfence with a control plane, and the project p7, which was added.
struct Stage : testing::RunningOperator {
  Stage() : RunningOperator(configuration()) {
    podman.add(Kind::Image, "localhost/bb:latest", "");
    REQUIRE(add("p7").status == 201);
  }

  WireAnswer add(const std::string& project) const { return send("PUT", "/projects/" + project, definition); }
  /// What the operator asks for while a test does something else.
  std::future<WireAnswer> later(const std::string& method, const std::string& target,
                                const std::string& content = "") const {
    return std::async(std::launch::async, [=, this] { return send(method, target, content); });
  }
  std::string control() const { return directory() + "/control.sock"; }
  std::string audit() const {
    std::ifstream file(directory() + "/audit.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool ends_by(const std::string& teardown) const {
    return testing::eventually([&] { return document_of(get("/projects/p7")).text("ending") == teardown; });
  }
};

bool is_answered(std::future<WireAnswer>& answer, std::chrono::milliseconds time) {
  return answer.wait_for(time) == std::future_status::ready;
}

}  // namespace

TEST_CASE("a teardown that is changed while it is at work is carried out as it was asked for last") {
  Stage stage;
  const auto web = stage.podman.add(Kind::Container, "web", "p7");
  Gate stopped;
  const auto stop = "POST /v4.0.0/libpod/containers/" + web + "/stop";
  stage.podman.on(stop, FakePodman::answers_behind(stopped));
  auto first = stage.later("DELETE", "/projects/p7?teardown=stop");
  REQUIRE(stage.podman.saw(stop));
  auto second = stage.later("DELETE", removal);
  CHECK(stage.ends_by("remove"));
  stopped.open();
  for (auto* later : {&first, &second}) {
    const auto answer = later->get();
    CHECK(answer.status == 200);
    const auto document = document_of(answer);
    CHECK(document.text("teardown") == "remove");
    REQUIRE(document.find("done"));
    CHECK_MESSAGE(document.find("done")->int64("containers") == 1, answer.content);
  }
  CHECK_FALSE(stage.podman.has(Kind::Container, "web"));
  CHECK(stage.get("/projects/p7").status == 404);
}

TEST_CASE("what is being removed is not spared any more, what is left can be") {
  Stage stage;
  const auto web = stage.podman.add(Kind::Container, "web", "p7");
  Gate removed;
  stage.podman.on("DELETE /v4.0.0/libpod/containers/" + web, [&](FakePodman::Connection& connection) {
    connection.wait(removed);
    connection.send(testing::http_answer(500, testing::error_content(500, "device or resource busy")));
  });
  auto first = stage.later("DELETE", removal);
  REQUIRE(stage.podman.saw("DELETE /v4.0.0/libpod/containers/" + web));
  for (const char* less : {"none", "stop"}) {
    const auto refused = stage.send("DELETE", std::string("/projects/p7?teardown=") + less);
    CHECK(refused.status == 409);
    CHECK(document_of(refused).text("cause") == "operator.ending");
    CHECK_MESSAGE(refused.content.find("its teardown (remove) is at work") != std::string::npos, refused.content);
  }
  removed.open();
  CHECK(first.get().status == 202);
  // Unless it is just being tried again.
  CHECK(testing::eventually([&] { return stage.send("DELETE", "/projects/p7?teardown=none").status == 204; }));
  CHECK(stage.podman.has(Kind::Container, "web"));
  CHECK(stage.get("/projects/p7").status == 404);
}

TEST_CASE("who waits for a teardown that is called off is told that nothing was torn down") {
  Stage stage;
  Gate removed;
  std::vector<std::future<WireAnswer>> others;
  for (const std::string other : {"q1", "q2", "q3", "q4"}) {
    REQUIRE(stage.add(other).status == 201);
    const auto web = stage.podman.add(Kind::Container, "web-" + other, other);
    stage.podman.on("DELETE /v4.0.0/libpod/containers/" + web, FakePodman::answers_behind(removed));
    others.push_back(stage.later("DELETE", "/projects/" + other + "?teardown=remove"));
    REQUIRE(stage.podman.saw("DELETE /v4.0.0/libpod/containers/" + web));
  }
  stage.podman.add(Kind::Container, "web", "p7");
  auto waiting = stage.later("DELETE", removal);  // behind those four
  CHECK(stage.ends_by("remove"));
  CHECK_FALSE(is_answered(waiting, Milliseconds(100)));
  CHECK(stage.send("DELETE", "/projects/p7?teardown=none").status == 204);
  CHECK(stage.add("p7").status == 201);
  removed.open();
  for (auto& other : others) CHECK(other.get().status == 200);
  CHECK(waiting.get().status == 204);
  CHECK(stage.podman.has(Kind::Container, "web"));
  CHECK(document_of(stage.get("/projects/p7")).flag("served"));
}

TEST_CASE("an image that Podman is making when its project is removed goes with it, whoever asked for it") {
  Stage stage;
  stage.podman.add(Kind::Container, "web", "p7");
  Gate made;
  std::string image;  // written before the gate's script answers
  stage.podman.on("POST /v1.41/commit", [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.wait(made);
    image = stage.podman.add(Kind::Image, "localhost/made:one", "");
    connection.send(testing::http_answer(201, R"({"Id":")" + image + R"("})"));
  });
  std::string socket;
  SUBCASE("a client of its own") { socket = stage.socket("p7"); }
  SUBCASE("a control plane") { socket = stage.control(); }
  RawClient client(socket);
  client.send(post("/v1.41/commit?container=web&repo=localhost/made&tag=one", "", for_p7));
  REQUIRE(stage.podman.saw("POST /v1.41/commit"));
  auto answer = stage.later("DELETE", removal);
  CHECK(stage.ends_by("remove"));
  CHECK_FALSE(is_answered(answer, Milliseconds(200)));
  made.open();
  const auto removed = answer.get();
  CHECK(removed.status == 200);
  CHECK_MESSAGE(document_of(removed).list("left").empty(), removed.content);
  CHECK_FALSE(stage.podman.has(Kind::Image, "localhost/made:one"));
  REQUIRE(stage.add("p7").status == 201);
  CHECK(stage.ask("p7", testing::get("/v1.41/images/" + image + "/json")).status == 404);
}

TEST_CASE("Podman that does not come to an end with a request is told as what is left") {
  Stage stage;
  stage.podman.add(Kind::Container, "web", "p7");
  Gate made;
  stage.podman.on("POST /v1.41/commit", FakePodman::answers_behind(made));
  RawClient client(stage.control());
  client.send(post("/v1.41/commit?container=web", "", for_p7));
  REQUIRE(stage.podman.saw("POST /v1.41/commit"));
  const auto answer = stage.send("DELETE", removal);
  CHECK(answer.status == 202);
  CHECK_MESSAGE(answer.content.find("Podman is still at work") != std::string::npos, answer.content);
  CHECK(stage.podman.has(Kind::Container, "web"));
  made.open();
  CHECK(testing::eventually([&] { return stage.get("/projects/p7").status == 404; }));
  CHECK_FALSE(stage.podman.has(Kind::Container, "web"));
}

TEST_CASE("builds and pulls of a control plane end with their project, and nothing is made of them") {
  proxy::ArchiveWriter context;
  context.add("Dockerfile", "FROM scratch\n");
  context.finish();
  const std::string yaml =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: shop}\nspec:\n  containers:\n"
      "  - {name: one, image: quay.io/me/app}\n";
  const struct {
    const char* what;
    std::string target, content, upstream;
  } rows[] = {
      {"a build", "/v4.0.0/libpod/build?t=quay.io/me/app:1", context.written(), "POST /v4.0.0/libpod/build"},
      {"a pull", "/v1.41/images/create?fromImage=docker.io/library/a&tag=1", "", "POST /v1.41/images/create"},
      {"a pull for Kubernetes YAML", "/v4.3.1/libpod/play/kube", yaml, "POST /v4.0.0/libpod/images/pull"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    Stage stage;
    stage.podman.on(row.upstream, [](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(testing::chunked_head);
      connection.drain();
    });
    RawClient client(stage.control());
    client.send(post(row.target, row.content, for_p7));
    REQUIRE(stage.podman.saw(row.upstream));
    const auto answer = stage.send("DELETE", removal);
    CHECK(answer.status == 200);
    CHECK(stage.podman.ended(row.upstream));
    CHECK(stage.get("/projects/p7").status == 404);
    CHECK_FALSE(stage.podman.saw("/containers/create", Milliseconds(0)));
    CHECK_FALSE(stage.podman.saw("/pods/create", Milliseconds(50)));
  }
}

TEST_CASE("a tunnel ends with its project, before the removal is answered, whoever has it") {
  const struct {
    bool of_control_plane;
    const char* teardown;
    int status;
  } rows[] = {{false, "none", 204}, {false, "remove", 200}, {true, "none", 204}, {true, "remove", 200}};
  for (const auto& row : rows) {
    CAPTURE(row.of_control_plane);
    CAPTURE(std::string(row.teardown));
    Stage stage;
    const auto web = stage.podman.add(Kind::Container, "web", "p7");
    stage.podman.on("POST /v1.41/containers/" + web + "/attach", [](FakePodman::Connection& connection) {
      connection.send(testing::switched);
      connection.echo();
    });
    RawClient client(row.of_control_plane ? stage.control() : stage.socket("p7"));
    client.send("POST /v1.41/containers/web/attach?stream=1&stdin=1 HTTP/1.1\r\nHost: d\r\n" + testing::upgrade +
                for_p7 + "\r\n");
    REQUIRE(client.read_head().status == 101);
    client.send("before");
    REQUIRE(client.read_until("before") == "before");
    CHECK(stage.send("DELETE", std::string("/projects/p7?teardown=") + row.teardown).status == row.status);
    client.send("behind");
    CHECK(client.read_to_end() == "");
    CHECK_FALSE(stage.podman.saw("behind", Milliseconds(50)));
    CHECK(
        testing::eventually([&] { return stage.audit().find(R"("aborted":"project-removed")") != std::string::npos; }));
  }
}

TEST_CASE("what a control plane follows of a project ends with it") {
  Stage stage;
  const auto web = stage.podman.add(Kind::Container, "web", "p7");
  const auto exec = stage.podman.add(Kind::Exec, web, "");
  const auto start = post("/v1.41/exec/" + exec + "/start", R"({"Detach":false,"Tty":false})",
                          "Content-Type: application/json\r\n" + for_p7);
  const auto get = [](const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: d\r\n" + for_p7 + "\r\n";
  };
  const struct {
    std::string request, upstream;
  } rows[] = {
      {get("/v1.41/events"), "GET /v1.41/events"},
      {get("/v1.41/containers/web/logs?follow=1&stdout=1"), "GET /v1.41/containers/" + web + "/logs"},
      {get("/v1.41/containers/web/stats"), "GET /v1.41/containers/" + web + "/stats"},
      {post("/v1.41/containers/web/wait", "", for_p7), "POST /v1.41/containers/" + web + "/wait"},
      {start, "POST /v1.41/exec/" + exec + "/start"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.upstream);
    stage.podman.on(row.upstream, [](FakePodman::Connection& connection) {
      connection.read_content();
      connection.send(testing::chunked_head);
      connection.drain();
    });
    RawClient client(stage.control());
    client.send(row.request);
    REQUIRE(stage.podman.saw(row.upstream));
    CHECK(stage.send("DELETE", "/projects/p7?teardown=none").status == 204);
    CHECK(stage.podman.ended(row.upstream));
    CHECK(client.read_to_end().find("<") == std::string::npos);
    REQUIRE(stage.add("p7").status == 201);
  }
}

TEST_CASE("a removal goes on without who asked for it, and takes no place of the operator's") {
  Stage stage;
  const auto web = stage.podman.add(Kind::Container, "web", "p7");
  Gate removed;
  stage.podman.on("DELETE /v4.0.0/libpod/containers/" + web, FakePodman::answers_behind(removed));
  {
    std::vector<RawClient> askers;
    for (int i = 0; i < 16; ++i)
      askers.emplace_back(stage.path).send("DELETE " + removal + " HTTP/1.1\r\nHost: x\r\n\r\n");
    REQUIRE(stage.podman.saw("DELETE /v4.0.0/libpod/containers/" + web));
  }
  CHECK(testing::eventually([&] { return stage.get("/healthz").status == 200; }));
  removed.open();
  CHECK(testing::eventually([&] { return stage.get("/projects/p7").status == 404; }));
  CHECK_FALSE(stage.podman.has(Kind::Container, "web"));
}

TEST_CASE("a removal whose client goes at once is carried out all the same") {
  Stage stage;
  stage.podman.add(Kind::Container, "web", "p7");
  RawClient(stage.path).send("DELETE " + removal + " HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(testing::eventually([&] { return stage.get("/projects/p7").status == 404; }));
  CHECK_FALSE(stage.podman.has(Kind::Container, "web"));
}

TEST_CASE("a create that waits for a name makes nothing when its project has ended meanwhile") {
  Stage stage;
  Gate failed;
  stage.podman.on("POST /v1.41/containers/create?name=first", [&](FakePodman::Connection& connection) {
    connection.read_content();
    connection.wait(failed);
    connection.send(testing::http_answer(500, testing::error_content(500, "no space left on device")));
  });
  RawClient first(stage.socket("p1")), waiting(stage.control());
  first.send(create("first", ""));  // holds the name of the volume
  REQUIRE(stage.podman.saw("name=first"));
  waiting.send(create("late", for_p7));
  CHECK(waiting.silent(Milliseconds(50)));
  SUBCASE("removed") { CHECK(stage.send("DELETE", removal).status == 200); }
  SUBCASE("left as it is") { CHECK(stage.send("DELETE", "/projects/p7?teardown=none").status == 204); }
  failed.open();
  CHECK(first.read_answer().status >= 500);
  // It was cut off, or was told that there is no such project.
  const auto told = waiting.read_to_end();
  CHECK_MESSAGE((told.empty() || told.starts_with("HTTP/1.1 404")), told);
  CHECK_FALSE(stage.podman.saw("name=late", Milliseconds(50)));
  CHECK_FALSE(stage.podman.has(Kind::Volume, "data"));
}

TEST_CASE("a project is not added while orphans of its name are removed, though its holder is looked up meanwhile") {
  Stage stage;
  stage.podman.add(Kind::Volume, "data", "p8");
  Gate told, removed;
  const std::string holder = "GET /v4.0.0/libpod/containers/builder/json";
  stage.podman.on(holder, [&](FakePodman::Connection& connection) {
    connection.wait(told);
    connection.send(
        testing::http_answer(200, R"({"Id":")" + std::string(64, 'a') + R"(","State":{"Status":"running"}})"));
  });
  stage.podman.on("DELETE /v4.0.0/libpod/volumes/data", FakePodman::answers_behind(removed));
  auto added = stage.later("PUT", "/projects/p8", R"({"holder": {"container": "builder"}})");
  REQUIRE(stage.podman.saw(holder));
  auto collected = stage.later("POST", "/gc");
  REQUIRE(stage.podman.saw("DELETE /v4.0.0/libpod/volumes/data"));
  told.open();
  const auto refused = added.get();
  CHECK(refused.status == 409);
  CHECK(document_of(refused).text("cause") == "operator.ending");
  removed.open();
  CHECK(collected.get().status == 200);
  CHECK(stage.get("/projects/p8").status == 404);
}
