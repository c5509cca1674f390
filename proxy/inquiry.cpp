#include "proxy/inquiry.hpp"

#include "rules/decide.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

/// Requests that change nothing have nothing to protect.
bool changes_something(rules::Method method) { return method != rules::Method::Get && method != rules::Method::Head; }

LockedNames names_in(const rules::Ask& ask) {
  LockedNames result;
  for (const auto& question : ask.questions) {
    if (rules::has_lasting_id(question.kind)) continue;
    if (question.ask == rules::Question::Ask::Object)
      result.names.insert(question.name);
    else
      result.all = true;
  }
  return result;
}

LockedNames names_in(const rules::Decision& decision) {
  if (const auto* ask = std::get_if<rules::Ask>(&decision)) return names_in(*ask);
  LockedNames result;
  if (const auto* forward = std::get_if<rules::Forward>(&decision))
    for (const auto& volume : forward->volumes) result.names.insert(volume.name);
  return result;
}

}  // namespace

Inquiry::Inquiry(Services& services, const rules::Project& project, const rules::Match& match,
                 const rules::Request& request)
    : services_(services),
      facts_(std::in_place, project, services.ledger, services.memory),
      exchange_{project, match, request, *facts_} {}

Task<rules::Decision> Inquiry::decide() {
  for (int round = 0; round < 2 * max_rounds; ++round) {
    auto decision = rules::decide(exchange_);
    if (co_await lock(names_in(decision))) continue;
    const auto* ask = std::get_if<rules::Ask>(&decision);
    if (!ask) co_return decision;
    if (auto deny = co_await learn(*ask)) co_return *deny;
  }
  co_return rules::Deny{rules::refusal("upstream.answer"), "references without an end", rules::Kind::None};
}

/// True when names had to be locked: what was found out before is then forgotten, and the decision begins anew.
Task<bool> Inquiry::lock(const LockedNames& wanted) {
  if (!changes_something(exchange_.request.method) || locked_.covers(wanted)) co_return false;
  hold_.release();
  locked_.names.insert(wanted.names.begin(), wanted.names.end());
  locked_.all |= wanted.all;
  hold_ = co_await services_.locks.acquire(locked_);
  facts_.emplace(exchange_.project, services_.ledger, services_.memory);
  co_return true;
}

Task<std::optional<rules::Deny>> Inquiry::learn(const rules::Ask& ask) {
  for (const auto& question : ask.questions)
    if (auto deny = co_await ask_upstream(question)) co_return deny;
  co_return std::nullopt;
}

Task<std::optional<rules::Deny>> Inquiry::ask_upstream(const rules::Question& question) {
  UpstreamCall call(services_.upstream);
  if (auto deny = refusal_for(co_await call.send(facts_->request_for(question)))) co_return deny;
  const auto content = co_await read_whole(call.content(), services_.limits.answer_bytes);
  if (!content || !facts_->learn(question, call.head().status, *content))
    co_return rules::Deny{rules::refusal("upstream.answer"), "to a question about an object", rules::Kind::None};
  co_return std::nullopt;
}

}  // namespace podfence::proxy
