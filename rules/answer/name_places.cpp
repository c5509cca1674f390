// Where answers have names that are private to the project: a table of places. What has no place here would be read as
// upstream has it; that is the project's own name then, and of nobody else.

#include <algorithm>
#include <array>

#include "rules/answer/places.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/names.hpp"

namespace podfence::rules::answer {

namespace {

enum class Shape {
  Name,  ///< of Docker's API with a slash before it; also what Podman makes of one, by what it puts behind it
  Keys,  ///< the names of the members
};

struct NamePlace {
  Answer answer;
  std::string_view path;
  Shape shape = Shape::Name;
};

// clang-format off
constexpr auto name_places = std::to_array<NamePlace>({
    {Answer::Containers, "*.Names.*"},
    {Answer::Containers, "*.PodName"},
    {Answer::Containers, "*.Networks.*"},
    {Answer::Containers, "*.Mounts.*.Name"},
    {Answer::Containers, "*.HostConfig.NetworkMode"},
    {Answer::Containers, "*.NetworkSettings.Networks.*.NetworkID"},  // Podman 4: the name
    {Answer::Containers, "*.NetworkSettings.Networks", Shape::Keys},

    {Answer::Container, "Name"},
    {Answer::Container, "Mounts.*.Name"},
    {Answer::Container, "HostConfig.Binds.*"},
    {Answer::Container, "HostConfig.NetworkMode"},
    {Answer::Container, "Config.Secrets.*.Name"},
    {Answer::Container, "NetworkSettings.Networks.*.NetworkID"},
    {Answer::Container, "NetworkSettings.Networks", Shape::Keys},

    {Answer::Pods, "*.Name"},
    {Answer::Pods, "*.Networks.*"},
    {Answer::Pods, "*.Containers.*.Names"},
    {Answer::Pod, "Name"},
    {Answer::Pod, "Containers.*.Name"},
    {Answer::Pod, "InfraConfig.Networks.*"},
    {Answer::Pod, "mounts.*.Name"},

    {Answer::Volumes, "Volumes.*.Name"},
    {Answer::Volumes, "*.Name"},
    {Answer::Volume, "Name"},

    {Answer::Networks, "*.Name"},
    {Answer::Networks, "*.name"},
    {Answer::Networks, "*.Containers.*.Name"},
    {Answer::Networks, "*.containers.*.name"},
    {Answer::Network, "Name"},
    {Answer::Network, "name"},
    {Answer::Network, "Containers.*.Name"},
    {Answer::Network, "containers.*.name"},

    {Answer::Secrets, "*.Spec.Name"},
    {Answer::Secret, "Spec.Name"},

    {Answer::Removal, "*.Id"},
    {Answer::Removal, "*.RawInput"},
    {Answer::Removal, "*.Name"},

    {Answer::DiskUsage, "Containers.*.Names"},
    {Answer::DiskUsage, "Containers.*.Names.*"},
    {Answer::DiskUsage, "Containers.*.Mounts.*.Name"},
    {Answer::DiskUsage, "Containers.*.HostConfig.NetworkMode"},
    {Answer::DiskUsage, "Containers.*.NetworkSettings.Networks.*.NetworkID"},
    {Answer::DiskUsage, "Containers.*.NetworkSettings.Networks", Shape::Keys},
    {Answer::DiskUsage, "Volumes.*.Name"},
    {Answer::DiskUsage, "Volumes.*.VolumeName"},

    {Answer::EventLines, "id"},  // of a volume
    {Answer::EventLines, "Actor.ID"},
    {Answer::EventLines, "Actor.Attributes.name"},
    {Answer::EventLines, "Actor.Attributes.network"},
    {Answer::EventLines, "Actor.Attributes.container"},
    {Answer::EventLines, "Name"},
    {Answer::EventLines, "Network"},

    {Answer::StatsLines, "Stats.*.Name"},
    {Answer::StatsLines, "*.Name"},
    {Answer::ContainerStats, "name"},
    {Answer::ContainerStats, "Name"},

    // Kubernetes' documents
    {Answer::KubeYaml, "metadata.name"},
    {Answer::KubeYaml, "metadata.labels.app"},
    {Answer::KubeYaml, "spec.selector.app"},
    {Answer::KubeYaml, "spec.selector.matchLabels.app"},
    {Answer::KubeYaml, "spec.hostname"},
    {Answer::KubeYaml, "spec.*.*.name"},  // containers, volumes, ports
    {Answer::KubeYaml, "spec.*.*.volumeMounts.*.name"},
    {Answer::KubeYaml, "spec.volumes.*.persistentVolumeClaim.claimName"},
    {Answer::KubeYaml, "spec.template.metadata.name"},
    {Answer::KubeYaml, "spec.template.metadata.labels.app"},
    {Answer::KubeYaml, "spec.template.spec.*.*.name"},
    {Answer::KubeYaml, "spec.template.spec.*.*.volumeMounts.*.name"},
    {Answer::KubeYaml, "spec.template.spec.volumes.*.persistentVolumeClaim.claimName"},
});
// clang-format on

std::string shown(const Project& project, std::string_view name) {
  const bool slash = name.starts_with('/');
  std::string text(slash ? "/" : "");
  return text.append(client_name(project, slash ? name.substr(1) : name));
}

void show(const Project& project, Shape shape, json::Value& value) {
  if (shape == Shape::Name && value.string()) value = shown(project, *value.string());
  if (shape == Shape::Keys && value.members())
    for (auto& member : *value.members()) member.name = shown(project, member.name);
}

}  // namespace

void show_names(const Project& project, Answer answer, json::Value& document) {
  if (project.policy.names != Names::Private) return;
  for (const auto& place : name_places)
    if (place.answer == answer)
      for_each_at(document, place.path, [&](json::Value& value) { show(project, place.shape, value); });
}

void add_name_parts(Answer answer, std::vector<std::string_view>& whole, std::vector<std::string_view>& through) {
  for (const auto& place : name_places)
    if (place.answer == answer) add_parts(place.path, whole, through);
}

}  // namespace podfence::rules::answer
