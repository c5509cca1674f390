#pragma once
// A project: the tenant on whose behalf a client speaks, and what its policy grants.

#include <string>
#include <string_view>
#include <vector>

namespace podfence::rules {

struct Policy {
  /// Patterns of normalised image names (`localhost/*`) that every project may use and none may change.
  std::vector<std::string> shared_images;
};

struct Project {
  std::string id;  ///< `[a-z0-9][a-z0-9-]{0,62}`
  std::string label_key = "appx.project";
  Policy policy;
};

bool is_project_id(std::string_view text);

}  // namespace podfence::rules
