// Which network a container gets that names none, and which it may name. Where nothing may reach out, every network is
// internal; a gate is a network of the operator's on which the only way out is.

#include <algorithm>

#include "rules/body/reference.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

bool is_internal(const Fact& network) { return network.document.flag("internal"); }

std::variant<std::string, Deny> resolve_gate(const Place& place) {
  const std::string& name = place.exchange.project.policy.network.egress.gate;
  const Fact* network = place.exchange.facts.find_upstream(Kind::Network, name);
  if (!network) return name;
  if (network->ownership == Ownership::Missing || !is_internal(*network))
    return Deny{refusal("network.gate"), name, Kind::None};
  return network->id;
}

/// Made on demand: it may have been removed by its project, which is its right.
std::variant<std::string, Deny> project_network(const Place& place) {
  const Project& project = place.exchange.project;
  const bool internal = !project.policy.network.egress.open;
  const std::string name = std::string(own_name_prefix) + project.id;
  const Fact* network = place.exchange.facts.find(Kind::Network, name, true);
  if (!network) return name;
  switch (network->ownership) {
    case Ownership::Own:
      if (internal && !is_internal(*network))
        return Deny{refusal("network.egress"), name, Kind::None, "remove that network: a new one will be internal"};
      return network->id;
    case Ownership::Missing:
      place.judged.networks.push_back({name, internal});
      return name;
    case Ownership::Foreign:
    case Ownership::Shared:
      break;
  }
  return Deny{refusal("name.taken"), name, Kind::Network, "ask the operator to remove that network"};
}

/// A pod's members have its network only if it shares it; Podman would give them one that leads out.
Settled check_pod(const std::string& pod, const Place& place) {
  const Fact* fact = place.exchange.facts.find(Kind::Pod, pod, true);
  if (!fact) return std::nullopt;
  const bool shares_network = std::ranges::any_of(fact->document.list("SharedNamespaces"), [](const json::Value& name) {
    return name.string() && *name.string() == "net";
  });
  if (shares_network) return std::nullopt;
  return Deny{refusal("network.egress"), "a member of a pod that shares no network", Kind::None,
              "let the pod share its network"};
}

Settled join(std::variant<std::string, Deny> network, Changes& changes) {
  if (auto* deny = std::get_if<Deny>(&network)) return std::move(*deny);
  changes.network = NetworkUse::Named;
  changes.networks.push_back(std::get<std::string>(std::move(network)));
  return std::nullopt;
}

}  // namespace

Settled check_way_out(const std::string& network, const Place& place) {
  if (place.exchange.project.policy.network.egress.open) return std::nullopt;
  const Fact* fact = place.exchange.facts.find(Kind::Network, network, true);
  if (!fact || is_internal(*fact)) return std::nullopt;
  return Deny{refusal("network.egress"), network, Kind::None};
}

std::variant<std::string, Deny> resolve_network(const std::string& name, const Place& place) {
  const Egress& egress = place.exchange.project.policy.network.egress;
  if (!egress.gate.empty() && name == egress.gate) return resolve_gate(place);
  auto resolved = resolve(Kind::Network, name, place);
  if (std::holds_alternative<Deny>(resolved)) return resolved;
  if (auto deny = check_way_out(name, place)) return *std::move(deny);
  return resolved;
}

Settled settle_network(const Description& description, const Place& place, Changes& changes) {
  const NetworkPolicy& policy = place.exchange.project.policy.network;
  changes.network = description.network;
  if (description.network == NetworkUse::Other)
    return policy.egress.open || description.pod.empty() ? std::nullopt : check_pod(description.pod, place);
  if (!policy.egress.gate.empty()) return join(resolve_gate(place), changes);
  if (description.network == NetworkUse::Named) return std::nullopt;
  const bool wants_own = policy.project_network && description.network == NetworkUse::Unsaid;
  if (wants_own || !policy.egress.open) return join(project_network(place), changes);
  changes.network = NetworkUse::Private;
  return std::nullopt;
}

}  // namespace podfence::rules
