// Disk usage. Its rows carry no labels: they are joined with the project's own lists, by id or name.

#include <algorithm>
#include <map>
#include <set>

#include "rules/answer/rewrite.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

/// The members' names in either family.
struct Columns {
  std::string_view image_id, container_id, volume_name;
};
constexpr Columns docker_columns{"Id", "Id", "Name"};
constexpr Columns libpod_columns{"ImageID", "ContainerID", "VolumeName"};

constexpr std::string_view none = "<none>";

template <typename Test>
bool keep_rows(json::Value& document, std::string_view member, Test test) {
  auto* rows = document.find(member);
  if (!rows || rows->is_null()) return true;
  if (!rows->items()) return false;
  std::erase_if(*rows->items(), [&](const json::Value& row) { return !test(row); });
  return true;
}

/// Podman has one row for each tag of an image, and Docker's form has only the last part of it (compat/system.go).
class ImageRows {
 public:
  ImageRows(Exchange& exchange, const json::Array& images) {
    for (const auto& image : images)
      if (image_ownership(exchange.project, exchange.facts.ledger(), image) != Ownership::Foreign)
        visible_[image_id_of(image)] = visible_names(exchange.project, exchange.facts.ledger(), image);
  }

  /// Keeps the row if its tag may be seen; of an image without such a tag the first row, without a name.
  bool keep(json::Value& row, const Columns& columns) {
    const auto id = full_image_id(row.text(columns.image_id));
    const auto names = id ? visible_.find(*id) : visible_.end();
    if (names == visible_.end()) return false;
    const auto is_tag = [](const std::string& name) { return name.find('@') == std::string::npos; };
    if (std::ranges::any_of(names->second, [&](const std::string& name) { return is_tag(name) && matches(row, name); }))
      return true;
    if (std::ranges::any_of(names->second, is_tag) || !nameless_.insert(*id).second) return false;
    hide_name(row);
    return true;
  }

 private:
  static bool matches(const json::Value& row, std::string_view name) {
    const auto tag = name.substr(name.rfind(':') + 1);
    if (row.find("Repository")) return row.text("Tag") == tag && row.text("Repository") == repository_of(name);
    const auto* tags = row.find("RepoTags");
    return tags && tags->items() &&
           std::ranges::all_of(*tags->items(), [&](const json::Value& each) { return each == json::Value(tag); });
  }
  static void hide_name(json::Value& row) {
    for (const auto* member : {"Repository", "Tag"})
      if (row.find(member)) row.set(member, none);
    if (row.find("RepoTags")) row.set("RepoTags", json::Value(json::Array{json::Value(none)}));
  }

  std::map<std::string, std::vector<std::string>> visible_;
  std::set<std::string> nameless_;
};

/// How many own containers use the image: "active" in the clients' tables.
std::int64_t uses(const json::Array& containers, std::string_view image_id) {
  return std::ranges::count_if(
      containers, [&](const json::Value& container) { return full_image_id(container.text("ImageID")) == image_id; });
}

/// Layers are shared with images of others as well, and the sizes would tell who has them.
void share_nothing(json::Value& row) {
  if (row.find("SharedSize")) row.set("SharedSize", json::Value::integer(0));
  const auto* size = row.find("Size");
  for (const auto* member : {"UniqueSize", "VirtualSize"})
    if (size && row.find(member)) row.set(member, json::Value(*size));
}

bool reduce_images(Exchange& exchange, json::Value& document, const Columns& columns) {
  const auto* images = exchange.facts.list(Kind::Image);
  const auto* containers = exchange.facts.list(Kind::Container);
  auto* rows = document.find("Images");
  if (!rows || rows->is_null() || !images || !containers) return true;
  if (!rows->items()) return false;
  ImageRows visible(exchange, *images);
  json::Array kept;
  for (auto& row : *rows->items()) {
    if (!visible.keep(row, columns)) continue;
    const auto id = full_image_id(row.text(columns.image_id)).value_or("");
    row.set("Containers", json::Value::integer(uses(*containers, id)));
    share_nothing(row);
    kept.push_back(std::move(row));
  }
  *rows = std::move(kept);
  return true;
}

/// The sum over all images becomes the sum over the rows that are left (Podman 4 leaves Docker's at 0, and its client
/// then shows less than nothing as reclaimable).
void recount(json::Value& document, const Columns& columns) {
  std::map<std::string_view, std::int64_t> sizes;
  if (const auto* rows = document.find("Images"); rows && rows->items())
    for (const auto& row : *rows->items())
      if (const auto* size = row.find("Size")) sizes[row.text(columns.image_id)] = size->int64().value_or(0);
  std::int64_t total = 0;
  for (const auto& [id, size] : sizes) total += size;
  for (const auto* member : {"LayersSize", "ImagesSize"})
    if (document.find(member)) document.set(member, json::Value::integer(total));
}

}  // namespace

bool rewrite_disk_usage(Exchange& exchange, json::Value& document) {
  if (!document.members()) return false;
  const auto& columns = exchange.match.endpoint->family == Family::Docker ? docker_columns : libpod_columns;
  const auto own_container = [&](const json::Value& row) {
    return is_own_container(exchange.facts, row.text(columns.container_id));
  };
  const auto own_volume = [&](const json::Value& row) {
    return is_own_volume_name(exchange.facts, row.text(columns.volume_name));
  };
  if (!reduce_images(exchange, document, columns)) return false;
  if (!keep_rows(document, "Containers", own_container)) return false;
  if (auto* rows = document.find("Containers"); rows && rows->items())
    for (auto& row : *rows->items()) show_workspace_mounts(exchange, row);
  if (!keep_rows(document, "Volumes", own_volume)) return false;
  if (!keep_rows(document, "BuildCache", [](const json::Value&) { return false; })) return false;
  recount(document, columns);
  return true;
}

}  // namespace podfence::rules::answer
