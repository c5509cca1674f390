// Lists: upstream filters as the client asked and by our label; the answer is reduced once more (answer/).

#include "rules/act/act.hpp"
#include "rules/json.hpp"
#include "rules/name_patterns.hpp"

namespace podfence::rules::act {

namespace {

/// What Podman answers when nothing matches.
Reply empty_list(const Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  if (endpoint.answer != Answer::Volumes || endpoint.family != Family::Docker)
    return {200, "application/json", "[]\n", {}};
  return {200,
          "application/json",
          R"({"Volumes":[],"Warnings":[]})"
          "\n",
          {}};
}

/// What is counted here is not counted upstream. It stays a number there: with one, Podman lists also what does not
/// run.
void lift_limit(std::vector<QueryPair>& pairs) {
  constexpr std::string_view beyond_all = "2147483647";
  for (auto& pair : pairs)
    if (pair.name == "limit" || pair.name == "last") pair.value = beyond_all;
}

}  // namespace

Decision list(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  auto query = judge_query(endpoint.query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto& judged = std::get<JudgedQuery>(query);
  if (counted_here(exchange)) lift_limit(judged.pairs);
  if (judged.nothing) return empty_list(exchange);
  Forward forward;
  forward.request.method = endpoint.method;
  forward.request.target = write_target(upstream_path(exchange, ""), judged.pairs);
  return forward;
}

/// Podman answers a map of container id to host path. The ids are the project's own running containers; a path of the
/// host is nobody's business.
Decision showmounted(Exchange& exchange) {
  const auto* containers = exchange.facts.list(Kind::Container);
  if (!containers) return Ask{};
  auto mounted = json::Value::object();
  for (const auto& container : *containers)
    if (container.text("State") == "running") mounted.set(container.text("Id"), "");
  return Reply{200, "application/json", json::write(mounted), {}};
}

}  // namespace podfence::rules::act
