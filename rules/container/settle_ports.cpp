// Ports that Podman would choose: all exposed ones (-P), and those without a host port where the project has a range of
// its own.

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <set>

#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"

namespace podfence::rules {

namespace {

/// Of one container, a range counting once; and host ports in all.
constexpr std::size_t max_ports = 4096;
constexpr std::int64_t all_ports = 65536;

using Taken = std::bitset<all_ports>;
using Known = std::set<std::pair<std::int64_t, std::string>>;

void add_missing(std::vector<PublishedPort>& ports, Known& known, const PublishedPort& exposed) {
  if (known.emplace(exposed.container, exposed.protocol).second) ports.push_back(exposed);
}

std::optional<Deny> check_number(const std::vector<PublishedPort>& ports) {
  const auto count = std::accumulate(ports.begin(), ports.end(), std::int64_t{0},
                                     [](std::int64_t sum, const PublishedPort& port) { return sum + port.count; });
  if (ports.size() > max_ports) return Deny{refusal("port.many"), std::to_string(max_ports), Kind::None};
  if (count > all_ports) return Deny{refusal("port.many"), std::to_string(all_ports), Kind::None};
  return std::nullopt;
}

/// False: not known yet.
bool add_exposed(const Description& description, const Place& place, std::vector<PublishedPort>& ports) {
  Known known;
  for (const auto& port : ports) known.emplace(port.container, port.protocol);
  for (const auto& port : description.exposed) add_missing(ports, known, port);
  const Fact* image = place.exchange.facts.find(Kind::Image, place.judged.image, true);
  if (!image) return false;
  const json::Value* exposed = json::at(image->document, "Config.ExposedPorts");
  if (!exposed || !exposed->members()) return true;
  for (const json::Member& member : *exposed->members())
    if (const auto port = parse_port_key(member.name)) add_missing(ports, known, *port);
  return true;
}

void take(Taken& taken, std::int64_t first, std::int64_t count) {
  if (first <= 0) return;
  for (auto port = first; port < all_ports && port - first < count; ++port) taken.set(static_cast<std::size_t>(port));
}

/// Host ports of all the project's containers, the stopped ones too: those may be started again. nullopt: not known
/// yet.
std::optional<Taken> taken_ports(Facts& facts) {
  const json::Array* containers = facts.list(Kind::Container);
  if (!containers) return std::nullopt;
  Taken taken;
  for (const json::Value& container : *containers) {
    for (const json::Value& mapping : container.list("Ports"))
      take(taken, mapping.int64("host_port").value_or(0), range_of(mapping));
  }
  return taken;
}

/// The first of that many free neighbours from there on, 0 for none.
std::int64_t find_free(std::int64_t begin, const Ports& range, const Taken& taken, std::int64_t count) {
  std::int64_t first = begin;
  for (std::int64_t port = begin; port <= range.last && port < all_ports; ++port) {
    if (taken.test(static_cast<std::size_t>(port))) first = port + 1;
    if (port - first + 1 == count) return first;
  }
  return 0;
}

Settled allot(std::vector<PublishedPort>& ports, Taken taken, const Ports& range) {
  for (const auto& port : ports) take(taken, port.host, port.count);
  std::map<std::int64_t, std::int64_t> next;  // for so many neighbours: what lies before has no room for them
  for (auto& port : ports) {
    if (port.host != 0) continue;
    auto& begin = next.try_emplace(port.count, range.first).first->second;
    port.host = find_free(begin, range, taken, port.count);
    if (port.host == 0)
      return Deny{refusal("port.none-free"), std::to_string(range.first) + " to " + std::to_string(range.last),
                  Kind::None};
    take(taken, port.host, port.count);
    begin = port.host + port.count;
  }
  return std::nullopt;
}

}  // namespace

Settled settle_ports(const Description& description, const Place& place, Changes& changes) {
  const Ports& range = place.exchange.project.policy.ports;
  auto ports = description.ports;
  if (auto deny = check_number(ports)) return deny;
  if (description.publish_exposed && !add_exposed(description, place, ports)) return std::nullopt;
  if (auto deny = check_number(ports)) return deny;
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
