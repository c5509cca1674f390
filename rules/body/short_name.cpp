// On networks with DNS Podman lets a container or pod be found by its name. Where names are private, that is not the
// one that its project knows: so that one becomes an alias. A pod is its own host by its name as well.

#include "rules/body/short_name.hpp"

#include <algorithm>

#include "rules/body/checks.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"
#include "rules/image_name.hpp"
#include "rules/json_path.hpp"
#include "rules/members.hpp"
#include "rules/names.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

namespace {

void add_alias(json::Value& list, const std::string& name) {
  if (!list.items()) list = json::Value::array();
  const auto& aliases = *list.items();
  if (std::ranges::none_of(aliases,
                           [&](const json::Value& alias) { return alias.string() && *alias.string() == name; }))
    list.push(name);
}

/// Of every network in the map.
void add_aliases(json::Value& networks, std::string_view member, const std::string& name) {
  if (!networks.members()) return;
  for (auto& network : *networks.members()) {
    if (!network.value.members()) network.value = json::Value::object();
    add_alias(json::make(network.value, member), name);
  }
}

/// The old form of it has no place for aliases.
void say_networks_as_map(json::Value& content) {
  const json::Value* list = content.find("cni_networks");
  if (!list || !list->items()) return;
  Members map;
  for (const auto& network : *list->items())
    if (network.string()) map[*network.string()] = json::Value::object();
  content.erase("cni_networks");
  content.set("Networks", std::move(map).take());
}

/// Of the container that is connected, under `aliases`. Nothing while its name is not known.
void add_name_of_connected(json::Value& content, std::string_view member, std::string_view aliases,
                           const Place& place) {
  const Project& project = place.exchange.project;
  if (!has_private_names(project)) return;
  const Fact* container = place.exchange.facts.find(Kind::Container, content.text(member), true);
  const auto name = container ? short_name(project, name_of(Kind::Container, container->document)) : std::string_view();
  if (!name.empty()) add_alias(json::make(content, aliases), std::string(name));
}

}  // namespace

void add_short_name_compat(json::Value& content, const Place& place) {
  const std::string name = value_of(place.exchange.request.target, "name");
  if (!has_private_names(place.exchange.project) || name.empty()) return;
  const json::Value* mode = json::at(content, "HostConfig.NetworkMode");
  const auto network = mode && mode->string() ? full_image_id(*mode->string()) : std::nullopt;
  json::Value* endpoints = network ? &json::make(content, "NetworkingConfig.EndpointsConfig") : nullptr;
  if (endpoints && !endpoints->find(*network)) endpoints->set(*network, json::Value::object());
  if (json::at(content, "NetworkingConfig.EndpointsConfig"))
    add_aliases(json::make(content, "NetworkingConfig.EndpointsConfig"), "Aliases", name);
}

void add_short_name_libpod(json::Value& content, const Place& place) {
  const std::string name(short_name(place.exchange.project, content.text("name")));
  if (!has_private_names(place.exchange.project) || name.empty()) return;
  say_networks_as_map(content);
  if (json::Value* networks = content.find("Networks")) add_aliases(*networks, "aliases", name);
}

void add_short_name_of_pod(json::Value& content, const Place& place) {
  add_short_name_libpod(content, place);
  const std::string name(short_name(place.exchange.project, content.text("name")));
  const json::Value* mode = json::at(content, "utsns.nsmode");
  const bool is_joined = mode && *mode->string() == "container";  // and so is its host name
  if (has_private_names(place.exchange.project) && !name.empty() && content.text("hostname").empty() && !is_joined)
    content.set("hostname", name);
}

std::optional<Deny> finish_connect_compat(json::Value& content, const Place& place) {
  add_name_of_connected(content, "Container", "EndpointConfig.Aliases", place);
  return check_way_out(place.exchange.match.name, place);
}

std::optional<Deny> finish_connect_libpod(json::Value& content, const Place& place) {
  add_name_of_connected(content, "container", "aliases", place);
  return check_way_out(place.exchange.match.name, place);
}

}  // namespace podfence::rules
