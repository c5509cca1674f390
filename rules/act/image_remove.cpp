// Removing images. One image id may carry names of several projects and be held by several, and Podman's own verb is
// coarse: by id with force all names of everybody go, and containers with them. So only single names are ever removed,
// never with force, and an image that others hold or name loses just this project's names.

#include <algorithm>
#include <set>

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/manifest.hpp"

namespace podfence::rules::act {

namespace {

using Change = Claim::Change;

std::vector<std::string> tags_of(const json::Value& image) {
  std::vector<std::string> tags;
  if (const auto* list = image.find("RepoTags"); list && list->items())
    for (const auto& tag : *list->items())
      if (tag.string()) tags.push_back(*tag.string());
  return tags;
}

UpstreamRequest delete_request(std::string_view reference) {
  return {Method::Delete, "/v4.0.0/libpod/images/" + encode(reference), {}, std::nullopt};
}

}  // namespace

UpstreamRequest untag_request(std::string_view id, std::string_view tag) {
  const auto colon = tag.rfind(':');
  return {Method::Post,
          write_target("/v4.0.0/libpod/images/" + std::string(id) + "/untag",
                       {{"repo", std::string(tag.substr(0, colon))}, {"tag", std::string(tag.substr(colon + 1))}}),
          {},
          std::nullopt};
}

std::vector<std::string> own_tags(const Exchange& exchange, const json::Value& image) {
  auto tags = tags_of(image);
  std::erase_if(tags, [&](const std::string& tag) {
    return !exchange.facts.ledger().owns_tag(exchange.project.id, tag) || is_shared_name(exchange.project, tag);
  });
  return tags;
}

std::string own_tag_meant(const Exchange& exchange, std::string_view reference, const json::Value& image) {
  for (auto& tag : own_tags(exchange, image))
    if (may_mean(reference, tag)) return tag;
  return "";
}

namespace {

/// Of a batch's items: no name can be removed twice.
using NameSet = std::set<std::string>;

bool has_foreign_tag(const Exchange& exchange, const json::Value& image, const std::vector<std::string>& own) {
  const std::set<std::string_view> known(own.begin(), own.end());
  return std::ranges::any_of(tags_of(image), [&](const std::string& tag) {
    return !known.contains(tag) || exchange.facts.ledger().tag_owned_by_others(exchange.project.id, tag);
  });
}

void remove_once(Exchange& exchange, const json::Value& image, std::string_view only_tag, NameSet& removed,
                 Batch& batch) {
  const auto& project = exchange.project;
  const auto& ledger = exchange.facts.ledger();
  const auto id = image_id_of(image);
  auto own = own_tags(exchange, image);
  const bool others = has_foreign_tag(exchange, image, own) || ledger.held_by_others(project.id, id);
  const bool all = only_tag.empty() || own.size() <= 1;
  if (!only_tag.empty()) std::erase_if(own, [&](const std::string& tag) { return tag != only_tag; });
  if (own.empty() && removed.insert(id).second)
    batch.items.push_back({delete_request(id), id, {{Change::DropImage, id}}, others});

  std::erase_if(own, [&](const std::string& tag) { return !removed.insert(tag).second; });
  for (const auto& tag : own) {
    std::vector<Claim> claims{{Change::DropTag, tag}};
    if (all && tag == own.back()) claims.push_back({Change::DropImage, id});
    const bool also_theirs = ledger.tag_owned_by_others(project.id, tag);
    batch.items.push_back({others ? untag_request(id, tag) : delete_request(tag), tag, std::move(claims), also_theirs});
  }
}

Batch::Item removal_of_manifest(const std::string& name) {
  UpstreamRequest request{Method::Delete, "/v4.0.0/libpod/manifests/" + encode(name), {}, std::nullopt};
  return {std::move(request), name, {{Change::DropTag, name}, {Change::DropImage, name}}};
}

/// Of a shared image the project's own names can go, and nothing else.
std::optional<Deny> remove_by(Exchange& exchange, const std::string& reference, const Fact& image, NameSet& removed,
                              Batch& batch) {
  const auto tag = own_tag_meant(exchange, reference, image.document);
  if (image.ownership == Ownership::Shared && tag.empty()) return Deny{refusal("image.shared"), reference, Kind::Image};
  remove_once(exchange, image.document, tag, removed, batch);
  return std::nullopt;
}

}  // namespace

void remove_image(Exchange& exchange, const json::Value& image, std::string_view only_tag, Batch& batch) {
  NameSet removed;
  remove_once(exchange, image, only_tag, removed, batch);
}

Decision image_remove(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto subject = usable_image(exchange, exchange.match.name);
  if (subject.denied) return *subject.denied;
  if (!subject.fact) return Ask{};
  NameSet removed;
  Batch batch;
  if (auto deny = remove_by(exchange, exchange.match.name, *subject.fact, removed, batch)) return *std::move(deny);
  return batch;
}

/// DELETE /libpod/images/remove?images=a&images=b, which podman --remote rmi and manifest rm use. What is not there for
/// the project is told in the report.
Decision image_batch_remove(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  NameSet references, removed;
  Batch batch;
  const bool lists = asks_for_manifests(exchange);
  for (const auto& reference : values_of(exchange.request.target, "images")) {
    if (!references.insert(reference).second) continue;
    if (lists) {
      const auto* list = exchange.facts.find(Kind::Manifest, reference);
      if (list && list->ownership == Ownership::Own && removed.insert(list->id).second)
        batch.items.push_back(removal_of_manifest(list->id));
      continue;
    }
    const auto* image = exchange.facts.find(Kind::Image, reference);
    if (!image || (image->ownership != Ownership::Own && image->ownership != Ownership::Shared)) continue;
    if (auto deny = remove_by(exchange, reference, *image, removed, batch)) return *std::move(deny);
  }
  return batch;
}

}  // namespace podfence::rules::act
