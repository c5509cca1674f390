// Networks. The default network is everybody's and shown to everybody; of any network only the own containers on it.

#include <algorithm>

#include "rules/answer/rewrite.hpp"
#include "rules/body/checks.hpp"
#include "rules/name_patterns.hpp"

namespace podfence::rules::answer {

namespace {

std::string_view id_of(const json::Value& network) {
  const auto id = network.text("Id");
  return id.empty() ? network.text("id") : id;
}

void keep_own_containers(Exchange& exchange, json::Value& network) {
  for (const auto* name : {"Containers", "containers"})
    if (auto* attached = network.find(name); attached && attached->members())
      std::erase_if(*attached->members(),
                    [&](const json::Member& each) { return !is_own_container(exchange.facts, each.name); });
}

}  // namespace

bool rewrite_networks(Exchange& exchange, json::Value& document) {
  if (document.is_null()) document = json::Value::array();
  auto* items = document.items();
  if (!items) return false;
  std::erase_if(*items, [&](const json::Value& network) {
    return owner_of(exchange.project, network) != Ownership::Own && id_of(network) != default_network_id;
  });
  keep_wanted_names(exchange, *items);
  for (auto& network : *items) {
    if (id_of(network) != default_network_id)
      exchange.facts.memory().remember(Kind::Network, id_of(network), exchange.project.id);
    keep_own_containers(exchange, network);
  }
  return true;
}

bool rewrite_network(Exchange& exchange, json::Value& document) {
  if (!document.members()) return false;
  // Podman 5 takes the option that podfence adds to every network, and says that Docker would not know it.
  if (document.text("Warning").find(isolate_option) != std::string_view::npos) document.set("Warning", "");
  keep_own_containers(exchange, document);
  return true;
}

}  // namespace podfence::rules::answer
