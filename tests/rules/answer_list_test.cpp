#include <doctest/doctest.h>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

std::vector<std::string> texts(const json::Value& list, std::string_view member) {
  std::vector<std::string> values;
  for (const auto& item : *list.items()) values.emplace_back(item.text(member));
  return values;
}

std::vector<std::string> strings(const json::Value* list) {
  std::vector<std::string> values;
  if (list && list->items())
    for (const auto& item : *list->items()) values.push_back(*item.string());
  return values;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a list shows the project's own items and nothing of anybody else or of the host") {
  const struct {
    const char* target;
    const char* file;
    std::size_t items;
  } rows[] = {
      {"/v1.41/containers/json", "docker_containers.json", 4},
      {"/v4.3.1/libpod/containers/json", "libpod_containers.json", 4},
      {"/v4.3.1/libpod/pods/json", "libpod_pods.json", 1},
      {"/v4.3.1/libpod/volumes/json", "libpod_volumes.json", 2},
      {"/v1.41/networks", "docker_networks.json", 2},
      {"/v4.3.1/libpod/networks/json", "libpod_networks.json", 2},
      {"/v1.41/images/json", "docker_images.json", 1},
      {"/v4.3.1/libpod/images/json", "libpod_images.json", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    REQUIRE(reveals(recording(row.file)) != "");
    const auto text = Recorded(Method::Get, row.target).rewritten(row.file);
    CHECK(reveals(text) == "");
    CHECK(parsed(text).items()->size() == row.items);
  }
}

TEST_CASE("an unknown shape of a list is not passed on") {
  Recorded world(Method::Get, "/v1.41/containers/json");
  for (const auto* content : {"", "{", "{\"message\":\"x\"}", "\"text\"", "[1"}) {
    CAPTURE(content);
    const auto result = rewrite_answer(Answer::Containers, world.exchange, content);
    REQUIRE(std::holds_alternative<Deny>(result));
    CHECK(std::get<Deny>(result).rule->id == "upstream.answer");
  }
  CHECK(std::get<std::string>(rewrite_answer(Answer::Containers, world.exchange, "null")) == "[]\n");
}

TEST_CASE("an image name that the project may not see becomes one that it may, or the id") {
  Recorded world(Method::Get, "/v1.41/containers/json");
  CHECK(texts(parsed(world.rewritten("docker_containers.json")), "Image") == Strings(4, "localhost/bb:latest"));

  Recorded no_shared(Method::Get, "/v1.41/containers/json");
  no_shared.project.policy.shared_images.clear();
  CHECK(texts(parsed(no_shared.rewritten("docker_containers.json")), "Image") == Strings(4, std::string(image_id)));
}

TEST_CASE("an anonymous volume is listed for whose container mounts it") {
  const Strings own{"7d7e2c39f14221408ad3b4ae1926a3718afbbf6ccc548f8f9f87f6cf40e68d5e", "p1-data"};
  CHECK(texts(parsed(Recorded(Method::Get, "/v4.3.1/libpod/volumes/json").rewritten("libpod_volumes.json")), "Name") ==
        own);
  const auto docker = parsed(Recorded(Method::Get, "/v1.41/volumes").rewritten("docker_volumes.json"));
  CHECK(texts(*docker.find("Volumes"), "Name") == own);
  CHECK(reveals(json::write(docker)) == "");
  CHECK(docker.find("Warnings"));
}

TEST_CASE("a labelled volume of another project stays hidden even if a container of ours mounts it") {
  Recorded world(Method::Get, "/v4.3.1/libpod/volumes/json");
  auto volumes = parsed(recording("libpod_volumes.json"));
  volumes.items()->at(0).set("Labels", parsed(R"({"appx.project":"p10"})"));
  world.facts.learn({Question::Ask::Mounts, Kind::Volume, ""}, 200, recording("docker_containers.json"));
  const auto text = std::get<std::string>(rewrite_answer(Answer::Volumes, world.exchange, json::write(volumes)));
  CHECK(texts(parsed(text), "Name") == Strings{"p1-data"});
}

TEST_CASE("the default network is shown to everybody, with the project's own containers only") {
  const auto docker = parsed(Recorded(Method::Get, "/v1.41/networks").rewritten("docker_networks.json"));
  CHECK(texts(docker, "Name") == Strings{"p1-net", "bridge"});
  CHECK(docker.items()->at(0).find("Containers")->members()->size() == 1);
  CHECK(docker.items()->at(1).find("Containers")->members()->size() == 1);
  const auto libpod = parsed(Recorded(Method::Get, "/v4.3.1/libpod/networks/json").rewritten("libpod_networks.json"));
  CHECK(texts(libpod, "name") == Strings{"p1-net", "podman"});
}

TEST_CASE("another project's network does not pass as the default one by taking its Docker name") {
  Recorded world(Method::Get, "/v1.41/networks");
  const auto result = rewrite_answer(Answer::Networks, world.exchange,
                                     R"([{"Name":"bridge","Id":"72326dd0","Containers":{},"Labels":{}}])");
  CHECK(std::get<std::string>(result) == "[]\n");
}

TEST_CASE("images carry only the names that the project may see, and no counts of others") {
  for (const auto* target : {"/v1.41/images/json", "/v4.3.1/libpod/images/json"}) {
    CAPTURE(target);
    const auto images = parsed(Recorded(Method::Get, target).rewritten("docker_images.json"));
    const auto& image = images.items()->at(0);
    CHECK(strings(image.find("RepoTags")) == Strings{"localhost/bb:latest"});
    CHECK(strings(image.find("Names")) == Strings{"localhost/bb:latest"});
    CHECK(strings(image.find("History")) == Strings{"localhost/bb:latest"});
    CHECK(strings(image.find("RepoDigests")).size() == 2);
    CHECK(image.find("Containers")->int64() == -1);
  }
}

TEST_CASE("a filter by reference finds an image by its visible names only") {
  // The image is also called registry.example/team/app:1, by p10.
  const auto listed = [](const std::string& filters) {
    const auto target = "/v1.41/images/json?filters=" + encode(filters);
    return parsed(Recorded(Method::Get, target).rewritten("docker_images.json")).items()->size();
  };
  for (const auto* pattern : {"bb", "bb:latest", "localhost/bb", "localhost/*", "b*", "*"}) {
    CAPTURE(pattern);
    CHECK(listed(R"({"reference":[")" + std::string(pattern) + R"("]})") >= 1);
    CHECK(listed(R"({"reference":{")" + std::string(pattern) + R"(":true}})") >= 1);
  }
  for (const auto* pattern : {"*app*", "registry.example/team/app:1", "registry*", "team/app"}) {
    CAPTURE(pattern);
    CHECK(listed(R"({"reference":[")" + std::string(pattern) + R"("]})") == 0);
  }
}

TEST_CASE("an untagged image is listed for who holds it") {
  Recorded world(Method::Get, "/v1.41/images/json");
  world.project.policy.shared_images.clear();
  CHECK(world.rewritten("docker_images_untagged.json") == "[]\n");
  Recorded holder(Method::Get, "/v1.41/images/json");
  holder.project.policy.shared_images.clear();
  holder.ledger.holds.insert({"p1", "b941938bb50e90d2c0e0fbb89476b61675bc63ac212eef21188d4eee9b2c504a"});
  const auto text = holder.rewritten("docker_images_untagged.json");
  CHECK(parsed(text).items()->size() == 1);
  CHECK(reveals(text) == "");
  CHECK(text.find("team/second") == std::string::npos);  // a past name that is not the project's
}

TEST_CASE("the parent of a listed image is named only if it is listed as well") {
  Recorded world(Method::Get, "/v1.41/images/json");
  auto images = parsed(recording("docker_images_untagged.json"));
  const auto parent_id = std::string(images.items()->at(1).text("Id"));
  images.items()->at(0).set("ParentId", parent_id);
  images.items()->at(0).set("RepoTags", parsed(R"(["localhost/bb:latest"])"));
  const auto parent = [&] {
    const auto text = std::get<std::string>(rewrite_answer(Answer::Images, world.exchange, json::write(images)));
    return std::string(parsed(text).items()->at(0).text("ParentId"));
  };
  CHECK(parent() == "");
  world.ledger.holds.insert({"p1", parent_id.substr(7)});
  CHECK(parent() == parent_id);
}

TEST_CASE("an image may have very many names") {
  Recorded world(Method::Get, "/v1.41/images/json");
  json::Value image, names = json::Value::array();
  for (int name = 0; name < 50'000; ++name) {
    names.push("localhost/" + std::to_string(name) + ":1");
    names.push("quay.io/" + std::to_string(name) + ":1");
  }
  image.set("Id", std::string(image_id));
  image.set("RepoTags", names);
  image.set("Names", std::move(names));
  const auto result = rewrite_answer(Answer::Images, world.exchange, json::write(json::Array{std::move(image)}));
  const auto images = parsed(std::get<std::string>(result));
  REQUIRE(images.items()->size() == 1);
  // Quadratic work would take minutes here.
  for (const auto* member : {"RepoTags", "Names"}) {
    const auto kept = strings(images.items()->front().find(member));
    REQUIRE(kept.size() == 50'000);
    CHECK(kept.back() == "localhost/49999:1");
  }
}

TEST_CASE("a pattern of a filter by reference is of a whole name, or of what is behind one of its slashes") {
  const auto finds = [](const std::string& patterns, const json::Array& names) {
    json::Value image;
    image.set("Id", std::string(image_id));
    image.set("RepoTags", names);
    Recorded world(Method::Get, "/v1.41/images/json?filters=" + encode(R"({"reference":[)" + patterns + "]}"));
    const auto result = rewrite_answer(Answer::Images, world.exchange, json::write(json::Array{std::move(image)}));
    return parsed(std::get<std::string>(result)).items()->size() == 1;
  };
  const auto finds_one = [&](const std::string& pattern) {
    return finds('"' + pattern + '"', {"localhost/team/tea/app:1"});
  };
  for (const auto* pattern : {"app", "app:1", "tea/app", "tea*", "t*p", "t*m/*", "a*p:1", "l*app", "*ea/app", "*:1"}) {
    CAPTURE(pattern);
    CHECK(finds_one(pattern));
  }
  for (const auto* pattern : {"pp", "ea/app", "app:2", "team", "localhost", "a*q", "t*m", "p*", "app*1*1", "1"}) {
    CAPTURE(pattern);
    CHECK_FALSE(finds_one(pattern));
  }

  std::string path, patterns;
  for (int part = 0; part < 40; ++part) path += "a/";
  for (int pattern = 0; pattern < 40; ++pattern) patterns += (pattern ? ",\"*" : "\"*") + path + "b\"";
  json::Array names;
  for (int name = 0; name < 500; ++name)
    names.push_back("localhost/" + path + path + path + std::to_string(name) + ":1");
  // To try each pattern at each slash of each name would take minutes here.
  CHECK_FALSE(finds(patterns, names));
  names.push_back("localhost/" + path + path + "b:1");
  CHECK(finds(patterns, names));
}
