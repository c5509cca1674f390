#include "rules/host_path.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/configuration_text.hpp"
#include "rules/contains.hpp"
#include "rules/workspace_volume.hpp"

namespace podfence::rules {

namespace {

/// Where clients look for an engine. The first is what answers call the project's socket.
constexpr auto engine_sockets =
    std::to_array<std::string_view>({"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock"});

/// Of Podman for any user, and of podfence for this project, wherever the run-time directory is.
bool is_engine_socket(const Project& project, std::string_view path) {
  return contains(engine_sockets, path) || path == project.socket || path.ends_with("/podman/podman.sock") ||
         path.ends_with("/podfence/" + project.id + "/podman.sock");
}

Deny refuse_path(const Project& project, std::string_view path) {
  std::string names;
  for (const Workspace& workspace : project.policy.workspaces) names += (names.empty() ? "" : ", ") + workspace.client;
  if (!names.empty()) names = "use a named volume, or mount a workspace: " + names;
  return {refusal("mount.host-path"), std::string(path), Kind::None, names};
}

/// Could the name of a file go on with this character?
bool is_of_name(char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '-'; }

std::string replaced(std::string_view text, std::string_view path, std::string_view by) {
  std::string result;
  for (auto at = text.find(path); at != std::string_view::npos; at = text.find(path)) {
    const std::size_t end = at + path.size();
    const bool is_longer = end < text.size() && is_of_name(text[end]);
    result.append(text.substr(0, at)).append(is_longer ? path : by);
    text.remove_prefix(end);
  }
  return result.append(text);
}

std::string joined(const std::string& directory, const std::string& below) {
  return below.empty() ? directory : directory + "/" + below;
}

}  // namespace

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::variant<HostPath, Deny> host_path(const Project& project, std::string_view client_path) {
  std::string_view path = client_path;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (wrong_with_path(path)) return refuse_path(project, client_path);
  for (const Workspace& workspace : project.policy.workspaces) {
    if (path == workspace.client) return HostPath{workspace.client, workspace.host, &workspace};
    if (!is_below(path, workspace.client)) continue;
    if (wrong_with_mount_path(path)) return refuse_path(project, client_path);
    const WorkspacePlace place{&workspace, std::string(path.substr(workspace.client.size() + 1))};
    return HostPath{place.client(), place.host(), &workspace, place.below};
  }
  // A socket at a path that Podman would split cannot be mounted.
  if (!wrong_with_mount_path(project.socket) && is_engine_socket(project, path))
    return HostPath{std::string(engine_sockets.front()), project.socket};
  return refuse_path(project, client_path);
}

std::string WorkspacePlace::host() const { return joined(workspace->host, below); }

std::string WorkspacePlace::client() const { return joined(workspace->client, below); }

WorkspacePlace workspace_place(const Project& project, std::string_view host_path) {
  for (const Workspace& workspace : project.policy.workspaces) {
    if (workspace.host == host_path) return {&workspace};
    if (is_below(host_path, workspace.host))
      return {&workspace, std::string(host_path.substr(workspace.host.size() + 1))};
  }
  return {};
}

WorkspacePlace workspace_place(const Project& project, const json::Value& mount) {
  if (mount.text("Type") != "volume") return workspace_place(project, mount.text("Source"));
  return {workspace_of_volume(project, mount.text("Name")), std::string(mount.text("SubPath"))};
}

std::string client_path(const Project& project, std::string_view host_path) {
  if (host_path.empty()) return "";
  if (const auto place = workspace_place(project, host_path); place.workspace) return place.client();
  return host_path == project.socket ? std::string(engine_sockets.front()) : "";
}

std::string client_bind(const Project& project, const std::string& bind) {
  if (!bind.starts_with('/')) return bind;  // a volume's name
  const std::size_t end = std::min(bind.find(':'), bind.size());
  const std::string client = client_path(project, std::string_view(bind).substr(0, end));
  return client.empty() ? "" : client + bind.substr(end);
}

std::string with_client_paths(const Project& project, std::string text) {
  for (const Workspace& workspace : project.policy.workspaces) {
    text = replaced(text, workspace.host, workspace.client);
    text = replaced(text, volume_of(workspace).name, workspace.client);
  }
  return project.socket.empty() ? text : replaced(text, project.socket, engine_sockets.front());
}

}  // namespace podfence::rules
