// `podman kube generate`: of containers, pods and volumes that are the project's own. Podman takes a word for a
// container first, then for a pod, then for a volume (abi/generate.go), so a volume is named only where nothing else
// has its name, whoever that belongs to.

#include <algorithm>
#include <array>

#include "rules/act/act.hpp"

namespace podfence::rules::act {

namespace {

struct Named {
  std::string word;            ///< for upstream
  std::vector<Steady> steady;  ///< what has to be so still when it has answered
};

std::optional<Named> named_volume(Exchange& exchange, const std::string& name) {
  const auto* volume = exchange.facts.find(Kind::Volume, name);
  if (volume && volume->ownership != Ownership::Own) return std::nullopt;
  if (!volume) return Named{};
  Named result{volume->id, {}};
  for (const auto kind : {Kind::Container, Kind::Pod}) {
    const auto* other = exchange.facts.find_upstream(kind, volume->id);
    if (other && other->ownership != Ownership::Missing) return std::nullopt;
    result.steady.push_back({kind, volume->id, ""});
  }
  return result;
}

std::optional<Named> find_named(Exchange& exchange, const std::string& name) {
  for (const auto kind : {Kind::Container, Kind::Pod}) {
    const auto* fact = exchange.facts.find(kind, name);
    if (!fact) return Named{};
    if (fact->ownership == Ownership::Own) return Named{fact->id, {}};
  }
  return named_volume(exchange, name);
}

}  // namespace

Decision kube_generate(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (auto* deny = std::get_if<Deny>(&query)) return std::move(*deny);
  auto pairs = std::get<JudgedQuery>(std::move(query)).pairs;
  const auto names = values_of(exchange.request.target, "names");
  if (names.empty()) return Deny{refusal("query.value"), "names", Kind::None};
  Forward forward;
  for (const auto& name : names) {
    auto named = find_named(exchange, name);
    if (!named) return hidden(Kind::Container, name);
    pairs.push_back({"names", named->word});
    std::ranges::move(named->steady, std::back_inserter(forward.steady));
  }
  forward.request = {Method::Get, write_target(upstream_path(exchange, ""), pairs), {}, std::nullopt};
  return forward;
}

}  // namespace podfence::rules::act
