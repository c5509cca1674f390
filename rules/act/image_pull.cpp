// Pulling. Nothing can be labelled, so the ledger records who pulled what (answer/: LineJudge). A name that the project
// cannot see does not exist for it: it is fetched from its registry and never answered from what others have here.

#include <algorithm>
#include <array>

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"
#include "rules/manifest.hpp"
#include "rules/quota.hpp"
#include "rules/registry.hpp"
#include "rules/registry_auth.hpp"

namespace podfence::rules::act {

namespace {

/// What upstream would say of an image that is here already.
Reply already_here(const Exchange& exchange, const std::string& reference, const std::string& id) {
  json::Value line;
  if (exchange.match.endpoint->family == Family::Docker) {
    line.set("status", "Image is up to date for " + reference);
    line.set("id", id);
  } else {
    json::Value images = json::Value::array();
    images.push(id);
    line.set("images", std::move(images));
    line.set("id", id);
  }
  return {200, "application/json", json::write(line) + "\n", {}};
}

bool chooses_platform(const Target& target) {
  constexpr auto names = std::to_array<std::string_view>({"platform", "Arch", "OS", "Variant"});
  return std::ranges::any_of(names, [&](std::string_view name) { return !value_of(target, name).empty(); });
}

/// A local name is no registry's: Podman would ask a registry on the host itself.
bool is_local_name(std::string_view reference) { return reference.starts_with("localhost/"); }

}  // namespace

Decision image_pull(Exchange& exchange) {
  const bool compat = exchange.match.endpoint->family == Family::Docker;
  const auto& target = exchange.request.target;
  if (takes_root_archive(*exchange.match.endpoint, target)) return image_import(exchange);
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto& pairs = std::get<JudgedQuery>(query).pairs;

  const auto asked = value_of(target, compat ? "fromImage" : "reference");
  // An id names something that is here or nowhere; a pull of one would hand out a local image (endpoints.md 5.4).
  const auto reference = pull_reference(exchange);
  if (full_image_id(asked) || !reference) return Deny{refusal("image.reference"), asked, Kind::Image};

  // A short name means what the project already has under it, as for every other verb.
  const auto* here = exchange.facts.find(Kind::Image, compat ? *reference : asked);
  if (!here) return Ask{};
  const bool visible = here->ownership == Ownership::Own || here->ownership == Ownership::Shared;
  const auto policy = compat ? "always" : value_of(target, "policy");
  if (here->ownership == Ownership::Shared || (visible && (policy == "missing" || policy == "never")))
    return already_here(exchange, *reference, here->id);
  if (policy == "never" || is_local_name(*reference) || is_shared_name(exchange.project, *reference))
    return hidden(Kind::Image, asked);

  if (auto deny = check_registry(exchange.project, *reference)) return *deny;
  const auto& ledger = exchange.facts.ledger();
  const auto& project = exchange.project.id;
  if (ledger.tag_made_by_others(project, *reference)) return Deny{refusal("image.tag-taken"), *reference, Kind::Image};
  if (names_own_manifest(exchange, *reference))
    return Deny{refusal("image.tag-taken"), *reference, Kind::Image, "remove the manifest list of that name first"};
  // For another platform the name would mean another image, to those as well who have pulled it.
  if (chooses_platform(target) && ledger.tag_owned_by_others(project, *reference))
    return Deny{refusal("image.tag-taken"), *reference, Kind::Image};

  Forward forward;
  forward.request.method = Method::Post;
  // While it is pulled nobody else's removal may take it, and nobody else may make it, should the project drop it
  // meanwhile.
  forward.before = {{Claim::Change::OwnTag, *reference}};
  if (compat) {
    set_value(pairs, "fromImage", *reference);
    set_value(pairs, "tag", "");
  } else {
    set_value(pairs, "reference", *reference);
    if (!policy.empty()) set_value(pairs, "policy", visible ? policy : "always");
  }
  auto credentials = registry_credentials(exchange.request.registry_auth);
  if (const auto* deny = std::get_if<Deny>(&credentials)) return *deny;
  forward.request.fields.push_back(std::get<Field>(std::move(credentials)));
  forward.request.target = write_target(upstream_path(exchange, ""), pairs);
  note_uses(exchange, nullptr, forward);
  return forward;
}

}  // namespace podfence::rules::act
