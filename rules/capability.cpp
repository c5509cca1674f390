#include "rules/capability.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {
namespace {

/// Beyond Podman's default set, and still bounded by the container's own namespaces.
constexpr auto insecure =
    std::to_array<std::string_view>({"audit_write", "ipc_lock", "ipc_owner", "lease", "mknod", "net_admin",
                                     "net_broadcast", "net_raw", "sys_nice", "sys_ptrace", "sys_resource"});

struct Never {
  std::string_view name;
  std::string_view why;
};
constexpr auto never = std::to_array<Never>({
    {"sys_admin", "it mounts, and so undoes what is read-only, masked or without set-user-id"},
    {"dac_read_search", "it opens files by their handles, past every mount"},
    {"sys_module", "it loads code into the kernel"},
    {"bpf", "it loads code into the kernel"},
    {"perfmon", "it watches the kernel and other processes"},
    {"sys_rawio", "it reaches the machine's memory and ports"},
    {"sys_boot", "it restarts the machine"},
    {"sys_time", "it sets the machine's clock"},
    {"mac_admin", "it changes the machine's access rules"},
    {"mac_override", "it passes over the machine's access rules"},
    {"syslog", "it reads the kernel's messages"},
    {"audit_control", "it rules the machine's audit"},
    {"audit_read", "it reads the machine's audit"},
});

template <typename Names>
std::string allowed(const Names& names) {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "; allowed: " : ", ").append(name);
  return text;
}

}  // namespace

std::string capability_name(std::string_view text) {
  std::string name = ascii::lower(text);
  if (name.starts_with("cap_")) name.erase(0, 4);
  return name;
}

std::optional<std::string> wrong_with_capability(std::string_view name) {
  static const Privileges standard;
  if (contains(standard.capabilities, name)) return std::nullopt;
  if (contains(insecure, name))
    return "is beyond Podman's default set: it belongs into insecure_capabilities" + allowed(standard.capabilities);
  return "must be a capability of Podman's default set" + allowed(standard.capabilities);
}

std::optional<std::string> wrong_with_insecure_capability(std::string_view name) {
  static const Privileges standard;
  if (contains(insecure, name)) return std::nullopt;
  if (contains(standard.capabilities, name))
    return "is in Podman's default set: it belongs into capabilities" + allowed(insecure);
  if (const auto row = std::ranges::find(never, name, &Never::name); row != never.end())
    return "can be given to nobody: " + std::string(row->why) + allowed(insecure);
  return "must be a capability that can be given" + allowed(insecure);
}

}  // namespace podfence::rules
