// Upstream's errors. Most texts pass, since clients match on them; what they say of others does not.

#include "rules/answer.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/error_answer.hpp"

namespace podfence::rules {

namespace {

/// The object was resolved, and Podman says now that it is not there: as if it had never been there.
bool subject_is_gone(const Exchange& exchange, const json::Value* document) {
  const auto kind = exchange.match.endpoint->subject;
  return kind != Kind::None && (!document || kind_of_cause(document->text("cause")) == kind);
}

/// The router's plain texts (404, 405) and everything else that is not Podman's error shape. The status stays: clients
/// try another endpoint when an older Podman has none.
Reply not_understood(int status) {
  const Deny deny{refusal("upstream.answer"), "status " + std::to_string(status), Kind::None};
  return write_error(status, deny.rule->id, sentence_of(deny));
}

/// What Podman answers for a pod of which some containers could not do it (libpod/pods.go: 409). Its clients read
/// nothing else there.
std::optional<Reply> report_of_pod(const Exchange& exchange, int status, const json::Value& document) {
  const auto* errors = document.find("Errs");
  if (!errors || !errors->items()) return std::nullopt;
  json::Value report, texts = json::Value::array();
  for (const auto& error : *errors->items())
    if (error.string()) texts.push(answer::scrub(exchange, *error.string()));
  report.set("Errs", std::move(texts));
  report.set("Id", document.text("Id"));
  return Reply{status, "application/json", json::write(report) + "\n", {}};
}

}  // namespace

Reply rewrite_error(Exchange& exchange, int status, std::string_view content) {
  const auto& endpoint = *exchange.match.endpoint;
  auto parsed = json::parse(content, json::answer_limits);
  auto* document = std::get_if<json::Value>(&parsed);
  if (document && !document->members()) document = nullptr;
  // Some handlers answer 404 without content (compat/containers_stats.go, containers_top.go).
  const bool may_be_gone = status == 404 && (document || content.empty());
  if (may_be_gone && subject_is_gone(exchange, document))
    return error_answer(hidden(endpoint.subject, exchange.match.name), endpoint.family);
  if (!document) return not_understood(status);
  if (exchange.match.endpoint->subject == Kind::Pod)
    if (auto report = report_of_pod(exchange, status, *document)) return *std::move(report);

  return write_error(status, answer::scrub(exchange, document->text("cause")),
                     answer::scrub(exchange, document->text("message")));
}

}  // namespace podfence::rules
