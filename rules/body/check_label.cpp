// Labels and annotations that the host acts on. Podman itself, its runtimes and its timers read some of them; a client
// that could write those would have host files deleted or written, host units restarted, or host code run.

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/bounds.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/secret.hpp"

namespace podfence::rules {

namespace {

constexpr auto reserved_prefixes = std::to_array<std::string_view>({
    "podman_systemd_unit",            // auto-update restarts that unit of the host
    "io.containers.autoupdate",       // and reads the host's file in .authfile
    "io.containers.seccomp.profile",  // a profile of the image's own
    "io.podman.annotations.",         // cid-file is deleted from the host, others fake what inspect says
    "run.oci.",                       // crun: hooks, receivers, plugins
    "org.systemd.property.",          // properties of the scope
    "krun.",
    "io.katacontainers.",
    "org.criu.",                    // a configuration file of the host
    "io.containers.trace-syscall",  // a hook writes the file that it names
    "module.wasm.",
});

/// podman-compose gives it to every container, for units that it has made if its user asked for that. Dropped.
constexpr std::string_view unit_label = "PODMAN_SYSTEMD_UNIT";

/// podman --remote sends these beside the fields that say the same.
constexpr auto repeating_annotations =
    std::to_array<std::string_view>({"io.kubernetes.cri-o.TTY", "io.podman.annotations.userns"});

}  // namespace

bool is_reserved_label(std::string_view name) {
  return std::ranges::any_of(reserved_prefixes, [&](std::string_view prefix) {
    return ascii::equal_caseless(name.substr(0, prefix.size()), prefix);
  });
}

std::optional<Deny> check_label(std::string_view name, std::string_view value, const Project& project) {
  // Docker's form is joined to NAME=value and split again at the first '=' by Podman.
  if (name.empty() || name.find('=') != std::string::npos || std::ranges::any_of(name, ascii::is_control))
    return refuse(refusal("field.value"), "labels");
  if (name == project.label_key) return value == project.id ? std::nullopt : refuse(refusal("ownership.label"), name);
  const bool is_own = name.starts_with(project.label_key) &&
                      (name == environment_secrets_label(project) || name == immutable_secret_label(project));
  return is_own || is_reserved_label(name) ? refuse(refusal("label.reserved"), name) : std::nullopt;
}

std::optional<Deny> judge_label(json::Value& value, const Place& place) {
  if (*place.key == unit_label) {
    value = {};
    return std::nullopt;
  }
  return check_label(*place.key, *value.string(), place.exchange.project);
}

std::optional<Deny> judge_annotation(json::Value& value, const Place& place) {
  if (!contains(repeating_annotations, *place.key)) return refuse(refusal("label.reserved"), *place.key);
  value = {};
  return std::nullopt;
}

std::optional<Deny> add_project_label(json::Value& content, std::string_view labels, const Project& project) {
  if (!content.find(labels)) content.set(labels, json::Value::object());
  json::Value& map = *content.find(labels);
  std::size_t size = 0;
  for (const json::Member& each : *map.members()) size += each.name.size() + each.value.string()->size();
  if (size > bounds::labels_size) return Deny{refusal("limit.labels"), std::to_string(bounds::labels_size), Kind::None};
  map.set(project.label_key, project.id);
  return std::nullopt;
}

}  // namespace podfence::rules
