#include "rules/workspace_volume.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace podfence::rules {

namespace {

/// FNV-1a. Short, and the same in every build; two paths with the same sum are told apart by check_claim.
std::string sum_of(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, sum >>= 4) *digit = "0123456789abcdef"[sum & 15];
  return digits;
}

/// uid and gid keep Podman from giving the workspace to the user of the first container, nocopy from filling an empty
/// one with what the image has there. The mount of each container says ro, nosuid and nodev again.
std::array<std::pair<std::string_view, std::string>, 4> options_of(const WorkspaceVolume& volume) {
  return {{{"type", "none"},
           {"o", std::string("bind,nosuid,nodev,uid=0,gid=0") + (volume.read_only ? ",ro" : "")},
           {"device", volume.host},
           {"nocopy", ""}}};
}

/// What Podman adds to them.
constexpr std::array<std::string_view, 2> added{"UID", "GID"};

}  // namespace

WorkspaceVolume volume_of(const Workspace& workspace) {
  return {std::string(own_name_prefix) + "workspace." + sum_of(workspace.host) + (workspace.read_only ? ".ro" : ".rw"),
          workspace.host, workspace.read_only};
}

const Workspace* workspace_of_volume(const Project& project, std::string_view volume) {
  const auto& workspaces = project.policy.workspaces;
  const auto found =
      std::ranges::find_if(workspaces, [&](const Workspace& workspace) { return volume_of(workspace).name == volume; });
  return found == workspaces.end() ? nullptr : &*found;
}

UpstreamRequest claim(const WorkspaceVolume& volume) {
  json::Value options;
  for (const auto& [name, value] : options_of(volume)) options.set(name, value);
  json::Value content;
  content.set("Name", volume.name);
  content.set("Driver", "local");
  content.set("Options", std::move(options));
  return {Method::Post, "/v4.0.0/libpod/volumes/create", {{"Content-Type", "application/json"}}, json::write(content)};
}

std::optional<Deny> check_claim(const WorkspaceVolume& volume, const json::Value& document) {
  const auto expected = options_of(volume);
  const json::Value* options = document.find("Options");
  const json::Value* labels = document.find("Labels");
  const bool is_it = document.text("Name") == volume.name && (!labels || labels->is_zero()) &&
                     document.text("Driver") == "local" && options && options->members() &&
                     options->members()->size() == expected.size() + added.size() &&
                     std::ranges::all_of(expected,
                                         [&](const auto& option) {
                                           const json::Value* value = options->find(option.first);
                                           return value && value->string() && *value->string() == option.second;
                                         }) &&
                     std::ranges::all_of(added, [&](std::string_view name) { return options->text(name) == "0"; });
  if (is_it) return std::nullopt;
  return Deny{refusal("mount.workspace-volume"), volume.name, Kind::None};
}

}  // namespace podfence::rules
