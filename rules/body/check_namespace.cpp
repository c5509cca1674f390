// Which namespaces a container or a pod may use: its own, or those of a container of the project.

#include <array>

#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/reference.hpp"
#include "rules/body/refuse.hpp"

namespace podfence::rules {

namespace {

struct Mode {
  std::string_view name, value;
};

Mode split_mode(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  return {text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))};
}

/// What to do with a mode that needs no other object. Pass: as it is. Absent: Podman's default is the same thing.
enum class Treatment { Pass, Absent, Private };

struct AllowedMode {
  std::string_view name;
  Treatment treatment = Treatment::Pass;
};

struct Namespace {
  std::span<const AllowedMode> modes;
  bool may_join = false;  ///< those of another container of the project
  const Refusal* refused = refusal("namespace.mode");
};

// "default" is podman's word for "not said"; "pod" is what a member of a pod gets anyway.
constexpr AllowedMode private_modes[] = {{"private"}, {"pod"}, {"default", Treatment::Absent}};
constexpr AllowedMode ipc_modes[] = {{"private"}, {"shareable"}, {"none"}, {"pod"}, {"default", Treatment::Absent}};
// "host" is the user namespace that the rootless Podman itself is in: the one a container gets that asks for nothing.
constexpr AllowedMode user_modes[] = {{"keep-id"}, {"host", Treatment::Absent}, {"default", Treatment::Absent}};
// The default of compat, and "bridge" without a network's name, would be the one network that everybody shares: policy
// says what they stand for (settle_network.cpp).
constexpr AllowedMode network_modes[] = {{"none"},
                                         {"pod"},
                                         {"private", Treatment::Private},
                                         {"default", Treatment::Absent},
                                         {"bridge", Treatment::Absent},
                                         {"podman", Treatment::Absent},
                                         {"slirp4netns", Treatment::Private},
                                         {"pasta", Treatment::Private}};

constexpr Namespace pid{private_modes, true};
constexpr Namespace ipc{ipc_modes, true};
constexpr Namespace uts{private_modes, true};
constexpr Namespace cgroup{private_modes};
constexpr Namespace user{user_modes};
constexpr Namespace network{network_modes, true, refusal("network.mode")};

const AllowedMode* allowed(const Namespace& space, std::string_view name) {
  for (const AllowedMode& mode : space.modes)
    if (mode.name == name) return &mode;
  return nullptr;
}

std::optional<Deny> refuse_mode(const Namespace& space, std::string_view name, std::string_view text) {
  const bool host = name == "host" || name == "ns" || name == "path";
  return refuse(host ? refusal("namespace.host") : space.refused, text);
}

/// "private" where Podman's word for the mode differs, "" for absent.
std::string_view word(const AllowedMode& mode) {
  switch (mode.treatment) {
    case Treatment::Pass:
      return mode.name;
    case Treatment::Private:
      return "private";
    case Treatment::Absent:
      break;
  }
  return "";
}

std::optional<Deny> judge_text(const Namespace& space, json::Value& value, const Place& place) {
  const std::string text = *value.string();
  const auto [name, joined] = split_mode(text);
  if (space.may_join && name == "container" && !joined.empty()) {
    auto resolved = resolve(Kind::Container, std::string(joined), place);
    if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
    value = "container:" + std::get<std::string>(resolved);
    return std::nullopt;
  }
  const AllowedMode* mode = allowed(space, text);
  if (!mode) return refuse_mode(space, name, text);
  value = word(*mode).empty() ? json::Value() : json::Value(word(*mode));
  return std::nullopt;
}

std::optional<Deny> judge_object(const Namespace& space, json::Value& value, const Place& place) {
  const std::string name(value.text("nsmode"));
  const std::string joined(value.text("value"));
  if (space.may_join && name == "container" && !joined.empty()) {
    auto resolved = resolve(Kind::Container, joined, place);
    if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
    value.set("value", std::get<std::string>(std::move(resolved)));
    return std::nullopt;
  }
  const AllowedMode* mode = allowed(space, name);
  if (!mode || !joined.empty()) return refuse_mode(space, name, joined.empty() ? name : name + ":" + joined);
  value = {};
  if (!word(*mode).empty()) value.set("nsmode", word(*mode));
  return std::nullopt;
}

}  // namespace

std::optional<Deny> judge_pid_text(json::Value& value, const Place& place) { return judge_text(pid, value, place); }
std::optional<Deny> judge_ipc_text(json::Value& value, const Place& place) { return judge_text(ipc, value, place); }
std::optional<Deny> judge_uts_text(json::Value& value, const Place& place) { return judge_text(uts, value, place); }
std::optional<Deny> judge_cgroup_text(json::Value& value, const Place& place) {
  return judge_text(cgroup, value, place);
}
std::optional<Deny> judge_user_text(json::Value& value, const Place& place) { return judge_text(user, value, place); }

/// Every text that is no mode is the name of a network, "HOST" as well. Several with commas, and options behind a
/// colon, are Podman's own additions that no Docker client sends.
std::optional<Deny> judge_network_text(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const bool is_mode = text == "host" || allowed(network, text) || text.find_first_of(":,") != std::string::npos;
  return is_mode ? judge_text(network, value, place) : judge_network(value, place);
}

std::optional<Deny> judge_pid_object(json::Value& value, const Place& place) { return judge_object(pid, value, place); }
std::optional<Deny> judge_ipc_object(json::Value& value, const Place& place) { return judge_object(ipc, value, place); }
std::optional<Deny> judge_uts_object(json::Value& value, const Place& place) { return judge_object(uts, value, place); }
std::optional<Deny> judge_cgroup_object(json::Value& value, const Place& place) {
  return judge_object(cgroup, value, place);
}
std::optional<Deny> judge_user_object(json::Value& value, const Place& place) {
  return judge_object(user, value, place);
}
std::optional<Deny> judge_network_object(json::Value& value, const Place& place) {
  return judge_object(network, value, place);
}

}  // namespace podfence::rules
