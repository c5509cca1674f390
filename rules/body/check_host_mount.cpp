// The rules of paths of the host, and the texts that Podman gets.

#include <algorithm>
#include <array>

#include "rules/body/host_mount.hpp"
#include "rules/body/mount.hpp"
#include "rules/body/refuse.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/host_path.hpp"
#include "rules/workspace_volume.hpp"

namespace podfence::rules {

namespace {

/// What clients send. Propagations that reach back to the host, idmap, dev, suid, U and O are left out on purpose; what
/// does not make the mount narrower is dropped: what is forced anyway, and dropped_options (mount.cpp).
constexpr auto bind_options = std::to_array<std::string_view>(
    {"ro", "rw", "nosuid", "nodev", "noexec", "bind", "rbind", "private", "rprivate", "nocopy"});

std::vector<std::string> options_of(const std::vector<std::string>& asked, bool read_only) {
  std::vector<std::string> options{read_only || contains(asked, "ro") ? "ro" : "rw", "nosuid", "nodev", "rprivate"};
  options.emplace_back(contains(asked, "bind") ? "bind" : "rbind");
  if (contains(asked, "noexec")) options.emplace_back("noexec");
  return options;
}

/// Looks at the volume over the workspace, and has it made where it is missing.
std::optional<Deny> use_volume(const WorkspaceVolume& volume, const Place& place) {
  const Fact* fact = place.exchange.facts.find(Kind::Volume, volume.name);
  if (!fact) return std::nullopt;
  if (fact->ownership != Ownership::Missing) return check_claim(volume, fact->document);
  auto& missing = place.judged.workspace_volumes;
  if (!contains(missing, volume.name, &WorkspaceVolume::name)) missing.push_back(volume);
  return std::nullopt;
}

/// Makes the mount one by a volume, unless policy is content with a bind that Podman opens anew at every start.
std::optional<Deny> settle_sub_path(const HostPath& source, HostMount& mount, const Place& place) {
  if (source.below.empty() || place.exchange.project.policy.bind_subpaths) return std::nullopt;
  const auto version = place.exchange.facts.engine_version();
  if (version && *version < first_with_sub_paths) return refuse(refusal("mount.workspace-subpath"), source.client);
  const WorkspaceVolume volume = volume_of(*source.workspace);
  mount.source = volume.name;
  mount.sub_path = source.below;
  return version ? use_volume(volume, place) : std::nullopt;
}

/// Where Podman looks up users and groups when a container or an exec session starts: of a bind there it opens
/// `SOURCE/passwd` on the host (libpod: getUserOverrides). A volume is passed over.
std::optional<Deny> check_accounts(const HostMount& mount) {
  constexpr auto read_by_podman = std::to_array<std::string_view>({"/etc", "/etc/passwd", "/etc/group"});
  const bool is_read = mount.sub_path.empty() && contains(read_by_podman, mount.target);
  return is_read ? refuse(refusal("mount.accounts"), mount.target) : std::nullopt;
}

void note_source(const HostPath& source, const Place& place) {
  if (source.workspace) place.judged.sources.insert({source.workspace->host, source.below, source.client});
}

std::variant<HostMount, Deny> judge_host_mount(const HostMount& asked, const Place& place) {
  auto path = host_path(place.exchange.project, asked.source);
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  auto target = judge_target_path(asked.target);
  if (auto* deny = std::get_if<Deny>(&target)) return std::move(*deny);
  if (auto deny = judge_options(asked.options, bind_options)) return std::move(*deny);
  const auto& source = std::get<HostPath>(path);
  HostMount mount{source.host, std::get<std::string>(std::move(target)),
                  options_of(asked.options, source.workspace && source.workspace->read_only)};
  if (auto deny = settle_sub_path(source, mount, place)) return std::move(*deny);
  if (auto deny = check_accounts(mount)) return std::move(*deny);
  note_source(source, place);
  return mount;
}

/// A volume is not mounted "rbind" or "bind".
void drop_depth(std::vector<std::string>& options) {
  std::erase_if(options, [](const std::string& option) { return option == "bind" || option == "rbind"; });
}

/// Docker's mount object has a member for it, which Podman 5.4 does not read (compat/containers_create.go); but it
/// writes the members behind each other, with commas, and reads the result as the text of its own --mount. So the rest
/// of that text stands behind the target. No member has a comma of the client's.
json::Value compat_sub_path(const HostMount& mount) {
  std::string target = mount.target + ",subpath=" + mount.sub_path;
  for (const std::string& option : mount.options)
    if (option != "rprivate") target += "," + option;  // what a volume's mount is anyway; no word of that text
  json::Value value;
  value.set("Type", "volume");
  value.set("Source", mount.source);
  value.set("Target", std::move(target));
  return value;
}

json::Value libpod_sub_path(const HostMount& mount) {
  json::Value value;
  value.set("Name", mount.source);
  value.set("Dest", mount.target);
  value.set("SubPath", mount.sub_path);
  value.set("Options", list_of(mount.options));
  return value;
}

bool moves_to_sub_paths(HostMount& mount, json::Value& value, const Place& place,
                        json::Value (*write)(const HostMount&)) {
  if (mount.sub_path.empty()) return false;
  drop_depth(mount.options);
  place.judged.sub_paths.push_back(write(mount));
  value = {};
  return true;
}

std::string text_of(const HostMount& mount) {
  return mount.source + ":" + mount.target + ":" + join_options(mount.options);
}

}  // namespace

std::optional<Deny> judge_host_source(const std::string& source, const Place& place) {
  auto path = host_path(place.exchange.project, source);
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  return std::nullopt;
}

std::optional<Deny> judge_host_bind(const HostMount& asked, json::Value& value, const Place& place) {
  auto judged = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
  auto& mount = std::get<HostMount>(judged);
  if (!moves_to_sub_paths(mount, value, place, compat_sub_path)) value = text_of(mount);
  return std::nullopt;
}

/// Podman reads no nosuid and no nodev in this form (cmd/podman/common:ContainerCreateToContainerCLIOpts), so it is
/// sent in the other one.
std::optional<Deny> judge_host_mount_compat(json::Value& value, const Place& place) {
  if (value.find("TmpfsOptions")) return refuse(refusal("field.value"), place.path + ".TmpfsOptions");
  HostMount asked{std::string(value.text("Source")), std::string(value.text("Target")), {}};
  if (value.flag("ReadOnly")) asked.options.emplace_back("ro");
  const json::Value* options = value.find("BindOptions");
  if (options && options->flag("NonRecursive")) asked.options.emplace_back("bind");
  auto judged = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
  auto& mount = std::get<HostMount>(judged);
  if (moves_to_sub_paths(mount, value, place, compat_sub_path)) return std::nullopt;
  place.judged.binds.push_back(text_of(mount));
  value = {};
  return std::nullopt;
}

std::optional<Deny> judge_host_mount_libpod(json::Value& value, const Place& place) {
  const HostMount asked{std::string(value.text("source")), std::string(value.text("destination")),
                        texts_of(value.find("options"))};
  auto judged = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
  auto& mount = std::get<HostMount>(judged);
  if (moves_to_sub_paths(mount, value, place, libpod_sub_path)) return std::nullopt;
  value.set("source", mount.source);
  value.set("destination", mount.target);
  value.set("options", list_of(mount.options));
  return std::nullopt;
}

}  // namespace podfence::rules
