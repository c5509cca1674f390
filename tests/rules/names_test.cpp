#include "rules/names.hpp"

#include <doctest/doctest.h>

#include "rules/answer.hpp"
#include "rules/name_patterns.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

World private_world() {
  World world;
  world.project.policy.names = Names::Private;
  world.add(Kind::Network, "podman", std::string(default_network_id), "");
  return world;
}

json::Value content_of(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  if (!forward || !forward->request.content) return {};
  return std::get<json::Value>(json::parse(*forward->request.content));
}

/// What a client reads of that answer to that request.
std::string read_by_client(World& world, Method method, const std::string& target, const std::string& answer) {
  Request request;
  request.method = method;
  request.target = std::get<Target>(parse_target(target));
  const auto match = std::get<Match>(route(method, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  for (int round = 0; round < 8; ++round) {
    auto result = rewrite_answer(match.endpoint->answer, exchange, answer);
    if (const auto* text = std::get_if<std::string>(&result)) return *text;
    if (const auto* deny = std::get_if<Deny>(&result)) return std::string(deny->rule->id);
    for (const auto& question : std::get<Ask>(result).questions) world.answer(facts, question);
  }
  return "";
}

}  // namespace

TEST_CASE("a private name is found under the project's prefix, and hides nothing else that is the project's") {
  auto world = private_world();
  world.add(Kind::Container, "p1..web", id('a'), "p1");
  world.add(Kind::Container, "web", id('b'), "p10");
  world.add(Kind::Container, "p10..db", id('c'), "p10");
  world.add(Kind::Container, "happy_name", id('d'), "p1");
  world.volume("p1..data", "p1");
  const auto inspect = [&](const std::string& name) {
    return target_of(world.decide(Method::Get, "/v1.41/containers/" + name + "/json"));
  };
  CHECK(inspect("web") == "/v1.41/containers/" + id('a') + "/json");
  CHECK(inspect("p1..web") == "/v1.41/containers/" + id('a') + "/json");
  CHECK(inspect(id('a')) == "/v1.41/containers/" + id('a') + "/json");
  CHECK(inspect("happy_name") == "/v1.41/containers/" + id('d') + "/json");
  CHECK(inspect("db") == "ownership.hidden");
  CHECK(inspect("p10..db") == "ownership.hidden");
  CHECK(target_of(world.decide(Method::Get, "/v1.41/volumes/data")) == "/v1.41/volumes/p1..data");
  CHECK(target_of(world.decide(Method::Get, "/v1.41/networks/bridge")) ==
        "/v1.41/networks/" + std::string(default_network_id));
}

TEST_CASE("a private name may look like an id, and catches nothing that is meant for another thing") {
  auto world = private_world();
  const std::string name = "abcdef012345";
  const auto content = R"({"Name":")" + name + "\"}";
  CHECK(content_of(world.decide(Method::Post, "/v1.41/networks/create", content)).text("Name") == "p1.." + name);
  const auto found = [&] { return target_of(world.decide(Method::Get, "/v1.41/networks/" + name)); };
  world.add(Kind::Network, "p1.." + name, id('e'), "p1");
  CHECK(found() == "/v1.41/networks/" + id('e'));
  world.add(Kind::Network, name, id('f'), "p10");  // it begins somebody else's id
  CHECK(found() == "/v1.41/networks/" + id('e'));
  world.add(Kind::Network, name, id('d'), "p1");  // or one of its own
  CHECK(found() == "/v1.41/networks/" + id('d'));
}

TEST_CASE("what another project has is looked up as what is absent is, with the same questions") {
  auto world = private_world();
  world.add(Kind::Container, "web", id('b'), "p10");
  world.decide(Method::Get, "/v1.41/containers/web/json");
  const auto foreign = world.asked.size();
  world.asked.clear();
  world.decide(Method::Get, "/v1.41/containers/nothing/json");
  CHECK(foreign == 2);
  CHECK(world.asked.size() == foreign);
}

TEST_CASE("what is made gets its name upstream, in both families and for every kind") {
  auto world = private_world();
  world.image(id('1'), {"localhost/shared/base:latest"});
  const std::string image = R"("Image":"localhost/shared/base")", spec = R"("image":"localhost/shared/base")";
  CHECK(target_of(world.decide(Method::Post, "/v1.41/containers/create?name=web", "{" + image + "}")) ==
        "/v1.41/containers/create?name=p1..web");
  CHECK(content_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create", R"({"name":"web",)" + spec + "}"))
            .text("name") == "p1..web");
  CHECK(content_of(world.decide(Method::Post, "/v4.0.0/libpod/pods/create", R"({"name":"shop"})")).text("name") ==
        "p1..shop");
  CHECK(content_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data"})")).text("Name") ==
        "p1..data");
  CHECK(content_of(world.decide(Method::Post, "/v4.0.0/libpod/volumes/create", R"({"Name":"data"})")).text("Name") ==
        "p1..data");
  CHECK(content_of(world.decide(Method::Post, "/v1.41/networks/create", R"({"Name":"net"})")).text("Name") ==
        "p1..net");
  CHECK(content_of(world.decide(Method::Post, "/v4.0.0/libpod/networks/create", R"({"name":"net"})")).text("name") ==
        "p1..net");
  CHECK(
      content_of(world.decide(Method::Post, "/v1.41/secrets/create", R"({"Name":"key","Data":"eA=="})")).text("Name") ==
      "p1..key");
  const auto secret = target_of(world.decide(Method::Post, "/v4.0.0/libpod/secrets/create?name=key", "x"));
  CHECK(secret.find("name=p1..key") != std::string::npos);
  world.add(Kind::Container, "p1..web", id('a'), "p1");
  CHECK(target_of(world.decide(Method::Post, "/v1.41/containers/web/rename?name=shop")) ==
        "/v1.41/containers/" + id('a') + "/rename?name=p1..shop");
}

TEST_CASE("a name that another project has is free") {
  auto world = private_world();
  for (const auto* name : {"data", "p10..data"}) world.volume(name, "p10");
  world.add(Kind::Network, "net", id('e'), "p10");
  world.secret("key", std::string(25, '5'), "p10");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data"})")) == "");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/networks/create", R"({"Name":"net"})")) == "");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/secrets/create", R"({"Name":"key","Data":"eA=="})")) == "");
}

TEST_CASE("what was there before names became private keeps its name, which is not given twice") {
  auto world = private_world();
  world.volume("data", "p1");
  CHECK(content_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"data"})")).text("Name") == "data");
  CHECK(target_of(world.decide(Method::Delete, "/v1.41/volumes/data")) == "/v1.41/volumes/data");
}

TEST_CASE("nobody can take a name that another project may want") {
  for (const auto names : {Names::Shared, Names::Private}) {
    auto world = private_world();
    world.project.policy.names = names;
    CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"p10..data"})")) == "name.reserved");
    CHECK(rule_of(world.decide(Method::Post, "/v4.0.0/libpod/pods/create", R"({"name":"p1..pod"})")) ==
          "name.reserved");
  }
  auto world = private_world();
  const std::string longest(255 - 4, 'x');  // p1..
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":")" + longest + "\"}")) == "");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":"x)" + longest + "\"}")) ==
        "name.syntax");
}

TEST_CASE("volumes that a create names are mounted and made by their names upstream") {
  auto world = private_world();
  world.image(id('1'), {"localhost/shared/base:latest"});
  world.volume("p1..data", "p1");
  world.volume("old", "p1");
  world.volume("fresh", "p10");
  const auto decision =
      world.decide(Method::Post, "/v1.41/containers/create",
                   R"({"Image":"localhost/shared/base","HostConfig":{"Binds":["data:/a","old:/b:ro","fresh:/c"],
          "Mounts":[{"Type":"volume","Source":"data","Target":"/d"}]}})");
  const auto content = content_of(decision);
  const auto binds = content.find("HostConfig")->list("Binds");
  REQUIRE(binds.size() == 3);
  CHECK(*binds[0].string() == "p1..data:/a");
  CHECK(*binds[1].string() == "old:/b:ro");
  CHECK(*binds[2].string() == "p1..fresh:/c");
  CHECK(content.find("HostConfig")->list("Mounts")[0].text("Source") == "p1..data");
  const auto& volumes = std::get<Forward>(decision).volumes;
  REQUIRE(volumes.size() == 1);
  CHECK(volumes[0].name == "p1..fresh");
}

TEST_CASE("a secret's file is called as its project calls the secret") {
  auto world = private_world();
  world.image(id('1'), {"localhost/shared/base:latest"});
  world.secret("p1..key", std::string(25, '5'), "p1");
  const auto secrets = [&](const std::string& said) {
    const auto content = content_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                                                 R"({"image":"localhost/shared/base","secrets":[)" + said + "]}"));
    return json::write(content.list("secrets"));
  };
  CHECK(secrets(R"({"Source":"key"})") == R"([{"Source":"5555555555555555555555555","Target":"key"}])");
  CHECK(secrets(R"({"Source":"key","Target":"/k"})") == R"([{"Source":"5555555555555555555555555","Target":"/k"}])");
}

TEST_CASE("on its networks a container or pod is found by the name that its project knows") {
  auto world = private_world();
  world.image(id('1'), {"localhost/shared/base:latest"});
  world.add(Kind::Network, "p1..net", id('e'), "p1");
  world.add(Kind::Container, "p1..web", id('a'), "p1");
  const auto docker =
      content_of(world.decide(Method::Post, "/v1.41/containers/create?name=web",
                              R"({"Image":"localhost/shared/base","HostConfig":{"NetworkMode":"net"}})"));
  CHECK(json::write(docker.find("NetworkingConfig")->find("EndpointsConfig")->find(id('e'))->list("Aliases")) ==
        R"(["web"])");
  const auto libpod =
      content_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                              R"({"name":"web","image":"localhost/shared/base","netns":{"nsmode":"bridge"},
                                  "Networks":{"net":{"aliases":["other"]}}})"));
  CHECK(json::write(libpod.find("Networks")->find(id('e'))->list("aliases")) == R"(["other","web"])");
  const auto pod = content_of(world.decide(Method::Post, "/v4.0.0/libpod/pods/create",
                                           R"({"name":"shop","netns":{"nsmode":"bridge"},"Networks":{"net":{}}})"));
  CHECK(json::write(pod.find("Networks")->find(id('e'))->list("aliases")) == R"(["shop"])");
  CHECK(pod.text("hostname") == "shop");
  const auto connected =
      content_of(world.decide(Method::Post, "/v1.41/networks/net/connect", R"({"Container":"web"})"));
  CHECK(json::write(connected.find("EndpointConfig")->list("Aliases")) == R"(["web"])");
}

TEST_CASE("filters by name are held against the clients' names") {
  auto world = private_world();
  const auto list =
      target_of(world.decide(Method::Get, "/v1.41/containers/json?filters=" + encode(R"({"name":["web"]})")));
  CHECK(list.find("name") == std::string::npos);
  CHECK(list.find("appx.project") != std::string::npos);
  const std::string answer = R"([{"Id":")" + id('a') + R"(","Names":["/p1..web"],"Labels":{"appx.project":"p1"}},)" +
                             R"({"Id":")" + id('b') + R"(","Names":["/p1..webber"],"Labels":{"appx.project":"p1"}},)" +
                             R"({"Id":")" + id('c') + R"(","Names":["/p1..p1"],"Labels":{"appx.project":"p1"}}])";
  const struct {
    const char* filter;
    std::vector<std::string> names;
  } rows[] = {{"web", {"/web", "/webber"}},
              {"^web$", {"/web"}},
              {"^/web$", {"/web"}},
              {"ebb|^p", {"/webber", "/p1"}},
              {"p1", {"/p1"}},
              {"^p1..web", {}},
              {"(", {}},
              {"", {"/web", "/webber", "/p1"}}};
  for (const auto& row : rows) {
    CAPTURE(row.filter);
    const auto text = read_by_client(
        world, Method::Get,
        "/v1.41/containers/json?filters=" + encode(R"({"name":[")" + std::string(row.filter) + "\"]}"), answer);
    std::vector<std::string> names;
    const auto shown = std::get<json::Value>(json::parse(text));
    for (const auto& item : *shown.items())
      for (const auto& name : item.list("Names")) names.push_back(*name.string());
    CHECK(names == row.names);
  }
}

TEST_CASE("what a filter by name leaves is counted here, the newest first for Docker's clients and last for Podman's") {
  auto world = private_world();
  const auto item = [](char which, const std::string& name) {
    return R"({"Id":")" + id(which) + R"(","Names":[")" + name + R"("],"Labels":{"appx.project":"p1"}})";
  };
  const auto answer = "[" + item('a', "p1..job") + "," + item('b', "p1..web1") + "," + item('c', "p1..web2") + "]";
  const auto filter = "filters=" + encode(R"({"name":["web"]})");
  const struct {
    std::string path, query, sent;
    std::string ids;
  } rows[] = {
      {"/v1.41", "limit=1&" + filter, "limit=2147483647&", "b"},
      {"/v1.41", "limit=2&" + filter, "limit=2147483647&", "bc"},
      {"/v1.41", "limit=9&" + filter, "limit=2147483647&", "bc"},
      {"/v1.41", "limit=0&" + filter, "limit=0&", "bc"},
      {"/v1.41", "limit=-1&" + filter, "limit=-1&", "bc"},
      {"/v1.41", "limit=1", "limit=1&", "abc"},
      {"/v4.0.0/libpod", "limit=1&" + filter, "limit=2147483647&", "c"},
      {"/v4.0.0/libpod", "last=1&" + filter, "last=2147483647&", "c"},
  };
  for (const auto& row : rows) {
    const auto target = row.path + "/containers/json?" + row.query;
    CAPTURE(target);
    CHECK(target_of(world.decide(Method::Get, target)).find("?" + row.sent) != std::string::npos);
    const auto shown = std::get<json::Value>(json::parse(read_by_client(world, Method::Get, target, answer)));
    std::string ids;
    for (const auto& each : *shown.items()) ids += each.text("Id").front();
    CHECK(ids == row.ids);
  }
  world.project.policy.names = Names::Shared;
  CHECK(target_of(world.decide(Method::Get, "/v1.41/containers/json?limit=1&" + filter)).find("limit=1&") !=
        std::string::npos);
}

TEST_CASE("answers have the clients' names") {
  auto world = private_world();
  const std::string container =
      R"({"Id":")" + id('a') +
      R"(","Name":"/p1..web","Config":{"Labels":{"appx.project":"p1"},"Env":["A=p1..web"]},)"
      R"("HostConfig":{"Binds":["p1..data:/a:rw"],"NetworkMode":"p1..net"},"Mounts":[{"Type":"volume","Name":"p1..data"}],)"
      R"("NetworkSettings":{"Networks":{"p1..net":{"NetworkID":"p1..net","Aliases":["web"]}}}})";
  const auto shown = read_by_client(world, Method::Get, "/v1.41/containers/web/json", container);
  const auto document = std::get<json::Value>(json::parse(shown));
  CHECK(document.text("Name") == "/web");
  CHECK(*document.find("HostConfig")->list("Binds")[0].string() == "data:/a:rw");
  CHECK(document.find("HostConfig")->text("NetworkMode") == "net");
  CHECK(document.list("Mounts")[0].text("Name") == "data");
  CHECK(document.find("NetworkSettings")->find("Networks")->find("net")->text("NetworkID") == "net");
  CHECK_MESSAGE(*document.find("Config")->list("Env")[0].string() == "A=p1..web", "what a client said stays");
  CHECK(read_by_client(world, Method::Get, "/v1.41/volumes/data",
                       R"({"Name":"p1..data","Labels":{"appx.project":"p1"}})") ==
        "{\"Name\":\"data\",\"Labels\":{\"appx.project\":\"p1\"}}\n");
}

TEST_CASE("texts for people have the clients' names, where they begin a word") {
  Project project{"p1", "appx.project", {}};
  project.policy.names = Names::Private;
  CHECK(with_client_names(project, "the container name \"p1..web\" is already in use by p1..web") ==
        "the container name \"web\" is already in use by web");
  CHECK(with_client_names(project, "xp1..web p10..web /p1..x") == "xp1..web p10..web /x");
  CHECK(with_client_names(project, "") == "");
  project.policy.names = Names::Full;
  CHECK(with_client_names(project, "p1..web") == "p1..web");
}

TEST_CASE("networks in a list become a map with the short name as an alias, each once") {
  World world = private_world();
  world.image(id('e'), {"localhost/shared:latest"});
  world.add(Kind::Network, "p1..one", id('1'), "p1");
  world.add(Kind::Network, "p1..two", id('2'), "p1");
  const auto content =
      content_of(world.decide(Method::Post, "/v4.0.0/libpod/containers/create",
                              R"({"image":"localhost/shared","name":"web","cni_networks":["two","one","two"]})"));
  REQUIRE(content.find("Networks"));
  CHECK(json::write(*content.find("Networks")) ==
        "{\"" + id('2') + R"(":{"aliases":["web"]},")" + id('1') + R"(":{"aliases":["web"]}})");

  json::Value many, list = json::Value::array();
  for (int i = 0; i < 200'000; ++i) list.push("n" + std::to_string(i));
  many.set("name", "web");
  many.set("cni_networks", std::move(list));
  // Quadratic work would take minutes here.
  const auto result = world.judge_alone(Body::PodCreate, many);
  REQUIRE(std::holds_alternative<JudgedBody>(result));
  const json::Value* networks = std::get<JudgedBody>(result).content.find("Networks");
  REQUIRE(networks);
  CHECK(networks->members()->size() == 200'000);
}
