// Leases and holders of projects, what is refused of them, and what is kept of a project that ends.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "proxy/process_mark.hpp"
#include "proxy/project_store.hpp"
#include "rules/json.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using namespace std::chrono_literals;
using testing::RunningOperator;

namespace {

rules::json::Value read(const testing::WireAnswer& answer) {
  auto parsed = rules::json::parse(answer.content);
  REQUIRE_MESSAGE(std::holds_alternative<rules::json::Value>(parsed), answer.content);
  return std::get<rules::json::Value>(std::move(parsed));
}

/// A process that does nothing until it is ended.
class Sleeper {
 public:
  Sleeper() : id_(::fork()) {
    if (id_ != 0) return;
    ::pause();
    ::_exit(0);
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  pid_t id() const { return id_; }
  void kill() const { ::kill(id_, SIGKILL); }
  void end() {
    if (ended_) return;
    kill();
    ::waitpid(id_, nullptr, 0);
    ended_ = true;
  }

 private:
  pid_t id_;
  bool ended_ = false;
};

bool is_gone(const RunningOperator& podfence, const std::string& project) {
  return testing::eventually([&] { return podfence.get("/projects/" + project).status == 404; });
}

}  // namespace

TEST_CASE("what a project's life cannot be is refused with its place") {
  RunningOperator podfence;
  const struct {
    const char* definition;
    const char* says;
  } rows[] = {
      {R"({"lease": {"time": "5s"}})", "/lease/time must be a duration of at least 10s"},
      {R"({"lease": {"time": "3000000h"}})", "/lease/time must be a duration of at least 10s and at most 87600h"},
      {R"({"lease": {}})", "/lease"},
      {R"({"lease": {"time": "1h", "renewed_by": "hope"}})", "/lease/renewed_by"},
      {R"({"holder": {}})", "/holder must have either container or process"},
      {R"({"holder": {"container": "a", "process": 1}})", "/holder must have either container or process"},
      {R"({"holder": {"process": 0}})", "/holder/process"},
      {R"({"holder": {"container": "../a"}})", "/holder/container"},
      {R"({"teardown": "all"})", "/teardown"},
  };
  for (const auto& [definition, says] : rows) {
    const auto answer = podfence.send("PUT", "/projects/p7", definition);
    CHECK(answer.status == 400);
    CHECK_MESSAGE(answer.content.find(says) != std::string::npos, answer.content);
    CHECK(podfence.get("/projects/p7").status == 404);
  }
}

TEST_CASE("a project of the configuration has neither lease nor holder") {
  for (const char* said : {R"("lease": {"time": "1h"})", R"("holder": {"process": 1})", R"("teardown": "stop")"}) {
    const auto read = rules::read_configuration(std::string(R"({"projects": {"p1": {)") + said + "}}}");
    const auto* error = std::get_if<rules::ConfigurationError>(&read);
    REQUIRE(error);
    CHECK(error->what.find("added by the operator's socket") != std::string::npos);
  }
}

TEST_CASE("a project ends with its process, also one that nobody waits for yet") {
  RunningOperator podfence;
  Sleeper sleeper, other;
  const auto hold = [&](const std::string& project, pid_t process) {
    const auto definition = R"({"holder": {"process": )" + std::to_string(process) + "}}";
    return podfence.send("PUT", "/projects/" + project, definition);
  };
  CHECK(hold("p7", sleeper.id()).status == 201);
  CHECK(hold("p8", other.id()).status == 201);
  sleeper.kill();
  CHECK(is_gone(podfence, "p7"));
  CHECK(podfence.get("/projects/p8").status == 200);
  sleeper.end();
  const auto refused = hold("p7", sleeper.id());
  CHECK(refused.status == 409);
  CHECK(read(refused).text("cause") == "operator.holder");
}

TEST_CASE("a process is recognised by when it began") {
  Sleeper one, other;
  const auto mark = proxy::mark_of_process(one.id());
  CHECK(mark.find('/') == 36);
  CHECK(mark == proxy::mark_of_process(one.id()));
  one.kill();
  CHECK(testing::eventually([&] { return proxy::mark_of_process(one.id()).empty(); }));
  CHECK(proxy::mark_of_process(1) != "");
  CHECK(proxy::mark_of_process(1) != proxy::mark_of_process(other.id()));
}

TEST_CASE("who is not renewed by requests is renewed by the operator only") {
  RunningOperator podfence;
  CHECK(podfence.send("PUT", "/projects/p7", R"({"lease": {"time": "1h"}})").status == 201);
  CHECK(read(podfence.get("/projects/p7")).int64("lease_left") >= 3598);
  CHECK(podfence.send("POST", "/projects/p7/renew").status == 200);
  CHECK(podfence.send("POST", "/projects/p8/renew").status == 404);
  CHECK(podfence.send("POST", "/projects/p1/renew").status == 409);
}

TEST_CASE("the longest lease is over in ten years, and not at once") {
  RunningOperator podfence;
  CHECK(podfence.send("PUT", "/projects/p7", R"({"lease": {"time": "87600h"}})").status == 201);
  std::this_thread::sleep_for(200ms);  // ten looks
  CHECK(read(podfence.get("/projects/p7")).int64("lease_left") >= rules::longest_lease - 60);
}

TEST_CASE("what is kept of projects: files of older versions are brought up, newer ones refused") {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() + "/projects.sqlite";
  {
    proxy::Database old(path);
    old.run(
        "CREATE TABLE project (id TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;"
        "INSERT INTO project VALUES ('p7', '{}')");
  }
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  {
    proxy::ProjectStore store(path);
    const auto rows = store.all();
    REQUIRE(rows.size() == 1);
    CHECK((rows[0].id == "p7" && rows[0].ending.empty() && rows[0].renewed == 0));
    store.put({"p8", R"({"teardown": "stop"})", "mark", "", 1700000000});
    store.set_ending("p7", "remove");
    store.set_renewed("p8", 1800000000);
  }
  {
    proxy::ProjectStore store(path);
    const auto rows = store.all();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].ending == "remove");
    CHECK((rows[1].holder == "mark" && rows[1].renewed == 1800000000 && rows[1].ending.empty()));
  }
  proxy::Database(path).run("PRAGMA user_version = 99");
  CHECK_THROWS_WITH(proxy::ProjectStore{path}, doctest::Contains("a newer podfence (schema 99"));
}

TEST_CASE("a project that was ending goes on ending behind a restart, and is not served") {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() + "/projects.sqlite";
  {
    proxy::ProjectStore store(path);
    store.put({"p7", "{}", "", "none", 0});
    store.put({"p8", R"({"lease": {"time": "1h"}})", "", "", 0});
    store.put({"p9", R"({"holder": {"process": 1}})", "another boot/1", "", 0});
  }
  RunningOperator podfence(R"({"projects": {}})", path);
  CHECK(is_gone(podfence, "p7"));
  CHECK(is_gone(podfence, "p9"));
  const auto lease_left = read(podfence.get("/projects/p8")).int64("lease_left");
  CHECK((lease_left >= 118 && lease_left <= 120));
}

TEST_CASE("a project that could not be served at the start keeps its holder until it can") {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() + "/projects.sqlite";
  Sleeper sleeper;
  {
    proxy::ProjectStore store(path);
    store.put(
        {"p7",
         R"({"ports": {"first": 20000, "last": 20009}, "holder": {"process": )" + std::to_string(sleeper.id()) + "}}",
         proxy::mark_of_process(sleeper.id()), "", 0});
  }
  RunningOperator podfence(R"({"projects": {"p1": {"ports": {"first": 20000, "last": 20009}}}})", path);
  CHECK_FALSE(read(podfence.get("/projects/p7")).flag("served"));
  podfence.configure(R"({"projects": {"p1": {}}})");
  CHECK(podfence.send("POST", "/reload").status == 200);
  std::this_thread::sleep_for(200ms);  // ten looks
  CHECK(read(podfence.get("/projects/p7")).flag("served"));
  sleeper.kill();
  CHECK(is_gone(podfence, "p7"));
}

TEST_CASE("an end that cannot be written down has not begun, and is tried again") {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() + "/projects.sqlite";
  RunningOperator podfence(R"({"projects": {}})", path);
  Sleeper sleeper;
  const auto held = R"({"holder": {"process": )" + std::to_string(sleeper.id()) + "}}";
  CHECK(podfence.send("PUT", "/projects/p7", "{}").status == 201);
  CHECK(podfence.send("PUT", "/projects/p8", held).status == 201);
  proxy::Database saboteur(path);
  saboteur.run("ALTER TABLE project RENAME TO away");
  for (const char* how : {"none", "remove"}) {
    CHECK(podfence.send("DELETE", std::string("/projects/p7?teardown=") + how).status == 500);
    CHECK(podfence.ask("p7", "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").content == "OK");
    CHECK(read(podfence.get("/projects/p7")).flag("served"));
  }
  sleeper.kill();
  std::this_thread::sleep_for(200ms);  // ten looks
  CHECK(podfence.get("/projects/p8").status == 200);
  saboteur.run("ALTER TABLE away RENAME TO project");
  CHECK(is_gone(podfence, "p8"));
  CHECK(podfence.send("DELETE", "/projects/p7?teardown=none").status == 204);
}

TEST_CASE("things of projects that nobody knows are told, and those of known ones are not") {
  RunningOperator podfence;
  podfence.podman.add(rules::Kind::Container, "lost", "gone");
  podfence.podman.add(rules::Kind::Volume, "data", "gone");
  podfence.podman.add(rules::Kind::Container, "web", "p1");
  podfence.podman.add(rules::Kind::Container, "nobody", "");
  podfence.podman.add(rules::Kind::Container, "strange", "Not An Id");
  const auto told = read(podfence.send("POST", "/gc?dry_run=true"));
  CHECK(
      rules::json::write(*told.find("orphans")) ==
      R"([{"project":"Not An Id","things":{"containers":1}},{"project":"gone","things":{"containers":1,"volumes":1}}])");
  CHECK(podfence.podman.requests("DELETE").empty());
  CHECK(podfence.send("POST", "/gc?dry_run=maybe").status == 400);
  CHECK(podfence.send("POST", "/gc").status == 200);
  CHECK_FALSE(podfence.podman.has(rules::Kind::Container, "lost"));
  CHECK_FALSE(podfence.podman.has(rules::Kind::Volume, "data"));
  CHECK(podfence.podman.has(rules::Kind::Container, "web"));
  CHECK(podfence.podman.has(rules::Kind::Container, "nobody"));
  CHECK(podfence.podman.has(rules::Kind::Container, "strange"));
}

TEST_CASE("orphans are removed regularly where the configuration says so") {
  RunningOperator podfence(R"({"orphans": "remove", "projects": {"p1": {}}})");
  podfence.podman.add(rules::Kind::Volume, "data", "gone");
  podfence.podman.add(rules::Kind::Volume, "kept", "p1");
  CHECK(testing::eventually([&] { return !podfence.podman.has(rules::Kind::Volume, "data"); }));
  CHECK(podfence.podman.has(rules::Kind::Volume, "kept"));
}
