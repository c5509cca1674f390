#include "rules/answer.hpp"
#include "rules/answer/line_rule.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/image_target.hpp"
#include "rules/manifest.hpp"

namespace podfence::rules {

namespace {

std::unique_ptr<answer::LineRule> make_rule(Answer answer, Exchange& exchange) {
  switch (answer) {
    case Answer::EventLines:
      return answer::make_event_rule(exchange);
    case Answer::StatsLines:
      return answer::make_stats_rule(exchange);
    case Answer::ContainerStats:
      return answer::make_container_stats_rule();
    case Answer::PullLines:
      return is_recorded(exchange) ? answer::make_made_rule(exchange) : answer::make_pull_rule(exchange);
    case Answer::BuildLines:
      return answer::make_build_rule(exchange);
    case Answer::PushLines:
      return answer::make_push_rule(exchange);
    case Answer::MadeImage:
      return answer::make_made_rule(exchange);
    case Answer::ManifestLines:
      return answer::make_manifest_rule(exchange);
    case Answer::MadeSecret:
      return answer::make_made_secret_rule(exchange);
    default:
      return nullptr;
  }
}

}  // namespace

bool is_recorded(const Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  return endpoint.answer == Answer::MadeImage || endpoint.answer == Answer::MadeSecret ||
         (endpoint.answer == Answer::ManifestLines && !pushed_manifest(exchange)) ||
         (endpoint.act == Act::ImagePull && takes_root_archive(endpoint, exchange.request.target));
}

LineJudge::LineJudge(Answer answer, Exchange& exchange) : exchange_(exchange), rule_(make_rule(answer, exchange)) {}
LineJudge::LineJudge(LineJudge&&) noexcept = default;
LineJudge::~LineJudge() = default;

std::variant<std::optional<std::string>, Ask> LineJudge::judge(std::string_view line) {
  if (rule_ && rule_->drops(line)) return std::nullopt;
  const auto* parts = rule_ ? rule_->parts() : nullptr;
  auto parsed =
      parts ? json::parse_parts(line, *parts, exchange_.project.label_key) : json::parse(line, json::answer_limits);
  auto* value = std::get_if<json::Value>(&parsed);
  if (!rule_ || !value) return std::nullopt;
  const bool keep = rule_->keep(*value);
  if (!exchange_.facts.complete()) return Ask{exchange_.facts.take_open()};
  if (!keep) return std::nullopt;
  answer::show_names(exchange_.project, exchange_.match.endpoint->answer, *value);
  return json::write(*value, line.size() + 1);
}

std::variant<std::vector<Claim>, Ask> LineJudge::finish() {
  auto claims = rule_ ? rule_->claims() : std::vector<Claim>();
  if (!exchange_.facts.complete()) return Ask{exchange_.facts.take_open()};
  return claims;
}

bool LineJudge::lost() const { return rule_ && rule_->lost(); }

std::string LineJudge::last_lines() {
  std::string text;
  if (rule_)
    for (const auto& line : rule_->last_lines()) text += json::write(line) + "\n";
  return text;
}

}  // namespace podfence::rules
