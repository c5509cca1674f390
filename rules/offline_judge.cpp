#include "rules/offline_judge.hpp"

#include <algorithm>
#include <stdexcept>

#include "rules/configuration.hpp"
#include "rules/content_text.hpp"
#include "rules/decide.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {
namespace {

/// The depth of references is far below.
constexpr int max_rounds = 16;

Project project_of(std::string_view text, std::string_view id) {
  const auto read = read_configuration(text);
  if (const auto* error = std::get_if<ConfigurationError>(&read))
    throw std::invalid_argument(text_of(*error, "configuration"));
  const auto& projects = std::get<Configuration>(read).projects;
  const auto found = std::ranges::find_if(projects, [&](const auto& each) { return each.project.id == id; });
  if (found == projects.end()) throw std::invalid_argument("the configuration has no project " + std::string(id));
  return found->project;
}

StatedObjects facts_of(std::string_view text, const Project& project) {
  if (text.empty()) return {};
  auto read = StatedObjects::read("facts", text, project.label_key);
  if (const auto* error = std::get_if<ConfigurationError>(&read)) throw std::invalid_argument(text_of(*error, "facts"));
  return std::get<StatedObjects>(std::move(read));
}

/// As proxy/framing.cpp and proxy/examination.cpp take it from the wire.
std::optional<Deny> take(Request& request, const Endpoint& endpoint, const Project& project, std::string_view content) {
  if (content.empty()) return std::nullopt;
  const Deny unexpected{refusal("content.unexpected"), std::string(text(request.method)), Kind::None};
  if (is_safe(request.method)) return unexpected;
  request.has_content = endpoint.body != Body::None;
  if (endpoint.body == Body::Stream || endpoint.refusal || archive_rules(endpoint, request, project))
    return std::nullopt;
  if (endpoint.body == Body::Secret) {
    request.bytes = content;
    return std::nullopt;
  }
  auto parsed = read_content(endpoint.body, content, {});
  auto* value = std::get_if<json::Value>(&parsed);
  if (!request.has_content) {
    const bool says_nothing = value && (value->is_zero() || repeats_query(*value, request.target));
    return says_nothing ? std::nullopt : std::optional(unexpected);
  }
  if (!value) return std::get<Deny>(std::move(parsed));
  request.content = std::move(*value);
  return std::nullopt;
}

Decision settle(Exchange& exchange, const StatedObjects& stated) {
  for (int round = 0; round < max_rounds; ++round) {
    auto decision = decide(exchange);
    const auto* ask = std::get_if<Ask>(&decision);
    if (!ask) return decision;
    if (ask->questions.empty()) return Deny{refusal("archive.format"), "archives are not looked into here", Kind::None};
    for (const auto& question : ask->questions) {
      const auto [status, content] = stated.answer(question);
      if (!exchange.facts.learn(question, status, content))
        return Deny{refusal("upstream.answer"), "to a question about an object", Kind::None};
    }
  }
  return Deny{refusal("upstream.answer"), "references without an end", Kind::None};
}

}  // namespace

OfflineJudge::OfflineJudge(std::string_view configuration, std::string_view project, std::string_view facts)
    : project_(project_of(configuration, project)), facts_(facts_of(facts, project_)), ledger_(facts_.holdings()) {}

Decision OfflineJudge::decide(std::string_view method, std::string_view target, std::string_view content) const {
  const auto known = parse_method(method);
  if (!known) return Deny{refusal("http.method"), std::string(method.substr(0, 32)), Kind::None};
  auto parsed = parse_target(target);
  if (auto* deny = std::get_if<Deny>(&parsed)) return std::move(*deny);
  Request request;
  request.method = *known;
  request.target = std::get<Target>(std::move(parsed));
  auto routed = route(*known, request.target);
  if (auto* deny = std::get_if<Deny>(&routed)) return std::move(*deny);
  const auto& match = std::get<Match>(routed);
  if (auto refused = take(request, *match.endpoint, project_, content)) return *std::move(refused);
  OwnerMemory memory;
  Usage usage;
  Facts facts(project_, ledger_, memory, usage);
  Exchange exchange{project_, match, request, facts};
  return settle(exchange, facts_);
}

}  // namespace podfence::rules
