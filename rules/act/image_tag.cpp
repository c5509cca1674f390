// Giving names to images and taking them away. A name that is given moves, whoever had it: image_target.hpp.

#include <algorithm>

#include "rules/act/act.hpp"
#include "rules/contains.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"

namespace podfence::rules::act {

namespace {

/// Without a name Podman would take all, whoever gave them.
std::vector<std::string> asked_tags(const Exchange& exchange, const json::Value& image) {
  auto tags = own_tags(exchange, image);
  const auto& target = exchange.request.target;
  auto reference = value_of(target, "repo");
  if (reference.empty()) return tags;
  if (const auto tag = value_of(target, "tag"); !tag.empty()) reference += ":" + tag;
  const auto candidates = image_candidates(reference);
  std::erase_if(tags, [&](const std::string& tag) { return !contains(candidates, tag); });
  return tags;
}

}  // namespace

Decision image_tag(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto image = usable_image(exchange, exchange.match.name);
  if (image.denied) return *image.denied;
  if (!image.fact) return Ask{};

  const auto repo = value_of(exchange.request.target, "repo");
  const auto name = target_name(exchange.match.endpoint->family, repo, value_of(exchange.request.target, "tag"));
  if (!name) return Deny{refusal("image.reference"), repo, Kind::Image};
  if (auto deny = check_target(exchange, *name)) return *deny;

  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, image.fact->id), repository_and_tag(*name));
  claim_targets(exchange, {*name}, forward);
  // Of a shared image: it stays when it is no longer shared.
  if (!exchange.facts.ledger().holds_image(exchange.project.id, image.fact->id)) {
    forward.before.push_back({Claim::Change::HoldImage, image.fact->id});
    forward.on_failure.push_back({Claim::Change::DropImage, image.fact->id});
  }
  return forward;
}

Decision image_untag(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto image = usable_image(exchange, exchange.match.name);
  if (image.denied) return *image.denied;
  if (!image.fact) return Ask{};
  const auto tags = asked_tags(exchange, image.fact->document);
  const auto repo = value_of(exchange.request.target, "repo");
  if (tags.empty() && !repo.empty()) return Deny{refusal("image.tag-unknown"), repo, Kind::Image};
  Batch batch;
  for (const auto& tag : tags) {
    const bool also_theirs = exchange.facts.ledger().tag_owned_by_others(exchange.project.id, tag);
    batch.items.push_back({untag_request(image.fact->id, tag), tag, {{Claim::Change::DropTag, tag}}, also_theirs});
  }
  return batch;
}

}  // namespace podfence::rules::act
