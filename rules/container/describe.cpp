#include <algorithm>
#include <charconv>

#include "rules/ascii.hpp"
#include "rules/body/bounds.hpp"
#include "rules/body/size.hpp"
#include "rules/capability.hpp"
#include "rules/container/description.hpp"
#include "rules/container/words.hpp"
#include "rules/json_path.hpp"
#include "rules/units.hpp"

namespace podfence::rules {

namespace {

std::string_view text_at(const json::Value& content, std::string_view path) {
  const json::Value* value = path.empty() ? nullptr : json::at(content, path);
  return value && value->string() ? std::string_view(*value->string()) : std::string_view();
}

const json::Array& items_at(const json::Value& content, std::string_view path) {
  static const json::Array none;
  const json::Value* value = path.empty() ? nullptr : json::at(content, path);
  return value && value->items() ? *value->items() : none;
}

const json::Object& members_at(const json::Value& content, std::string_view path) {
  static const json::Object none;
  const json::Value* value = path.empty() ? nullptr : json::at(content, path);
  return value && value->members() ? *value->members() : none;
}

bool is_true(const json::Value& content, std::string_view path) {
  const json::Value* value = path.empty() ? nullptr : json::at(content, path);
  return value && value->boolean() && *value->boolean();
}

std::optional<std::int64_t> number_of(const json::Value* value) {
  if (!value) return std::nullopt;
  return value->string() ? parse_size(*value->string()) : value->int64();
}

bool is_limit(AmountRole role) { return role == AmountRole::Written || role == AmountRole::Limit; }

void read_amounts(const Words& words, const json::Value& content, Description& description) {
  for (const AmountWord& word : words.amounts)
    if (const auto number = number_of(json::at(content, word.path)))
      description.amounts.push_back(
          {word.amount, *number, word.path, is_limit(word.role), word.share, word.role != AmountRole::Aside});
  for (const QuotaWord& word : words.quotas) {
    const auto quota = number_of(json::at(content, word.quota));
    const auto period = number_of(json::at(content, word.period)).value_or(default_period);
    if (quota && period > 0)
      description.amounts.push_back({Amount::Cpus, cpus_of_quota(*quota, period), word.quota, true});
  }
}

void read_privileges(const Words& words, const json::Value& content, Description& description) {
  for (const json::Value& item : items_at(content, words.dropped_capabilities))
    description.dropped_capabilities.push_back(capability_name(*item.string()));
  const auto forbids = [](const json::Value& option) { return *option.string() == "no-new-privileges"; };
  description.forbids_new_privileges = is_true(content, "no_new_privileges") ||
                                       std::ranges::any_of(items_at(content, "HostConfig.SecurityOpt"), forbids);
  for (const json::Value& item : items_at(content, words.ulimits))
    description.ulimits.push_back(ulimit_name(item.text(words.ulimit_name)));
}

/// A list of NAME=value in compat, a map in libpod.
void read_environment(const Words& words, const json::Value& content, Description& description) {
  for (const json::Value& item : items_at(content, words.environment))
    description.environment.push_back(item.string()->substr(0, item.string()->find('=')));
  for (const json::Member& member : members_at(content, words.environment))
    description.environment.push_back(member.name);
}

std::int64_t parse_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void read_ports_compat(const json::Value& content, Description& description) {
  for (const json::Member& member : members_at(content, "HostConfig.PortBindings")) {
    if (!member.value.items()) continue;
    for (const json::Value& binding : *member.value.items()) {
      PublishedPort port = parse_port_key(member.name).value_or(PublishedPort{});
      port.host = parse_number(binding.text("HostPort"));
      description.ports.push_back(std::move(port));
    }
  }
  for (const json::Member& member : members_at(content, "ExposedPorts"))
    description.exposed.push_back(parse_port_key(member.name).value_or(PublishedPort{}));
}

void read_ports_libpod(const json::Value& content, Description& description) {
  for (const json::Value& mapping : items_at(content, "portmappings")) {
    PublishedPort port{mapping.int64("container_port").value_or(0), mapping.int64("host_port").value_or(0),
                       range_of(mapping), std::string(mapping.text("protocol"))};
    if (port.protocol.empty()) port.protocol = "tcp";
    description.ports.push_back(std::move(port));
  }
  for (const json::Member& member : members_at(content, "expose"))
    description.exposed.push_back({parse_number(member.name), 0, 1, std::string(*member.value.string())});
}

/// A mode that is no word of Podman's is the name of a network.
NetworkUse network_use(std::string_view mode, bool has_networks) {
  if (mode == "none" || mode == "pod" || mode.starts_with("container")) return NetworkUse::Other;
  if (has_networks) return NetworkUse::Named;
  return mode.empty() || mode == "bridge" ? NetworkUse::Unsaid
         : mode == "private"              ? NetworkUse::Private
                                          : NetworkUse::Named;
}

NetworkUse network_of_compat(const json::Value& content) {
  return network_use(text_at(content, "HostConfig.NetworkMode"),
                     !members_at(content, "NetworkingConfig.EndpointsConfig").empty());
}

/// A member of a pod has the pod's, or networks of its own where it names some, which Podman takes in a pod that shares
/// none. A pod without an infra container has none.
NetworkUse network_of_libpod(const json::Value& content) {
  const bool has_networks = !members_at(content, "Networks").empty() || !items_at(content, "cni_networks").empty();
  const bool is_member = !text_at(content, "pod").empty();
  if ((is_member && !has_networks) || is_true(content, "no_infra")) return NetworkUse::Other;
  return network_use(text_at(content, "netns.nsmode"), has_networks);
}

}  // namespace

std::string ulimit_name(std::string_view text) {
  std::string name = ascii::lower(text);
  if (name.starts_with("rlimit_")) name.erase(0, 7);
  return name;
}

bool is_protocol(std::string_view text) { return text == "tcp" || text == "udp"; }

std::optional<PublishedPort> parse_port_key(std::string_view key) {
  PublishedPort port;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), port.container);
  if (error != std::errc{} || port.container < 1 || port.container > bounds::last_port) return std::nullopt;
  const std::string_view rest(end, key.data() + key.size());
  if (rest.empty()) return port;
  if (!rest.starts_with('/') || !is_protocol(rest.substr(1))) return std::nullopt;
  port.protocol = rest.substr(1);
  return port;
}

std::int64_t range_of(const json::Value& mapping) {
  return std::max<std::int64_t>(mapping.int64("range").value_or(1), 1);
}

Description describe(Body body, const json::Value& content) {
  Description description;
  const Words* words = words_of(body);
  if (!words) return description;
  read_amounts(*words, content, description);
  read_privileges(*words, content, description);
  read_environment(*words, content, description);
  description.checks_health = !items_at(content, words->health_test).empty();
  description.restarts_on_failure = text_at(content, words->restart_policy) == "on-failure";
  description.pod = text_at(content, words->pod);
  description.publish_exposed = is_true(content, words->publish_exposed);
  const bool compat = body == Body::ContainerCreateCompat;
  if (compat)
    read_ports_compat(content, description);
  else
    read_ports_libpod(content, description);
  description.network = compat ? network_of_compat(content) : network_of_libpod(content);
  return description;
}

std::optional<std::int64_t> amount_of(const Description& description, Amount amount) {
  std::optional<std::int64_t> most;
  for (const SaidAmount& said : description.amounts)
    if (said.amount == amount && said.is_limit) most = std::max(most.value_or(0), said.value);
  return most;
}

}  // namespace podfence::rules
