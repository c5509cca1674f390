// What is decided about a whole content when all of its fields are judged: the project's label, and what policy makes
// of it (rules/container/).

#include "rules/body/checks.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// The member of that name, made an empty object where it is missing.
json::Value& object_at(json::Value& content, std::string_view name) {
  if (!content.find(name)) content.set(name, json::Value::object());
  return *content.find(name);
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
  if (auto deny = settle_content(Body::ContainerCreateCompat, content, place)) return deny;
  add_binds(content, place.judged.binds);
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_container_libpod(json::Value& content, const Place& place) {
  if (auto deny = add_project_label(content, "labels", place.exchange.project)) return deny;
  return settle_content(Body::ContainerCreateLibpod, content, place);
}

std::optional<Deny> finish_pod(json::Value& content, const Place& place) {
  if (auto deny = add_project_label(content, "labels", place.exchange.project)) return deny;
  return settle_content(Body::PodCreate, content, place);
}

std::optional<Deny> finish_update_compat(json::Value& content, const Place& place) {
  return settle_content(Body::ContainerUpdateCompat, content, place);
}

std::optional<Deny> finish_update_libpod(json::Value& content, const Place& place) {
  return settle_content(Body::ContainerUpdateLibpod, content, place);
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
  if (!place.exchange.project.policy.network.egress.open) content.set("Internal", true);
  return finish_labels_compat(content, place);
}

std::optional<Deny> finish_network_libpod(json::Value& content, const Place& place) {
  object_at(content, "options").set(isolate_option, "true");
  if (!place.exchange.project.policy.network.egress.open) content.set("internal", true);
  return add_project_label(content, "labels", place.exchange.project);
}

}  // namespace podfence::rules
