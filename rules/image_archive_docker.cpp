// docker-archive: manifest.json lists images, each with its configuration, its layers and its names. Podman knows a
// layer by the digest that the configuration has for it (c/image: docker/internal/tarfile), so that one must be right.

#include <algorithm>
#include <map>

#include "rules/image_archive_forms.hpp"
#include "rules/image_name.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules::docker_form {

namespace {

Deny not_understood(std::string_view what) { return {refusal("archive.image"), std::string(what), Kind::None}; }

/// A member as the list names it, behind at most one link, as Podman reads it.
std::string member_named(const Archive& archive, std::string_view name) {
  auto clean = clean_member_name(name).value_or("");
  const auto link = archive.links.find(clean);
  return link == archive.links.end() ? clean : link->second;
}

struct Item {
  std::string config;
  std::vector<std::string> layers;  ///< of both the members' names
  std::vector<std::string> tags;
};

std::variant<Item, Deny> read_item(const Archive& archive, const json::Value& value) {
  Item item;
  item.config = member_named(archive, value.text("Config"));
  for (const auto& layer : value.list("Layers")) {
    if (!layer.string()) return not_understood("a layer in manifest.json");
    item.layers.push_back(member_named(archive, *layer.string()));
  }
  for (const auto& tag : value.list("RepoTags")) {
    auto name = tag.string() ? normalise_image_name(*tag.string()) : std::nullopt;
    if (!name || name->find('@') != std::string::npos)
      return Deny{refusal("image.reference"), tag.string() ? *tag.string() : "", Kind::Image};
    item.tags.push_back(std::move(*name));
  }
  return item;
}

std::variant<std::vector<Item>, Deny> read_items(const Archive& archive) {
  const auto index = parsed_text(archive, index_name);
  if (!index || !index->items()) return not_understood("it has no list of images in index.json or manifest.json");
  if (index->items()->size() > max_images) return Deny{refusal("archive.images"), std::to_string(max_images)};
  std::vector<Item> items;
  std::size_t layers = 0;
  for (const auto& value : *index->items()) {
    auto item = read_item(archive, value);
    if (auto* deny = std::get_if<Deny>(&item)) return std::move(*deny);
    items.push_back(std::get<Item>(std::move(item)));
    layers += items.back().layers.size();
  }
  if (layers > max_layers) return Deny{refusal("archive.images"), std::to_string(max_layers)};
  return items;
}

/// The digests that the configuration has for the layers.
std::optional<json::Array> layer_digests(const Archive& archive, std::string_view name) {
  const auto config = parsed_text(archive, name);
  const auto root = config ? only_member(*config, "rootfs") : std::nullopt;
  if (!root || !*root) return std::nullopt;
  const auto digests = only_member(**root, "diff_ids");
  if (!digests || !*digests || (!(*digests)->items() && !(*digests)->is_null())) return std::nullopt;
  return (*digests)->items() ? *(*digests)->items() : json::Array();
}

/// Of each configuration, by its name: many images may have the same one.
using LayerDigests = std::map<std::string_view, std::optional<json::Array>>;

std::optional<Deny> check_layers(const Archive& archive, const Item& item, LayerDigests& known) {
  if (!archive.files.contains(item.config)) return Deny{refusal("archive.absent"), item.config, Kind::None};
  const auto [place, is_new] = known.try_emplace(item.config);
  auto& digests = place->second;
  if (is_new) digests = layer_digests(archive, item.config);
  if (!digests || digests->size() != item.layers.size()) return not_understood(item.config);
  for (std::size_t i = 0; i < item.layers.size(); ++i) {
    const auto& layer = item.layers[i];
    const auto* says = (*digests)[i].string();
    const auto is = archive.layer_digests.find(layer);
    if (is == archive.layer_digests.end()) return Deny{refusal("archive.absent"), layer, Kind::None};
    if (!says || digest_digits(*says) != is->second) return Deny{refusal("archive.digest"), layer, Kind::None};
  }
  return std::nullopt;
}

json::Value list_of(const std::vector<std::string>& texts) {
  auto list = json::Value::array();
  for (const auto& text : texts) list.push(text);
  return list;
}

json::Value written(const Item& item) {
  json::Value value;
  value.set("Config", item.config);
  value.set("RepoTags", list_of(item.tags));
  value.set("Layers", list_of(item.layers));
  return value;
}

}  // namespace

void want(const Archive& known, ArchiveRules& further) {
  const auto items = read_items(known);
  if (!std::holds_alternative<std::vector<Item>>(items)) return;
  for (const auto& item : std::get<std::vector<Item>>(items)) {
    if (known.files.contains(item.config) && !known.texts.contains(item.config)) further.texts.push_back(item.config);
    for (const auto& layer : item.layers)
      if (known.files.contains(layer) && !known.layer_digests.contains(layer)) further.layers.push_back(layer);
  }
}

std::variant<ImageArchive, Deny> read(const Archive& archive) {
  const auto items = read_items(archive);
  if (const auto* deny = std::get_if<Deny>(&items)) return *deny;
  ImageArchive result;
  LayerDigests digests;
  auto index = json::Value::array();
  for (const auto& item : std::get<std::vector<Item>>(items)) {
    if (auto deny = check_layers(archive, item, digests)) return *std::move(deny);
    index.push(written(item));
    result.tags.insert(result.tags.end(), item.tags.begin(), item.tags.end());
    ++result.images;
  }
  result.members[std::string(index_name)] = json::write(index);
  return result;
}

}  // namespace podfence::rules::docker_form
