// Manifest lists: names of the project's own, members that it may use, and pushes to registries that it may use.

#include "rules/manifest.hpp"

#include <array>

#include "rules/act/act.hpp"
#include "rules/contains.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"
#include "rules/quota.hpp"
#include "rules/registry.hpp"
#include "rules/registry_auth.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules::act {

namespace {

/// Before, Podman lists nobody's images while a list is there beside an image without layers and name
/// (containers/common 1651), and every build from nothing leaves such an image.
constexpr EngineVersion first_sound_lists{5, 0};

/// Podman has another set of endpoints for versions 0 to 3, by the first digit.
std::optional<Deny> check_version(const Exchange& exchange) {
  const auto& version = exchange.request.target.version;
  if (version.size() > 1 && version[1] >= '4') return std::nullopt;
  return Deny{refusal("endpoint.old-manifest"), shown_path(exchange.request.target), Kind::None};
}

std::optional<Deny> check_engine(Exchange& exchange) {
  const auto version = exchange.facts.engine_version();
  if (!version || *version >= first_sound_lists || exchange.project.policy.manifests) return std::nullopt;
  const auto said = "Podman " + std::to_string(version->major) + "." + std::to_string(version->minor);
  return Deny{refusal("manifest.engine"), said, Kind::None};
}

Forward sent(const Exchange& exchange, std::string target) {
  Forward forward;
  forward.request.method = exchange.match.endpoint->method;
  forward.request.target = std::move(target);
  return forward;
}

/// The request without its content, to a registry with the client's credentials or nobody's.
std::variant<Forward, Deny> forward_to(const Exchange& exchange, const std::string& path,
                                       const std::vector<QueryPair>& pairs) {
  auto credentials = registry_credentials(exchange.request.registry_auth);
  if (auto* deny = std::get_if<Deny>(&credentials)) return std::move(*deny);
  auto forward = sent(exchange, write_target(path, pairs));
  forward.request.fields.push_back(std::get<Field>(std::move(credentials)));
  return forward;
}

/// What the content changes, where there is one.
std::optional<Deny> add_content(Exchange& exchange, Forward& forward) {
  const auto& content = exchange.request.content;
  if (!content || content->is_null()) return std::nullopt;
  if (!content->members()) return Deny{refusal("content.missing"), shown_path(exchange.request.target), Kind::None};
  auto body = judge_body(Body::ManifestModify, *content, exchange);
  if (auto* deny = std::get_if<Deny>(&body)) return std::move(*deny);
  forward.request.content = json::write(std::get<JudgedBody>(body).content);
  forward.request.fields.push_back({"Content-Type", "application/json"});
  return std::nullopt;
}

/// What every act on a list that is there begins with: the version, the query, and whose the list is.
struct OwnList {
  std::vector<QueryPair> query;
  const Fact* fact;
};
std::variant<OwnList, Decision> own_list(Exchange& exchange) {
  if (auto deny = check_version(exchange)) return Decision(*std::move(deny));
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return Decision(*deny);
  const auto list = subject_of(exchange);
  if (list.denied) return Decision(*list.denied);
  if (!list.fact) return Decision(Ask{});
  return OwnList{std::move(std::get<JudgedQuery>(query).pairs), list.fact};
}

Decision push(Exchange& exchange, const ManifestPush& push, const std::vector<QueryPair>& pairs) {
  const auto* list = exchange.facts.find(Kind::Manifest, push.list);
  if (!list) return Ask{};
  if (list->ownership != Ownership::Own) return hidden(Kind::Manifest, push.list);
  const auto name = normalise_image_name(push.destination);
  if (!name || name->find('@') != std::string::npos)
    return Deny{refusal("image.reference"), push.destination, Kind::Image};
  if (auto deny = check_registry(exchange.project, *name)) return *std::move(deny);
  const auto path = upstream_path(exchange, list->id) + "/registry/" + encode(*name);
  auto forward = forward_to(exchange, path, pairs);
  if (auto* deny = std::get_if<Deny>(&forward)) return std::move(*deny);
  std::get<Forward>(forward).before = {{Claim::Change::RenewCacheKey}};
  return std::get<Forward>(std::move(forward));
}

}  // namespace

Decision manifest_create(Exchange& exchange) {
  if (auto deny = check_version(exchange)) return *std::move(deny);
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto& pairs = std::get<JudgedQuery>(query).pairs;
  if (const auto pushed = pushed_manifest(exchange)) return push(exchange, *pushed, pairs);

  const auto name = new_manifest_name(exchange);
  if (!name) return Deny{refusal("image.reference"), exchange.match.name, Kind::Image};
  if (auto deny = check_target(exchange, *name)) return *std::move(deny);
  for (const auto& image : values_of(exchange.request.target, "images")) {
    if (image.empty()) continue;
    auto member = judge_manifest_member(image, exchange);
    if (auto* deny = std::get_if<Deny>(&member)) return std::move(*deny);
    pairs.push_back({"images", std::get<std::string>(std::move(member))});
  }
  auto forward = forward_to(exchange, upstream_path(exchange, *name), pairs);
  if (auto* deny = std::get_if<Deny>(&forward)) return std::move(*deny);
  auto& made = std::get<Forward>(forward);
  if (auto deny = add_content(exchange, made)) return *std::move(deny);
  if (auto deny = check_engine(exchange)) return *std::move(deny);
  claim_targets(exchange, {*name}, made);
  note_uses(exchange, nullptr, made);
  return std::move(made);
}

Decision manifest_inspect(Exchange& exchange) {
  auto own = own_list(exchange);
  if (auto* decided = std::get_if<Decision>(&own)) return std::move(*decided);
  const auto& [query, fact] = std::get<OwnList>(own);
  const auto* images = exchange.facts.list(Kind::Image);
  if (!images) return Ask{};
  for (const auto& image : *images) {
    const auto tags = own_tags(exchange, image);
    if (!contains(tags, fact->id)) continue;
    return sent(exchange, write_target(upstream_path(exchange, image_id_of(image)), query));
  }
  return hidden(Kind::Manifest, exchange.match.name);
}

Decision manifest_modify(Exchange& exchange) {
  auto own = own_list(exchange);
  if (auto* decided = std::get_if<Decision>(&own)) return std::move(*decided);
  const auto& [query, fact] = std::get<OwnList>(own);
  auto forward = forward_to(exchange, upstream_path(exchange, fact->id), query);
  if (auto* deny = std::get_if<Deny>(&forward)) return std::move(*deny);
  if (auto deny = add_content(exchange, std::get<Forward>(forward))) return *std::move(deny);
  return std::get<Forward>(std::move(forward));
}

Decision manifest_remove(Exchange& exchange) {
  auto own = own_list(exchange);
  if (auto* decided = std::get_if<Decision>(&own)) return std::move(*decided);
  return sent(exchange, upstream_path(exchange, std::get<OwnList>(own).fact->id));
}

}  // namespace podfence::rules::act
