#include <doctest/doctest.h>

#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

std::vector<std::string> names(const json::Value& object) {
  std::vector<std::string> result;
  if (object.members())
    for (const auto& member : *object.members()) result.push_back(member.name);
  return result;
}

}  // namespace

TEST_CASE("an inspect says nothing of the host or of other projects") {
  const struct {
    const char* target;
    const char* file;
  } rows[] = {
      {"/v1.41/containers/p1-web/json", "docker_container.json"},
      {"/v1.41/containers/p1-second/json", "docker_container_by_id.json"},
      {"/v4.3.1/libpod/containers/p1-web/json", "libpod_container.json"},
      {"/v4.3.1/libpod/pods/p1-pod/json", "libpod_pod.json"},
      {"/v1.41/volumes/p1-data", "docker_volume.json"},
      {"/v4.3.1/libpod/volumes/p1-data/json", "libpod_volume.json"},
      {"/v1.41/networks/p1-net", "docker_network_p1-net.json"},
      {"/v1.41/networks/podman", "docker_network_podman.json"},
      {"/v4.3.1/libpod/networks/p1-net/json", "libpod_network_p1-net.json"},
      {"/v1.41/images/localhost%2Fbb/json", "docker_image.json"},
      {"/v4.3.1/libpod/images/localhost%2Fbb/json", "libpod_image.json"},
      {"/v1.41/images/localhost%2Fbb/history", "docker_history.json"},
      {"/v4.3.1/libpod/images/localhost%2Fbb/history", "libpod_history.json"},
      {"/v1.41/version", "docker_version.json"},
      {"/v4.3.1/libpod/version", "libpod_version.json"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    const auto text = Recorded(Method::Get, row.target).rewritten(row.file);
    CHECK(reveals(text) == "");
    CHECK(names(parsed(text)) == names(parsed(recording(row.file))));
  }
}

TEST_CASE("what a client needs of its container stays as Podman wrote it") {
  const auto before = parsed(recording("libpod_container.json"));
  const auto after =
      parsed(Recorded(Method::Get, "/v4.3.1/libpod/containers/p1-web/json").rewritten("libpod_container.json"));
  REQUIRE(after.members()->size() == before.members()->size());
  for (const auto* member :
       {"Id", "Name", "Created", "State", "Image", "ImageName", "Args", "BoundingCaps", "ExecIDs"}) {
    CAPTURE(member);
    if (std::string_view(member) == "State") continue;  // its cgroup is the host's
    CHECK(*after.find(member) == *before.find(member));
  }
  CHECK(after.find("State")->text("Status") == "running");
  CHECK(after.find("Mounts")->items()->at(0).text("Name") == "p1-data");
  CHECK(after.find("Mounts")->items()->at(0).text("Source") == "");
  CHECK(*after.find("Config")->find("Env") == *before.find("Config")->find("Env"));
  CHECK(*after.find("Config")->find("Labels") == *before.find("Config")->find("Labels"));
  CHECK(*after.find("NetworkSettings")->find("Networks") == *before.find("NetworkSettings")->find("Networks"));
}

TEST_CASE("a client's own create command stays, the service's command line does not") {
  Recorded world(Method::Get, "/v4.3.1/libpod/containers/p1-web/json");
  const auto shown = [&](std::string_view command) {
    const auto content = R"({"Id":"x","Config":{"CreateCommand":)" + std::string(command) + "}}";
    const auto text = std::get<std::string>(rewrite_answer(Answer::Container, world.exchange, content));
    return json::write(*parsed(text).find("Config")->find("CreateCommand"));
  };
  CHECK(shown(R"(["podman","--remote","run","bb"])") == R"(["podman","--remote","run","bb"])");
  CHECK(shown(R"(["podman","--log-level","debug","system","service","unix:///x"])") == "[]");
}

TEST_CASE("the image behind another project's name is shown by a name of our own") {
  const auto container =
      parsed(Recorded(Method::Get, "/v1.41/containers/p1-second/json").rewritten("docker_container_by_id.json"));
  CHECK(container.find("Config")->text("Image") == "localhost/bb:latest");
}

TEST_CASE("layers of a history that are images of others lose their id and tags") {
  Recorded world(Method::Get, "/v1.41/images/localhost%2Fbb/history");
  world.ledger.holds.insert({"p1", id('c')});
  const auto content =
      R"([{"Id":")" + id('a') + R"(","Tags":["localhost/bb:latest","registry.example/team/app:1"]},{"Id":")" + id('b') +
      R"(","Tags":["registry.example/team/app:1"]},{"Id":")" + id('c') + R"(","Tags":null},{"Id":"<missing>"}])";
  const auto layers = parsed(std::get<std::string>(rewrite_answer(Answer::ImageHistory, world.exchange, content)));
  CHECK(layers.items()->at(0).text("Id") == id('a'));
  CHECK(json::write(*layers.items()->at(0).find("Tags")) == R"(["localhost/bb:latest"])");
  CHECK(layers.items()->at(1).text("Id") == "<missing>");
  CHECK(json::write(*layers.items()->at(1).find("Tags")) == "[]");
  CHECK(layers.items()->at(2).text("Id") == id('c'));
}

TEST_CASE("the parent of an image is named only if the project may see it") {
  Recorded world(Method::Get, "/v1.41/images/localhost%2Fbb/json");
  const auto content = R"({"Id":"sha256:)" + std::string(image_id) + R"(","Parent":"sha256:)" + id('d') + R"("})";
  world.now(Kind::Image, id('d'), parsed(R"({"Id":")" + id('d') + R"(","RepoTags":["registry.example/team/base:1"]})"));
  const auto shown = [&] {
    for (;;) {
      auto result = rewrite_answer(Answer::Image, world.exchange, content);
      if (auto* text = std::get_if<std::string>(&result)) return std::string(parsed(*text).text("Parent"));
      world.answer(std::get<Ask>(result));
    }
  };
  CHECK(shown() == "");
  world.ledger.holds.insert({"p1", id('d')});
  world.facts.forget({Question::Ask::Object, Kind::Image, id('d')});
  CHECK(shown() == "sha256:" + id('d'));
}

TEST_CASE("header fields cross by an allow-list") {
  const Fields upstream{{"content-type", "application/json"},
                        {"Api-Version", "1.41"},
                        {"X-Reference-Id", "0xc000014a88"},
                        {"Content-Length", "3"},
                        {"Transfer-Encoding", "chunked"},
                        {"Set-Cookie", "a=b"},
                        {"LIBPOD-API-VERSION", "4.3.1"},
                        {"Date", "today"},
                        {"Connection", "close"}};
  std::vector<std::string> passed;
  for (const auto& field : answer_fields(upstream)) passed.push_back(field.name);
  CHECK(passed == std::vector<std::string>{"content-type", "Api-Version", "LIBPOD-API-VERSION"});
}
