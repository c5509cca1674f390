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
    if (!rules::may_change_hands(question)) continue;
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
  if (const auto* forward = std::get_if<rules::Forward>(&decision)) {
    for (const auto& volume : forward->volumes) result.names.insert(volume.name);
    for (const auto& network : forward->networks) result.names.insert(network.name);
  }
  return result;
}

}  // namespace

Inquiry::Inquiry(Services& services, const rules::Project& project, const rules::Match& match,
                 const rules::Request& request)
    : services_(services),
      facts_(std::in_place, project, services.ledger, services.memory),
      exchange_{project, match, request, *facts_},
      buffered_(services.buffers, project.id) {}

Task<rules::Decision> Inquiry::decide() {
  for (int round = 0; round < 2 * max_rounds; ++round) {
    auto decision = rules::decide(exchange_);
    if (const auto wanted = names_in(decision); !holds(wanted)) {
      if (auto deny = co_await lock(wanted)) co_return *deny;
      continue;
    }
    const auto* ask = std::get_if<rules::Ask>(&decision);
    if (!ask) co_return decision;
    if (auto deny = co_await learn(*ask)) co_return *deny;
  }
  co_return rules::Deny{rules::refusal("upstream.answer"), "references without an end", rules::Kind::None};
}

bool Inquiry::holds(const LockedNames& wanted) const {
  return !changes_something(exchange_.request.method) || locked_.covers(wanted);
}

/// What was found out before is forgotten, and the decision has to begin anew.
Task<std::optional<rules::Deny>> Inquiry::lock(const LockedNames& wanted) {
  hold_.release();
  locked_.names.insert(wanted.names.begin(), wanted.names.end());
  locked_.all |= wanted.all;
  auto hold = co_await services_.locks.acquire(locked_, services_.limits.lock_time);
  if (!hold)
    co_return rules::Deny{rules::refusal("server.busy"), "other requests use the same names", rules::Kind::None};
  hold_ = std::move(*hold);
  facts_.emplace(exchange_.project, services_.ledger, services_.memory);
  buffered_.shrink_to(0);
  co_return std::nullopt;
}

Task<std::optional<rules::Deny>> Inquiry::learn(const rules::Ask& ask) {
  for (const auto& question : ask.questions)
    if (auto deny = co_await ask_upstream(question)) co_return deny;
  co_return std::nullopt;
}

Task<std::optional<rules::Deny>> Inquiry::ask_upstream(const rules::Question& question) {
  UpstreamCall call(services_.upstream);
  if (auto deny = refusal_for(co_await call.send(facts_->request_for(question)))) co_return deny;
  const auto content = co_await read_whole(call.content(), services_.limits.answer_bytes, buffered_);
  if (const auto* deny = std::get_if<rules::Deny>(&content)) co_return *deny;
  if (!facts_->learn(question, call.head().status, std::get<std::string>(content), call.head().fields))
    co_return rules::Deny{rules::refusal("upstream.answer"), "to a question about an object", rules::Kind::None};
  co_return std::nullopt;
}

}  // namespace podfence::proxy
