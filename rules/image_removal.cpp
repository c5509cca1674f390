#include "rules/image_removal.hpp"

#include <algorithm>

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/manifest.hpp"

namespace podfence::rules {

const json::Value* image_of(const json::Array& images, std::string_view name) {
  const auto place = std::ranges::find_if(images, [&](const json::Value& image) {
    const auto* tags = image.find("RepoTags");
    return image_id_of(image) == name ||
           (tags && tags->items() && std::ranges::any_of(*tags->items(), [&](const json::Value& tag) {
              return tag.string() && *tag.string() == name;
            }));
  });
  return place == images.end() ? nullptr : &*place;
}

json::Array images_before(Exchange& exchange) {
  json::Array images;
  const auto add = [&](std::string_view name) {
    if (const auto* fact = exchange.facts.find(Kind::Image, name); fact && !fact->document.is_null())
      images.push_back(fact->document);
  };
  const auto act = exchange.match.endpoint->act;
  if (act == Act::ImageRemove || act == Act::ImageUntag) add(exchange.match.name);
  if (act == Act::ImageBatchRemove && !asks_for_manifests(exchange))
    for (const auto& name : values_of(exchange.request.target, "images")) add(name);
  if (act == Act::Prune)
    if (const auto* all = exchange.facts.list(Kind::Image)) images = *all;
  return images;
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
  const auto* image = image_of(images, item.name);
  if (!image) return item;
  const auto id = image_id_of(*image);
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
