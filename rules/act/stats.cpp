// Statistics of many containers or pods. Without names Podman reports everybody's, so the query always names the
// project's own (query.cpp); where there are none, upstream must not be asked at all.

#include "rules/act/act.hpp"
#include "rules/quota.hpp"

namespace podfence::rules::act {

Decision stats(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  auto query = judge_query(endpoint.query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto& judged = std::get<JudgedQuery>(query);
  if (judged.nothing) {
    const bool of_pods = endpoint.query == Query::PodStats;
    return Reply{200, "application/json", of_pods ? "[]\n" : "{\"Error\":null,\"Stats\":[]}\n", {}};
  }
  Forward forward;
  forward.request.method = endpoint.method;
  forward.request.target = write_target(upstream_path(exchange, ""), judged.pairs);
  note_uses(exchange, nullptr, forward);
  return forward;
}

}  // namespace podfence::rules::act
