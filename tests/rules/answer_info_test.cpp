#include <doctest/doctest.h>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

std::int64_t number(const json::Value& object, std::string_view member) {
  const auto* value = object.find(member);
  return value ? value->int64().value_or(-1) : -1;
}

}  // namespace

TEST_CASE("Docker's info counts the project's own and keeps the host to itself") {
  const auto text = Recorded(Method::Get, "/v1.41/info").rewritten("docker_info.json");
  CHECK(reveals(text) == "");
  const auto info = parsed(text);
  CHECK(number(info, "Containers") == 4);
  CHECK(number(info, "ContainersRunning") == 2);
  CHECK(number(info, "ContainersStopped") == 1);
  CHECK(number(info, "Images") == 1);
  CHECK(info.text("Name") == "podman");
  CHECK(info.text("DockerRootDir") == "");
  CHECK(info.find("Runtimes")->find("runc"));
  CHECK(number(info, "NCPU") == 2);
}

TEST_CASE("libpod's info keeps the shape that podman --remote reads") {
  const auto text = Recorded(Method::Get, "/v4.3.1/libpod/info").rewritten("libpod_info.json");
  CHECK(reveals(text) == "");
  const auto info = parsed(text);
  const auto* containers = info.find("store")->find("containerStore");
  CHECK(number(*containers, "number") == 4);
  CHECK(number(*containers, "running") == 2);
  CHECK(number(*containers, "stopped") == 2);
  CHECK(number(*info.find("store")->find("imageStore"), "number") == 1);
  Recorded nothing_shared(Method::Get, "/v4.3.1/libpod/info");
  nothing_shared.project.policy.shared_images.clear();
  CHECK(number(*parsed(nothing_shared.rewritten("libpod_info.json")).find("store")->find("imageStore"), "number") == 0);
  CHECK(json::write(*info.find("registries")) == R"({"search":["docker.io"]})");
  CHECK(info.find("host")->find("idMappings")->find("uidmap")->items()->size() == 2);
  CHECK(info.find("host")->find("ociRuntime")->text("name") == "runc");
}

TEST_CASE("proxy settings of the service may hold credentials and are not shown") {
  Recorded world(Method::Get, "/v1.41/info");
  auto info = parsed(recording("docker_info.json"));
  for (const auto* member : {"HttpProxy", "HttpsProxy", "NoProxy"}) info.set(member, "http://user:secret@proxy:3128");
  world.rewritten("docker_info.json");  // learns the lists
  const auto text = std::get<std::string>(rewrite_answer(Answer::Info, world.exchange, json::write(info)));
  CHECK(text.find("secret") == std::string::npos);
}

TEST_CASE("a runtime's version tells no path") {
  constexpr const char* crun =
      "crun version 1.21\ncommit: 10269840\nrundir: /run/user/1000/crun\nspec: 1.0.0\n+SYSTEMD";
  const std::string kept = "crun version 1.21\ncommit: 10269840\nspec: 1.0.0\n+SYSTEMD";
  Recorded world(Method::Get, "/v4.3.1/libpod/info");
  auto info = parsed(recording("libpod_info.json"));
  info.find("host")->find("ociRuntime")->set("version", crun);
  world.rewritten("libpod_info.json");  // learns the lists
  const auto told = parsed(std::get<std::string>(rewrite_answer(Answer::Info, world.exchange, json::write(info))));
  CHECK(told.find("host")->find("ociRuntime")->text("version") == kept);
  auto component = json::Value::object();
  component.set("Name", "OCI Runtime (crun)");
  component.set("Version", crun);
  auto version = json::Value::object();
  version.set("Components", json::Value::array());
  version.find("Components")->push(std::move(component));
  Recorded asked(Method::Get, "/v1.41/version");
  const auto answer =
      parsed(std::get<std::string>(rewrite_answer(Answer::Version, asked.exchange, json::write(version))));
  CHECK(answer.find("Components")->items()->front().text("Version") == kept);
}

TEST_CASE("disk usage is of the project's own") {
  for (const auto* family : {"docker", "libpod"}) {
    CAPTURE(family);
    const bool docker = std::string_view(family) == "docker";
    Recorded world(Method::Get, docker ? "/v1.41/system/df" : "/v4.3.1/libpod/system/df");
    const auto text = world.rewritten(std::string(family) + "_df.json");
    CHECK(reveals(text) == "");
    const auto usage = parsed(text);
    CHECK(usage.find("Images")->items()->size() == 1);
    CHECK(number(usage.find("Images")->items()->at(0), "Containers") == 4);
    CHECK(usage.find("Containers")->items()->size() == 4);
    CHECK(usage.find("Volumes")->items()->size() == 2);
  }
}

TEST_CASE("an image of ours under names of others only is counted once, without a name") {
  for (const auto* family : {"docker", "libpod"}) {
    CAPTURE(family);
    const bool docker = std::string_view(family) == "docker";
    Recorded world(Method::Get, docker ? "/v1.41/system/df" : "/v4.3.1/libpod/system/df");
    world.project.policy.shared_images.clear();
    world.ledger.holds.insert({"p1", std::string(image_id)});
    const auto usage = parsed(world.rewritten(std::string(family) + "_df.json"));
    REQUIRE(usage.find("Images")->items()->size() == 1);
    const auto& row = usage.find("Images")->items()->at(0);
    if (docker)
      CHECK(json::write(*row.find("RepoTags")) == R"(["<none>"])");
    else
      CHECK(row.text("Repository") == "<none>");
  }
}

TEST_CASE("what is counted over all projects is not told") {
  const auto rewritten = [](const std::string& target, Answer answer, const std::string& text) {
    Recorded world(Method::Get, target);
    for (;;) {
      const auto result = rewrite_answer(answer, world.exchange, text);
      if (const auto* ask = std::get_if<Ask>(&result))
        world.answer(*ask);
      else
        return parsed(std::get<std::string>(result));
    }
  };
  const auto info = rewritten("/v5.0.0/libpod/info", Answer::Info, R"({"host":{"freeLocks":2041}})");
  CHECK(number(*info.find("host"), "freeLocks") == 0);
  const std::string owned = R"("Labels":{"appx.project":"p1"})";
  const auto volume = rewritten("/v5.0.0/libpod/volumes/p1-data/json", Answer::Volume,
                                R"({"Name":"p1-data","LockNumber":7,)" + owned + "}");
  CHECK(number(volume, "LockNumber") == 0);
  const auto container =
      rewritten("/v5.0.0/libpod/containers/p1-web/json", Answer::Container,
                R"({"Id":")" + std::string(web_id) + R"(","lockNumber":7,"Config":{)" + owned + "}}");
  CHECK(number(container, "lockNumber") == 0);

  auto usage = parsed(recording("libpod_df.json"));
  for (auto& row : *usage.find("Images")->items()) {
    row.set("SharedSize", json::Value::integer(2000000));
    row.set("UniqueSize", json::Value::integer(131368));
  }
  const auto shown = rewritten("/v5.0.0/libpod/system/df", Answer::DiskUsage, json::write(usage));
  for (const auto& row : *shown.find("Images")->items()) {
    CHECK(number(row, "SharedSize") == 0);
    CHECK(number(row, "UniqueSize") == 2131368);
  }
}

TEST_CASE("totals over everybody's images become totals over the rows that are left") {
  Recorded world(Method::Get, "/v1.41/system/df");
  auto usage = parsed(recording("docker_df.json"));
  usage.set("LayersSize", json::Value::integer(99999999));
  world.rewritten("docker_df.json");
  const auto text = std::get<std::string>(rewrite_answer(Answer::DiskUsage, world.exchange, json::write(usage)));
  CHECK(number(parsed(text), "LayersSize") == 2131368);
}

TEST_CASE("an image in the disk usage may have very many names and containers") {
  const int names = 20'000;
  json::Value image, tags = json::Value::array(), rows = json::Value::array(), containers = json::Value::array();
  for (int name = 0; name < names; ++name) {
    const auto repository = "localhost/" + std::to_string(name);
    tags.push(repository + ":1");
    for (const auto* tag : {"1", "2"}) {
      json::Value row;
      row.set("ImageID", std::string(image_id));
      row.set("Repository", repository);
      row.set("Tag", tag);
      rows.push(std::move(row));
    }
    json::Value container, labels;
    labels.set("appx.project", "p1");
    container.set("Id", std::to_string(name));
    container.set("ImageID", std::string(image_id));
    container.set("Labels", std::move(labels));
    containers.push(std::move(container));
  }
  image.set("Id", std::string(image_id));
  image.set("RepoTags", std::move(tags));
  Recorded world(Method::Get, "/v4.3.1/libpod/system/df");
  const auto list = Question::Ask::List;
  REQUIRE(world.facts.learn({list, Kind::Image, ""}, 200, json::write(json::Array{std::move(image)})));
  REQUIRE(world.facts.learn({list, Kind::Container, ""}, 200, json::write(containers)));
  json::Value usage;
  usage.set("Images", std::move(rows));
  // Quadratic work would take minutes here.
  const auto result = rewrite_answer(Answer::DiskUsage, world.exchange, json::write(usage));
  REQUIRE(std::holds_alternative<std::string>(result));
  const auto shown = parsed(std::get<std::string>(result));
  REQUIRE(shown.list("Images").size() == names);
  CHECK(shown.list("Images").back().text("Repository") == "localhost/19999");
  CHECK(shown.list("Images").back().text("Tag") == "1");
  CHECK(number(shown.list("Images").back(), "Containers") == names);
}
