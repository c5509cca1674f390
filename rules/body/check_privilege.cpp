// Capabilities, security options, sysctls, log options.

#include <algorithm>
#include <array>
#include <string_view>

#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/body/size.hpp"
#include "rules/capability.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

/// Namespaced, and without effect outside of the container (the list that Kubernetes calls safe, and somaxconn).
constexpr auto safe_sysctls = std::to_array<std::string_view>({
    "kernel.shm_rmid_forced",
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_syncookies",
});

/// Docker's clients send them, Podman has no use for them.
constexpr auto dropped_log_options =
    std::to_array<std::string_view>({"max-file", "compress", "mode", "max-buffer-size"});

/// The key of policy that can name it, "" for what nobody gets.
std::string key_of_capability(std::string_view name) {
  if (!wrong_with_capability(name)) return "privileges.capabilities";
  return wrong_with_insecure_capability(name) ? "" : "privileges.insecure_capabilities";
}

/// Podman's service carries out the tag as a template of Go's over the whole container, with the container's lock held
/// (oci_conmon_common.go: getLogTag): a loop there ends for nobody, and its errors tell what inspect hides.
bool is_log_tag(std::string_view text) {
  constexpr std::array<std::string_view, 3> known{"{{.ID}}", "{{.Name}}", "{{.ImageName}}"};
  constexpr std::size_t longest = 256;
  if (text.size() > longest || std::ranges::any_of(text, ascii::is_control)) return false;
  while (!text.empty()) {
    const auto field = std::ranges::find_if(known, [&](std::string_view each) { return text.starts_with(each); });
    if (field == known.end() && (text.front() == '{' || text.front() == '}')) return false;
    text.remove_prefix(field == known.end() ? 1 : field->size());
  }
  return true;
}

}  // namespace

std::optional<Deny> judge_capability(json::Value& value, const Place& place) {
  const std::string name = capability_name(*value.string());
  const auto& allowed_names = place.exchange.project.policy.privileges.capabilities;
  const bool allowed = contains(allowed_names, name);
  if (allowed) return std::nullopt;
  return Deny{refusal("privilege.capability"), *value.string(), Kind::None, "", key_of_capability(name)};
}

std::optional<Deny> judge_security_option(json::Value& value, const Place&) {
  constexpr auto forced_anyway =
      std::to_array<std::string_view>({"no-new-privileges", "no-new-privileges=true", "no-new-privileges:true"});
  const std::string& option = *value.string();
  if (option.starts_with("mask=/")) return std::nullopt;
  if (!contains(forced_anyway, option)) return refuse(refusal("privilege.security-option"), option);
  value = "no-new-privileges";
  return std::nullopt;
}

std::optional<Deny> judge_sysctl(json::Value& value, const Place& place) {
  const bool allowed =
      contains(safe_sysctls, *place.key) && value.string()->find_first_not_of("0123456789 \t-,") == std::string::npos;
  return allowed ? std::nullopt : refuse(refusal("privilege.sysctl"), *place.key);
}

/// Podman matches the names without case and takes "path=FILE" as a name: whatever is not one of these exact texts
/// could write to a file of the host.
std::optional<Deny> judge_log_option(json::Value& value, const Place& place) {
  const std::string& name = *place.key;
  const std::string& text = *value.string();
  if (contains(dropped_log_options, name)) {
    value = {};
    return std::nullopt;
  }
  const auto what = place.path + "." + name;
  if (name == "max-size") {
    const auto size = parse_size(text);
    if (!size || *size > bounds::log_size.most)
      return out_of_bounds(what, text, "most", amount_text(Unit::Bytes, bounds::log_size.most));
    if (*size < bounds::log_size.least)
      return out_of_bounds(what, text, "least", amount_text(Unit::Bytes, bounds::log_size.least));
    return std::nullopt;
  }
  if (name != "tag") return refuse(refusal("field.refused"), what);
  if (is_log_tag(text)) return std::nullopt;
  return refuse(refusal("field.value"), what + ", text with {{.ID}}, {{.Name}} and {{.ImageName}} in it");
}

}  // namespace podfence::rules
