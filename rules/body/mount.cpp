#include "rules/body/mount.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/bounds.hpp"
#include "rules/body/name.hpp"
#include "rules/body/refuse.hpp"
#include "rules/body/size.hpp"
#include "rules/container/settle.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/names.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

// Left out on purpose: O with upperdir= and workdir= writes to the host, U changes owners, volume-opt= makes a bind of
// a volume, idmap, dev, suid, exec of a volume and the propagations that reach back to the host.
constexpr auto volume_options =
    std::to_array<std::string_view>({"ro", "rw", "nosuid", "nodev", "noexec", "rprivate", "nocopy"});
constexpr auto tmpfs_options = std::to_array<std::string_view>(
    {"ro", "rw", "nosuid", "nodev", "exec", "noexec", "rprivate", "private", "tmpcopyup", "notmpcopyup"});

/// Heard and never sent, of volumes and of paths of the host: nothing is relabelled, and hints of Docker Desktop mean
/// nothing to Podman.
constexpr auto dropped_options = std::to_array<std::string_view>({"z", "Z", "cached", "delegated", "consistent"});

Deny bad_tmpfs_option(const std::string& option) {
  std::string way_out = "use size=, mode=";
  for (const std::string_view known : tmpfs_options) way_out.append(", ").append(known);
  return {refusal("mount.option"), option, Kind::None, std::move(way_out)};
}

/// Nothing is mounted over what the runtime itself puts there, but for shared memory.
bool is_runtime_path(std::string_view path) {
  constexpr auto roots = std::to_array<std::string_view>({"/proc", "/sys", "/dev"});
  if (path == "/dev/shm") return false;
  return std::ranges::any_of(roots, [&](std::string_view root) {
    return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
  });
}

/// No empty, "." or ".." segment, and nothing that Podman splits texts at.
bool is_clean(std::string_view path) {
  if (!path.starts_with('/') || path.size() < 2) return false;
  if (std::ranges::any_of(path, [](char c) {
        return ascii::is_control(c) || std::string_view(":,\"\\").find(c) != std::string_view::npos;
      }))
    return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    if (segment.empty() || segment == "." || segment == "..") return false;
    path.remove_prefix(segment.size());
  }
  return true;
}

bool is_mode(std::string_view text) {
  return !text.empty() && text.size() <= 4 && text.find_first_not_of("01234567") == std::string_view::npos;
}

}  // namespace

std::variant<std::string, Deny> judge_target_path(std::string_view path) {
  const std::string_view text = path;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (!is_clean(path) || is_runtime_path(path)) return *refuse(refusal("mount.target"), text);
  return std::string(path);
}

std::variant<std::string, Deny> judge_volume_name(const std::string& name, const Place& place) {
  if (is_path(name)) return *refuse(refusal("mount.host-path"), name);
  if (!is_name(name)) return *refuse(refusal("name.syntax"), name);
  const Fact* volume = place.exchange.facts.find(Kind::Volume, name);
  // Anonymous volumes have ids for names; compose mounts its own again by them.
  if (!volume) return name;
  if (volume->ownership == Ownership::Own) return volume->id;
  if (auto deny = check_new_name(name, place.exchange.project)) return *std::move(deny);
  // All projects share one name space of volumes. A missing volume is made, so a foreign one cannot look like a missing
  // one; this is the answer that creating a volume of a taken name gets as well.
  if (volume->ownership != Ownership::Missing) return Deny{refusal("name.taken"), name, Kind::Volume};
  auto& volumes = place.judged.volumes;
  auto made = upstream_name(place.exchange.project, name);
  if (!contains(volumes, made, &NewVolume::name)) volumes.push_back({made});
  return made;
}

std::variant<std::vector<std::string>, Deny> judge_volume_options(std::vector<std::string> options) {
  if (auto deny = judge_options(options, volume_options)) return *std::move(deny);
  std::erase_if(options, [](const std::string& option) { return contains(dropped_options, option); });
  return options;
}

std::optional<Deny> judge_options(const std::vector<std::string>& options, std::span<const std::string_view> allowed) {
  for (const std::string& option : options)
    if (!contains(allowed, option) && !contains(dropped_options, option))
      return refuse(refusal("mount.option"), option);
  if (contains(options, "ro") && contains(options, "rw")) return refuse(refusal("mount.option"), "ro,rw");
  return std::nullopt;
}

std::int64_t tmpfs_standard_size(const Policy& policy) {
  const Limit& limit = policy.limit(Amount::Tmpfs);
  return limit.standard.value_or(limit.most.value_or(bounds::tmpfs_size));
}

std::variant<std::vector<std::string>, Deny> judge_tmpfs_options(const std::vector<std::string>& options,
                                                                 const Policy& policy) {
  std::vector<std::string> kept;
  std::int64_t size = tmpfs_standard_size(policy);
  for (const std::string& option : options) {
    const std::string_view text(option);
    if (text.starts_with("size=")) {
      const auto asked = parse_size(text.substr(5));
      if (!asked || *asked < 1 || *asked > bounds::tmpfs_size)
        return out_of_bounds("size of a tmpfs", text.substr(5), "most", amount_text(Unit::Bytes, bounds::tmpfs_size));
      if (auto deny = settle_amount({Amount::Tmpfs, *asked, "size of a tmpfs", true}, policy)) return std::move(*deny);
      size = *asked;
    } else if (contains(tmpfs_options, text) || (text.starts_with("mode=") && is_mode(text.substr(5)))) {
      kept.push_back(option);
    } else {
      return bad_tmpfs_option(option);
    }
  }
  for (const char* option : {"nosuid", "nodev"})
    if (!contains(kept, option)) kept.emplace_back(option);
  kept.push_back("size=" + std::to_string(size));
  return kept;
}

std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> options;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    options.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return options;
}

std::string join_options(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "" : ",") + option;
  return text;
}

std::vector<std::string> texts_of(const json::Value* list) {
  std::vector<std::string> texts;
  if (list && list->items())
    for (const json::Value& item : *list->items()) texts.push_back(*item.string());
  return texts;
}

json::Value list_of(const std::vector<std::string>& texts) {
  json::Value list = json::Value::array();
  for (const std::string& text : texts) list.push(text);
  return list;
}

/// Podman: whatever begins with '/' or '.' (specgen:GenVolumeMounts). '~' is what a shell left unexpanded.
bool is_path(std::string_view source) {
  return source.starts_with('/') || source.starts_with('.') || source.starts_with('~');
}

}  // namespace podfence::rules
