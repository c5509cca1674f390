// Mounts by a volume of podfence's own are shown as what the client asked for: binds of a path below a workspace. The
// path of the host is written here, and becomes the client's where all paths do (host_places.cpp).

#include <algorithm>
#include <map>

#include "rules/answer/rewrite.hpp"
#include "rules/host_path.hpp"

namespace podfence::rules::answer {

namespace {

bool is_ours(const json::Value& mount) { return mount.text("Type") == "volume" && is_own_name(mount.text("Name")); }

json::Array* mounts_of(json::Value& container) {
  json::Value* mounts = container.find("Mounts");
  return mounts ? mounts->items() : nullptr;
}

/// The mounts of a container by where they are in it.
using Destinations = std::map<std::string_view, const json::Value*>;

Destinations destinations_of(const json::Value& container) {
  Destinations all;
  for (const json::Value& mount : container.list("Mounts")) all.try_emplace(mount.text("Destination"), &mount);
  return all;
}

/// "" where it cannot be told.
std::string source_of(const Project& project, const Destinations& mounts, std::string_view destination) {
  const auto mount = mounts.find(destination);
  const auto place = mount == mounts.end() ? WorkspacePlace{} : workspace_place(project, *mount->second);
  return place.workspace && !place.below.empty() ? place.host() : "";
}

/// `volume:destination[:options]`
std::string shown_bind(const Project& project, const Destinations& mounts, const std::string& bind) {
  const std::size_t colon = bind.find(':');
  if (!is_own_name(bind) || colon == std::string::npos) return bind;
  const std::string_view destination = std::string_view(bind).substr(colon + 1, bind.find(':', colon + 1) - colon - 1);
  const std::string source = source_of(project, mounts, destination);
  return source.empty() ? "" : source + bind.substr(colon);
}

void show(const Project& project, const Destinations& mounts, json::Value& mount) {
  mount.set("Source", source_of(project, mounts, mount.text("Destination")));
  mount.set("Type", "bind");
  for (const char* member : {"Name", "Driver", "SubPath"}) mount.erase(member);
}

}  // namespace

void show_workspace_mounts(Exchange& exchange, json::Value& container) {
  auto* shown = mounts_of(container);
  if (!shown || std::ranges::none_of(*shown, is_ours)) return;
  // Docker's form does not say the path below the volume.
  const Fact* fact = exchange.facts.find(Kind::Container, container.text("Id"), true);
  if (!fact) return;
  const auto mounts = destinations_of(fact->document);
  for (json::Value& mount : *shown)
    if (is_ours(mount)) show(exchange.project, mounts, mount);
  json::Value* host = container.find("HostConfig");
  json::Value* binds = host ? host->find("Binds") : nullptr;
  if (!binds || !binds->items()) return;
  for (json::Value& bind : *binds->items())
    if (bind.string()) bind = shown_bind(exchange.project, mounts, *bind.string());
}

}  // namespace podfence::rules::answer
