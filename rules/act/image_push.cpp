// Pushing: own images, to registries, with the client's credentials and never the host's. What is sent is the id and
// where to; Docker's endpoint would write to directories of the host as well (compat/images_push.go).

#include "rules/image_push.hpp"

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/registry.hpp"
#include "rules/registry_auth.hpp"

namespace podfence::rules {

std::string pushed_reference(const Exchange& exchange) {
  const auto tag = value_of(exchange.request.target, "tag");
  return tag.empty() ? exchange.match.name : exchange.match.name + ":" + tag;
}

std::variant<std::string, Deny> push_destination(const Exchange& exchange, const std::string& own_tag) {
  constexpr std::string_view transport = "docker://";
  auto said = value_of(exchange.request.target, "destination");
  if (said.starts_with(transport)) said.erase(0, transport.size());
  auto name = normalise_image_name(said.empty() ? own_tag : said);
  if (!name || name->find('@') != std::string::npos)
    return Deny{refusal("image.reference"), said.empty() ? pushed_reference(exchange) : said, Kind::Image};
  return *std::move(name);
}

namespace act {

Decision image_push(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto reference = pushed_reference(exchange);
  const auto image = usable_image(exchange, reference);
  if (image.denied) return *image.denied;
  if (!image.fact) return Ask{};
  const auto own_tag = own_tag_meant(exchange, reference, image.fact->document);
  if (image.fact->ownership == Ownership::Shared && own_tag.empty())
    return Deny{refusal("image.shared"), reference, Kind::Image, "give it a name of your own first"};
  auto destination = push_destination(exchange, own_tag);
  if (const auto* deny = std::get_if<Deny>(&destination)) return *deny;
  if (auto deny = check_registry(exchange.project, std::get<std::string>(destination))) return *deny;
  auto credentials = registry_credentials(exchange.request.registry_auth);
  if (const auto* deny = std::get_if<Deny>(&credentials)) return *deny;

  auto& pairs = std::get<JudgedQuery>(query).pairs;
  set_value(pairs, "tag", "");
  set_value(pairs, "destination", std::get<std::string>(std::move(destination)));
  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, image.fact->id), pairs);
  forward.request.fields.push_back(std::get<Field>(std::move(credentials)));
  forward.before = {{Claim::Change::RenewCacheKey}};
  return forward;
}

}  // namespace act

}  // namespace podfence::rules
