// Volumes and networks are named by names that all projects share and that can be used again. Podman's compat create
// answers 201 with whatever volume has the name already (compat/volumes.go:CreateVolume). So the name is looked at
// first, under its lock.

#include "rules/act/act.hpp"
#include "rules/ascii.hpp"

namespace podfence::rules::act {

namespace {

/// The name a client gives to the new object, "" where Podman is to choose one. The field table refuses two spellings.
std::string new_name(const json::Object& content) {
  for (const auto& member : content)
    if (ascii::equal_caseless(member.name, "Name") && member.value.string()) return *member.value.string();
  return "";
}

}  // namespace

Decision create_named(Exchange& exchange, Kind kind) {
  auto decision = plain(exchange);
  if (std::holds_alternative<Deny>(decision)) return decision;
  const auto name = new_name(*exchange.request.content->members());
  if (name.empty()) return decision;
  const auto* holder = exchange.facts.find(kind, name);
  if (holder && holder->ownership == Ownership::Foreign) return Deny{refusal("name.taken"), name, kind};
  // Podman answers with the one that is there, or that the name is in use: nothing is added.
  auto* forward = std::get_if<Forward>(&decision);
  if (forward && holder && holder->ownership != Ownership::Missing) forward->uses.clear();
  return decision;
}

/// The client may have said the id: the name is looked at as well, so that it is locked and still this network's.
Decision network_remove(Exchange& exchange) {
  auto decision = plain(exchange);
  if (!std::holds_alternative<Forward>(decision)) return decision;
  const auto& network = *subject_of(exchange).fact;
  const auto* named = exchange.facts.find_upstream(Kind::Network, network.document.text("name"));
  if (named && named->id != network.id) return hidden(Kind::Network, exchange.match.name);
  return decision;
}

}  // namespace podfence::rules::act
