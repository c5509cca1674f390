// Published ports: on the loopback address of the host only, and in the range of the project.

#include <array>
#include <charconv>

#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/container/description.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// Decimal without sign, within 1..65535.
std::optional<std::int64_t> parse_port(std::string_view text) {
  std::int64_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool valid = error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= bounds::last_port;
  return valid ? std::optional(port) : std::nullopt;
}

/// What clients say for "any address", and the only one there is. Others would open the container to the network.
bool means_loopback(std::string_view address) {
  constexpr auto texts = std::to_array<std::string_view>({"", "0.0.0.0", "::", loopback_address});
  return contains(texts, address);
}

/// So written that the largest number there is overflows nothing.
bool is_within(std::int64_t first, std::int64_t count, std::int64_t least, std::int64_t most) {
  return first >= least && first <= most - (count - 1);
}

/// `count` is bounded.
bool is_host_port(const Place& place, std::int64_t first, std::int64_t count) {
  const Ports& range = place.exchange.project.policy.ports;
  return first == 0 || is_within(first, count, range.first, range.last);
}

std::int64_t integer(const json::Value& object, std::string_view name, std::int64_t absent) {
  const json::Value* value = object.find(name);
  return value ? value->int64().value_or(-1) : absent;
}

}  // namespace

/// Podman would publish them on every address. The list is made when all is known (settle_ports.cpp).
std::optional<Deny> judge_publish_exposed(json::Value&, const Place&) { return std::nullopt; }

std::optional<Deny> judge_port_key(json::Value&, const Place& place) {
  return parse_port_key(*place.key) ? std::nullopt : refuse(refusal("port.range"), *place.key);
}

std::optional<Deny> judge_expose_key(json::Value& value, const Place& place) {
  const bool valid = parse_port(*place.key) && is_protocol(*value.string());
  return valid ? std::nullopt : refuse(refusal("port.range"), *place.key);
}

std::optional<Deny> judge_port_binding(json::Value& value, const Place& place) {
  const std::string host_address(value.text("HostIp"));
  const std::string host_port(value.text("HostPort"));
  if (!means_loopback(host_address)) return refuse(refusal("port.address"), host_address);
  const auto port = host_port.empty() || host_port == "0" ? std::optional<std::int64_t>(0) : parse_port(host_port);
  if (!port || !is_host_port(place, *port, 1)) return refuse(refusal("port.range"), host_port);
  value.set("HostIp", loopback_address);
  return std::nullopt;
}

std::optional<Deny> judge_port_mapping(json::Value& value, const Place& place) {
  const std::string host_address(value.text("host_ip"));
  if (!means_loopback(host_address)) return refuse(refusal("port.address"), host_address);
  const std::int64_t count = integer(value, "range", 1);
  const std::int64_t host_port = integer(value, "host_port", 0);
  const std::int64_t container_port = integer(value, "container_port", 0);
  const bool valid = count >= 1 && count <= bounds::port_range && is_host_port(place, host_port, count) &&
                     is_within(container_port, count, 1, bounds::last_port);
  if (!valid) return refuse(refusal("port.range"), std::to_string(host_port));
  const std::string_view protocol = value.text("protocol");
  if (!protocol.empty() && !is_protocol(protocol)) return refuse(refusal("port.range"), protocol);
  value.set("host_ip", loopback_address);
  return std::nullopt;
}

}  // namespace podfence::rules
