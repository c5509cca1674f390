// Volume names are one name space for all projects, and Podman's compat create answers 201 with whatever volume has the
// name already (compat/volumes.go:CreateVolume). So the name is looked at first, under its lock.

#include "rules/act/act.hpp"
#include "rules/ascii.hpp"

namespace podfence::rules::act {

namespace {

/// The name a client gives to the new volume, "" where Podman is to choose one. The field table refuses two spellings.
std::string new_name(const json::Object& content) {
  for (const auto& member : content)
    if (ascii::equal_caseless(member.name, "Name") && member.value.string()) return *member.value.string();
  return "";
}

}  // namespace

Decision volume_create(Exchange& exchange) {
  auto decision = plain(exchange);
  if (std::holds_alternative<Deny>(decision)) return decision;
  const auto name = new_name(*exchange.request.content->members());
  if (name.empty()) return decision;
  const auto* volume = exchange.facts.find(Kind::Volume, name);
  if (volume && volume->ownership == Ownership::Foreign) return Deny{refusal("name.taken"), name, Kind::Volume};
  return decision;
}

}  // namespace podfence::rules::act
