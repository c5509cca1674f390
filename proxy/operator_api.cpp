#include "proxy/operator_api.hpp"

#include "proxy/log.hpp"
#include "proxy/question.hpp"
#include "rules/error_answer.hpp"
#include "rules/health.hpp"
#include "rules/operator/page.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::Reply;
using rules::json::write;

constexpr const char* metrics_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::size_t ping_bytes = 1024;

Reply document(const rules::json::Value& value, int status = 200) {
  return {status, "application/json", write(value) + "\n", {}};
}

}  // namespace

Reply operator_error(const Deny& deny) { return rules::error_answer(deny, rules::Family::Docker); }

Task<Reply> OperatorApi::answer(rules::OperatorCall call, std::string content) {
  const auto& project = call.project;
  switch (call.row->action) {
    case rules::OperatorAction::Health:
      co_return Reply{200, "text/plain", "ok\n", {}};
    case rules::OperatorAction::Ready:
      co_return co_await ready();
    case rules::OperatorAction::Metrics:
      co_return Reply{200, metrics_type, metrics(), {}};
    case rules::OperatorAction::ListProjects:
      co_return document(rules::projects_document(tenancy_.states()));
    case rules::OperatorAction::ShowProject:
      co_return co_await show(project);
    case rules::OperatorAction::PutProject:
      co_return co_await put(project, std::move(content));
    case rules::OperatorAction::RemoveProject:
      co_return co_await remove(std::move(call));
    case rules::OperatorAction::RenewProject:
      co_return renew(project);
    case rules::OperatorAction::Collect:
      co_return co_await collect(std::move(call));
    case rules::OperatorAction::Reload:
      co_return reload();
    case rules::OperatorAction::Validate:
      co_return validate(content);
    case rules::OperatorAction::History:
      co_return document(watching_.history.document(this_minute()));
    case rules::OperatorAction::Page:
      co_return Reply{200, "text/html; charset=utf-8", std::string(rules::page), {}};
    case rules::OperatorAction::Decisions:
      break;  // a stream: Decisions::follow
  }
  co_return operator_error(Deny{rules::refusal("operator.endpoint"), ""});
}

std::string OperatorApi::metrics() const {
  const Metrics::Now now{tenancy_.states(), tenancy_.generation(), watching_.decisions.readers(), services_.usage,
                         services_.memory,  services_.ledger,      services_.upstream.health()};
  return watching_.metrics.text(now);
}

/// Podman itself is asked: a proxy without an engine serves nobody.
Task<Reply> OperatorApi::ready() {
  UpstreamCall call(services_.upstream);
  const auto outcome = co_await call.send(rules::health_request());
  if (const auto refused = refusal_for(outcome))
    co_return operator_error(Deny{rules::refusal("operator.engine"), refused->subject});
  BufferBudget::Share share(services_.buffers, "");
  const auto content = co_await read_whole(call.content(), ping_bytes, share);
  const auto* text = std::get_if<std::string>(&content);
  if (!text || !rules::is_healthy(call.head().status, *text))
    co_return operator_error(Deny{rules::refusal("operator.engine"), "what answers is no engine"});
  co_return Reply{200, "text/plain", "ok\n", {}};
}

Task<Reply> OperatorApi::show(std::string id) {
  if (!tenancy_.is_known(id)) co_return operator_error(Deny{rules::refusal("operator.project-unknown"), id});
  // Copies: the project can be removed while Podman is asked.
  const auto served = *tenancy_.state(id).project;
  rules::Facts facts(served.project, services_.ledger, services_.memory, services_.usage);
  BufferBudget::Share share(services_.buffers, id);
  while (true) {
    if (!tenancy_.is_known(id)) co_return operator_error(Deny{rules::refusal("operator.project-unknown"), id});
    auto state = tenancy_.state(id);
    if (!state.wrong.empty()) co_return document(rules::project_document(state));
    state.project = &served;
    if (auto whole = rules::project_document(state, facts)) co_return document(*whole);
    const auto questions = facts.take_open();
    for (const auto& question : questions)
      if (const auto refused = co_await ask_upstream(services_, facts, question, share))
        co_return operator_error(*refused);
  }
}

Task<Reply> OperatorApi::put(std::string project, std::string content) {
  auto parsed = rules::json::parse(content);
  if (const auto* error = std::get_if<rules::json::Error>(&parsed))
    co_return operator_error(Deny{rules::refusal("content.json"), error->text()});
  auto definition = std::get<rules::json::Value>(std::move(parsed));
  std::string mark;
  if (rules::is_held(definition)) {
    const auto read = tenancy_.read_definition(project, definition);
    if (const auto* refused = std::get_if<Deny>(&read)) co_return operator_error(*refused);
    auto marked = co_await caretaker_.mark_holder(*std::get<rules::ProjectConfiguration>(read).life.holder);
    if (const auto* refused = std::get_if<Deny>(&marked)) co_return operator_error(*refused);
    mark = std::get<std::string>(std::move(marked));
  }
  const bool is_new = !tenancy_.is_known(project);
  if (const auto refused = tenancy_.put(project, std::move(definition), std::move(mark)))
    co_return operator_error(*refused);
  const auto state = tenancy_.state(project);
  log("project " + project + (is_new ? " was added and listens on " : " has another policy; it listens on ") +
      state.project->socket);
  for (const auto& opening : rules::opening_texts(state.project->project.policy))
    log("project " + project + ": " + opening);
  co_return document(rules::project_document(state), is_new ? 201 : 200);
}

Task<Reply> OperatorApi::remove(rules::OperatorCall call) {
  const auto& project = call.project;
  std::optional<rules::Teardown> how;
  if (const auto said = call.said("teardown"); !said.empty()) {
    how = rules::teardown_of(said);
    if (!how) co_return operator_error(Deny{rules::refusal("operator.teardown"), std::string(said)});
  }
  if (const auto refused = not_to_be_spared(project, how)) co_return operator_error(*refused);
  if (const auto refused = tenancy_.begin_end(project, how)) co_return operator_error(*refused);
  if (!tenancy_.is_known(project)) {
    log("project " + project + " was removed; what it has stays");
    co_return Reply{204, {}, {}, {}};
  }
  log("project " + project + " ends: the operator removes it");
  const auto ended = co_await caretaker_.end(project);
  // Before its turn came, somebody else wanted nothing to be torn down.
  if (ended.how == rules::Teardown::None) co_return Reply{204, {}, {}, {}};
  co_return document(rules::teardown_document(project, ended.how, ended.report), ended.report.left.empty() ? 200 : 202);
}

/// While something is being torn down, that can become more, and not less.
std::optional<Deny> OperatorApi::not_to_be_spared(const std::string& project,
                                                  std::optional<rules::Teardown> how) const {
  const auto ending = tenancy_.ending(project);
  if (!how || !ending || *how >= *ending || !caretaker_.is_at_work(project)) return std::nullopt;
  return Deny{rules::refusal("operator.ending"),
              project + ", and its teardown (" + std::string(rules::text(*ending)) + ") is at work", rules::Kind::None,
              "wait until GET /projects/{id} answers 404, or ask again when it tells what is left"};
}

Reply OperatorApi::renew(const std::string& project) {
  if (const auto refused = tenancy_.renew(project)) return operator_error(*refused);
  return document(rules::project_document(tenancy_.state(project)));
}

Task<Reply> OperatorApi::collect(rules::OperatorCall call) {
  const auto said = call.said("dry_run");
  if (!said.empty() && said != "true" && said != "false")
    co_return operator_error(Deny{rules::refusal("operator.flag"), std::string(said)});
  const bool dry_run = said == "true";
  const auto collected = co_await caretaker_.collect(!dry_run);
  if (const auto* refused = std::get_if<Deny>(&collected)) co_return operator_error(*refused);
  const auto& collection = std::get<Caretaker::Collection>(collected);
  co_return document(rules::collection_document(dry_run, collection.ending, collection.orphans));
}

Reply OperatorApi::reload() {
  if (const auto refused = tenancy_.reload()) {
    log("the configuration was not read again: " + rules::reason_of(*refused));
    return operator_error(*refused);
  }
  log("the configuration was read again: generation " + std::to_string(tenancy_.generation()));
  return document(rules::configuration_document(tenancy_.configuration(), tenancy_.generation()));
}

Reply OperatorApi::validate(const std::string& text) const {
  const auto read = rules::read_configuration(text, policies_);
  if (const auto* error = std::get_if<rules::ConfigurationError>(&read))
    return operator_error(Deny{rules::refusal("operator.invalid"), rules::text_of(*error, "the content")});
  return document(rules::configuration_document(std::get<rules::Configuration>(read), 0));
}

}  // namespace podfence::proxy
