#include "rules/facts.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

using namespace podfence::tests;

TEST_CASE("an owner is compared exactly") {
  World world;
  struct Row {
    std::string_view object;
    Ownership expected;
  };
  const Row rows[] = {
      {R"({"Labels":{"appx.project":"p1"}})", Ownership::Own},
      {R"({"labels":{"appx.project":"p1"}})", Ownership::Own},
      {R"({"Config":{"Labels":{"appx.project":"p1"}}})", Ownership::Own},
      {R"({"Labels":{"appx.project":"p10"}})", Ownership::Foreign},
      {R"({"Labels":{"appx.project":"P1"}})", Ownership::Foreign},
      {R"({"Labels":{"APPX.project":"p1"}})", Ownership::Foreign},
      {R"({"Labels":{"appx.project":""}})", Ownership::Foreign},
      {R"({"Labels":null})", Ownership::Foreign},
      {R"({"Labels":["appx.project=p1"]})", Ownership::Foreign},
      {R"({})", Ownership::Foreign},
  };
  for (const auto& row : rows) {
    CAPTURE(row.object);
    CHECK(owner_of(world.project, std::get<json::Value>(json::parse(row.object))) == row.expected);
  }
}

TEST_CASE("memory answers for own ids only, so that a foreign id costs a question like an absent one") {
  World world;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  world.memory.remember(Kind::Container, id('a'), "p1");
  world.memory.remember(Kind::Container, id('b'), "p10");
  REQUIRE(facts.find(Kind::Container, id('a')));
  CHECK(facts.find(Kind::Container, id('a'))->ownership == Ownership::Own);
  CHECK(facts.find(Kind::Container, id('b')) == nullptr);
  CHECK(facts.take_open().size() == 1);
}

TEST_CASE("memory forgets the oldest first") {
  OwnerMemory memory(2);
  memory.remember(Kind::Pod, "a", "p1");
  memory.remember(Kind::Pod, "b", "p1");
  memory.remember(Kind::Pod, "b", "p1");
  memory.remember(Kind::Pod, "c", "p1");
  CHECK(memory.owner(Kind::Pod, "a") == nullptr);
  CHECK(memory.owner(Kind::Pod, "b"));
  CHECK(memory.owner(Kind::Pod, "c"));
}

TEST_CASE("questions are asked in libpod's canonical form") {
  World world;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  const auto target = [&](Kind kind, const char* name, Question::Ask ask) {
    return facts.request_for({ask, kind, name}).target;
  };
  CHECK(target(Kind::Container, "a/b c", Question::Ask::Object) == "/v4.0.0/libpod/containers/a%2Fb%20c/json");
  CHECK(target(Kind::Container, "", Question::Ask::List) ==
        "/v4.0.0/libpod/containers/json?all=true&filters=%7B%22label%22%3A%5B%22appx.project%3Dp1%22%5D%7D");
  CHECK(target(Kind::Image, "", Question::Ask::List) == "/v4.0.0/libpod/images/json");
}

TEST_CASE("what nothing can be called is missing, and Podman is not asked for it") {
  World world;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  for (const char* name :
       {"", ".", "..", "../../info", "a/../b", "/a", "a/", "a//b", "a%2e", "a\\b", "\xf0\x9f\x98\x80", "a\n"}) {
    CAPTURE(name);
    for (const auto kind : {Kind::Container, Kind::Pod, Kind::Volume, Kind::Network, Kind::Image, Kind::Exec}) {
      const auto* fact = facts.find(kind, name);
      REQUIRE(fact);
      CHECK(fact->ownership == Ownership::Missing);
    }
  }
  CHECK(facts.find(Kind::Container, "a/b")->ownership == Ownership::Missing);
  CHECK(facts.complete());
  CHECK(facts.find(Kind::Image, "localhost/a.b/..c:1-2_3@x") == nullptr);
  CHECK(facts.open() == 1);
}

TEST_CASE("an answer that cannot be understood is no fact") {
  World world;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  const Question question{Question::Ask::Object, Kind::Container, "c"};
  CHECK_FALSE(facts.learn(question, 200, "{"));
  CHECK_FALSE(facts.learn(question, 200, "[]"));
  CHECK_FALSE(facts.learn(question, 200, R"({"Name":"c"})"));
  CHECK_FALSE(facts.learn(question, 500, "internal error"));
  CHECK(facts.learn(question, 500, "more than one result for container name or ID c"));
  CHECK(facts.find(Kind::Container, "c")->ownership == Ownership::Missing);
  // What is removed while Podman looks at it.
  const Question going{Question::Ask::Object, Kind::Container, "going"};
  CHECK(facts.learn(going, 500,
                    R"({"cause":"no such container","message":"does not exist in database","response":500})"));
  CHECK(facts.find(Kind::Container, "going")->ownership == Ownership::Missing);
}

TEST_CASE("an exec session belongs to its container's project") {
  World world;
  world.add(Kind::Container, "mine", id('a'), "p1");
  world.add(Kind::Container, "theirs", id('b'), "p10");
  world.exec(id('1'), id('a'));
  world.exec(id('2'), id('b'));
  CHECK(target_of(world.decide(Method::Get, "/v1.41/exec/" + id('1') + "/json")) == "/v1.41/exec/" + id('1') + "/json");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/exec/" + id('2') + "/json")) == "ownership.hidden");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/exec/" + id('3') + "/json")) == "ownership.hidden");
}

TEST_CASE("an anonymous volume stays its container's project's when the container has gone") {
  World world;
  const auto volume = R"({"Name":")" + id('9') + R"(","Labels":{}})";
  {
    Facts facts(world.project, world.ledger, world.memory, world.usage);
    REQUIRE(facts.learn({Question::Ask::Object, Kind::Container, "c"}, 200,
                        R"({"Id":")" + id('a') + R"(","Config":{"Labels":{"appx.project":"p1"}},"Mounts":[)" +
                            R"({"Type":"volume","Name":")" + id('9') + R"("},{"Type":"volume","Name":"named"}]})"));
  }
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  CHECK(facts.is_remembered_volume(id('9')));
  CHECK_FALSE(facts.is_remembered_volume("named"));
  REQUIRE(facts.learn({Question::Ask::List, Kind::Volume, ""}, 200, "[" + volume + R"(,{"Name":"named"}])"));
  REQUIRE(facts.list(Kind::Volume));
  CHECK(facts.list(Kind::Volume)->size() == 1);

  const Project other{"p10", "appx.project", {}};
  CHECK_FALSE(Facts(other, world.ledger, world.memory, world.usage).is_remembered_volume(id('9')));
}

TEST_CASE("a container that is removed is looked at first, though its id is remembered") {
  World world;
  world.add(Kind::Container, "c", id('a'), "p1");
  world.memory.remember(Kind::Container, id('a'), "p1");
  world.decide(Method::Post, "/v1.41/containers/" + id('a') + "/start");
  CHECK(world.asked.empty());
  world.decide(Method::Delete, "/v1.41/containers/" + id('a'));
  CHECK(world.asked.size() == 1);
}

TEST_CASE("a volume that several containers mount is known once, in the order of the list") {
  World world;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  const auto container = [](const std::string& owner, const std::string& volumes) {
    return R"({"Labels":{"appx.project":")" + owner + R"("},"Mounts":[)" + volumes + "]}";
  };
  const std::string a = R"({"Type":"volume","Name":"a"})", b = R"({"Type":"volume","Name":"b"})";
  REQUIRE(facts.learn({Question::Ask::Mounts, Kind::Volume, ""}, 200,
                      "[" + container("p1", b + "," + b) + "," + container("p10", R"({"Type":"volume","Name":"c"})") +
                          "," + container("p1", a + "," + b) + "]"));
  REQUIRE(facts.mounted_volumes());
  CHECK(json::write(json::Value(*facts.mounted_volumes())) == R"(["b","a"])");
}
