// What is decided about a whole content when all of its fields are judged: the project's label, and the network, which
// several fields name together.

#include "rules/body/checks.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

bool has_entries(const json::Value* map) {
  return map && ((map->members() && !map->members()->empty()) || (map->items() && !map->items()->empty()));
}

/// The member of that name, made an empty object where it is missing.
json::Value& object_at(json::Value& content, std::string_view name) {
  if (!content.find(name)) content.set(name, json::Value::object());
  return *content.find(name);
}

/// Compat has the network twice: as the mode, and as keys of EndpointsConfig. Without a mode Podman takes the network
/// that everybody shares; "private" is slirp4netns or pasta. Networks go with their own names as the mode only.
void settle_network_compat(json::Value& content) {
  const json::Value* networking = content.find("NetworkingConfig");
  const json::Value* endpoints = networking ? networking->find("EndpointsConfig") : nullptr;
  json::Value& host = object_at(content, "HostConfig");
  const std::string mode(host.text("NetworkMode"));
  if (mode.empty() || mode == "private")
    host.set("NetworkMode", has_entries(endpoints) ? json::Value(endpoints->members()->front().name) : "private");
}

/// Libpod has a mode and the networks. Both are rewritten together: networks want the mode bridge, and bridge without a
/// network of the project would be the shared one. A member of a pod has the pod's.
void settle_network_libpod(json::Value& content, bool has_default) {
  const json::Value* space = content.find("netns");
  const std::string mode(space ? space->text("nsmode") : "");
  if (!mode.empty() && mode != "private" && mode != "bridge") return;
  const bool named = has_entries(content.find("Networks")) || has_entries(content.find("cni_networks"));
  if (named || !has_default)
    object_at(content, "netns").set("nsmode", named ? "bridge" : "private");
  else
    content.erase("netns");
}

void add_binds(json::Value& content, const std::vector<std::string>& binds) {
  if (binds.empty()) return;
  json::Value& host = object_at(content, "HostConfig");
  if (!host.find("Binds")) host.set("Binds", json::Value::array());
  for (const std::string& bind : binds) host.find("Binds")->push(bind);
}

}  // namespace

std::optional<Deny> finish_labels_compat(json::Value& content, const Place& place) {
  return add_project_label(content, "Labels", place.exchange.project);
}

std::optional<Deny> finish_container_compat(json::Value& content, const Place& place) {
  settle_network_compat(content);
  add_binds(content, place.judged.binds);
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_container_libpod(json::Value& content, const Place& place) {
  settle_network_libpod(content, content.find("pod") != nullptr);
  return add_project_label(content, "labels", place.exchange.project);
}

/// Podman refuses a network mode for a pod without an infra container, which has no namespaces of its own, and the mode
/// private for a pod with ports (specgen:PodSpecGenerator.Validate), which is what a pod gets that names no mode.
std::optional<Deny> finish_pod(json::Value& content, const Place& place) {
  settle_network_libpod(content, content.find("no_infra") || content.find("portmappings"));
  return add_project_label(content, "labels", place.exchange.project);
}

/// Podman takes both names for the labels, and `Labels` wins over `Label`.
std::optional<Deny> finish_volume_libpod(json::Value& content, const Place& place) {
  if (const json::Value* old = content.find("Label")) {
    json::Value labels = *old;
    if (const json::Value* current = content.find("Labels"))
      for (const json::Member& each : *current->members()) labels.set(each.name, each.value);
    content.erase("Label");
    content.set("Labels", std::move(labels));
  }
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_network_compat(json::Value& content, const Place& place) {
  object_at(content, "Options").set(isolate_option, "true");
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_network_libpod(json::Value& content, const Place& place) {
  object_at(content, "options").set(isolate_option, "true");
  return add_project_label(content, "labels", place.exchange.project);
}

}  // namespace podfence::rules
