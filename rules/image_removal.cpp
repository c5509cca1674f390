#include "rules/image_removal.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/manifest.hpp"

namespace podfence::rules {

namespace {

bool is_called(const json::Value& image, std::string_view name) {
  const auto& tags = image.list("RepoTags");
  return image_id_of(image) == name ||
         std::ranges::any_of(tags, [&](const json::Value& tag) { return tag.string() && *tag.string() == name; });
}

/// A client may name an image by many words. It is there again where it had other names when it was asked for again.
std::vector<const json::Value*> named_images(Exchange& exchange, const std::vector<std::string>& names) {
  std::vector<const json::Value*> images;
  std::set<std::string_view> known_names;
  std::map<std::string_view, const json::Array*> tags_by_id;
  for (const auto& name : names) {
    if (!known_names.insert(name).second) continue;
    const auto* fact = exchange.facts.find(Kind::Image, name);
    if (!fact || fact->document.is_null()) continue;
    const auto& tags = fact->document.list("RepoTags");
    auto& known = tags_by_id[fact->id];
    if (!known || *known != tags) images.push_back(&fact->document);
    known = &tags;
  }
  return images;
}

}  // namespace

std::vector<const json::Value*> images_before(Exchange& exchange) {
  const auto act = exchange.match.endpoint->act;
  if (act == Act::ImageRemove || act == Act::ImageUntag) return named_images(exchange, {exchange.match.name});
  if (act == Act::ImageBatchRemove && !asks_for_manifests(exchange))
    return named_images(exchange, values_of(exchange.request.target, "images"));
  std::vector<const json::Value*> images;
  if (act == Act::Prune)
    if (const auto* all = exchange.facts.list(Kind::Image))
      for (const auto& image : *all) images.push_back(&image);
  return images;
}

ImagesByName::ImagesByName(const std::vector<const json::Value*>& images) {
  for (const auto* image : images) {
    images_.try_emplace(image_id_of(*image), image);
    for (const auto& tag : image->list("RepoTags"))
      if (tag.string()) images_.try_emplace(*tag.string(), image);
  }
}

const json::Value* ImagesByName::find(const std::string& name) const {
  const auto found = images_.find(name);
  return found == images_.end() ? nullptr : found->second;
}

bool removes_image(const Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  return endpoint.act == Act::ImageRemove || endpoint.act == Act::ImageBatchRemove || endpoint.act == Act::ImageUntag ||
         endpoint.query == Query::ImagePrune;
}

bool names_image(const Exchange& exchange) { return exchange.match.endpoint->act == Act::ImageTag; }

Batch::Item renewed(Exchange& exchange, Batch::Item item) {
  const auto& ledger = exchange.facts.ledger();
  const auto& project = exchange.project.id;
  const auto images = images_before(exchange);
  const auto image = std::ranges::find_if(images, [&](const auto* each) { return is_called(*each, item.name); });
  if (image == images.end()) return item;
  const auto id = image_id_of(**image);
  const bool held = ledger.held_by_others(project, id);
  if (item.name == id) {
    item.ledger_only |= held;
    return item;
  }
  // The last name that goes would take the image along.
  if (held) item.request = act::untag_request(id, item.name);
  item.ledger_only |= ledger.tag_owned_by_others(project, item.name);
  return item;
}

}  // namespace podfence::rules
