// What becomes of a client's filters.
#include "rules/filters.hpp"

#include <doctest/doctest.h>

#include "rules/query_table.hpp"
#include "tests/rules/world.hpp"

using namespace podfence::rules;
using podfence::tests::id;
using podfence::tests::World;

namespace {

World two_projects() {
  World world;
  world.add(Kind::Container, "mine", id('a'), "p1");
  world.add(Kind::Container, "theirs", id('b'), "p10");
  world.add(Kind::Pod, "pod", id('c'), "p1");
  world.add(Kind::Pod, "foreign-pod", id('d'), "p10");
  world.add(Kind::Network, "net", id('e'), "p1");
  world.add(Kind::Network, "foreign-net", id('f'), "p10");
  world.volume("vol", "p1");
  world.volume("foreign-vol", "p10");
  world.image(id('1'), {"localhost/shared:latest"});
  world.image(id('2'), {"localhost/secret:latest"});
  return world;
}

/// The filters that go upstream, "nothing", or the refusal's id and subject.
std::string judged(World& world, Query query, const std::string* text) {
  const Endpoint endpoint{Method::Get, "/", Family::Docker, Kind::None, Act::List, query, Body::None, Answer::Bytes};
  const Match match{&endpoint, ""};
  const Request request;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  for (int round = 0; round < 4; ++round) {
    const auto result = judge_filters(filters_of(query), text, exchange);
    if (const Deny* denied = std::get_if<Deny>(&result)) {
      const bool hidden = denied->rule->hidden;
      return std::string(denied->rule->id) + (hidden ? " " + denied->subject : "");
    }
    if (facts.complete()) {
      const auto& filters = std::get<JudgedFilters>(result);
      return filters.nothing ? "nothing" : filters.text;
    }
    for (const Question& question : facts.take_open()) world.answer(facts, question);
  }
  return "the facts are never complete";
}

struct Row {
  Query query;
  std::string text, judged;
};

void check(World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(judged(world, row.query, &row.text) == row.judged);
  }
}

constexpr auto containers = Query::ContainerListCompat;

}  // namespace

TEST_CASE("the project's label joins the client's filters in the client's own encoding") {
  World world;
  const Row rows[] = {
      {containers, R"({"label":["a=b"]})", R"({"label":["a=b","appx.project=p1"]})"},
      {containers, R"({"label":{"a=b":true}})", R"({"label":{"a=b":true,"appx.project=p1":true}})"},
      {containers, R"({"label":{"a=b":true,"c":false}})", R"({"label":{"a=b":true,"appx.project=p1":true}})"},
      {containers, R"({"label":{"a=b":false}})", R"({"label":{"appx.project=p1":true}})"},
      {containers, R"({"label":[]})", R"({"label":["appx.project=p1"]})"},
      {containers, R"({"label":null})", R"({"label":["appx.project=p1"]})"},
      {containers, R"({"status":["exited"]})", R"({"status":["exited"],"label":["appx.project=p1"]})"},
      {containers, R"({"status":{"exited":true}})", R"({"status":{"exited":true},"label":{"appx.project=p1":true}})"},
      {containers, R"({"label":["appx.project=p1"]})", R"({"label":["appx.project=p1"]})"},
      {containers, R"({"label":["appx.project=p10"]})", R"({"label":["appx.project=p10","appx.project=p1"]})"},
      {containers, R"({"label":["appx.p*"]})", R"({"label":["appx.p*","appx.project=p1"]})"},
      {containers, R"({"label!":["a"]})", R"({"label!":["a"],"label":["appx.project=p1"]})"},
      {containers, "{}", R"({"label":["appx.project=p1"]})"},
      {containers, "null", R"({"label":["appx.project=p1"]})"},
      {Query::PodList, R"({"name":["x"]})", R"({"name":["x"],"label":["appx.project=p1"]})"},
      {Query::NetworkList, R"({"driver":["bridge"]})", R"({"driver":["bridge"],"label":["appx.project=p1"]})"},
      {Query::ContainerPrune, R"({"until":["1h"]})", R"({"until":["1h"],"label":["appx.project=p1"]})"},
  };
  check(world, rows);
  CHECK(judged(world, containers, nullptr) == R"({"label":["appx.project=p1"]})");
}

TEST_CASE("the label stays out where Podman would join it by OR, or where it proves nothing") {
  World world;
  const Row rows[] = {
      {Query::VolumePrune, "{}", ""},  // anonymous volumes carry none
      {Query::VolumePrune, R"({"label":["a"]})", R"({"label":["a"]})"},
      {Query::VolumeList, "{}", ""},
      {Query::VolumeList, R"({"label":["a"]})", R"({"label":["a"]})"},
      {Query::NetworkList, "{}", ""},  // nor does the default network
      {Query::VolumeList, R"({"dangling":{"true":true}})", R"({"dangling":{"true":true}})"},
      {Query::ImageList, "{}", ""},
      {Query::ImageList, R"({"reference":{"localhost/*":true}})", R"({"reference":{"localhost/*":true}})"},
      {Query::ImageList, R"({"label":["a","b"]})", R"({"label":["a","b"]})"},
      {Query::Events, R"({"type":["container"],"container":["theirs"]})",
       R"({"type":["container"],"container":["theirs"]})"},
  };
  check(world, rows);
  CHECK(judged(world, Query::ImageList, nullptr) == "");
  CHECK(judged(world, Query::Events, nullptr) == "");
}

TEST_CASE("filters that are not one object of lists or of boolean maps are refused") {
  World world;
  for (const std::string text : {"",
                                 " ",
                                 "x",
                                 "[]",
                                 "\"label\"",
                                 "1",
                                 "true",
                                 R"({"label":"a=b"})",
                                 R"({"label":[1]})",
                                 R"({"label":{"a":1}})",
                                 R"({"label":["a"]} x)",
                                 R"({"label":["a"]}{"label":["b"]})",
                                 R"({"label":["a"],"label":["b"]})",
                                 R"({"label":{"a":true},"status":["exited"]})",
                                 R"({"status":[]})",
                                 R"({"status":{"exited":false}})",
                                 R"({"until":[]})",
                                 R"({"label":[["a"]]})",
                                 R"({"label":["a",]})",
                                 R"({label:["a"]})"}) {
    CAPTURE(text);
    CHECK(judged(world, containers, &text) == "filter.syntax");
  }
}

TEST_CASE("a filter that the endpoint does not know is refused, other letter case included") {
  World world;
  const Row rows[] = {
      {containers, R"({"Label":["a"]})", "filter.unknown"},
      {containers, R"({"label=appx.project":["p10"]})", "filter.unknown"},
      {containers, R"({"nothing":["a"]})", "filter.unknown"},
      {Query::NetworkList, R"({"LABEL":["a"]})", "filter.unknown"},
      {Query::ContainerPrune, R"({"name":["a"]})", "filter.unknown"},
      {Query::ImagePrune, R"({"reference":["a"]})", "filter.unknown"},
      {Query::VolumePrune, R"({"name":["a"]})", "filter.unknown"},
      {Query::Events, R"({"LABEL":["a"]})", "filter.unknown"},
  };
  check(world, rows);
}

TEST_CASE("a container, volume or image that a filter names must be the client's") {
  World world = two_projects();
  const std::string own = R"(,"label":["appx.project=p1"]})";
  const Row rows[] = {
      {containers, R"({"before":["mine"]})", R"({"before":[")" + id('a') + R"("])" + own},
      {containers, R"({"before":["theirs"]})", "ownership.hidden theirs"},
      {containers, R"({"since":["missing"]})", "ownership.hidden missing"},
      {containers, R"({"since":["mine","theirs"]})", "ownership.hidden theirs"},
      {Query::VolumeList, R"({"after":["vol"]})", R"({"after":["vol"]})"},
      {Query::VolumeList, R"({"since":["foreign-vol"]})", "ownership.hidden foreign-vol"},
      {Query::VolumeList, R"({"since":["vo"]})", "ownership.hidden vo"},
      {Query::ImageList, R"({"before":["localhost/shared:latest"]})", R"({"before":[")" + id('1') + R"("]})"},
      {Query::ImageList, R"({"since":["localhost/secret:latest"]})", "ownership.hidden localhost/secret:latest"},
  };
  check(world, rows);
}

TEST_CASE("a pod, network or image that is not the client's matches nothing") {
  World world = two_projects();
  const std::string own = R"(,"label":["appx.project=p1"]})";
  const Row rows[] = {
      {containers, R"({"pod":["pod"]})", R"({"pod":[")" + id('c') + R"("])" + own},
      {containers, R"({"pod":["foreign-pod"]})", "nothing"},
      {containers, R"({"pod":["foreign-pod","pod"]})", R"({"pod":[")" + id('c') + R"("])" + own},
      {containers, R"({"network":["net","foreign-net"]})", R"({"network":[")" + id('e') + R"("])" + own},
      {containers, R"({"network":["foreign-net"]})", "nothing"},
      {containers, R"({"network":["missing"]})", "nothing"},
      {containers, R"({"network":["container:mine"]})", R"({"network":["container:)" + id('a') + R"("])" + own},
      {containers, R"({"network":["container:theirs"]})", "nothing"},
      {containers, R"({"ancestor":["localhost/shared:latest"]})", R"({"ancestor":[")" + id('1') + R"("])" + own},
      {containers, R"({"ancestor":["localhost/secret:latest"]})", "nothing"},
      {containers, R"({"ancestor":{"localhost/secret:latest":true},"status":{"exited":true}})", "nothing"},
      {containers, R"({"volume":["foreign-vol"]})", R"({"volume":["foreign-vol"])" + own},
      {Query::PodList, R"({"network":["foreign-net"]})", "nothing"},
      {Query::PodList, R"({"ctr-names":["theirs"]})", R"({"ctr-names":["theirs"])" + own},
  };
  check(world, rows);
}
