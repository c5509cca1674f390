#pragma once
// The ledger of a world that somebody has written down (stated_objects.hpp). Nothing is ever recorded.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/facts.hpp"
#include "rules/stated_objects.hpp"

namespace podfence::rules {

class StatedLedger final : public Ledger {
 public:
  explicit StatedLedger(const std::vector<StatedObjects::Holding>& holdings);

  bool holds_image(std::string_view project, std::string_view image_id) const override;
  bool held_by_others(std::string_view project, std::string_view image_id) const override;
  bool owns_tag(std::string_view project, std::string_view tag) const override;
  bool tag_owned_by_others(std::string_view project, std::string_view tag) const override;
  bool tag_made_by_others(std::string_view project, std::string_view tag) const override;
  bool holds_secret(std::string_view project, std::string_view id) const override;
  std::vector<std::string> secrets(std::string_view project) const override;
  std::string cache_key(std::string_view project) const override;  ///< the same in every process
  std::int64_t images(std::string_view project) const override;

 private:
  using Rows = std::set<std::pair<std::string, std::string>>;  ///< what, project
  static bool has(const Rows& rows, std::string_view project, std::string_view what);
  static bool others_have(const Rows& rows, std::string_view project, std::string_view what);

  Rows images_, tags_, made_tags_, secrets_;
};

}  // namespace podfence::rules
