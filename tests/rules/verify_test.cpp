// The probes of `podfence verify` as data, and what is made of what they bring.

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "rules/ascii.hpp"
#include "rules/endpoint.hpp"
#include "rules/target.hpp"
#include "rules/verify/decoy.hpp"
#include "rules/verify/judge.hpp"
#include "rules/verify/report.hpp"
#include "rules/verify/survey.hpp"

using namespace podfence::rules;
using namespace podfence::rules::verify;
using Result = Verdict::Result;

namespace {

const std::string random_digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string run = "podfence-verify-0123456789";

/// With everything that is learned of a decoy.
Scene full_scene() {
  auto scene = first_scene(run, "appx.project", "p1", random_digits);
  for (const char* word : {"container", "running", "pod", "exec", "image-id", "network-id"})
    scene.values[word] = std::string(50, word[0]) + "fed" + std::string(11, word[1]);
  scene.values["short-id"] = scene.values["container"].substr(0, 12);
  scene.values["port"] = "50000";
  scene.values["since"] = "1";
  scene.values["now"] = "2";
  return scene;
}

Probe probe_of(Sound sound, Trait trait = Trait::None) {
  return {"label", "something", "POST /v1.41/volumes/create", "", sound, "do that", Form::Json, trait};
}

Result result_of(Sound sound, const Observed& observed) {
  return judge(probe_of(sound), full_scene(), observed).result;
}

Thing thing(std::string name) { return {&kinds()[1], "0123", std::move(name)}; }

Result bound(Trait trait, const std::string& container) {
  const Observed observed{.answer = {201}, .made = {{thing(run + "-new"), container}}};
  return judge(probe_of(Sound::Confined, trait), full_scene(), observed).result;
}

}  // namespace

TEST_CASE("every probe can be written, as a request that Podman has, and says what it means when it fails") {
  const auto scene = full_scene();
  std::map<std::string_view, int> families;
  std::set<std::string> tried;
  for (const auto& probe : probes()) {
    const auto bytes = bytes_of(probe, scene);
    CAPTURE(std::string(probe.what));
    CHECK(scene.why_not(probe.request) == "");
    CHECK(scene.why_not(probe.content) == "");
    CHECK(!probe.means.empty());
    CHECK((probe.sound == Sound::Confined) == (probe.trait != Trait::None));
    CHECK(tried.insert(bytes).second == (probe.trait != Trait::NoNewPrivileges));
    ++families[probe.family];
    if (probe.form == Form::Bytes) continue;
    const auto line = bytes.substr(0, bytes.find("\r\n"));
    const auto first = line.find(' '), last = line.rfind(' ');
    const auto method = parse_method(line.substr(0, first));
    REQUIRE(method);
    const auto target = parse_target(line.substr(first + 1, last - first - 1));
    REQUIRE(std::holds_alternative<Target>(target));
    CHECK(std::holds_alternative<Match>(route(*method, std::get<Target>(target))));
  }
  CHECK(probes().size() >= 50);
  CHECK(families.size() == 15);
  for (const auto& [family, count] : families) CHECK(count >= 2);
}

TEST_CASE("what a probe would make, remove or change has the name of the run in it, and a prune the run's label") {
  const auto scene = full_scene();
  for (const auto& probe : probes()) {
    const auto bytes = bytes_of(probe, scene);
    if (bytes.starts_with("GET")) continue;
    CAPTURE(bytes.substr(0, 300));
    bool is_bound = bytes.find(run) != std::string::npos;
    for (const char* word : {"container", "running", "pod", "exec"})
      is_bound = is_bound || bytes.find(scene.values.at(word)) != std::string::npos;
    CHECK(is_bound);
    if (bytes.find("/prune") != std::string::npos)
      CHECK(bytes.find(encode("[\"podfence.verify=" + run)) != std::string::npos);
  }
}

TEST_CASE("nothing is started, and no build has a step that runs") {
  for (const auto& probe : probes()) {
    CHECK(probe.content.find("RUN ") == std::string_view::npos);
    const bool starts = probe.request.find("/start") != std::string_view::npos;
    if (starts) CHECK(probe.request.find("{exec}") != std::string_view::npos);
  }
}

TEST_CASE("the twin of a probe names nothing that is there") {
  const auto scene = full_scene();
  for (const auto& probe : probes()) {
    if (probe.sound != Sound::Absent) continue;
    const auto twin = bytes_of(probe, scene, true);
    CAPTURE(twin);
    CHECK(twin != bytes_of(probe, scene));
    for (const auto& [word, absent] : scene.absent) CHECK(twin.find(scene.values.at(word)) == std::string::npos);
  }
}

TEST_CASE("a word without a value is why a probe cannot be tried") {
  Scene scene;
  scene.values["a"] = "1";
  scene.missing["b"] = "there is no b here";
  CHECK(scene.filled(R"({"x":"{a}","y":{},"z":{"w":"{a}"}})") == R"({"x":"1","y":{},"z":{"w":"1"}})");
  CHECK(scene.why_not("{a}") == "");
  CHECK(scene.why_not("{a} {b}") == "there is no b here");
  CHECK(scene.why_not("{c}") == "there is no c");
}

TEST_CASE("refused: by 4xx, and nothing came of it") {
  CHECK(result_of(Sound::Refused, {.answer = {403}}) == Result::Pass);
  CHECK(result_of(Sound::Refused, {.answer = {201}}) == Result::Fail);
  CHECK(result_of(Sound::Refused, {.answer = {500}}) == Result::Fail);
  CHECK(result_of(Sound::Refused, {.answer = {0}}) == Result::Fail);
  CHECK(result_of(Sound::Refused, {.answer = {403}, .made = {{thing(run + "-new")}}}) == Result::Fail);
  CHECK(result_of(Sound::Refused, {.answer = {403}, .changes = {"the decoy's pod is gone"}}) == Result::Fail);
  CHECK(result_of(Sound::Refused, {.answer = {403}, .claiming = {thing("any")}}) == Result::Fail);
}

TEST_CASE("absent: the decoy's things are answered as those that are not there") {
  const auto scene = full_scene();
  const auto& id = scene.values.at("container");
  const auto& other = scene.absent.at("container");
  CHECK(result_of(Sound::Absent, {.answer = {404, "no such container " + id},
                                  .twin = {404, "no such container " + other}}) == Result::Pass);
  CHECK(result_of(Sound::Absent, {.answer = {403, "not yours: " + id}, .twin = {404, "no such container " + other}}) ==
        Result::Fail);
  CHECK(result_of(Sound::Absent, {.answer = {404, "hidden: " + id}, .twin = {404, "no such container " + other}}) ==
        Result::Fail);
  CHECK(result_of(Sound::Absent, {.answer = {204}, .twin = {204}}) == Result::Fail);
  CHECK(result_of(Sound::Absent, {.answer = {404}, .twin = {404}, .changes = {"the decoy's container is gone"}}) ==
        Result::Fail);
}

TEST_CASE("silent: served, without a word of the decoy") {
  const auto scene = full_scene();
  CHECK(result_of(Sound::Silent, {.answer = {200, "[]"}}) == Result::Pass);
  CHECK(result_of(Sound::Silent, {.answer = {200, "[\"" + run + "-own\"]"}}) == Result::Pass);
  CHECK(result_of(Sound::Silent, {.answer = {200, "[\"" + run + "-decoy-volume\"]"}}) == Result::Fail);
  CHECK(result_of(Sound::Silent, {.answer = {200, "[\"" + scene.values.at("running").substr(0, 12) + "\"]"}}) ==
        Result::Fail);
  CHECK(result_of(Sound::Silent, {.answer = {200, "[]"}, .changes = {"the decoy's volume is gone"}}) == Result::Fail);
  CHECK(result_of(Sound::Silent, {.answer = {403}}) == Result::Skip);
}

TEST_CASE("confined: what was made is judged as Podman has it") {
  CHECK(bound(Trait::OwnLabel, R"({"Config":{"Labels":{"appx.project":"p1"}}})") == Result::Pass);
  CHECK(bound(Trait::OwnLabel, R"({"Config":{"Labels":{"appx.project":"p10"}}})") == Result::Fail);
  CHECK(bound(Trait::OwnLabel, R"({"Config":{"Labels":{}}})") == Result::Fail);
  CHECK(bound(Trait::OwnLabel, "{}") == Result::Fail);
  CHECK(bound(Trait::LoopbackPorts, R"({"HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":"127.0.0.1"}]}}})") ==
        Result::Pass);
  CHECK(bound(Trait::LoopbackPorts, R"({"HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":""}]}}})") == Result::Fail);
  CHECK(bound(Trait::LoopbackPorts, R"({"HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":"192.0.2.1"}]}}})") ==
        Result::Fail);
  CHECK(bound(Trait::NoNewPrivileges, R"({"HostConfig":{"SecurityOpt":["no-new-privileges"]}})") == Result::Pass);
  CHECK(bound(Trait::NoNewPrivileges, R"({"HostConfig":{"SecurityOpt":[]}})") == Result::Fail);
  CHECK(bound(Trait::LittleMemory, R"({"HostConfig":{"ShmSize":1073741824}})") == Result::Pass);
  CHECK(bound(Trait::LittleMemory, R"({"HostConfig":{"ShmSize":1099511627776}})") == Result::Fail);
  CHECK(bound(Trait::LittleMemory, "no JSON") == Result::Fail);
  const auto volume = full_scene().values.at("volume");
  CHECK(bound(Trait::OtherVolumes, R"({"Mounts":[{"Name":"p1..)" + volume + R"("}]})") == Result::Pass);
  CHECK(bound(Trait::OtherVolumes, R"({"Mounts":[{"Name":")" + volume + R"("}]})") == Result::Fail);
  CHECK(bound(Trait::OtherVolumes, "{}") == Result::Fail);
  CHECK(result_of(Sound::Confined, {.answer = {403}}) == Result::Pass);
  CHECK(result_of(Sound::Confined, {.answer = {201}}) == Result::Fail);
}

TEST_CASE("a change of the decoy is told with what it was") {
  const auto& piece = decoy_pieces()[1];
  const Facts before = {{"/Id", "\"a\""}, {"/State", "\"Running\""}};
  CHECK(changes(piece, before, before).empty());
  CHECK(changes(piece, before, {{"/Id", "\"a\""}, {"/State", "\"Exited\""}}) ==
        std::vector<std::string>{"the decoy's pod: /State was \"Running\", is \"Exited\""});
  CHECK(changes(piece, before, {}) == std::vector<std::string>{"the decoy's pod is gone"});
  const Look look{"GET /x", {"/Id", "/State/Status"}};
  CHECK(facts_of(look, 200, R"({"Id":"a","State":{"Status":"running"}})") ==
        Facts{{"/Id", "\"a\""}, {"/State/Status", "\"running\""}});
  CHECK(facts_of(look, 404, R"({"cause":"no such container"})").empty());
}

TEST_CASE("only what is called as a run is found, and others' things never") {
  CHECK(run_of(run + "-decoy") == run);
  CHECK(run_of("localhost/" + run + "-own:latest") == run);
  for (const char* other :
       {"podfence-verify-", "podfence-verify-mine", "podfence-verify-012345678", "my-podfence-verify-0123456789",
        "docker.io/podfence-verify-0123456789", "podfence-verify-01234567zz"})
    CHECK(run_of(other) == "");
  const auto containers = things_in(kinds()[1], 200, R"([{"Id":"1","Names":["podfence-verify-0123456789-new"]},
    {"Id":"2","Names":["podfence-verify-fedcba9876-new"]},{"Id":"3","Names":["web"]}])",
                                    run);
  REQUIRE(containers);
  REQUIRE(containers->size() == 1);
  CHECK(containers->front().handle() == "1");
  CHECK(!things_in(kinds()[1], 500, "[]", run));
  CHECK(!things_in(kinds()[1], 200, "no list", run));
}

TEST_CASE("an image is removed by its name, and one without a name only where its label names the run") {
  const auto& images = kinds().back();
  const auto found = things_in(
      images, 200, R"([{"Id":"1","RepoTags":["localhost/podfence-verify-0123456789-own:latest","quay.io/a/b:1"]},
    {"Id":"2","RepoTags":null,"Labels":{"podfence.verify":"podfence-verify-0123456789"}},
    {"Id":"3","RepoTags":null,"Labels":{"podfence.verify":"podfence-verify-fedcba9876"}},{"Id":"4","RepoTags":null}])",
      run);
  REQUIRE(found);
  REQUIRE(found->size() == 2);
  CHECK(found->front().handle() == "localhost/podfence-verify-0123456789-own:latest");
  CHECK(found->back().handle() == "2");
  for (const auto& kind : kinds())
    if (kind.name == "image") CHECK(kind.remove.find("force") == std::string_view::npos);
}

TEST_CASE("the report tells what was tried, seen and meant, and at its end what to do at once") {
  const auto probe = probe_of(Sound::Refused);
  Report report{.project = "p1", .socket = "/run/p1.sock", .run = run};
  report.outcomes.push_back({&probe, "POST /x", {Result::Fail, "201\x1b[31m"}});
  report.outcomes.push_back({&probe, "POST /y", {Result::Pass, "403"}});
  const auto text = verify::text_of(report.outcomes.front());
  CHECK(text.find("FAIL  label") == 0);
  CHECK(text.find("tried: POST /x") != std::string::npos);
  CHECK(text.find("\x1b") == std::string::npos);
  CHECK(text.find("means: a client can do that") != std::string::npos);
  const auto end = summary(report);
  CHECK(end.find("1 passed, 1 failed, 0 could not be tried\nAT ONCE: take /run/p1.sock away") != std::string::npos);
  report.outcomes.erase(report.outcomes.begin());
  CHECK(summary(report) == "1 passed, 0 failed, 0 could not be tried\n");
  report.left.push_back("the volume x");
  CHECK(summary(report).find("left behind: the volume x\n") == 0);
  const auto parsed = json::parse(json_of(report));
  REQUIRE(std::holds_alternative<json::Value>(parsed));
  CHECK(std::get<json::Value>(parsed).int64("passed") == 1);
}

TEST_CASE("of the operator's projects only those of runs are taken for left ones") {
  CHECK(
      runs_in(
          R"({"projects":[{"id":"p1"},{"id":"podfence-verify-0123456789"},{"id":"podfence-verify-0123456789-mine"}]})") ==
      std::vector<std::string>{run});
  CHECK(socket_in(R"({"id":"x","socket":"/run/x.sock"})") == "/run/x.sock");
  CHECK(socket_in("no JSON") == "");
}
