// The rules of paths of the host, and the texts that Podman gets.

#include <algorithm>
#include <array>

#include "rules/body/host_mount.hpp"
#include "rules/body/mount.hpp"
#include "rules/body/refuse.hpp"
#include "rules/exchange.hpp"
#include "rules/host_path.hpp"

namespace podfence::rules {

namespace {

/// What clients send. Propagations that reach back to the host, idmap, dev, suid, U, O, z and Z are left out on
/// purpose; what does not make the mount narrower is dropped: caching hints of Docker Desktop, and what is forced
/// anyway.
constexpr auto bind_options =
    std::to_array<std::string_view>({"ro", "rw", "nosuid", "nodev", "noexec", "bind", "rbind", "private", "rprivate",
                                     "nocopy", "cached", "delegated", "consistent"});

std::vector<std::string> options_of(const std::vector<std::string>& asked, bool read_only) {
  std::vector<std::string> options{read_only || contains(asked, "ro") ? "ro" : "rw", "nosuid", "nodev", "rprivate"};
  options.emplace_back(contains(asked, "bind") ? "bind" : "rbind");
  if (contains(asked, "noexec")) options.emplace_back("noexec");
  return options;
}

std::variant<HostMount, Deny> judge_host_mount(const HostMount& asked, const Place& place) {
  auto source = host_path(place.exchange.project, asked.source);
  if (auto* deny = std::get_if<Deny>(&source)) return std::move(*deny);
  auto target = judge_target_path(asked.target);
  if (auto* deny = std::get_if<Deny>(&target)) return std::move(*deny);
  if (auto deny = judge_options(asked.options, bind_options)) return std::move(*deny);
  const auto& [client, host, read_only, is_directory] = std::get<HostPath>(source);
  auto& directories = place.judged.directories;
  if (is_directory && std::ranges::find(directories, host, &HostDirectory::path) == directories.end())
    directories.push_back({host, client});
  return HostMount{host, std::get<std::string>(std::move(target)), options_of(asked.options, read_only)};
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
  auto mount = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&mount)) return std::move(*deny);
  value = text_of(std::get<HostMount>(mount));
  return std::nullopt;
}

/// Podman reads no nosuid and no nodev in this form (cmd/podman/common:ContainerCreateToContainerCLIOpts), so it is
/// sent in the other one.
std::optional<Deny> judge_host_mount_compat(json::Value& value, const Place& place) {
  if (value.find("TmpfsOptions")) return refuse(refusal("field.value"), place.path + ".TmpfsOptions");
  HostMount asked{std::string(value.text("Source")), std::string(value.text("Target")), {}};
  const auto is_set = [](const json::Value* flag) { return flag && flag->boolean() && *flag->boolean(); };
  if (is_set(value.find("ReadOnly"))) asked.options.emplace_back("ro");
  const json::Value* options = value.find("BindOptions");
  if (options && is_set(options->find("NonRecursive"))) asked.options.emplace_back("bind");
  auto mount = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&mount)) return std::move(*deny);
  place.judged.binds.push_back(text_of(std::get<HostMount>(mount)));
  value = {};
  return std::nullopt;
}

std::optional<Deny> judge_host_mount_libpod(json::Value& value, const Place& place) {
  const HostMount asked{std::string(value.text("source")), std::string(value.text("destination")),
                        texts_of(value.find("options"))};
  auto judged = judge_host_mount(asked, place);
  if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
  const HostMount& mount = std::get<HostMount>(judged);
  value.set("source", mount.source);
  value.set("destination", mount.target);
  value.set("options", list_of(mount.options));
  return std::nullopt;
}

}  // namespace podfence::rules
