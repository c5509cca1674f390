// What real clients sent (docker 28, docker-compose 1.29, podman --remote 4.3.1) passes, labelled once, and judging the
// outcome again changes nothing.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

struct Folder {
  const char* name;
  Body body;
  const char* labels;  ///< "" where the object has none
};
constexpr auto folders = std::to_array<Folder>({
    {"container-create-compat", Body::ContainerCreateCompat, "Labels"},
    {"container-create-libpod", Body::ContainerCreateLibpod, "labels"},
    {"container-update-compat", Body::ContainerUpdateCompat, ""},
    {"container-update-libpod", Body::ContainerUpdateLibpod, ""},
    {"pod-create", Body::PodCreate, "labels"},
    {"volume-create-compat", Body::VolumeCreateCompat, "Labels"},
    {"volume-create-libpod", Body::VolumeCreateLibpod, "Labels"},
    {"network-create-compat", Body::NetworkCreateCompat, "Labels"},
    {"network-create-libpod", Body::NetworkCreateLibpod, "labels"},
    {"network-connect-compat", Body::NetworkConnectCompat, ""},
    {"network-connect-libpod", Body::NetworkConnectLibpod, ""},
    {"network-disconnect", Body::NetworkDisconnect, ""},
    {"exec-create-compat", Body::ExecCreateCompat, ""},
    {"exec-create-libpod", Body::ExecCreateLibpod, ""},
    {"exec-start", Body::ExecStart, ""},
});

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> samples(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(PODFENCE_SOURCE_DIR) / "tests/data/bodies" / folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Every name is that of an own object, but for volumes, which do not exist yet.
void all_own(Facts& facts, const Question& question) {
  if (question.kind == Kind::Volume) {
    facts.learn(question, 404, "{}");
    return;
  }
  const bool image = question.kind == Kind::Image;
  const std::string full_id = question.name.size() == 64 ? question.name : id(image ? 'e' : 'c');
  const std::string text =
      image ? R"({"Id":")" + full_id + R"(","RepoTags":["localhost/bb:latest"]})"
            : R"({"Id":")" + full_id + R"(","id":")" + full_id + R"(","Name":"x","Labels":{"appx.project":"p1"}})";
  if (!facts.learn(question, 200, text)) throw std::logic_error("not understood");
}

World bb_for_all() {
  World world;
  world.project.policy.shared_images = {"localhost/bb*"};
  return world;
}

std::size_t occurrences(std::string_view text, std::string_view of) {
  std::size_t count = 0;
  for (std::size_t at = text.find(of); at != std::string_view::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("what clients really send passes, with the label once, and the outcome is final") {
  std::size_t files = 0;
  for (const auto& folder : folders) {
    for (const auto& file : samples(folder.name)) {
      CAPTURE(file.string());
      ++files;
      World world = bb_for_all();
      const auto first = judge(folder.body, read(file), world, all_own);
      CHECK(first.denied == "");
      CHECK(first.subject == "");
      if (!first.denied.empty()) continue;
      CHECK(occurrences(first.text, R"("appx.project":"p1")") == (*folder.labels ? 1u : 0u));
      CHECK(occurrences(first.text, "appx.project") == (*folder.labels ? 1u : 0u));
      const auto again = judge(folder.body, first.text, world, all_own);
      CHECK(again.denied == "");
      CHECK(again.text == first.text);
      CHECK(again.volumes == first.volumes);
    }
  }
  CHECK(files >= 50);
}

TEST_CASE("nothing that would name the shared default network is left in what clients send") {
  for (const auto& folder : folders)
    for (const auto& file : samples(folder.name)) {
      CAPTURE(file.string());
      World world = bb_for_all();
      const auto outcome = judge(folder.body, read(file), world, all_own);
      const bool creates_network = folder.body == Body::NetworkCreateCompat || folder.body == Body::NetworkCreateLibpod;
      CHECK((creates_network || outcome.text.find(R"("default")") == std::string::npos));
      CHECK(outcome.text.find(R"("NetworkMode":"bridge")") == std::string::npos);
    }
}

TEST_CASE("names of volumes in what clients send are noted once each") {
  World world = bb_for_all();
  const auto outcome = judge(Body::ContainerCreateCompat,
                             R"({"Image":"localhost/bb","HostConfig":{"Binds":["a:/1","b:/2:ro","a:/3"],
                                "Mounts":[{"Type":"volume","Source":"b","Target":"/4"}]}})",
                             world, all_own);
  CHECK(outcome.volumes == std::vector<std::string>{"a", "b"});
}
