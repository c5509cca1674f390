// Images. One id may carry names of several projects; each sees its own and the shared ones.

#include <algorithm>
#include <set>

#include "rules/answer/rewrite.hpp"
#include "rules/filter_text.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

/// Lists of names: those the image has now, and (History, NamesHistory) those it ever had.
constexpr std::string_view current_names[] = {"RepoTags", "RepoDigests", "Names"};
constexpr std::string_view past_names[] = {"History", "NamesHistory"};

template <typename Test>
void keep_names(json::Value& image, std::string_view member, Test visible) {
  auto* list = image.find(member);
  if (!list || !list->items()) return;
  std::erase_if(*list->items(), [&](const json::Value& name) {
    return name.string() && !name.string()->starts_with("<none>") && !visible(*name.string());
  });
}

void reduce_names(const Exchange& exchange, json::Value& image) {
  const auto& ledger = exchange.facts.ledger();
  const auto visible = visible_names(exchange.project, ledger, image);
  const std::set<std::string_view> names(visible.begin(), visible.end());
  for (const auto member : current_names)
    keep_names(image, member, [&](const std::string& name) { return names.contains(name); });
  for (const auto member : past_names)
    keep_names(image, member, [&](const std::string& name) { return visible_name(exchange.project, ledger, name); });
}

/// The patterns of the client's filter by reference.
std::vector<std::string> asked_references(const Exchange& exchange) {
  for (const auto& text : values_of(exchange.request.target, "filters"))
    if (auto filters = read_filters(text); auto* read = std::get_if<Filters>(&filters))
      if (const auto* patterns = read->values_of("reference")) return *patterns;
  return {};
}

/// Does the pattern match the whole text, or what is behind one of its slashes?
bool matches_end(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  const auto head = pattern.substr(0, star);
  const auto begins_at = [&](std::size_t place) { return place == 0 || text[place - 1] == '/'; };
  if (star == std::string_view::npos) return text.ends_with(head) && begins_at(text.size() - head.size());
  auto place = text.find(head);
  while (place != std::string_view::npos && !begins_at(place)) place = text.find(head, place + 1);
  // What a later place has for the first star, the first one has as well.
  return place != std::string_view::npos && matches_pattern(pattern, text.substr(place));
}

/// Upstream filters by all names of an image, also by those that are not shown. A pattern may mean the whole name, or
/// what is left of it without its tag, its registry, or its first path segments.
bool is_referenced(const Exchange& exchange, const json::Value& image, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return true;
  const auto names = visible_names(exchange.project, exchange.facts.ledger(), image);
  return std::ranges::any_of(names, [&](const std::string& name) {
    const auto repository = repository_of(name);
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return matches_end(pattern, name) || matches_end(pattern, repository);
    });
  });
}

/// The containers of everybody are counted; -1 is Docker's "not counted".
void hide_count(json::Value& image) {
  if (image.find("Containers")) image.set("Containers", json::Value::integer(-1));
}

}  // namespace

bool rewrite_images(Exchange& exchange, json::Value& document) {
  if (document.is_null()) document = json::Value::array();
  auto* items = document.items();
  if (!items) return false;
  const auto patterns = asked_references(exchange);
  std::erase_if(*items, [&](const json::Value& image) {
    return image_ownership(exchange.project, exchange.facts.ledger(), image) == Ownership::Foreign ||
           !is_referenced(exchange, image, patterns);
  });
  std::set<std::string> visible;
  for (const auto& image : *items) visible.insert(image_id_of(image));
  for (auto& image : *items) {
    reduce_names(exchange, image);
    hide_count(image);
    const auto parent = full_image_id(image.text("ParentId"));
    if (parent && !visible.contains(*parent)) image.set("ParentId", "");
  }
  return true;
}

bool rewrite_image(Exchange& exchange, json::Value& document) {
  if (!document.members()) return false;
  reduce_names(exchange, document);
  if (const auto parent = full_image_id(document.text("Parent"))) {
    const auto* fact = exchange.facts.find(Kind::Image, *parent);
    if (fact && fact->ownership != Ownership::Own && fact->ownership != Ownership::Shared) document.set("Parent", "");
  }
  return true;
}

/// One entry for each layer, the image itself first; a lower one has an id where it is an image by itself.
bool rewrite_image_history(Exchange& exchange, json::Value& document) {
  auto* layers = document.items();
  if (!layers) return false;
  const auto& ledger = exchange.facts.ledger();
  for (auto& layer : *layers) {
    keep_names(layer, "Tags", [&](const std::string& tag) { return visible_name(exchange.project, ledger, tag); });
    const auto id = full_image_id(layer.text("Id"));
    if (id && &layer != &layers->front() && !ledger.holds_image(exchange.project.id, *id)) layer.set("Id", "<missing>");
  }
  return true;
}

}  // namespace podfence::rules::answer
