#include "rules/policy_reading.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "rules/amount.hpp"
#include "rules/ascii.hpp"
#include "rules/capability.hpp"
#include "rules/configuration_text.hpp"
#include "rules/contains.hpp"
#include "rules/host_path.hpp"
#include "rules/json_pointer.hpp"

namespace podfence::rules {
namespace {

using PolicyFailure = std::optional<PolicyError>;
using json::extended;

/// One key of a policy, "privileges.read_only_root" as a pointer, and how its value is read.
struct Key {
  std::string_view where;
  PolicyFailure (*read)(const json::Value& value, const std::string& where, Policy& policy);
};

PolicyFailure check_text(const std::string& text, std::string where, const char* (*check)(std::string_view)) {
  if (const char* wrong = check(text)) return {{std::move(where), wrong}};
  return std::nullopt;
}

/// Reads each item of a list, whose pointer it is told.
template <typename Read>
PolicyFailure each_item(const json::Value& list, const std::string& where, Read read) {
  std::size_t index = 0;
  for (const json::Value& item : *list.items())
    if (auto failure = read(item, extended(where, std::to_string(index++)))) return failure;
  return std::nullopt;
}

PolicyFailure read_shared_images(const json::Value& value, const std::string& where, Policy& policy) {
  return each_item(value, where, [&](const json::Value& item, const std::string& at) {
    return check_text(policy.shared_images.emplace_back(*item.string()), at, wrong_with_shared_image);
  });
}

PolicyFailure read_registries(const json::Value& value, const std::string& where, Policy& policy) {
  auto& registries = policy.registries.emplace();
  return each_item(value, where, [&](const json::Value& item, const std::string& at) {
    return check_text(registries.emplace_back(*item.string()), at, wrong_with_registry);
  });
}

bool overlap(std::string_view one, std::string_view other) {
  return one == other || is_below(one, other) || is_below(other, one);
}

/// A path must have one meaning, for requests and for answers. And a client that can write to a directory could put a
/// link where another workspace lies within it.
PolicyFailure check_apart(const Workspace& workspace, std::span<const Workspace> others, const std::string& where) {
  for (const Workspace& other : others) {
    if (overlap(workspace.client, other.client))
      return {{where + "/client", "is, contains or lies within " + other.client + ", another workspace"}};
    if (overlap(workspace.host, other.host))
      return {{where + "/host", "is, contains or lies within " + other.host + ", another workspace"}};
  }
  return std::nullopt;
}

PolicyFailure read_workspaces(const json::Value& value, const std::string& where, Policy& policy) {
  return each_item(value, where, [&](const json::Value& item, const std::string& at) -> PolicyFailure {
    Workspace workspace{std::string(item.text("client")), std::string(item.text("host")), item.text("mode") == "ro"};
    if (auto failure = check_text(workspace.client, at + "/client", wrong_with_mount_path)) return failure;
    if (auto failure = check_text(workspace.host, at + "/host", wrong_with_workspace_host)) return failure;
    if (auto failure = check_apart(workspace, policy.workspaces, at)) return failure;
    policy.workspaces.push_back(std::move(workspace));
    return std::nullopt;
  });
}

PolicyFailure add_capabilities(const json::Value& value, const std::string& where, Policy& policy,
                               std::optional<std::string> (*check)(std::string_view)) {
  return each_item(value, where, [&](const json::Value& item, const std::string& at) -> PolicyFailure {
    std::string name = capability_name(*item.string());
    if (auto wrong = check(name)) return {{at, std::move(*wrong)}};
    auto& names = policy.privileges.capabilities;
    if (!contains(names, name)) names.push_back(std::move(name));
    return std::nullopt;
  });
}

PolicyFailure read_capabilities(const json::Value& value, const std::string& where, Policy& policy) {
  policy.privileges.capabilities.clear();
  return add_capabilities(value, where, policy, wrong_with_capability);
}

PolicyFailure read_insecure_capabilities(const json::Value& value, const std::string& where, Policy& policy) {
  return add_capabilities(value, where, policy, wrong_with_insecure_capability);
}

/// Zero would mean "without a limit" to Podman.
std::int64_t least_of(const AmountRow& row) {
  constexpr std::int64_t hundredth_of_processor = 10'000'000;
  return row.built_in.least.value_or(row.unit == Unit::Processors ? hundredth_of_processor : 1);
}

std::string range_text(const AmountRow& row) {
  const auto text = [&](std::int64_t number) { return amount_text(row.unit, number); };
  const std::string least = text(least_of(row));
  return row.built_in.most ? least + " to " + text(*row.built_in.most) : least + " and more";
}

/// No policy is wider than what is built in.
PolicyFailure read_bound(const json::Value& limit, const char* key, const std::string& where, const AmountRow& row,
                         std::optional<std::int64_t>& bound) {
  const json::Value* value = limit.find(key);
  if (!value) return std::nullopt;
  const auto number = parse_amount(row.unit, *value);
  if (!number || *number < least_of(row) || *number > row.built_in.most.value_or(*number))
    return {{extended(where, key), "must be " + amount_phrase(row.unit) + "; allowed: " + range_text(row)}};
  bound = number;
  return std::nullopt;
}

PolicyFailure read_limits(const json::Value& value, const std::string& where, Policy& policy) {
  for (const AmountRow& row : amount_rows) {
    const json::Value* said = value.find(row.key);
    if (!said) continue;
    Limit& limit = policy.limit(row.amount);
    const std::string at = extended(where, row.key);
    if (auto failure = read_bound(*said, "least", at, row, limit.least)) return failure;
    if (auto failure = read_bound(*said, "default", at, row, limit.standard)) return failure;
    if (auto failure = read_bound(*said, "most", at, row, limit.most)) return failure;
    if (said->find("default") || !limit.standard) continue;
    // The built-in default gives way.
    if (limit.most) limit.standard = std::min(*limit.standard, *limit.most);
    if (limit.least) limit.standard = std::max(*limit.standard, *limit.least);
  }
  return std::nullopt;
}

PolicyFailure read_quota(const json::Value& value, const std::string& where, Policy& policy) {
  for (const ResourceRow& row : resource_rows) {
    const json::Value* said = value.find(row.key);
    if (!said) continue;
    const auto number = parse_amount(row.unit, *said);
    if (!number) return {{extended(where, row.key), "must be " + amount_phrase(row.unit)}};
    policy.quota(row.resource) = number;
  }
  return std::nullopt;
}

PolicyFailure read_ports(const json::Value& value, const std::string&, Policy& policy) {
  policy.ports = {value.find("first")->int64().value(), value.find("last")->int64().value(), true};
  return std::nullopt;
}

PolicyFailure read_gate(const json::Value& value, const std::string& where, Policy& policy) {
  constexpr auto modes = std::to_array<std::string_view>(
      {"bridge", "container", "default", "host", "none", "ns", "pasta", "podman", "private", "slirp4netns"});
  policy.network.egress.gate = *value.string();
  if (contains(modes, *value.string()))
    return {{where, "must be a network of your own: this name means another thing to Podman"}};
  return std::nullopt;
}

PolicyFailure read_subnets(const json::Value& value, const std::string& where, Policy& policy) {
  policy.network.subnets.clear();
  return each_item(value, where, [&](const json::Value& item, const std::string& at) {
    return check_text(policy.network.subnets.emplace_back(*item.string()), at, wrong_with_subnet_range);
  });
}

PolicyFailure read_environment(const json::Value& value, const std::string& where, Policy& policy) {
  for (const auto& [name, text] : *value.members()) {
    const bool valid = !name.empty() && !ascii::is_digit(name.front()) &&
                       std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric(c) || c == '_'; });
    if (!valid)
      return {{extended(where, name), "must be a name of letters, digits and '_' that does not begin with a digit"}};
    if (std::ranges::any_of(*text.string(), ascii::is_control))
      return {{extended(where, name), "must not hold control characters"}};
    policy.environment.emplace_back(name, *text.string());
  }
  return std::nullopt;
}

template <auto member>
PolicyFailure read_flag(const json::Value& value, const std::string&, Policy& policy) {
  policy.*member = *value.boolean();
  return std::nullopt;
}

template <bool Privileges::*member>
PolicyFailure read_privilege(const json::Value& value, const std::string&, Policy& policy) {
  policy.privileges.*member = *value.boolean();
  return std::nullopt;
}

template <bool BuildPolicy::*member>
PolicyFailure read_build(const json::Value& value, const std::string&, Policy& policy) {
  policy.build.*member = *value.boolean();
  return std::nullopt;
}

/// In the order in which they are read: insecure_capabilities come on top of capabilities.
constexpr Key keys[] = {
    {"/access",
     [](const json::Value& value, const std::string&, Policy& policy) {
       policy.read_only = *value.string() == "read";
       return PolicyFailure();
     }},
    {"/names",
     [](const json::Value& value, const std::string&, Policy& policy) {
       policy.names = *value.string() == "private" ? Names::Private : Names::Shared;
       return PolicyFailure();
     }},
    {"/images/shared", read_shared_images},
    {"/images/registries", read_registries},
    {"/images/insecure_manifests", read_flag<&Policy::manifests>},
    {"/workspace", read_workspaces},
    {"/insecure_bind_subpaths", read_flag<&Policy::bind_subpaths>},
    {"/privileges/capabilities", read_capabilities},
    {"/privileges/insecure_capabilities", read_insecure_capabilities},
    {"/privileges/insecure_new_privileges", read_privilege<&Privileges::new_privileges>},
    {"/privileges/read_only_root", read_privilege<&Privileges::read_only_root>},
    {"/privileges/user_namespace",
     [](const json::Value& value, const std::string&, Policy& policy) {
       policy.privileges.user_namespace = *value.string() == "any" ? "" : *value.string();
       return PolicyFailure();
     }},
    {"/build/insecure_network", read_build<&BuildPolicy::network>},
    {"/build/insecure_urls", read_build<&BuildPolicy::urls>},
    {"/limits", read_limits},
    {"/quota", read_quota},
    {"/ports", read_ports},
    {"/network/default",
     [](const json::Value& value, const std::string&, Policy& policy) {
       policy.network.project_network = *value.string() == "project";
       return PolicyFailure();
     }},
    {"/network/egress",
     [](const json::Value& value, const std::string&, Policy& policy) {
       policy.network.egress.open = *value.string() == "open";
       return PolicyFailure();
     }},
    {"/network/gate", read_gate},
    {"/network/subnets", read_subnets},
    {"/environment", read_environment},
};

PolicyFailure check_limits(const Policy& policy) {
  for (const AmountRow& row : amount_rows) {
    const Limit& limit = policy.limit(row.amount);
    const std::string where = "/limits/" + std::string(row.key);
    const auto text = [&](std::int64_t number) { return amount_text(row.unit, number); };
    if (limit.least && limit.most && *limit.least > *limit.most)
      return {{where + "/least", "must not be more than most, " + text(*limit.most)}};
    if (limit.standard && limit.most && *limit.standard > *limit.most)
      return {{where + "/default", "must not be more than most, " + text(*limit.most)}};
    if (limit.standard && limit.least && *limit.standard < *limit.least)
      return {{where + "/default", "must not be less than least, " + text(*limit.least)}};
  }
  return std::nullopt;
}

/// A container that names no limit would count as nothing.
PolicyFailure check_sums(const Policy& policy) {
  constexpr std::pair<Resource, Amount> sums[] = {{Resource::Memory, Amount::Memory}, {Resource::Cpus, Amount::Cpus}};
  for (const auto& [resource, amount] : sums) {
    if (!policy.quota(resource) || policy.limit(amount).standard) continue;
    const std::string key(resource_rows[static_cast<std::size_t>(resource)].key);
    return {
        {"/quota/" + key, "needs limits." + key + ".default: containers that name no limit would count as nothing"}};
  }
  return std::nullopt;
}

}  // namespace

std::variant<Policy, PolicyError> read_policy(const json::Value& value) {
  Policy policy;
  for (const auto& [where, read] : keys) {
    const json::Value* said = json::find(value, where);
    if (!said) continue;
    if (auto failure = read(*said, std::string(where), policy)) return *std::move(failure);
  }
  return policy;
}

std::optional<PolicyError> check_policy(const Policy& policy) {
  if (auto failure = check_limits(policy)) return failure;
  if (auto failure = check_sums(policy)) return failure;
  if (policy.ports.first > policy.ports.last)
    return {{"/ports/last", "must not be less than first, " + std::to_string(policy.ports.first)}};
  if (policy.network.egress.open && !policy.network.egress.gate.empty())
    return {{"/network/gate", "needs network.egress \"none\": a gate is the only way out"}};
  return std::nullopt;
}

json::Value merged(json::Value base, const json::Value& over) {
  if (!base.members() || !over.members()) return over;
  for (const auto& [name, value] : *over.members()) {
    const json::Value* below = base.find(name);
    base.set(name, below ? merged(*below, value) : value);
  }
  return base;
}

}  // namespace podfence::rules
