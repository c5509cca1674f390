#include "proxy/workspaces.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "proxy/directory.hpp"
#include "rules/host_path.hpp"

namespace podfence::proxy {
namespace {

struct Kept {
  std::string what;
  std::string path;
};

/// Without links, as far as the path exists, so that it can be compared with a workspace.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::string parent_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::vector<Kept> kept_places(const rules::Configuration& configuration, const Places& places) {
  std::vector<Kept> kept;
  const auto keep = [&](std::string what, const std::string& path) {
    if (!path.empty()) kept.push_back({std::move(what), resolved(path)});
  };
  keep("the state directory", configuration.state.empty() ? places.state() : configuration.state);
  for (const auto& [project, socket, life] : configuration.projects)
    keep("the directory of the socket of the project " + project.id,
         parent_of(socket.empty() ? places.socket(project.id) : socket));
  if (configuration.upstream.empty()) {
    keep("the directory of Podman's socket", parent_of(places.podman_socket()));
    keep("the directory of Podman's socket", parent_of(places.own_podman_socket()));
  } else {
    keep("the directory of Podman's socket", parent_of(configuration.upstream));
  }
  if (configuration.audit.is_file()) keep("the audit log", configuration.audit.to);
  if (!configuration.admin.empty()) keep("the directory of the admin socket", parent_of(configuration.admin));
  if (const auto home = places.home(); !home.empty()) {
    keep("the user's settings", home + "/.config");
    keep("Podman's storage", home + "/.local/share/containers");
  }
  return kept;
}

std::string wrong_with_workspace(const std::string& path, const std::vector<Kept>& kept) {
  if (auto wrong = wrong_with_directory(path); !wrong.empty()) return wrong;
  for (const auto& [what, place] : kept) {
    if (path == place || rules::is_below(place, path)) return "must not contain " + what + ", " + place;
    if (rules::is_below(path, place)) return "must not lie within " + what + ", " + place;
  }
  return "";
}

}  // namespace

std::optional<rules::ConfigurationError> check_workspaces(const rules::Configuration& configuration,
                                                          const Places& places) {
  const bool has_any = std::ranges::any_of(configuration.projects,
                                           [](const auto& each) { return !each.project.policy.workspaces.empty(); });
  if (!has_any) return std::nullopt;
  const auto kept = kept_places(configuration, places);
  for (const auto& [project, socket, life] : configuration.projects) {
    const auto& workspaces = project.policy.workspaces;
    for (std::size_t i = 0; i < workspaces.size(); ++i)
      if (auto wrong = wrong_with_workspace(workspaces[i].host, kept); !wrong.empty())
        return rules::wrong_workspace(project, i, std::move(wrong));
  }
  return std::nullopt;
}

}  // namespace podfence::proxy
