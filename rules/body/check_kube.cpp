// What only Kubernetes YAML has.

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/base64.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/kube/quantity.hpp"

namespace podfence::rules {

namespace {

/// Podman acts on these. It reads options of mounts and volumes out of them, paths of profiles, and what becomes of a
/// container when it ends.
constexpr auto acted_on = std::to_array<std::string_view>({
    "io.podman.",
    "io.containers.",
    "volume.podman.io/",
    "seccomp.security.alpha.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "container.apparmor.security.beta.kubernetes.io/",
});

/// `podman kube generate` writes them for every container, and with this value they say nothing.
constexpr auto without_meaning = std::to_array<std::string_view>({
    "io.podman.annotations.autoremove/",
    "io.podman.annotations.init/",
    "io.podman.annotations.privileged/",
    "io.podman.annotations.publish-all/",
});

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

}  // namespace

/// The objects that are made of it get their names upstream by creates of their own.
std::optional<Deny> judge_kube_name(json::Value& value, const Place& place) {
  return check_new_name(*value.string(), place.exchange.project);
}

/// Annotations are never sent; a pod's containers may read them (fieldRef).
std::optional<Deny> judge_kube_annotation(json::Value& value, const Place& place) {
  const std::string name = ascii::lower(*place.key);
  if (begins_with_any(name, without_meaning) && *value.string() == "FALSE") {
    value = {};
    return std::nullopt;
  }
  if (name == "volume.podman.io/driver" && *value.string() == "local") {
    value = {};
    return std::nullopt;
  }
  if (is_reserved_label(name) || begins_with_any(name, acted_on)) return refuse(refusal("kube.annotation"), *place.key);
  return std::nullopt;
}

/// True is what every container of a rootless Podman has. False would need ids that its user may not have.
std::optional<Deny> judge_kube_host_users(json::Value& value, const Place& place) {
  const bool* host = value.boolean();
  if (!host) return refuse(refusal("field.type"), place.path);
  if (!*host) return refuse(refusal("namespace.mode"), place.path);
  value = {};
  return std::nullopt;
}

std::optional<Deny> judge_kube_host_path_type(json::Value& value, const Place& place) {
  constexpr auto devices = std::to_array<std::string_view>({"CharDevice", "BlockDevice"});
  constexpr auto paths =
      std::to_array<std::string_view>({"Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
  const std::string& type = *value.string();
  if (contains(devices, type)) return refuse(refusal("privilege.device"), place.path);
  return contains(paths, type) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_kube_resource(json::Value& value, const Place& place) {
  constexpr auto counted = std::to_array<std::string_view>({"cpu", "memory"});
  if (*place.key == "ephemeral-storage") {  // nothing of Podman's limits it
    value = {};
    return std::nullopt;
  }
  if (!contains(counted, *place.key)) return refuse(refusal("privilege.device"), *place.key);
  return kube::parse_quantity(value) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_base64_text(json::Value& value, const Place& place) {
  return decode_base64(*value.string()) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

/// As Go reads bytes in JSON. Written without ends of lines, as Kubernetes writes it.
std::optional<Deny> judge_exact_base64_text(json::Value& value, const Place& place) {
  std::string& text = *value.string();
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  return decode_exact_base64(text) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

}  // namespace podfence::rules
