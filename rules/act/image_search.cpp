// Searching a registry. A term without one would be looked for in all that the host's settings name.

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"
#include "rules/registry.hpp"
#include "rules/registry_auth.hpp"

namespace podfence::rules::act {

Decision image_search(Exchange& exchange) {
  constexpr std::string_view hub = "docker.io/";
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto term = value_of(exchange.request.target, "term");
  const auto first = std::string_view(term).substr(0, term.find('/'));
  const bool names_registry = first.size() < term.size() && is_registry(first);
  if (!names_registry) term.insert(0, hub);
  if (!is_registry_syntax(registry_of(term))) return Deny{refusal("image.reference"), term, Kind::Image};
  if (auto deny = check_registry_host(exchange.project, registry_of(term))) return *deny;
  auto credentials = registry_credentials(exchange.request.registry_auth);
  if (const auto* deny = std::get_if<Deny>(&credentials)) return *deny;
  auto& pairs = std::get<JudgedQuery>(query).pairs;
  set_value(pairs, "term", std::move(term));
  Forward forward;
  forward.request.method = Method::Get;
  forward.request.target = write_target(upstream_path(exchange, ""), pairs);
  forward.request.fields.push_back(std::get<Field>(std::move(credentials)));
  return forward;
}

}  // namespace podfence::rules::act
