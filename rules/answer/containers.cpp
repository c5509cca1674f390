// Containers and pods.

#include <algorithm>
#include <map>
#include <utility>

#include "rules/answer/rewrite.hpp"
#include "rules/image_name.hpp"
#include "rules/name_patterns.hpp"

namespace podfence::rules::answer {

namespace {

/// Podman writes an empty list as null in places.
json::Array* items_of(json::Value& document) {
  if (document.is_null()) document = json::Value::array();
  return document.items();
}

/// Keeps what carries the project's label, and remembers it: the removal of an object is told when it can no longer be
/// asked about.
void keep_own(Exchange& exchange, Kind kind, json::Array& items) {
  std::erase_if(items, [&](const json::Value& item) { return owner_of(exchange.project, item) != Ownership::Own; });
  for (const auto& item : items) exchange.facts.memory().remember(kind, item.text("Id"), exchange.project.id);
}

void show_image_at(Exchange& exchange, json::Value* object, std::string_view name, std::string_view id) {
  auto* shown = object ? object->find(name) : nullptr;
  if (shown && shown->string()) *shown = shown_image(exchange, *shown->string(), id);
}

/// Of a list: many containers have the same image.
void show_images(Exchange& exchange, json::Array& items) {
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (auto& item : items) {
    auto* shown = item.find("Image");
    if (!shown || !shown->string()) continue;
    const auto [place, is_new] = known.try_emplace({*shown->string(), std::string(item.text("ImageID"))});
    if (is_new) place->second = shown_image(exchange, place->first.first, place->first.second);
    *shown = place->second;
  }
}

/// A visible tag of the image, else its id.
std::string best_name(Exchange& exchange, const json::Value& image) {
  for (auto& name : visible_names(exchange.project, exchange.facts.ledger(), image))
    if (name.find('@') == std::string::npos) return std::move(name);
  return image_id_of(image);
}

bool has_tag(const json::Value& image, std::string_view name) {
  const auto* tags = image.find("RepoTags");
  return tags && tags->items() && std::ranges::any_of(*tags->items(), [&](const json::Value& tag) {
           return tag.string() && *tag.string() == name;
         });
}

/// Podman lists the newest first to Docker's clients and last to its own (compat/containers.go, ps/ps.go).
void keep_newest(const Exchange& exchange, json::Array& items) {
  const auto most = counted_here(exchange);
  if (!most || items.size() <= *most) return;
  const auto kept = static_cast<std::ptrdiff_t>(*most);
  if (exchange.match.endpoint->family == Family::Docker)
    items.erase(items.begin() + kept, items.end());
  else
    items.erase(items.begin(), items.end() - kept);
}

}  // namespace

std::string shown_image(Exchange& exchange, const std::string& name, std::string_view id) {
  if (name.empty() || full_image_id(name)) return name;
  const auto normalised = normalise_image_name(name);
  if (normalised && visible_name(exchange.project, exchange.facts.ledger(), *normalised)) return name;
  const auto* images = exchange.facts.list(Kind::Image);
  if (!images) return "";
  const auto full_id = full_image_id(id);
  for (const auto& image : *images)
    if (full_id ? image_id_of(image) == *full_id : has_tag(image, name)) return best_name(exchange, image);
  return std::string(id);
}

bool is_own_container(Facts& facts, std::string_view id) {
  const auto* owner = facts.memory().owner(Kind::Container, id);
  if (owner) return *owner == facts.project().id;
  const auto* own = facts.list(Kind::Container);
  return own && std::ranges::any_of(*own, [&](const json::Value& container) { return container.text("Id") == id; });
}

bool rewrite_containers(Exchange& exchange, json::Value& document) {
  auto* items = items_of(document);
  if (!items) return false;
  keep_own(exchange, Kind::Container, *items);
  keep_wanted_names(exchange, *items);
  keep_newest(exchange, *items);
  show_images(exchange, *items);
  for (auto& item : *items) show_workspace_mounts(exchange, item);
  return true;
}

bool rewrite_container(Exchange& exchange, json::Value& document) {
  if (!document.members()) return false;
  const std::string id(document.text("Image"));
  show_image_at(exchange, &document, "ImageName", id);
  show_image_at(exchange, document.find("Config"), "Image", id);
  show_workspace_mounts(exchange, document);
  return true;
}

bool rewrite_pods(Exchange& exchange, json::Value& document) {
  auto* items = items_of(document);
  if (!items) return false;
  keep_own(exchange, Kind::Pod, *items);
  keep_wanted_names(exchange, *items);
  return true;
}

}  // namespace podfence::rules::answer
