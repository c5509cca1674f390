// Podman opens the sources of a container's mounts at every start, and when files are copied to or from a container
// that does not run. What lies in a workspace may be another thing by then than it was at the create. So the mounts are
// read out of the container's document, and those of the containers that start with it; the proxy looks at each source
// right before it sends the request.

#include <set>

#include "rules/act/act.hpp"
#include "rules/host_path.hpp"

namespace podfence::rules::act {

namespace {

/// A container that was made with a bind below a workspace when policy allowed that.
std::optional<Deny> check_kind(const Project& project, const json::Value& mount, const WorkspacePlace& place) {
  if (place.below.empty() || mount.text("Type") == "volume" || project.policy.bind_subpaths) return std::nullopt;
  return Deny{refusal("mount.workspace-subpath"), place.client(), Kind::None};
}

class Sources {
 public:
  explicit Sources(Exchange& exchange) : exchange_(exchange) {}

  std::optional<Deny> add(Kind kind, std::string_view name) {
    if (!seen_.emplace(name).second) return std::nullopt;
    const Fact* fact = exchange_.facts.find(kind, name, true);
    if (!fact) return std::nullopt;
    if (fact->ownership != Ownership::Own) return hidden(kind, name);
    return kind == Kind::Pod ? add_pod(fact->document) : add_container(fact->document);
  }
  std::set<HostSource> take() { return std::move(found_); }

 private:
  std::optional<Deny> add_pod(const json::Value& pod) {
    for (const json::Value& member : pod.list("Containers"))
      if (auto deny = add(Kind::Container, member.text("Id"))) return deny;
    return std::nullopt;
  }

  std::optional<Deny> add_container(const json::Value& container) {
    for (const json::Value& mount : container.list("Mounts"))
      if (auto deny = add_mount(mount)) return deny;
    for (const json::Value& other : container.list("Dependencies"))
      if (other.string())
        if (auto deny = add(Kind::Container, *other.string())) return deny;
    return std::nullopt;
  }

  std::optional<Deny> add_mount(const json::Value& mount) {
    const auto place = workspace_place(exchange_.project, mount);
    if (!place.workspace) return std::nullopt;
    if (auto deny = check_kind(exchange_.project, mount, place)) return deny;
    found_.insert({place.workspace->host, place.below, place.client()});
    return std::nullopt;
  }

  Exchange& exchange_;
  std::set<std::string, std::less<>> seen_;
  std::set<HostSource> found_;
};

bool runs(const json::Value& container) {
  const json::Value* state = container.find("State");
  return state && state->flag("Running");
}

/// Podman copies to a container that does not run past the options of its mounts, and to the volume of a mount instead
/// of the path below it (libpod/container_path_resolution.go). A container that runs now may not do so in a moment.
std::optional<Deny> check_copy(const Exchange& exchange, const json::Value& container) {
  const bool writes = exchange.request.method == Method::Put;
  for (const json::Value& mount : container.list("Mounts")) {
    const auto place = workspace_place(exchange.project, mount);
    if (!place.workspace) continue;
    const bool by_volume = mount.text("Type") == "volume";
    if (writes && place.workspace->read_only && !by_volume)
      return Deny{refusal("mount.copy"), place.client() + " is for reading only", Kind::None};
    if (by_volume && !place.below.empty() && !runs(container))
      return Deny{refusal("mount.copy"), place.client() + " is mounted by itself", Kind::None,
                  "start the container first"};
  }
  return std::nullopt;
}

}  // namespace

Decision start(Exchange& exchange) {
  auto decision = plain(exchange);
  auto* forward = std::get_if<Forward>(&decision);
  if (!forward || exchange.project.policy.workspaces.empty()) return decision;
  Sources sources(exchange);
  if (auto deny = sources.add(exchange.match.endpoint->subject, exchange.match.name)) return *deny;
  forward->sources = sources.take();
  return decision;
}

Decision archive(Exchange& exchange) {
  auto decision = start(exchange);
  if (!std::holds_alternative<Forward>(decision) || exchange.project.policy.workspaces.empty()) return decision;
  const Fact* container = exchange.facts.find(Kind::Container, exchange.match.name, true);
  if (!container) return decision;
  if (auto deny = check_copy(exchange, container->document)) return *deny;
  return decision;
}

}  // namespace podfence::rules::act
