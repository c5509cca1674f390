// The YAML of `podman kube generate`. Paths of the host become the clients' own, also where Podman makes names of
// volumes out of them; names of images that the project may not read go; of the annotations those stay that say no
// more than what the pod is. Written anew, so that nothing of it passes that was not read.

#include <algorithm>
#include <array>
#include <map>

#include "rules/answer/kube.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/ascii.hpp"
#include "rules/host_path.hpp"
#include "rules/json_path.hpp"
#include "rules/names.hpp"
#include "rules/workspace_volume.hpp"
#include "rules/yaml.hpp"

namespace podfence::rules::answer {

namespace {

constexpr std::string_view heading =
    "# Save the output of this file and use kubectl create -f to import\n# it into Kubernetes.\n";

constexpr auto kept_annotations = std::to_array<std::string_view>({
    "io.kubernetes.cri-o.",
    "io.podman.annotations.autoremove/",
    "io.podman.annotations.init/",
    "io.podman.annotations.privileged/",
    "io.podman.annotations.publish-all/",
    "volume.podman.io/driver",
});

json::Value* find(json::Value& value, std::string_view path) {
  json::Value* found = &value;
  while (found && !path.empty()) {
    const auto dot = path.find('.');
    found = found->find(path.substr(0, dot));
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  return found;
}

json::Array* list_at(json::Value& value, std::string_view path) {
  json::Value* found = find(value, path);
  return found ? found->items() : nullptr;
}

/// Those of Podman have a container's name behind a slash.
void reduce_annotations(const Project& project, json::Value& document, std::string_view metadata) {
  json::Value* annotations = find(document, std::string(metadata) + ".annotations");
  if (!annotations || !annotations->members()) return;
  std::erase_if(*annotations->members(), [](const json::Member& each) {
    return std::ranges::none_of(kept_annotations, [&](std::string_view begin) { return each.name.starts_with(begin); });
  });
  for (json::Member& each : *annotations->members()) each.name = with_client_names(project, each.name);
  if (annotations->members()->empty()) find(document, metadata)->erase("annotations");
}

/// `/workspace/src` becomes `workspace-src-host-0`, as Podman does with the host's path.
std::string volume_name(std::string_view path, std::size_t number) {
  std::string name;
  for (const char c : path)
    if (ascii::is_alphanumeric(c))
      name += ascii::lower(c);
    else if (!name.empty() && name.back() != '-')
      name += '-';
  if (name.empty() || name.back() != '-') name += '-';
  return name + "host-" + std::to_string(number);
}

class Spec {
 public:
  Spec(Exchange& exchange, json::Value& spec) : exchange_(exchange), spec_(spec) {}

  void show() {
    std::size_t number = 0;
    if (auto* volumes = list_at(spec_, "volumes"))
      for (json::Value& volume : *volumes) show_volume(volume, number++);
    for (const auto* member : {"initContainers", "containers"})
      if (auto* containers = list_at(spec_, member))
        for (json::Value& container : *containers) show_container(container);
  }

 private:
  void show_volume(json::Value& volume, std::size_t number) {
    std::string path;
    if (const json::Value* host = volume.find("hostPath")) path = client_path(exchange_.project, host->text("path"));
    const json::Value* claim = volume.find("persistentVolumeClaim");
    const bool own_of_podfence = claim && is_own_name(claim->text("claimName"));
    if (own_of_podfence)
      if (const auto* workspace = workspace_of_volume(exchange_.project, claim->text("claimName")))
        path = workspace->client;
    if (!volume.find("hostPath") && !own_of_podfence) return;
    json::Value host;
    host.set("path", path);
    volume.erase("persistentVolumeClaim");
    volume.set("hostPath", std::move(host));
    const auto name = volume_name(path, number);
    renamed_.try_emplace(std::string(volume.text("name")), name);
    volume.set("name", name);
  }

  void show_container(json::Value& container) {
    if (json::Value* image = container.find("image"); image && image->string())
      *image = shown_image(exchange_, *image->string(), "");
    if (auto* mounts = list_at(container, "volumeMounts"))
      for (json::Value& mount : *mounts)
        if (const auto found = renamed_.find(mount.text("name")); found != renamed_.end())
          mount.set("name", found->second);
  }

  Exchange& exchange_;
  json::Value& spec_;
  std::map<std::string, std::string, std::less<>> renamed_;  ///< volumes: from what the mounts call them
};

}  // namespace

std::optional<std::string> rewrite_generated(Exchange& exchange, std::string_view content) {
  constexpr yaml::Limits limits{.bytes = 16u << 20, .depth = 64, .names = 65536, .nodes = 1u << 20, .documents = 4096};
  auto parsed = yaml::parse(content, limits);
  auto* documents = std::get_if<json::Array>(&parsed);
  if (!documents) return std::nullopt;
  std::string text(heading);
  for (json::Value& document : *documents) {
    if (!document.members()) return std::nullopt;
    for (const auto* metadata : {"metadata", "spec.template.metadata"})
      reduce_annotations(exchange.project, document, metadata);
    for (const auto* path : {"spec", "spec.template.spec"})
      if (json::Value* spec = find(document, path); spec && spec->members()) Spec(exchange, *spec).show();
    show_names(exchange.project, Answer::KubeYaml, document);
    if (text.size() > heading.size()) text += "---\n";
    text += yaml::write(document);
  }
  return text;
}

}  // namespace podfence::rules::answer
