#include "rules/quota.hpp"

#include <doctest/doctest.h>

#include <map>

#include "rules/error_answer.hpp"
#include "rules/units.hpp"
#include "tests/rules/parsed.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

constexpr std::string_view compat_create = "/v1.41/containers/create",
                           libpod_create = "/v4.0.0/libpod/containers/create";

/// p1 with that quota and an image; nothing else is limited.
World with_quota(Resource resource, std::int64_t quota) {
  World world = one_of_every_kind();
  world.project.policy.quotas = {};
  world.project.policy.quota(resource) = quota;
  return world;
}

/// The rule and the subject of a refusal, or what the request adds.
std::string outcome(const Decision& decision) {
  if (const auto* deny = std::get_if<Deny>(&decision)) return std::string(deny->rule->id) + ": " + deny->subject;
  const auto* forward = std::get_if<Forward>(&decision);
  if (!forward) return "no request";
  std::string text;
  for (const auto& use : forward->uses)
    text += (text.empty() ? "" : ", ") + std::string(resource_rows[static_cast<std::size_t>(use.resource)].key) + " " +
            std::to_string(use.amount);
  return text;
}

std::string container(const std::string& host_config) {
  return R"({"Image":"mine:1","HostConfig":{)" + host_config + "}}";
}

/// How often the rules asked for a count.
std::size_t counts(const World& world) {
  return static_cast<std::size_t>(std::ranges::count(world.asked, Question::Ask::Count, &Question::ask));
}

/// A running container of p1 with these limits and exec sessions.
void add_container(World& world, const std::string& name, char digit, const std::string& host_config,
                   const std::vector<std::string>& sessions = {}) {
  auto document = parsed(R"({"State":"running","HostConfig":{)" + host_config + "}}");
  auto ids = json::Value::array();
  for (const auto& session : sessions) ids.push(session);
  document.set("ExecIDs", std::move(ids));
  world.add(Kind::Container, name, id(digit), "p1", json::write(document));
}

}  // namespace

TEST_CASE("every row of the endpoint table adds one of what it should") {
  using enum Resource;
  const std::map<std::string, Resource> expected = {
      {"POST /containers/create", Containers},
      {"POST /libpod/containers/create", Containers},
      {"POST /libpod/pods/create", Pods},
      {"POST /volumes/create", Volumes},
      {"POST /libpod/volumes/create", Volumes},
      {"POST /networks/create", Networks},
      {"POST /libpod/networks/create", Networks},
      {"POST /secrets/create", Secrets},
      {"POST /libpod/secrets/create", Secrets},
      {"POST /libpod/manifests/{name:.*}", Images},
      {"POST /images/create", Images},
      {"POST /libpod/images/pull", Images},
      {"POST /images/load", Images},
      {"POST /libpod/images/load", Images},
      {"POST /libpod/images/import", Images},
      {"POST /commit", Images},
      {"POST /libpod/commit", Images},
      {"POST /containers/{name}/exec", Execs},
      {"POST /libpod/containers/{name}/exec", Execs},
      {"POST /build", Builds},
      {"POST /libpod/build", Builds},
      {"POST /containers/{name}/attach", Streams},
      {"POST /libpod/containers/{name}/attach", Streams},
      {"POST /exec/{id}/start", Streams},
      {"POST /libpod/exec/{id}/start", Streams},
      {"GET /containers/{name}/logs", Streams},
      {"GET /libpod/containers/{name}/logs", Streams},
      {"GET /containers/{name}/stats", Streams},
      {"GET /libpod/containers/{name}/stats", Streams},
      {"GET /libpod/containers/stats", Streams},
      {"GET /libpod/pods/stats", Streams},
      {"GET /containers/{name}/top", Streams},
      {"GET /libpod/containers/{name}/top", Streams},
      {"GET /libpod/pods/{name}/top", Streams},
      {"POST /containers/{name}/wait", Streams},
      {"POST /libpod/containers/{name}/wait", Streams},
      {"GET /events", Streams},
      {"GET /libpod/events", Streams},
  };
  std::size_t found = 0;
  for (const auto& endpoint : endpoints()) {
    const auto row = std::string(text(endpoint.method)) + " " + std::string(endpoint.path);
    CAPTURE(row);
    const auto place = expected.find(row);
    const auto resource = resource_of(endpoint);
    CHECK(resource == (place == expected.end() ? std::nullopt : std::optional(place->second)));
    found += place != expected.end();
    // Of what upstream keeps nothing may be added while it is counted, nor limits changed while they are added up.
    const bool updates = endpoint.path.ends_with("/containers/{name}/update");
    const bool makes_many = endpoint.act == Act::KubePlay;
    CHECK(takes_turn(endpoint) == (updates || makes_many || (resource && lasts(*resource))));
  }
  CHECK(found == expected.size());
}

TEST_CASE("creates are refused when the project has as many as it may") {
  struct Row {
    Resource resource;
    std::string target, content, used_up;
  };
  // The world has one of every kind for p1, and one for p10 that does not count.
  const Row rows[] = {
      {Resource::Containers, std::string(compat_create), container(""), "containers"},
      {Resource::Containers, std::string(libpod_create), R"({"image":"mine:1"})", "containers"},
      {Resource::Containers, "/v4.0.0/libpod/pods/create", R"({"name":"other"})", "containers"},
      {Resource::Pods, "/v4.0.0/libpod/pods/create", R"({"name":"other"})", "pods"},
      {Resource::Volumes, "/v1.41/volumes/create", R"({"Name":"other"})", "volumes"},
      {Resource::Volumes, "/v4.0.0/libpod/volumes/create", "{\"Name\":\"other\"}", "volumes"},
      {Resource::Volumes, std::string(compat_create), container(R"("Binds":["other:/data"])"), "volumes"},
      {Resource::Networks, "/v1.41/networks/create", R"({"Name":"other"})", "networks"},
      {Resource::Networks, "/v4.0.0/libpod/networks/create", R"({"name":"other"})", "networks"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CAPTURE(row.used_up);
    auto world = with_quota(row.resource, 1);
    CHECK(outcome(world.decide(Method::Post, row.target, row.content)) == "quota.exceeded: 1 of 1 " + row.used_up);
    auto roomy = with_quota(row.resource, 2);
    CHECK(outcome(roomy.decide(Method::Post, row.target, row.content)) == row.used_up + " 1");
    CHECK(counts(roomy) == 1);
    auto none = with_quota(row.resource, 0);
    CHECK(outcome(none.decide(Method::Post, row.target, row.content)) == "quota.exceeded: 1 of 0 " + row.used_up);
  }
}

TEST_CASE("what adds nothing is not counted") {
  auto volumes = with_quota(Resource::Volumes, 1);
  CHECK(outcome(volumes.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data"})")) == "");
  CHECK(outcome(volumes.decide(Method::Post, compat_create, container(R"("Binds":["data:/data"])"))) == "");
  auto networks = with_quota(Resource::Networks, 1);
  CHECK(outcome(networks.decide(Method::Post, "/v1.41/networks/create", R"({"Name":"net"})")) == "");
  auto pods = with_quota(Resource::Containers, 1);
  CHECK(outcome(pods.decide(Method::Post, "/v4.0.0/libpod/pods/create", R"({"name":"bare","no_infra":true})")) == "");
  World unlimited = with_quota(Resource::Containers, 1);
  unlimited.project.policy.quotas = {};
  CHECK(outcome(unlimited.decide(Method::Post, compat_create, container(""))) == "");
  CHECK(counts(unlimited) == 0);
}

TEST_CASE("volumes that a container needs are added all together") {
  auto world = with_quota(Resource::Volumes, 3);
  const auto create = [&](const std::string& binds) {
    return outcome(world.decide(Method::Post, compat_create, container("\"Binds\":[" + binds + "]")));
  };
  CHECK(create(R"("a:/a","b:/b","data:/d")") == "volumes 2");
  CHECK(create(R"("a:/a","b:/b","c:/c")") == "quota.exceeded: 1 of 3 volumes, and the request adds 3");
}

TEST_CASE("a project that has room is counted once, and one that has none every time") {
  auto world = with_quota(Resource::Containers, 3);
  const auto create = [&] {
    auto decision = world.decide(Method::Post, compat_create, container(""));
    const auto* forward = std::get_if<Forward>(&decision);
    if (forward) world.usage.begin("p1", forward->uses);
    return outcome(decision);
  };
  CHECK(create() == "containers 1");
  CHECK(create() == "containers 1");
  CHECK(counts(world) == 1);
  CHECK(*world.usage.bound("p1", Resource::Containers) == 3);
  // Both failed or are gone: what is there is counted again.
  CHECK(create() == "containers 1");
  CHECK(counts(world) == 2);
  CHECK(*world.usage.bound("p1", Resource::Containers) == 2);
  add_container(world, "second", '5', "");
  add_container(world, "third", '6', "");
  CHECK(create() == "containers 1");  // the bound is of the time before
  CHECK(create() == "quota.exceeded: 3 of 3 containers");
  CHECK(create() == "quota.exceeded: 3 of 3 containers");
  CHECK(counts(world) == 4);
  CHECK_FALSE(world.usage.bound("p10", Resource::Containers));
}

TEST_CASE("a count is asked for together with everything else, at the first opportunity") {
  // Who counts is alone among its project's, which has to be known before anything is asked.
  auto world = with_quota(Resource::Containers, 3);
  const auto target = std::get<Target>(parse_target(compat_create));
  Request request;
  request.method = Method::Post;
  request.target = target;
  request.has_content = true;
  request.content = parsed(container(""));
  const auto match = std::get<Match>(route(Method::Post, target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  const auto decision = decide(exchange);
  const auto* ask = std::get_if<Ask>(&decision);
  REQUIRE(ask);
  CHECK(std::ranges::count(ask->questions, Question::Ask::Count, &Question::ask) == 1);
  CHECK(ask->questions.size() == 2);
  const auto counting = facts.request_for({Question::Ask::Count, Kind::Container, ""});
  CHECK(counting.target == facts.request_for({Question::Ask::List, Kind::Container, ""}).target);
  CHECK(counting.target.find("all=true") != std::string::npos);
}

TEST_CASE("a foreign container is hidden before any quota is looked at") {
  auto world = with_quota(Resource::Execs, 0);
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/web10/exec", R"({"Cmd":["a"]})")) == "ownership.hidden");
  auto streams = with_quota(Resource::Streams, 0);
  CHECK(rule_of(streams.decide(Method::Get, "/v1.41/containers/web10/logs?stdout=1")) == "ownership.hidden");
}

TEST_CASE("the memory of all containers is added up") {
  auto world = with_quota(Resource::Memory, 4 * gibi);
  add_container(world, "large", '5', "\"Memory\":" + std::to_string(2 * gibi));
  add_container(world, "small", '6', "\"Memory\":" + std::to_string(gibi));
  const auto compat = [&](std::int64_t memory) {
    return outcome(world.decide(Method::Post, compat_create, container("\"Memory\":" + std::to_string(memory))));
  };
  const auto libpod = [&](std::int64_t memory) {
    return outcome(
        world.decide(Method::Post, libpod_create,
                     R"({"image":"mine:1","resource_limits":{"memory":{"limit":)" + std::to_string(memory) + "}}}"));
  };
  CHECK(compat(gibi) == "memory " + std::to_string(gibi));
  CHECK(libpod(gibi) == "memory " + std::to_string(gibi));
  CHECK(compat(gibi + 1) == "quota.exceeded: 3g of 4g memory, and the request adds 1073741825");
  CHECK(libpod(2 * gibi) == "quota.exceeded: 3g of 4g memory, and the request adds 2g");
  CHECK(outcome(world.decide(Method::Post, "/v4.0.0/libpod/pods/create",
                             R"({"name":"other","resource_limits":{"memory":{"limit":8589934592}}})")) == "");
  CHECK(compat(0) == "");  // no limit counts nothing: that there is one is another rule's business
}

TEST_CASE("processors are added up, however they are said") {
  auto world = with_quota(Resource::Cpus, 2'000'000'000);
  add_container(world, "half", '5', "\"NanoCpus\":500000000");
  const auto compat = [&](const std::string& host) {
    return outcome(world.decide(Method::Post, compat_create, container(host)));
  };
  CHECK(compat("\"NanoCpus\":1500000000") == "cpus 1500000000");
  CHECK(compat("\"CpuQuota\":200000") == "quota.exceeded: 0.5 of 2 cpus, and the request adds 2");
  CHECK(outcome(world.decide(Method::Post, libpod_create,
                             R"({"image":"mine:1","resource_limits":{"cpu":{"quota":300000,"period":200000}}})")) ==
        "cpus 1500000000");
}

TEST_CASE("the limits of a container are looked at once, until it is updated") {
  auto world = with_quota(Resource::Memory, 4 * gibi);
  add_container(world, "old", '5', "\"Memory\":" + std::to_string(gibi));
  const auto create = [&](std::int64_t memory) {
    world.asked.clear();
    return outcome(world.decide(Method::Post, compat_create, container("\"Memory\":" + std::to_string(memory))));
  };
  const auto inspections = [&] {
    return std::ranges::count_if(world.asked, [](const Question& question) {
      return question.ask == Question::Ask::Object && question.kind == Kind::Container;
    });
  };
  CHECK(rule_of(world.decide(Method::Post, compat_create, container("\"Memory\":" + std::to_string(5 * gibi)))) ==
        "quota.exceeded");
  CHECK(create(5 * gibi) == "quota.exceeded: 1g of 4g memory, and the request adds 5g");
  CHECK(counts(world) == 1);
  CHECK(inspections() == 0);
  const auto update = world.decide(Method::Post, "/v4.0.0/libpod/containers/old/update",
                                   R"({"memory":{"limit":)" + std::to_string(2 * gibi) + "}}");
  CHECK(outcome(update) == "memory " + std::to_string(gibi));
  add_container(world, "old", '5', "\"Memory\":" + std::to_string(2 * gibi));
  CHECK(create(5 * gibi) == "quota.exceeded: 2g of 4g memory, and the request adds 5g");
}

TEST_CASE("an update is counted by how much it grows, in both families") {
  auto world = with_quota(Resource::Memory, 4 * gibi);
  add_container(world, "one", '5', "\"Memory\":" + std::to_string(3 * gibi));
  add_container(world, "two", '6', "\"Memory\":" + std::to_string(gibi));
  const auto update = [&](const std::string& target, const std::string& before, std::int64_t memory,
                          const std::string& after) {
    return outcome(world.decide(Method::Post, target, before + std::to_string(memory) + after));
  };
  const auto compat = [&](std::int64_t memory) {
    return update("/v1.41/containers/two/update", "{\"Memory\":", memory, "}");
  };
  CHECK(compat(gibi) == "");
  CHECK(compat(gibi / 2) == "");
  CHECK(compat(gibi + gibi / 2) == "quota.exceeded: 4g of 4g memory, and the request adds 512m");
  CHECK(update("/v5.0.0/libpod/containers/two/update", R"({"memory":{"limit":)", 2 * gibi, "}}") ==
        "quota.exceeded: 4g of 4g memory, and the request adds 1g");
  CHECK(update("/v4.0.0/libpod/containers/two/update", R"({"Resources":{"memory":{"limit":)", 2 * gibi, "}}}") ==
        "quota.exceeded: 4g of 4g memory, and the request adds 1g");
}

TEST_CASE("exec sessions of own running containers count, unless they have ended") {
  auto world = with_quota(Resource::Execs, 2);
  add_container(world, "busy", '5', "", {id('6'), id('7')});
  world.exec(id('6'), id('5'));
  world.exec(id('7'), id('5'));
  const auto create = [&] {
    return outcome(world.decide(Method::Post, "/v1.41/containers/busy/exec", R"({"Cmd":["a"]})"));
  };
  CHECK(create() == "quota.exceeded: 2 of 2 execs");
  world.exec(id('7'), id('5'), true);
  CHECK(create() == "execs 1");
  CHECK(*world.usage.bound("p1", Resource::Execs) == 1);
}

TEST_CASE("sessions are looked at one by one only where there are too many") {
  auto world = with_quota(Resource::Execs, 3);
  add_container(world, "busy", '5', "", {id('6'), id('7')});
  CHECK(outcome(world.decide(Method::Post, "/v4.0.0/libpod/containers/busy/exec", R"({"Cmd":["a"]})")) == "execs 1");
  CHECK(std::ranges::count(world.asked, Kind::Exec, &Question::kind) == 0);
  CHECK(*world.usage.bound("p1", Resource::Execs) == 2);
}

TEST_CASE("images are those that the ledger says, and those that are being pulled") {
  const auto pull = "/v1.41/images/create?fromImage=docker.io/library/new&tag=1";
  auto world = with_quota(Resource::Images, 3);  // p1 holds two
  auto decision = world.decide(Method::Post, pull);
  CHECK(outcome(decision) == "images 1");
  {
    const auto running = world.usage.begin("p1", std::get<Forward>(decision).uses);
    CHECK(outcome(world.decide(Method::Post, pull)) == "quota.exceeded: 3 of 3 images");
  }
  CHECK(outcome(world.decide(Method::Post, pull)) == "images 1");
  world.ledger.holds.insert({"p1", id('7')});
  CHECK(outcome(world.decide(Method::Post, pull)) == "quota.exceeded: 3 of 3 images");
}

TEST_CASE("streams are counted as long as they are open, for each project by itself") {
  auto world = with_quota(Resource::Streams, 1);
  const auto events = [&] { return world.decide(Method::Get, "/v1.41/events"); };
  const auto first = events();
  CHECK(outcome(first) == "streams 1");
  {
    auto running = world.usage.begin("p1", std::get<Forward>(first).uses);
    CHECK(outcome(events()) == "quota.exceeded: 1 of 1 streams");
    CHECK(outcome(world.decide(Method::Get, "/v1.41/containers/web/logs?follow=1&stdout=1")) ==
          "quota.exceeded: 1 of 1 streams");
    CHECK(outcome(world.decide(Method::Post, "/v1.41/containers/web/attach")) == "quota.exceeded: 1 of 1 streams");
    CHECK(outcome(world.decide(Method::Get, "/v4.0.0/libpod/containers/stats?stream=true")) ==
          "quota.exceeded: 1 of 1 streams");
    CHECK(outcome(world.decide(Method::Get, "/v1.41/containers/json")) == "");
    const auto moved = std::move(running);
    CHECK(world.usage.running("p1", Resource::Streams) == 1);
    CHECK(world.usage.running("p10", Resource::Streams) == 0);
  }
  CHECK(world.usage.running("p1", Resource::Streams) == 0);
  CHECK(outcome(events()) == "streams 1");
}

TEST_CASE("a quota that is used up says what to do") {
  auto world = with_quota(Resource::Containers, 1);
  const auto sentence = [&](Method method, std::string_view target, std::string_view content) {
    return sentence_of(std::get<Deny>(world.decide(method, target, content)));
  };
  CHECK(sentence(Method::Post, compat_create, container("")) ==
        "podfence: the project's quota is used up: 1 of 1 containers. Remove some. "
        "[rule quota.exceeded, policy quota.containers]");
  CHECK(std::get<Deny>(world.decide(Method::Post, compat_create, container(""))).policy == "quota.containers");
  world.project.policy.quota(Resource::Streams) = 0;
  CHECK(sentence(Method::Get, "/v1.41/events", "").find("End some open attach") != std::string::npos);
}
