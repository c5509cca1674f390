#include "rules/stated_ledger.hpp"

#include <algorithm>

namespace podfence::rules {

StatedLedger::StatedLedger(const std::vector<StatedObjects::Holding>& holdings) {
  for (const auto& [project, claim] : holdings) {
    if (claim.change == Claim::Change::HoldImage) images_.emplace(claim.what, project);
    if (claim.change == Claim::Change::HoldSecret) secrets_.emplace(claim.what, project);
    if (claim.change == Claim::Change::MakeTag) made_tags_.emplace(claim.what, project);
    if (claim.change == Claim::Change::OwnTag || claim.change == Claim::Change::MakeTag)
      tags_.emplace(claim.what, project);
  }
}

bool StatedLedger::has(const Rows& rows, std::string_view project, std::string_view what) {
  return rows.contains({std::string(what), std::string(project)});
}

bool StatedLedger::others_have(const Rows& rows, std::string_view project, std::string_view what) {
  return std::ranges::any_of(rows, [&](const auto& row) { return row.first == what && row.second != project; });
}

bool StatedLedger::holds_image(std::string_view project, std::string_view image_id) const {
  return has(images_, project, image_id);
}

bool StatedLedger::held_by_others(std::string_view project, std::string_view image_id) const {
  return others_have(images_, project, image_id);
}

bool StatedLedger::owns_tag(std::string_view project, std::string_view tag) const { return has(tags_, project, tag); }

bool StatedLedger::tag_owned_by_others(std::string_view project, std::string_view tag) const {
  return others_have(tags_, project, tag);
}

bool StatedLedger::tag_made_by_others(std::string_view project, std::string_view tag) const {
  return others_have(made_tags_, project, tag);
}

bool StatedLedger::holds_secret(std::string_view project, std::string_view id) const {
  return has(secrets_, project, id);
}

std::vector<std::string> StatedLedger::secrets(std::string_view project) const {
  std::vector<std::string> ids;
  for (const auto& [id, holder] : secrets_)
    if (holder == project) ids.push_back(id);
  return ids;
}

std::string StatedLedger::cache_key(std::string_view project) const {
  std::string key(32, '0');
  constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < project.size(); ++i) {
    const auto digit = static_cast<unsigned char>(key[i % key.size()]) + static_cast<unsigned char>(project[i]);
    key[i % key.size()] = digits[digit % 16];
  }
  return key;
}

std::int64_t StatedLedger::images(std::string_view project) const {
  return std::ranges::count_if(images_, [&](const auto& row) { return row.second == project; });
}

}  // namespace podfence::rules
