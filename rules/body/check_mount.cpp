// Mounts in the shapes that the two families have for them.

#include <algorithm>
#include <array>

#include "rules/body/checks.hpp"
#include "rules/body/host_mount.hpp"
#include "rules/body/mount.hpp"
#include "rules/body/refuse.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// Writes the clean path over the member of that name.
std::optional<Deny> clean_target(json::Value& mount, std::string_view name) {
  auto path = judge_target_path(mount.text(name));
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  mount.set(name, std::get<std::string>(std::move(path)));
  return std::nullopt;
}

/// Likewise, of a volume.
std::optional<Deny> write_volume_name(json::Value& mount, std::string_view member, const Place& place) {
  auto name = judge_volume_name(std::string(mount.text(member)), place);
  if (auto* deny = std::get_if<Deny>(&name)) return std::move(*deny);
  mount.set(member, std::get<std::string>(std::move(name)));
  return std::nullopt;
}

std::optional<Deny> judge_volume_mount(json::Value& mount, const Place& place) {
  const std::string source(mount.text("Source"));
  if (mount.find("TmpfsOptions")) return refuse(refusal("field.value"), place.path + ".TmpfsOptions");
  return source.empty() ? std::nullopt : write_volume_name(mount, "Source", place);
}

/// Docker's tmpfs is for everybody. Podman writes an absent mode as 0 as soon as there are any options.
constexpr std::int64_t tmpfs_mode = 01777;

/// A size of 0 is no limit to Docker; it counts as not said.
std::optional<Deny> judge_tmpfs_mount(json::Value& mount, const Place& place) {
  if (mount.find("Source")) return refuse(refusal("field.value"), place.path + ".Source");
  json::Value options;
  if (json::Value* given = mount.find("TmpfsOptions")) options = std::move(*given);
  const Policy& policy = place.exchange.project.policy;
  if (const json::Value* size = options.find("SizeBytes")) {
    const SaidAmount said{Amount::Tmpfs, size->int64().value_or(0), "TmpfsOptions.SizeBytes", true};
    if (auto deny = settle_amount(said, policy)) return deny;
  } else {
    options.set("SizeBytes", json::Value::integer(tmpfs_standard_size(policy)));
  }
  if (!options.find("Mode")) options.set("Mode", json::Value::integer(tmpfs_mode));
  mount.set("TmpfsOptions", std::move(options));
  return std::nullopt;
}

}  // namespace

std::optional<Deny> judge_target(json::Value& value, const Place&) {
  auto path = judge_target_path(*value.string());
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  value = std::get<std::string>(std::move(path));
  return std::nullopt;
}

/// `source:target[:options]`, Docker's -v. Podman reads a source that is not a path as a volume's name.
std::optional<Deny> judge_bind(json::Value& value, const Place& place) {
  const std::string text = *value.string();
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  const bool of_host = is_path(text) || parts.front().empty();
  if (of_host)
    if (auto deny = judge_host_source(parts.front(), place)) return deny;
  if (parts.size() < 2 || parts.size() > 3) return refuse(refusal("field.value"), text);
  const auto options = split_options(parts.size() == 3 ? parts[2] : "");
  if (of_host) return judge_host_bind({parts[0], parts[1], options}, value, place);
  auto path = judge_target_path(parts[1]);
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  auto judged = judge_volume_options(options);
  if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
  auto name = judge_volume_name(parts[0], place);
  if (auto* deny = std::get_if<Deny>(&name)) return std::move(*deny);
  const auto kept = join_options(std::get<std::vector<std::string>>(judged));
  value = std::get<std::string>(name) + ":" + std::get<std::string>(path) + (kept.empty() ? "" : ":" + kept);
  return std::nullopt;
}

/// Podman writes the members of this one behind each other, with commas, and reads the result as its --mount text: a
/// comma in any of them would be the start of another option (so would a quote be, for its CSV reader).
std::optional<Deny> judge_mount(json::Value& value, const Place& place) {
  const std::string type(value.text("Type"));
  if (type == "bind") return judge_host_mount_compat(value, place);
  if (type != "volume" && type != "tmpfs") return refuse(refusal("mount.type"), type);
  if (auto deny = clean_target(value, "Target")) return deny;
  return type == "volume" ? judge_volume_mount(value, place) : judge_tmpfs_mount(value, place);
}

/// Podman takes these keys for -v texts: with a colon in it, a key is a bind.
std::optional<Deny> judge_volume_key(json::Value&, const Place& place) {
  auto path = judge_target_path(*place.key);
  if (auto* deny = std::get_if<Deny>(&path)) return std::move(*deny);
  *place.key = std::get<std::string>(std::move(path));
  return std::nullopt;
}

std::optional<Deny> judge_tmpfs(json::Value& value, const Place& place) {
  if (auto deny = judge_volume_key(value, place)) return deny;
  auto options = judge_tmpfs_options(split_options(*value.string()), place.exchange.project.policy);
  if (auto* deny = std::get_if<Deny>(&options)) return std::move(*deny);
  value = join_options(std::get<std::vector<std::string>>(options));
  return std::nullopt;
}

/// The options make a bind of whatever type this says, and the types are those of mount(8): only the exact word tmpfs.
std::optional<Deny> judge_mount_libpod(json::Value& value, const Place& place) {
  const std::string_view type = value.text("type");
  if (type == "bind") return judge_host_mount_libpod(value, place);
  if (type != "tmpfs") return refuse(refusal("mount.type"), type);
  if (auto deny = clean_target(value, "destination")) return deny;
  auto options = judge_tmpfs_options(texts_of(value.find("options")), place.exchange.project.policy);
  if (auto* deny = std::get_if<Deny>(&options)) return std::move(*deny);
  value.set("source", "tmpfs");
  value.set("options", list_of(std::get<std::vector<std::string>>(options)));
  return std::nullopt;
}

std::optional<Deny> judge_volume_libpod(json::Value& value, const Place& place) {
  if (auto deny = clean_target(value, "Dest")) return deny;
  auto options = judge_volume_options(texts_of(value.find("Options")));
  if (auto* deny = std::get_if<Deny>(&options)) return std::move(*deny);
  const auto& kept = std::get<std::vector<std::string>>(options);
  value.erase("Options");
  if (!kept.empty()) value.set("Options", list_of(kept));
  return value.text("Name").empty() ? std::nullopt : write_volume_name(value, "Name", place);
}

}  // namespace podfence::rules
