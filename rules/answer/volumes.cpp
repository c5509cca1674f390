// Volumes. A named one carries the label; an anonymous one carries none and belongs to whose container mounts it.

#include <algorithm>

#include "rules/answer/rewrite.hpp"
#include "rules/name_patterns.hpp"

namespace podfence::rules::answer {

namespace {

bool has_labels(const json::Value& volume) {
  const auto* labels = volume.find("Labels");
  return labels && !labels->is_zero();
}

bool is_mounted(Facts& facts, std::string_view name) {
  if (facts.is_remembered_volume(name)) return true;
  const auto* mounted = facts.mounted_volumes();
  return mounted && std::ranges::any_of(
                        *mounted, [&](const json::Value& each) { return each.string() && *each.string() == name; });
}

}  // namespace

bool is_own_volume(Facts& facts, const json::Value& volume) {
  if (owner_of(facts.project(), volume) == Ownership::Own) return true;
  return !has_labels(volume) && is_mounted(facts, volume.text("Name"));
}

bool is_own_volume_name(Facts& facts, std::string_view name) {
  const auto* labelled = facts.list(Kind::Volume);
  if (labelled && std::ranges::any_of(*labelled, [&](const json::Value& each) { return each.text("Name") == name; }))
    return true;
  return is_mounted(facts, name);
}

bool rewrite_volumes(Exchange& exchange, json::Value& document) {
  json::Value* list = exchange.match.endpoint->family == Family::Docker ? document.find("Volumes") : &document;
  if (!list) return false;
  if (list->is_null()) *list = json::Value::array();
  if (!list->items()) return false;
  std::erase_if(*list->items(), [&](const json::Value& volume) { return !is_own_volume(exchange.facts, volume); });
  keep_wanted_names(exchange, *list->items());
  return true;
}

}  // namespace podfence::rules::answer
