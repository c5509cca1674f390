#pragma once
// Contents that real clients sent (tests/data/bodies; capture/README.md there says how they came there), and a project
// that owns whatever they name.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rules/body_judge.hpp"

namespace podfence::tests {

struct Folder {
  std::string_view name;
  Body body;
  std::string_view labels;  ///< "" where the object has none
};
inline constexpr auto sample_folders = std::to_array<Folder>({
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
    {"exec-remove", Body::ExecRemove, ""},
});

struct Sample {
  const Folder* folder;
  std::string name;  ///< "pod-create/podman5-pod.json"
  std::string text;
};

inline std::vector<Sample> samples() {
  std::vector<Sample> found;
  for (const auto& folder : sample_folders)
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PODFENCE_SOURCE_DIR) /
                                                                 "tests/data/bodies" / folder.name)) {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      found.push_back({&folder, std::string(folder.name) + "/" + entry.path().filename().string(), text.str()});
    }
  std::ranges::sort(found, {}, &Sample::name);
  return found;
}

/// p1 owns every object that a name stands for, but for volumes, which do not exist yet. Every name has an id of its
/// own. The project has what the clients had: a workspace, a few images for all, subnets.
class Everything {
 public:
  World world;

  Everything() {
    world.project.socket = "/run/podfence/p1/podman.sock";
    world.project.policy.shared_images = {"localhost/*", "docker.io/testcontainers/*"};
    world.project.policy.workspaces = {{"/workspace", "/srv/p1"}};
    world.project.policy.network.subnets = {"10.0.0.0/8"};
  }

  Outcome judge(const Sample& sample) { return judge(sample.folder->body, sample.text); }
  Outcome judge(Body body, std::string_view text) {
    return tests::judge(body, text, world, [&](Facts& facts, const Question& question) { answer(facts, question); });
  }

  std::string id_of(const std::string& name) {
    if (name.size() == 64) return name;
    const auto number = std::to_string(ids_.try_emplace(name, ids_.size()).first->second);
    const auto full_id = std::string(64 - number.size(), 'c') + number;
    names_[full_id] = name;
    return full_id;
  }

 private:
  void answer(Facts& facts, const Question& question) {
    // What may be an id is also asked for as a name: there is no such image.
    const bool id_as_name = question.name.size() > 64 && question.name.find(std::string(60, 'c')) != std::string::npos;
    if (question.kind == Kind::Volume || id_as_name) {
      facts.learn(question, 404, "{}");
      return;
    }
    const auto full_id = id_of(question.name);
    const std::string text =
        question.kind == Kind::Image
            ? R"({"Id":")" + full_id + R"(","RepoTags":[")" + normalise_image_name(names_[full_id]).value_or("") +
                  R"("]})"
            : R"({"Id":")" + full_id + R"(","id":")" + full_id + R"(","Name":"x","Labels":{"appx.project":"p1"}})";
    if (!facts.learn(question, 200, text)) throw std::logic_error("not understood: " + question.name);
  }

  std::map<std::string, std::size_t> ids_;
  std::map<std::string, std::string> names_;  ///< by id
};

/// Samples of ordinary work that are refused, and why that is so. One that passes does not belong here any more.
struct RefusedSample {
  std::string_view name, rule;
};
inline constexpr auto refused_samples = std::to_array<RefusedSample>({
    // A random name of 12 hexadecimal digits.
    {"network-create-compat/testcontainers-network.json", "name.id-like"},
});

inline std::string_view refusal_of(const Sample& sample) {
  const auto place = std::ranges::find(refused_samples, sample.name, &RefusedSample::name);
  return place == refused_samples.end() ? "" : place->rule;
}

}  // namespace podfence::tests
