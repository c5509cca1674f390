#include "rules/image_target.hpp"

#include "rules/body/name.hpp"
#include "rules/image_archive.hpp"
#include "rules/image_name.hpp"
#include "rules/manifest.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

namespace {

/// Without a registry in front of it (distribution: splitDockerDomain)?
bool is_short(std::string_view name) { return image_candidates(name).size() > 1; }

std::optional<std::string> asked_target(const Exchange& exchange) {
  const auto& target = exchange.request.target;
  const auto family = exchange.match.endpoint->family;
  if (exchange.match.endpoint->query == Query::ImageImport)
    return target_name(family, value_of(target, "reference"), "");
  return target_name(family, value_of(target, "repo"), value_of(target, "tag"));
}

}  // namespace

std::optional<std::string> target_name(Family family, std::string_view name, std::string_view tag) {
  std::string text(name);
  if (text.empty() || text.find('@') != std::string::npos || full_image_id(name)) return std::nullopt;
  if (!tag.empty()) {
    if (text.find(':', text.rfind('/') == std::string::npos ? 0 : text.rfind('/')) != std::string::npos)
      return std::nullopt;
    text.append(":").append(tag);
  }
  if (family == Family::Libpod && is_short(text)) text.insert(0, "localhost/");
  auto target = normalise_image_name(text);
  return target && target->find('@') == std::string::npos ? target : std::nullopt;
}

std::vector<QueryPair> repository_and_tag(std::string_view target) {
  const auto repository = repository_of(target);
  return {{"repo", std::string(repository)}, {"tag", std::string(target.substr(repository.size() + 1))}};
}

std::optional<Deny> check_target(Exchange& exchange, const std::string& target) {
  const auto& project = exchange.project;
  const auto& ledger = exchange.facts.ledger();
  const auto repository = repository_of(target);
  // Podman looks for a name before it looks for an id: such a name would catch requests for another image.
  if (is_id_like(repository.substr(repository.rfind('/') + 1)))
    return Deny{refusal("name.id-like"), target, Kind::Image};
  if (is_shared_name(project, target))
    return Deny{refusal("image.shared"), target, Kind::Image, "choose a name that images.shared does not cover"};
  const Deny taken{refusal("image.tag-taken"), target, Kind::Image};
  if (ledger.tag_owned_by_others(project.id, target)) return taken;
  if (names_own_manifest(exchange, target) && exchange.match.endpoint->act != Act::ManifestCreate)
    return Deny{refusal("image.tag-taken"), target, Kind::Image, "remove the manifest list of that name first"};
  if (ledger.owns_tag(project.id, target)) return std::nullopt;
  const auto* holder = exchange.facts.find(Kind::Image, target);
  if (holder && holder->ownership != Ownership::Missing) return taken;
  return std::nullopt;
}

void claim_targets(const Exchange& exchange, const std::vector<std::string>& targets, Forward& forward) {
  for (const auto& target : targets) {
    forward.before.push_back({Claim::Change::MakeTag, target});
    if (!exchange.facts.ledger().owns_tag(exchange.project.id, target))
      forward.on_failure.push_back({Claim::Change::DropTag, target});
  }
}

std::vector<std::string> made_names(const Exchange& exchange) {
  const auto& request = exchange.request;
  if (exchange.match.endpoint->body == Body::ImageArchive) {
    if (!request.archive) return {};
    auto archive = read_image_archive(*request.archive);
    auto* images = std::get_if<ImageArchive>(&archive);
    return images ? std::move(images->tags) : std::vector<std::string>();
  }
  auto target = asked_target(exchange);
  return target ? std::vector{*std::move(target)} : std::vector<std::string>();
}

bool takes_root_archive(const Endpoint& endpoint, const Target& target) {
  return endpoint.query == Query::ImageImport || !value_of(target, "fromSrc").empty();
}

}  // namespace podfence::rules
