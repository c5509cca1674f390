#pragma once
// A project: the tenant on whose behalf a client speaks, and what its policy grants.

#include <string>
#include <string_view>
#include <vector>

namespace podfence::rules {

/// A directory of the host that a project may mount.
struct Workspace {
  std::string client;  ///< its path as clients name it, and read it in answers
  std::string host;    ///< its path on the host
  bool read_only = false;
};

struct Policy {
  /// Patterns of normalised image names (`localhost/*`) that every project may use and none may change.
  std::vector<std::string> shared_images;
  std::vector<Workspace> workspaces = {};
};

struct Project {
  std::string id;  ///< `[a-z0-9][a-z0-9-]{0,62}`
  std::string label_key = "appx.project";
  Policy policy;
  std::string socket = {};  ///< where its clients connect: what a container gets that mounts the engine's socket
};

bool is_project_id(std::string_view text);

}  // namespace podfence::rules
