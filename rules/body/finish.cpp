// What is decided about a whole content when all of its fields are judged: the project's label, and what policy makes
// of it (rules/container/).

#include <algorithm>
#include <string>

#include "rules/body/checks.hpp"
#include "rules/body/short_name.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"
#include "rules/members.hpp"
#include "rules/secret.hpp"

namespace podfence::rules {

namespace {

template <typename Items>
void add_items(json::Value& object, std::string_view name, const Items& items) {
  if (items.empty()) return;
  json::Value& list = json::make(object, name);
  for (const auto& item : items) list.push(item);
}

/// Of one container: those of its image count, too.
constexpr std::size_t max_unnamed_volumes = 32;

std::size_t without(const json::Value& content, std::string_view list, std::string_view name, std::string_view type) {
  const json::Value* mounts = json::at(content, list);
  if (!mounts || !mounts->items()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(*mounts->items(), [&](const json::Value& mount) {
    return mount.text(name).empty() && mount.text("Type") == type;
  }));
}

std::size_t members_of(const json::Value& content, std::string_view map) {
  const json::Value* value = json::at(content, map);
  return value && value->members() ? value->members()->size() : 0;
}

/// Volumes without a name are in no quota, and each takes one of the 2048 locks that all objects of a Podman share.
/// When there are none left Podman leaves behind what it has made, and nobody can create anything.
std::optional<Deny> check_unnamed_volumes(const json::Value& content, const Place& place) {
  std::size_t count = members_of(content, "Volumes") + without(content, "HostConfig.Mounts", "Source", "volume") +
                      without(content, "volumes", "Name", "");
  if (!place.judged.image.empty())
    if (const Fact* image = place.exchange.facts.find(Kind::Image, place.judged.image))
      count += members_of(image->document, "Config.Volumes");
  if (count <= max_unnamed_volumes) return std::nullopt;
  return Deny{refusal("limit.volumes"), std::to_string(max_unnamed_volumes), Kind::None,
              "mount fewer without a name, and use an image with fewer"};
}

}  // namespace

std::optional<Deny> finish_labels_compat(json::Value& content, const Place& place) {
  return add_project_label(content, "Labels", place.exchange.project);
}

std::optional<Deny> finish_container_compat(json::Value& content, const Place& place) {
  if (auto deny = check_unnamed_volumes(content, place)) return deny;
  if (auto deny = check_merged_environment(content, "EnvMerge", "Env", place)) return deny;
  if (auto deny = settle_content(Body::ContainerCreateCompat, content, place)) return deny;
  add_short_name_compat(content, place);
  const JudgedBody& judged = place.judged;
  if (!judged.binds.empty() || !judged.sub_paths.empty()) {
    json::Value& host = json::make(content, "HostConfig");
    add_items(host, "Binds", judged.binds);
    add_items(host, "Mounts", judged.sub_paths);
  }
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_container_libpod(json::Value& content, const Place& place) {
  const auto& project = place.exchange.project;
  if (auto deny = check_unnamed_volumes(content, place)) return deny;
  if (auto deny = check_merged_environment(content, "envmerge", "env", place)) return deny;
  if (auto deny = add_project_label(content, "labels", project)) return deny;
  if (const auto& names = place.judged.environment_secrets; !names.empty())
    content.find("labels")->set(environment_secrets_label(project), environment_secrets_text(names));
  add_items(content, "volumes", place.judged.sub_paths);
  if (auto deny = settle_content(Body::ContainerCreateLibpod, content, place)) return deny;
  add_short_name_libpod(content, place);
  return std::nullopt;
}

/// The containers of a pod get its volumes without the path below them (Podman 5.4).
std::optional<Deny> finish_pod(json::Value& content, const Place& place) {
  const auto& sub_paths = place.judged.sub_paths;
  if (!sub_paths.empty() && place.exchange.facts.engine_version())  // an old one knows no such mounts at all
    return Deny{refusal("mount.handed-on"), std::string(sub_paths.front().text("SubPath")), Kind::None};
  if (auto deny = check_unnamed_volumes(content, place)) return deny;
  if (auto deny = add_project_label(content, "labels", place.exchange.project)) return deny;
  if (auto deny = settle_content(Body::PodCreate, content, place)) return deny;
  add_short_name_of_pod(content, place);
  return std::nullopt;
}

std::optional<Deny> finish_update_compat(json::Value& content, const Place& place) {
  return settle_content(Body::ContainerUpdateCompat, content, place);
}

std::optional<Deny> finish_update_libpod(json::Value& content, const Place& place) {
  return settle_content(Body::ContainerUpdateLibpod, content, place);
}

/// Podman takes both names for the labels, and `Labels` wins over `Label`.
std::optional<Deny> finish_volume_libpod(json::Value& content, const Place& place) {
  if (content.find("Label")) {
    Members labels;
    for (const auto* name : {"Label", "Labels"})
      if (const json::Value* said = content.find(name))
        for (const json::Member& each : *said->members()) labels[each.name] = each.value;
    content.erase("Label");
    content.set("Labels", std::move(labels).take());
  }
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_network_compat(json::Value& content, const Place& place) {
  json::make(content, "Options").set(isolate_option, "true");
  if (!place.exchange.project.policy.network.egress.open) content.set("Internal", true);
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_network_libpod(json::Value& content, const Place& place) {
  json::make(content, "options").set(isolate_option, "true");
  if (!place.exchange.project.policy.network.egress.open) content.set("internal", true);
  return add_project_label(content, "labels", place.exchange.project);
}

}  // namespace podfence::rules
