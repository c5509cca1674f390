#include "rules/image_tag.hpp"

#include "rules/image_name.hpp"

namespace podfence::rules {

std::optional<std::string> name_of_new_tag(const Exchange& exchange, std::string_view asked) {
  if (asked.find('@') != std::string_view::npos) return std::nullopt;  // a digest is nobody's to choose
  if (exchange.match.endpoint->family == Family::Docker) return normalise_image_name(asked);
  const auto candidates = image_candidates(asked);
  return candidates.empty() ? std::nullopt : std::optional(candidates.front());
}

std::variant<NewTag, Deny> new_tag(Exchange& exchange, std::string_view asked) {
  const auto name = name_of_new_tag(exchange, asked);
  if (!name) return Deny{refusal("image.reference"), std::string(asked), Kind::Image};
  const auto& project = exchange.project;
  const auto& ledger = exchange.facts.ledger();
  if (is_shared_name(project, *name)) return Deny{refusal("image.shared"), *name, Kind::Image};
  const bool mine = ledger.owns_tag(project.id, *name);
  const Deny taken{refusal("image.tag-taken"), *name, Kind::Image};
  if (ledger.tag_owned_by_others(project.id, *name)) return taken;
  // Whose is it that is there? The host user's, if the ledger knows nothing of it.
  const auto* there = exchange.facts.find(Kind::Image, *name);
  if (there && there->ownership != Ownership::Missing && !mine) return taken;
  NewTag tag{*name, {{Claim::Change::MakeTag, *name}}, {}};
  if (!mine) tag.on_failure.push_back({Claim::Change::DropTag, *name});
  return tag;
}

}  // namespace podfence::rules
