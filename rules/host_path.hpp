#pragma once
// The paths of the host that a project may mount, by the names that its clients have for them: its workspaces, and the
// engine's socket, which is the project's own. Both directions stand here: what a request names, and what an answer
// says.

#include <string>
#include <string_view>
#include <variant>

#include "rules/decision.hpp"
#include "rules/json.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

struct HostPath {
  std::string client;
  std::string host;
  const Workspace* workspace = nullptr;  ///< nullptr: the engine's socket
  std::string below = {};                ///< of a path below the workspace
};

/// A place in the project's workspaces, or none.
struct WorkspacePlace {
  const Workspace* workspace = nullptr;
  std::string below = {};

  std::string host() const;
  std::string client() const;
};

/// Where a path of the host lies.
WorkspacePlace workspace_place(const Project& project, std::string_view host_path);
/// What a mount in a container's document is of, be it a bind or by a volume of podfence's own. Only libpod's document
/// names the path below a volume.
WorkspacePlace workspace_place(const Project& project, const json::Value& mount);

/// `path` lies below the directory, and is not the directory itself. Both are clean.
bool is_below(std::string_view path, std::string_view directory);

/// What a client's path stands for.
std::variant<HostPath, Deny> host_path(const Project& project, std::string_view client_path);

/// The client's path of what is mounted from there, "" where the project has none.
std::string client_path(const Project& project, std::string_view host_path);

/// Podman's `source:target[:options]` with the client's path as the source; "" for another path of the host.
std::string client_bind(const Project& project, const std::string& bind);

/// A text for people, with the clients' paths in the place of the host's.
std::string with_client_paths(const Project& project, std::string text);

}  // namespace podfence::rules
