// A facts file answers as an engine would.
#include "rules/stated_objects.hpp"

#include <doctest/doctest.h>

#include "tests/rules/world.hpp"

using namespace podfence::tests;

namespace {

StatedObjects stated(std::string_view text) {
  auto result = StatedObjects::read("facts.json", text, "appx.project");
  if (const auto* error = std::get_if<ConfigurationError>(&result)) FAIL(error->what);
  return std::get<StatedObjects>(std::move(result));
}

/// The id of what answers, "" for nothing.
std::string found(const StatedObjects& objects, Kind kind, const std::string& name) {
  const auto [status, content] = objects.answer({Question::Ask::Object, kind, name});
  if (status != 200) return "";
  const auto document = std::get<json::Value>(json::parse(content));
  for (const char* member : {"Id", "id", "ID"})
    if (!document.text(member).empty()) return std::string(document.text(member));
  return "?";
}

struct Judge {
  FakeLedger ledger;
  OwnerMemory memory;
  Usage usage;
  Project project{"p1", "appx.project", {{"localhost/*"}}};
  Facts facts{project, ledger, memory, usage};

  /// As the rules see it, after every question was answered.
  Ownership owner(const StatedObjects& objects, Kind kind, const std::string& name) {
    for (const auto& [holder, claim] : objects.holdings())
      (claim.change == Claim::Change::HoldImage ? ledger.holds : ledger.tags).insert({holder, claim.what});
    for (int round = 0; round < 8; ++round) {
      const auto* fact = facts.find(kind, name);
      if (fact && facts.complete()) return fact->ownership;
      for (const auto& question : facts.take_open()) {
        const auto [status, content] = objects.answer(question);
        if (!facts.learn(question, status, content)) throw std::logic_error("not understood");
      }
    }
    throw std::logic_error("no end of questions");
  }
};

constexpr const char* world = R"({
  // Comments are welcome.
  "containers": [{"name": "web", "id": "aaaa567890123456789012345678901234567890123456789012345678901234", "project": "p1"},
                 {"name": "db", "id": "aaab567890123456789012345678901234567890123456789012345678901234", "project": "p10"},
                 {"name": "named", "project": "p1",
                  "document": {"Mounts": [{"Type": "volume", "Name":
                    "cccc567890123456789012345678901234567890123456789012345678901234"}]}}],
  "pods": [{"name": "pod", "project": "p1"}],
  "networks": [{"name": "net", "project": "p1"}, {"name": "net10", "project": "p10"}],
  "volumes": [{"name": "data", "project": "p1"}, {"name": "host"},
              {"name": "cccc567890123456789012345678901234567890123456789012345678901234"}],
  "execs": [{"id": "e1", "container": "web"}, {"id": "e2", "container": "db"}],
  "images": [{"id": "1111111111111111111111111111111111111111111111111111111111111111", "tags": {"localhost/hello:latest": []}},
             {"id": "2222222222222222222222222222222222222222222222222222222222222222",
              "tags": {"docker.io/library/alpine:3.20": ["p1"]}, "held_by": ["p1", "p10"]},
             {"id": "3333333333333333333333333333333333333333333333333333333333333333",
              "tags": {"docker.io/library/postgres:16": ["p10"]}, "held_by": ["p10"]}]
})";

}  // namespace

TEST_CASE("the rules see whose the stated objects are") {
  struct Row {
    Kind kind;
    const char* name;
    Ownership ownership;
  };
  const Row rows[] = {
      {Kind::Container, "web", Ownership::Own},
      {Kind::Container, "db", Ownership::Foreign},
      {Kind::Container, "nothing", Ownership::Missing},
      {Kind::Pod, "pod", Ownership::Own},
      {Kind::Network, "net", Ownership::Own},
      {Kind::Network, "net10", Ownership::Foreign},
      {Kind::Network, "bridge", Ownership::Shared},
      {Kind::Volume, "data", Ownership::Own},
      {Kind::Volume, "host", Ownership::Foreign},
      {Kind::Volume, "dat", Ownership::Missing},
      {Kind::Volume, "cccc567890123456789012345678901234567890123456789012345678901234", Ownership::Own},
      {Kind::Exec, "e1", Ownership::Own},
      {Kind::Exec, "e2", Ownership::Foreign},
      {Kind::Image, "localhost/hello", Ownership::Shared},
      {Kind::Image, "hello", Ownership::Shared},
      {Kind::Image, "alpine:3.20", Ownership::Own},
      {Kind::Image, "222222222222", Ownership::Own},
      {Kind::Image, "postgres:16", Ownership::Foreign},
      {Kind::Image, "nothing", Ownership::Missing},
  };
  const auto objects = stated(world);
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(Judge().owner(objects, row.kind, row.name) == row.ownership);
  }
}

TEST_CASE("an object answers to its name, its id and to what is a part of no other id") {
  const auto objects = stated(world);
  const std::string web = "aaaa567890123456789012345678901234567890123456789012345678901234";
  CHECK(found(objects, Kind::Container, "web") == web);
  CHECK(found(objects, Kind::Container, web) == web);
  CHECK(found(objects, Kind::Container, "aaaa") == web);
  CHECK(found(objects, Kind::Container, "aaa") == "");
  CHECK(found(objects, Kind::Container, "") == "");
  CHECK(found(objects, Kind::Pod, "web") == "");
  CHECK(found(objects, Kind::Pod, "pod").starts_with("706f6400"));  // made of the name
}

TEST_CASE("a document replaces what is made up") {
  const auto objects = stated(R"({"containers":[{"name":"web","project":"p1","document":{"State":"exited"}}]})");
  const auto content = objects.answer({Question::Ask::Object, Kind::Container, "web"}).content;
  CHECK(content.find(R"("State":"exited")") != std::string::npos);
  CHECK(content.find(R"("appx.project":"p1")") != std::string::npos);
}

TEST_CASE("lists hold all objects of a kind") {
  const auto objects = stated(world);
  const auto count = [&](Question::Ask ask, Kind kind) {
    const auto list = std::get<json::Value>(json::parse(objects.answer({ask, kind, ""}).content));
    return list.items()->size();
  };
  CHECK(count(Question::Ask::List, Kind::Container) == 3);
  CHECK(count(Question::Ask::Mounts, Kind::Volume) == 3);  // containers tell what they mount
  CHECK(count(Question::Ask::List, Kind::Network) == 3);   // and the default one
  CHECK(count(Question::Ask::List, Kind::Secret) == 0);
}

TEST_CASE("a secret is its project's by the ledger, and answers to its name and id") {
  const auto read = StatedObjects::read("facts", R"({"secrets":[{"name":"word","project":"p1"},{"name":"nobodys"}]})",
                                        "appx.project");
  const auto& objects = std::get<StatedObjects>(read);
  const auto answer = objects.answer({Question::Ask::Object, Kind::Secret, "word"});
  CHECK(answer.status == 200);
  CHECK(answer.content == R"({"ID":"776f7264)" + std::string(17, '0') + R"(","Spec":{"Name":"word"}})");
  REQUIRE(objects.holdings().size() == 1);
  CHECK(objects.holdings()[0].project == "p1");
  CHECK(objects.holdings()[0].claim.change == Claim::Change::HoldSecret);
}

TEST_CASE("without a file there is the default network and nothing else") {
  const StatedObjects nothing;
  CHECK(Judge().owner(nothing, Kind::Network, "podman") == Ownership::Shared);
  CHECK(Judge().owner(nothing, Kind::Container, "web") == Ownership::Missing);
}

TEST_CASE("a file that is wrong is told by its line") {
  struct Row {
    const char* text;
    std::size_t line;
    const char* where;
    const char* what;  ///< a part of it
  };
  const Row rows[] = {
      {"", 1, "", ""},
      {"[]", 1, "", "must be an object of lists"},
      {"{\n\"container\": []}", 2, "/container", "not a key that is known here"},
      {"{\"containers\": [\n{}]}", 2, "/containers/0", "name"},
      {"{\"containers\": [{\"name\": \"a\",\n \"id\": \"abc\"}]}", 2, "/containers/0/id", "must be an id"},
      {"{\"images\": [{\n\"id\": \"sha256:1\"}]}", 2, "/images/0/id", "must be an id"},
      {"{\"volumes\": [{\"name\": \"a\",\n\"project\": 1}]}", 2, "/volumes/0/project", "must be the id of a project"},
      {"{\"execs\": [{\"id\": \"e\"}]}", 1, "/execs/0", "container"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const auto result = StatedObjects::read("facts.json", row.text, "appx.project");
    const auto* error = std::get_if<ConfigurationError>(&result);
    REQUIRE(error);
    CHECK(error->file == "facts.json");
    CHECK(error->line == row.line);
    CHECK(error->where == row.where);
    CHECK_MESSAGE(error->what.find(row.what) != std::string::npos, error->what);
  }
}
