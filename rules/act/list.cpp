// Lists: upstream filters as the client asked and by our label; the answer is reduced once more (answer/).

#include "rules/act/act.hpp"
#include "rules/json.hpp"

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

}  // namespace

Decision list(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  auto query = judge_query(endpoint.query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto& judged = std::get<JudgedQuery>(query);
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
