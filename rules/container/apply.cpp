
#include "rules/container/description.hpp"
#include "rules/container/words.hpp"
#include "rules/contains.hpp"
#include "rules/json_path.hpp"
#include "rules/members.hpp"
#include "rules/units.hpp"

namespace podfence::rules {

namespace {

bool is_compat(Body body) { return body == Body::ContainerCreateCompat; }

/// Docker's log options are texts, all else are numbers.
json::Value number_text(Amount amount, Body body, std::int64_t number) {
  if (amount == Amount::LogSize && is_compat(body)) return std::to_string(number);
  return json::Value::integer(number);
}

void write_ulimit(const Words& words, std::string_view name, std::int64_t number, json::Value& content) {
  json::Value limit;
  limit.set(words.ulimit_name, name);
  limit.set(words.ulimit_soft, json::Value::integer(number));
  limit.set(words.ulimit_hard, json::Value::integer(number));
  json::make(content, words.ulimits).push(std::move(limit));
}

void write_amount(const Words& words, Amount amount, std::int64_t number, json::Value& content) {
  if (amount == Amount::OpenFiles) write_ulimit(words, "nofile", number, content);
  if (amount == Amount::UserProcesses) write_ulimit(words, "nproc", number, content);
  for (const AmountWord& word : words.amounts)
    if (word.amount == amount && word.role == AmountRole::Written)
      json::make(content, word.path) = number_text(amount, words.body, number);
  if (amount != Amount::Cpus) return;
  for (const QuotaWord& word : words.quotas) {
    if (word.role != AmountRole::Written) continue;
    json::make(content, word.quota) = json::Value::integer(number / (processor / default_period));
    json::make(content, word.period) = json::Value::integer(default_period);
  }
}

void write_privileges(const Words& words, const Changes& changes, json::Value& content) {
  for (const auto& name : changes.dropped_capabilities) json::make(content, words.dropped_capabilities).push(name);
  if (changes.read_only_root) json::make(content, words.read_only_root) = true;
  if (is_compat(words.body)) {
    if (changes.no_new_privileges) json::make(content, "HostConfig.SecurityOpt").push("no-new-privileges");
    if (!changes.user_namespace.empty()) json::make(content, "HostConfig.UsernsMode") = changes.user_namespace;
    return;
  }
  if (changes.no_new_privileges) content.set("no_new_privileges", true);
  if (!changes.user_namespace.empty()) json::make(content, "userns.nsmode") = changes.user_namespace;
}

void write_environment(const Words& words, const Changes& changes, json::Value& content) {
  for (const auto& [name, value] : changes.environment) {
    if (is_compat(words.body))
      json::make(content, words.environment).push(name + "=" + value);
    else
      json::make(content, words.environment).set(name, value);
  }
}

/// Compat has the network twice: as the mode, and as keys of EndpointsConfig, which count where there are any. Networks
/// go with their own names as the mode only; "private" is slirp4netns or pasta.
void write_network_compat(const Changes& changes, json::Value& content) {
  if (changes.network == NetworkUse::Other) return;
  json::Value& mode = json::make(content, "HostConfig.NetworkMode");
  if (changes.network == NetworkUse::Private) {
    mode = "private";
    return;
  }
  const bool says_network = mode.string() && !mode.string()->empty() && *mode.string() != "private";
  if (says_network && changes.networks.empty()) return;
  json::Value& endpoints = json::make(content, "NetworkingConfig.EndpointsConfig");
  if (says_network && !endpoints.find(*mode.string())) endpoints.set(*mode.string(), json::Value::object());
  for (const auto& network : changes.networks)
    if (!endpoints.find(network)) endpoints.set(network, json::Value::object());
  if (!says_network) mode = endpoints.members()->front().name;
}

/// Libpod has a mode and the networks: networks want the mode bridge, and bridge without a network would be the one
/// that everybody shares. A member of a pod and a pod without an infra container take no mode; a pod with ports gets a
/// private network without one, and refuses the word (specgen:PodSpecGenerator.Validate).
void write_network_libpod(Body body, const Changes& changes, json::Value& content) {
  constexpr std::string_view plain_modes[] = {"", "private", "bridge"};
  const json::Value* space = content.find("netns");
  const std::string mode(space ? space->text("nsmode") : "");
  const bool is_plain = contains(plain_modes, mode);
  if (changes.network == NetworkUse::Other) {
    if (is_plain) content.erase("netns");
    return;
  }
  if (changes.network == NetworkUse::Private) {
    if (body == Body::PodCreate && content.find("portmappings"))
      content.erase("netns");
    else
      json::make(content, "netns.nsmode") = "private";
    return;
  }
  json::make(content, "netns.nsmode") = "bridge";
  if (json::Value* list = content.find("cni_networks"); list && list->items()) {
    for (const auto& network : changes.networks) list->push(network);
    return;
  }
  for (const auto& network : changes.networks) json::make(content, "Networks").set(network, json::Value::object());
}

void write_ports_compat(const std::vector<PublishedPort>& ports, json::Value& content) {
  Members bindings;
  for (const PublishedPort& port : ports) {
    json::Value binding;
    binding.set("HostIp", loopback_address);
    if (port.host != 0) binding.set("HostPort", std::to_string(port.host));
    bindings[std::to_string(port.container) + "/" + port.protocol].push(std::move(binding));
  }
  content.find("HostConfig")->erase("PublishAllPorts");
  if (!ports.empty()) json::make(content, "HostConfig.PortBindings") = std::move(bindings).take();
}

void write_ports_libpod(const std::vector<PublishedPort>& ports, json::Value& content) {
  json::Value mappings = json::Value::array();
  for (const PublishedPort& port : ports) {
    json::Value mapping;
    mapping.set("host_ip", loopback_address);
    mapping.set("container_port", json::Value::integer(port.container));
    if (port.host != 0) mapping.set("host_port", json::Value::integer(port.host));
    if (port.count != 1) mapping.set("range", json::Value::integer(port.count));
    mapping.set("protocol", port.protocol);
    mappings.push(std::move(mapping));
  }
  content.erase("publish_image_ports");
  if (!ports.empty()) content.set("portmappings", std::move(mappings));
}

}  // namespace

void apply(const Changes& changes, Body body, json::Value& content) {
  const Words* words = words_of(body);
  if (!words) return;
  for (const auto& [amount, number] : changes.amounts) write_amount(*words, amount, number, content);
  for (const auto& [path, number] : changes.clamped) json::make(content, path) = json::Value::integer(number);
  if (body == Body::ContainerUpdateCompat || body == Body::ContainerUpdateLibpod) return;
  if (body != Body::PodCreate) {
    write_privileges(*words, changes, content);
    write_environment(*words, changes, content);
  } else if (!changes.user_namespace.empty()) {
    json::make(content, "userns.nsmode") = changes.user_namespace;
  }
  if (changes.ports && is_compat(body)) write_ports_compat(*changes.ports, content);
  if (changes.ports && !is_compat(body)) write_ports_libpod(*changes.ports, content);
  if (is_compat(body))
    write_network_compat(changes, content);
  else
    write_network_libpod(body, changes, content);
}

}  // namespace podfence::rules
