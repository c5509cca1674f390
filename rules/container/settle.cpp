#include "rules/container/settle.hpp"

#include "rules/contains.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// What Podman would give, and policy does not.
void settle_capabilities(const Description& description, const Policy& policy, Changes& changes) {
  static const Privileges podman;
  const auto has = [](const std::vector<std::string>& names, std::string_view name) { return contains(names, name); };
  if (has(description.dropped_capabilities, "all")) return;
  for (const auto& name : podman.capabilities)
    if (!has(policy.privileges.capabilities, name) && !has(description.dropped_capabilities, name))
      changes.dropped_capabilities.push_back(name);
}

void settle_environment(const Description& description, const Policy& policy, Changes& changes) {
  for (const auto& entry : policy.environment)
    if (!contains(description.environment, entry.first)) changes.environment.push_back(entry);
}

}  // namespace

std::variant<Changes, Deny> settle(const Description& description, Body body, const Place& place) {
  const Policy& policy = place.exchange.project.policy;
  const bool makes_container = body == Body::ContainerCreateCompat || body == Body::ContainerCreateLibpod;
  Changes changes;
  if (auto deny = settle_amounts(description, policy, makes_container, changes)) return std::move(*deny);
  if (!makes_container && body != Body::PodCreate) return changes;
  if (description.pod.empty()) changes.user_namespace = policy.privileges.user_namespace;
  if (makes_container) {
    settle_capabilities(description, policy, changes);
    settle_environment(description, policy, changes);
    changes.no_new_privileges = !policy.privileges.new_privileges && !description.forbids_new_privileges;
    changes.read_only_root = policy.privileges.read_only_root;
  }
  if (auto deny = settle_network(description, place, changes)) return std::move(*deny);
  if (auto deny = settle_ports(description, place, changes)) return std::move(*deny);
  return changes;
}

std::optional<Deny> settle_content(Body body, json::Value& content, const Place& place) {
  auto settled = settle(describe(body, content), body, place);
  if (auto* deny = std::get_if<Deny>(&settled)) return std::move(*deny);
  apply(std::get<Changes>(settled), body, content);
  return std::nullopt;
}

}  // namespace podfence::rules
