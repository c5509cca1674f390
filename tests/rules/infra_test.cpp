// The infra container of a pod gets nothing of what policy writes into containers, so that nobody brings anything into
// it.

#include <doctest/doctest.h>

#include "world.hpp"

using namespace podfence::tests;

namespace {

World with_infra() {
  World world = one_of_every_kind();
  world.add(Kind::Container, "infra", id('7'), "p1", R"({"IsInfra":true})");
  return world;
}

struct Sent {
  Method method;
  std::string before, behind, content;
};
const Sent into_it[] = {
    {Method::Post, "/v1.41/containers/", "/exec", R"({"Cmd":["a"]})"},
    {Method::Post, "/v4.0.0/libpod/containers/", "/exec", R"({"Cmd":["a"]})"},
    {Method::Put, "/v1.41/containers/", "/archive?path=/", ""},
    {Method::Put, "/v4.0.0/libpod/containers/", "/archive?path=/", ""},
};

}  // namespace

TEST_CASE("nothing is run in or copied to an infra container, however it is called") {
  for (const auto& sent : into_it) {
    World world = with_infra();
    // Its id is known already, as after a list.
    world.memory.remember(Kind::Container, id('7'), "p1");
    for (const auto& name : {std::string("infra"), id('7')}) {
      CAPTURE(sent.before + name + sent.behind);
      const auto decision = world.decide(sent.method, sent.before + name + sent.behind, sent.content);
      CHECK(rule_of(decision) == "pod.infra");
    }
  }
}

TEST_CASE("any other container takes both, and what it is is asked once") {
  for (const auto& sent : into_it) {
    World world = with_infra();
    world.memory.remember(Kind::Container, id('a'), "p1");
    CAPTURE(sent.before + sent.behind);
    for (const std::size_t asked : {1u, 0u}) {
      world.asked.clear();
      CHECK(std::holds_alternative<Forward>(
          world.decide(sent.method, sent.before + id('a') + sent.behind, sent.content)));
      CHECK(std::ranges::count(world.asked, Question{Question::Ask::Object, Kind::Container, id('a')}) == asked);
    }
    CHECK(rule_of(world.decide(sent.method, sent.before + "web10" + sent.behind, sent.content)) == "ownership.hidden");
  }
}

TEST_CASE("an infra container is looked at, stopped and started as others are") {
  World world = with_infra();
  for (const auto* get : {"/json", "/logs?stdout=1", "/top", "/archive?path=/"})
    CHECK(std::holds_alternative<Forward>(world.decide(Method::Get, std::string("/v1.41/containers/infra") + get)));
  for (const auto* post : {"/stop", "/start", "/restart", "/kill"})
    CHECK(std::holds_alternative<Forward>(world.decide(Method::Post, std::string("/v1.41/containers/infra") + post)));
}
