#include "rules/host_path.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/configuration_text.hpp"

namespace podfence::rules {

namespace {

/// Where clients look for an engine. The first is what answers call the project's socket.
constexpr auto engine_sockets =
    std::to_array<std::string_view>({"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock"});

/// Of Podman for any user, and of podfence for this project, wherever the run-time directory is.
bool is_engine_socket(const Project& project, std::string_view path) {
  return std::ranges::find(engine_sockets, path) != engine_sockets.end() || path == project.socket ||
         path.ends_with("/podman/podman.sock") || path.ends_with("/podfence/" + project.id + "/podman.sock");
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

}  // namespace

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::variant<HostPath, Deny> host_path(const Project& project, std::string_view client_path) {
  std::string_view path = client_path;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (wrong_with_path(path)) return refuse_path(project, client_path);
  for (const auto& [client, host, read_only] : project.policy.workspaces) {
    if (path == client) return HostPath{client, host, read_only};
    if (is_below(path, client)) return Deny{refusal("mount.workspace-subpath"), std::string(client_path), Kind::None};
  }
  // A socket at a path that Podman would split cannot be mounted.
  if (!wrong_with_mount_path(project.socket) && is_engine_socket(project, path))
    return HostPath{std::string(engine_sockets.front()), project.socket, false, false};
  return refuse_path(project, client_path);
}

std::string client_path(const Project& project, std::string_view host_path) {
  if (host_path.empty()) return "";
  for (const Workspace& workspace : project.policy.workspaces)
    if (workspace.host == host_path) return workspace.client;
  return host_path == project.socket ? std::string(engine_sockets.front()) : "";
}

std::string client_bind(const Project& project, const std::string& bind) {
  if (!bind.starts_with('/')) return bind;  // a volume's name
  const std::size_t end = std::min(bind.find(':'), bind.size());
  const std::string client = client_path(project, std::string_view(bind).substr(0, end));
  return client.empty() ? "" : client + bind.substr(end);
}

std::string with_client_paths(const Project& project, std::string text) {
  for (const Workspace& workspace : project.policy.workspaces) text = replaced(text, workspace.host, workspace.client);
  return project.socket.empty() ? text : replaced(text, project.socket, engine_sockets.front());
}

}  // namespace podfence::rules
