#include <doctest/doctest.h>

#include <sstream>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

constexpr std::string_view second_id = "b941938bb50e90d2c0e0fbb89476b61675bc63ac212eef21188d4eee9b2c504a";
constexpr std::string_view third_id = "dc7cc55ab810fc3c7c796261201f8c26792752b2d271d0233a2d3f59e88c61e7";

/// A pull as it was recorded: "hold ID, own NAME", "" for no claim.
std::string claims_of(const char* target, const char* file, std::string_view reference, std::string_view pulled_id,
                      bool claimed = false) {
  Recorded world(Method::Post, target);
  world.now(Kind::Image, std::string(reference), std::nullopt);
  while (!world.facts.find(Kind::Image, reference)) world.answer({world.facts.take_open()});
  if (claimed) world.ledger.tags.insert({world.project.id, std::string(reference)});
  LineJudge judge(Answer::PullLines, world.exchange);
  for (const auto& line : lines_of(recording(file))) {
    const auto text = world.judged(judge, line);
    CHECK(text.has_value());
    if (text) CHECK(reveals(*text) == "");
  }
  if (!pulled_id.empty())
    world.now(Kind::Image, std::string(reference), parsed(R"({"Id":")" + std::string(pulled_id) + R"("})"));
  std::string result;
  for (const auto& claim : world.finished(judge))
    result += (claim.change == Claim::Change::HoldImage ? "hold "
               : claim.change == Claim::Change::OwnTag  ? ", own "
                                                        : "drop ") +
              claim.what;
  return result;
}

std::string both(std::string_view image, std::string_view name) {
  return "hold " + std::string(image) + ", own " + std::string(name);
}

}  // namespace

TEST_CASE("who pulled an image holds it and owns the name") {
  constexpr auto name = "registry.example/team/second:2";
  constexpr auto docker = "/v1.41/images/create?fromImage=registry.example/team/second&tag=2";
  constexpr auto libpod = "/v4.3.1/libpod/images/pull?reference=registry.example/team/second:2";
  CHECK(claims_of(docker, "docker_pull.jsonl", name, second_id) == both(second_id, name));
  CHECK(claims_of(docker, "docker_pull_again.jsonl", name, second_id) == both(second_id, name));
  CHECK(claims_of("/v1.41/images/create?fromImage=third", "docker_pull_short.jsonl", "docker.io/library/third:latest",
                  third_id) == both(third_id, "docker.io/library/third:latest"));
  CHECK(claims_of(libpod, "libpod_pull.jsonl", name, second_id) == both(second_id, name));
  CHECK(claims_of(libpod, "libpod_pull_quiet.jsonl", name, second_id) == both(second_id, name));
  CHECK(claims_of(libpod, "libpod_pull_missing.jsonl", name, second_id) == both(second_id, name));
}

TEST_CASE("a pull that failed, or whose name means another image by now, claims nothing") {
  constexpr auto docker = "/v1.41/images/create?fromImage=registry.example/team/second&tag=2";
  constexpr auto libpod = "/v4.3.1/libpod/images/pull?reference=registry.example/team/second:2";
  constexpr auto name = "registry.example/team/second:2";
  for (const auto* file :
       {"docker_pull_absent.jsonl", "docker_pull_unreachable.jsonl", "docker_pull_absent_tag.jsonl"}) {
    CAPTURE(file);
    CHECK(claims_of(docker, file, name, second_id) == "");
  }
  for (const auto* file :
       {"libpod_pull_absent.jsonl", "libpod_pull_absent_quiet.jsonl", "libpod_pull_never_absent.jsonl"}) {
    CAPTURE(file);
    CHECK(claims_of(libpod, file, name, second_id) == "");
  }
  CHECK(claims_of(docker, "docker_pull.jsonl", name, third_id) == "");
  CHECK(claims_of(docker, "docker_pull.jsonl", name, "") == "");
}

TEST_CASE("a name that was claimed when the pull began is given back when it fails") {
  constexpr auto docker = "/v1.41/images/create?fromImage=registry.example/team/second&tag=2";
  constexpr auto name = "registry.example/team/second:2";
  CHECK(claims_of(docker, "docker_pull_absent.jsonl", name, second_id, true) == "drop registry.example/team/second:2");
  CHECK(claims_of(docker, "docker_pull.jsonl", name, third_id, true) == "drop registry.example/team/second:2");
  CHECK(claims_of(docker, "docker_pull.jsonl", name, second_id, true) == both(second_id, name));
}

TEST_CASE("a shared name is never claimed") {
  CHECK(claims_of("/v4.3.1/libpod/images/pull?reference=localhost/bb:latest", "libpod_pull_never.jsonl",
                  "localhost/bb:latest", image_id) == "");
}

TEST_CASE("progress passes unchanged but for paths of the host") {
  Recorded world(Method::Post, "/v4.3.1/libpod/images/pull?reference=third");
  LineJudge judge(Answer::PullLines, world.exchange);
  const auto lines = lines_of(recording("libpod_pull_short.jsonl"));
  CHECK(parsed(*world.judged(judge, lines[0])).text("stream") ==
        "Resolving \"third\" using unqualified-search registries (<path>)\n");
  for (std::size_t i = 1; i < lines.size(); ++i) CHECK(*world.judged(judge, lines[i]) == lines[i]);
}

TEST_CASE("statistics are of own containers, also of those that start later") {
  Recorded world(Method::Get, "/v4.3.1/libpod/containers/stats");
  LineJudge judge(Answer::StatsLines, world.exchange);
  const auto line = recording("libpod_stats.json");
  const auto ids = [&] {
    std::vector<std::string> result;
    const auto text = world.judged(judge, line);
    CHECK(reveals(*text) == "");
    const auto value = parsed(*text);
    for (const auto& row : *value.find("Stats")->items()) result.emplace_back(row.text("ContainerID"));
    return result;
  };
  CHECK(ids().size() == 4);
  const int asked = world.questions;
  CHECK(ids().size() == 4);
  CHECK(world.questions == asked);
  CHECK(*world.judged(judge, R"({"Error":{},"Stats":null})") == R"({"Error":{},"Stats":null})");
  const auto newcomer = R"({"Error":null,"Stats":[{"ContainerID":")" + id('e') + R"("}]})";
  CHECK(*world.judged(judge, newcomer) == R"({"Error":null,"Stats":[]})");
  CHECK(world.questions == asked + 1);
  CHECK(*world.judged(judge, newcomer) == R"({"Error":null,"Stats":[]})");
  CHECK(world.questions == asked + 1);
  CHECK_FALSE(world.judged(judge, R"({"Stats":5})"));
}

TEST_CASE("statistics of pods are of own pods") {
  Recorded world(Method::Get, "/v4.3.1/libpod/pods/stats");
  LineJudge judge(Answer::StatsLines, world.exchange);
  const auto text = world.judged(judge, recording("libpod_pod_stats.json"));
  REQUIRE(text);
  CHECK(reveals(*text) == "");
  CHECK(parsed(*text).items()->size() == 1);
  CHECK(*world.judged(judge, R"([{"Pod":"","CID":""}])") == "[]");
}
