#include "rules/repair.hpp"

#include <algorithm>
#include <tuple>

#include "rules/image_name.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace {

using EntryKind = LedgerEntry::Kind;
using What = Finding::What;

std::optional<json::Value> list_in(int status, std::string_view content) {
  if (status != 200) return std::nullopt;
  auto parsed = json::parse(content, json::answer_limits);
  auto* list = std::get_if<json::Value>(&parsed);
  if (!list || (!list->items() && !list->is_null())) return std::nullopt;
  return list->items() ? std::move(*list) : json::Value::array();
}

/// Who is asked for, over and over.
class Rows {
 public:
  explicit Rows(const LedgerEntries& entries) {
    for (const auto& entry : entries) holders_[{entry.kind, entry.what}].insert(entry.project);
  }
  bool has(const std::string& project, EntryKind kind, const std::string& what) const {
    const auto found = holders_.find({kind, what});
    return found != holders_.end() && found->second.contains(project);
  }
  bool others_have(const std::string& project, EntryKind kind, const std::string& what) const {
    const auto found = holders_.find({kind, what});
    return found != holders_.end() && found->second.size() > found->second.count(project);
  }

 private:
  std::map<std::pair<EntryKind, std::string>, std::set<std::string>> holders_;
};

bool exists(const LedgerEntry& entry, const EngineInventory& engine) {
  switch (entry.kind) {
    case EntryKind::Image:  // a manifest list is held by its name (manifest.hpp)
      return engine.has_image(entry.what) || engine.image_called(entry.what) != nullptr;
    case EntryKind::Tag:
      return engine.image_called(entry.what) != nullptr;
    case EntryKind::Secret:
      return engine.has_secret(entry.what);
  }
  return true;
}

/// Rows that were not written again since.
class Unchanged {
 public:
  explicit Unchanged(const LedgerEntries* entries) : all_(entries == nullptr) {
    if (entries)
      for (const auto& entry : *entries) rows_.insert(key(entry));
  }
  bool has(const LedgerEntry& entry) const { return all_ || rows_.contains(key(entry)); }

 private:
  using Key = std::tuple<EntryKind, std::string, std::string, std::string>;
  static Key key(const LedgerEntry& entry) { return {entry.kind, entry.project, entry.what, entry.since}; }
  bool all_;
  std::set<Key> rows_;
};

Finding drop(What what, const LedgerEntry& entry) {
  return {what, entry.project, entry.kind, entry.what, {}, drop_of(entry)};
}

/// A label proves something only where nobody but podfence can have put it: the name is one that the project gave
/// itself, so that only its own requests could bring an image there; and nobody else has the image.
bool is_made_by(const std::string& project, const std::string& name, const EngineInventory::Image& image,
                const Rows& rows) {
  return image.project == project && !rows.others_have(project, EntryKind::Tag, name) &&
         !rows.others_have(project, EntryKind::Image, image.id);
}

std::optional<Finding> look_at_name(const LedgerEntry& entry, const EngineInventory::Image& image, const Rows& rows) {
  if (rows.has(entry.project, EntryKind::Image, image.id)) return std::nullopt;
  // A name of a registry that was never pulled to its end: it may be somebody else's, and can be pulled again.
  if (!entry.made) return drop(What::NotHeld, entry);
  // A name that was given stays the project's, so that it can be given again.
  if (!is_made_by(entry.project, entry.what, image, rows)) return std::nullopt;
  return Finding{What::Made, entry.project, EntryKind::Image,
                 image.id,   entry.what,    {Claim::Change::HoldImage, image.id}};
}

std::optional<Finding> look_at(const LedgerEntry& entry, const EngineInventory& engine, const Rows& rows,
                               const RepairRules& repair) {
  const bool is_name = entry.kind == EntryKind::Tag;
  if (const auto* image = is_name ? engine.image_called(entry.what) : nullptr) return look_at_name(entry, *image, rows);
  const bool may_come = is_name && entry.age && *entry.age < repair.grace;
  if (exists(entry, engine) || may_come) return std::nullopt;
  return drop(What::Absent, entry);
}

}  // namespace

UpstreamRequest EngineInventory::images_request() {
  return {Method::Get, "/v4.0.0/libpod/images/json?all=true", {}, std::nullopt};
}

UpstreamRequest EngineInventory::secrets_request() {
  return {Method::Get, "/v4.0.0/libpod/secrets/json", {}, std::nullopt};
}

bool EngineInventory::learn_images(int status, std::string_view content) {
  const auto list = list_in(status, content);
  if (!list) return false;
  for (const auto& item : *list->items()) {
    const auto id = image_id_of(item);
    if (id.empty()) return false;
    const auto* labels = item.find("Labels");
    images_[id] = {id, std::string(labels ? labels->text(label_key_) : "")};
    for (const auto* member : {"RepoTags", "RepoDigests", "Names"})
      for (const auto& name : item.list(member))
        if (name.string()) names_[*name.string()] = id;
  }
  return true;
}

bool EngineInventory::learn_secrets(int status, std::string_view content) {
  const auto list = list_in(status, content);
  if (!list) return false;
  for (const auto& item : *list->items()) secrets_.emplace(item.text("ID"));
  return true;
}

const EngineInventory::Image* EngineInventory::image_called(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &images_.at(found->second);
}

Repair find_repair(const LedgerEntries& entries, const EngineInventory& engine, const RepairRules& rules) {
  const bool knows_any = std::ranges::any_of(entries, [&](const LedgerEntry& entry) { return exists(entry, engine); });
  const Rows rows(entries);
  const Unchanged unchanged(rules.left);
  Repair repair;
  for (const auto& entry : entries)
    if (unchanged.has(entry))
      if (auto finding = look_at(entry, engine, rows, rules)) repair.findings.push_back(*std::move(finding));
  if (rules.careful && !knows_any)
    repair.held_back = std::erase_if(repair.findings, [](const Finding& each) { return each.what == What::Absent; });
  return repair;
}

std::string text_of(const Finding& finding) {
  const auto subject = " the " + std::string(text(finding.kind)) + " " + finding.subject;
  switch (finding.what) {
    case What::Absent:
      return finding.project + " loses" + subject + ": Podman has none";
    case What::NotHeld:
      return finding.project + " loses" + subject + ": it stands for an image that the project did not get";
    case What::Made:
      return finding.project + " gets" + subject + ": it made it under the name " + finding.name;
  }
  return "";
}

}  // namespace podfence::rules
