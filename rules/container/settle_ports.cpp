// Ports that Podman would choose: all exposed ones (-P), and those without a host port where the project has a range of
// its own.

#include <algorithm>
#include <set>

#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"

namespace podfence::rules {

namespace {

bool is_same(const PublishedPort& one, const PublishedPort& other) {
  return one.container == other.container && one.protocol == other.protocol;
}

void add_missing(std::vector<PublishedPort>& ports, const PublishedPort& exposed) {
  const bool known = std::ranges::any_of(ports, [&](const PublishedPort& port) { return is_same(port, exposed); });
  if (!known) ports.push_back(exposed);
}

/// False: not known yet.
bool add_exposed(const Description& description, const Place& place, std::vector<PublishedPort>& ports) {
  for (const auto& port : description.exposed) add_missing(ports, port);
  const Fact* image = place.exchange.facts.find(Kind::Image, place.judged.image, true);
  if (!image) return false;
  const json::Value* exposed = json::at(image->document, "Config.ExposedPorts");
  if (!exposed || !exposed->members()) return true;
  for (const json::Member& member : *exposed->members())
    if (const auto port = parse_port_key(member.name)) add_missing(ports, *port);
  return true;
}

void take(std::set<std::int64_t>& taken, std::int64_t first, std::int64_t count) {
  for (std::int64_t port = first; first != 0 && port < first + count; ++port) taken.insert(port);
}

/// Host ports of all the project's containers, the stopped ones too: those may be started again. nullopt: not known
/// yet.
std::optional<std::set<std::int64_t>> taken_ports(Facts& facts) {
  const json::Array* containers = facts.list(Kind::Container);
  if (!containers) return std::nullopt;
  std::set<std::int64_t> taken;
  for (const json::Value& container : *containers) {
    for (const json::Value& mapping : container.list("Ports"))
      take(taken, mapping.int64("host_port").value_or(0), range_of(mapping));
  }
  return taken;
}

/// The first of that many free neighbours, 0 for none.
std::int64_t find_free(const Ports& range, const std::set<std::int64_t>& taken, std::int64_t count) {
  std::int64_t first = range.first;
  for (std::int64_t port = range.first; port <= range.last; ++port) {
    if (taken.contains(port)) first = port + 1;
    if (port - first + 1 == count) return first;
  }
  return 0;
}

Settled allot(std::vector<PublishedPort>& ports, std::set<std::int64_t> taken, const Ports& range) {
  for (const auto& port : ports) take(taken, port.host, port.count);
  for (auto& port : ports) {
    if (port.host != 0) continue;
    port.host = find_free(range, taken, port.count);
    if (port.host == 0)
      return Deny{refusal("port.none-free"), std::to_string(range.first) + " to " + std::to_string(range.last),
                  Kind::None};
    take(taken, port.host, port.count);
  }
  return std::nullopt;
}

}  // namespace

Settled settle_ports(const Description& description, const Place& place, Changes& changes) {
  const Ports& range = place.exchange.project.policy.ports;
  auto ports = description.ports;
  if (description.publish_exposed && !add_exposed(description, place, ports)) return std::nullopt;
  const bool chooses =
      range.own_range && std::ranges::any_of(ports, [](const PublishedPort& port) { return port.host == 0; });
  if (chooses) {
    const auto taken = taken_ports(place.exchange.facts);
    if (!taken) return std::nullopt;
    if (auto deny = allot(ports, *taken, range)) return deny;
  }
  if (description.publish_exposed || chooses) changes.ports = std::move(ports);
  return std::nullopt;
}

}  // namespace podfence::rules
