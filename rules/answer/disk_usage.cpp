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

/// The tags of an image that may be seen.
struct Tags {
  std::set<std::pair<std::string, std::string>> in_repositories;
  std::set<std::string> alone;  ///< without their repositories
};

Tags tags_in(const std::vector<std::string>& names) {
  Tags tags;
  for (const auto& name : names) {
    if (name.find('@') != std::string::npos) continue;
    const auto tag = name.substr(name.rfind(':') + 1);
    tags.in_repositories.emplace(repository_of(name), tag);
    tags.alone.insert(tag);
  }
  return tags;
}

/// Podman has one row for each tag of an image, and Docker's form has only the last part of it (compat/system.go).
class ImageRows {
 public:
  ImageRows(Exchange& exchange, const json::Array& images) {
    for (const auto& image : images)
      if (image_ownership(exchange.project, exchange.facts.ledger(), image) != Ownership::Foreign)
        visible_[image_id_of(image)] = tags_in(visible_names(exchange.project, exchange.facts.ledger(), image));
  }

  /// Keeps the row if its tag may be seen; of an image without such a tag the first row, without a name.
  bool keep(json::Value& row, const Columns& columns) {
    const auto id = full_image_id(row.text(columns.image_id));
    const auto tags = id ? visible_.find(*id) : visible_.end();
    if (tags == visible_.end()) return false;
    if (has_tag_of(tags->second, row)) return true;
    if (!tags->second.alone.empty() || !nameless_.insert(*id).second) return false;
    hide_name(row);
    return true;
  }

 private:
  static bool has_tag_of(const Tags& tags, const json::Value& row) {
    if (row.find("Repository"))
      return tags.in_repositories.contains({std::string(row.text("Repository")), std::string(row.text("Tag"))});
    const auto* list = row.find("RepoTags");
    if (!list || !list->items()) return false;
    if (list->items()->empty()) return !tags.alone.empty();
    const auto& first = list->items()->front();
    return first.string() && tags.alone.contains(*first.string()) &&
           std::ranges::all_of(*list->items(), [&](const json::Value& each) { return each == first; });
  }
  static void hide_name(json::Value& row) {
    for (const auto* member : {"Repository", "Tag"})
      if (row.find(member)) row.set(member, none);
    if (row.find("RepoTags")) row.set("RepoTags", json::Value(json::Array{json::Value(none)}));
  }

  std::map<std::string, Tags> visible_;
  std::set<std::string> nameless_;
};

/// How many own containers use each image: "active" in the clients' tables.
std::map<std::string, std::int64_t> uses_of_images(const json::Array& containers) {
  std::map<std::string, std::int64_t> uses;
  for (const auto& container : containers)
    if (auto id = full_image_id(container.text("ImageID"))) ++uses[*std::move(id)];
  return uses;
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
  auto uses = uses_of_images(*containers);
  json::Array kept;
  for (auto& row : *rows->items()) {
    if (!visible.keep(row, columns)) continue;
    const auto id = full_image_id(row.text(columns.image_id)).value_or("");
    row.set("Containers", json::Value::integer(uses[id]));
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
