#include "proxy/inquiry.hpp"

#include "proxy/fetching.hpp"
#include "proxy/question.hpp"
#include "rules/decide.hpp"
#include "rules/ledger_entry.hpp"
#include "rules/quota.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

LockedNames names_in(const rules::Ask& ask) {
  LockedNames result;
  for (const auto& question : ask.questions) {
    const bool counts = question.ask == rules::Question::Ask::Count;
    result.alone |= counts;
    if (counts || !rules::may_change_hands(question)) continue;
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
  if (const auto* needs = rules::needs_of(decision)) {
    for (const auto& volume : needs->volumes) result.names.insert(volume.name);
    for (const auto& network : needs->networks) result.names.insert(network.name);
  }
  return result;
}

}  // namespace

Inquiry::Inquiry(Services& services, const rules::Project& project, const rules::Match& match,
                 const rules::Request& request, Waits* waits)
    : services_(services),
      facts_(std::in_place, project, services.known(), services.memory, services.usage),
      exchange_{project, match, request, *facts_},
      buffered_(services.buffers, project.id),
      waits_(waits) {}

Task<rules::Decision> Inquiry::decide() {
  for (std::size_t round = 0; round < 2 * max_rounds + 2 * max_rounds * fetched_.size(); ++round) {
    auto decision = rules::decide(exchange_);
    if (const auto wanted = wanted_for(decision); !holds(wanted)) {
      // First questions can be asked under the locks as they are: it is decided anew when they are answered.
      const bool asks_first = std::holds_alternative<rules::Ask>(decision) && facts_->known().empty();
      if (auto deny = co_await lock(wanted)) co_return *deny;
      if (!asks_first) continue;
    }
    const auto* wanted_image = std::get_if<rules::Fetch>(&decision);
    if (wanted_image && !services_.changes_nothing) {
      if (auto deny = co_await fetch(*wanted_image)) co_return *deny;
      continue;
    }
    const auto* ask = std::get_if<rules::Ask>(&decision);
    if (!ask) {
      note_use(decision);
      co_return decision;
    }
    if (auto deny = co_await learn(*ask)) co_return *deny;
  }
  co_return rules::Deny{rules::refusal("upstream.answer"), "references without an end", rules::Kind::None};
}

LockedNames Inquiry::wanted_for(const rules::Decision& decision) const {
  auto wanted = names_in(decision);
  if (rules::takes_turn(*exchange_.match.endpoint)) wanted.project = exchange_.project.id;
  return wanted;
}

/// Nothing may come between the decision and this.
void Inquiry::note_use(const rules::Decision& decision) {
  if (const auto* uses = rules::uses_of(decision)) running_ = services_.usage.begin(exchange_.project.id, *uses);
  hold_.share();
}

/// Requests that change nothing have nothing to protect.
bool Inquiry::holds(const LockedNames& wanted) const {
  return rules::is_safe(exchange_.request.method) || locked_.covers(wanted);
}

/// What was found out before is forgotten.
Task<std::optional<rules::Deny>> Inquiry::lock(const LockedNames& wanted) {
  hold_.release();
  locked_.names.insert(wanted.names.begin(), wanted.names.end());
  locked_.all |= wanted.all;
  locked_.project = wanted.project;
  locked_.account = exchange_.project.id;
  locked_.alone |= wanted.alone;
  const auto& limits = services_.limits;
  auto hold = co_await services_.locks.acquire(locked_, limits.lock_time, limits.turn_time);
  if (!hold)
    co_return rules::Deny{rules::refusal("server.busy"), "other requests that come first take too long",
                          rules::Kind::None};
  hold_ = std::move(*hold);
  forget_all();
  co_return std::nullopt;
}

void Inquiry::forget_all() {
  facts_.emplace(exchange_.project, services_.known(), services_.memory, services_.usage);
  for (const auto& reference : fetched_) facts_->note_fetched(reference);
  buffered_.shrink_to(0);
}

/// The pull takes what it needs for itself: nothing may be held meanwhile.
Task<std::optional<rules::Deny>> Inquiry::fetch(const rules::Fetch& wanted) {
  hold_.release();
  locked_ = {};
  fetched_.push_back(wanted.reference);
  auto deny = co_await fetch_image(services_, exchange_.project, wanted, waits_);
  forget_all();
  co_return deny;
}

void Inquiry::record(const std::vector<rules::Claim>& claims) {
  services_.ledger.apply(exchange_.project.id, claims, rules::way_of(exchange_));
}

Inquiry::Claimed::Claimed(Inquiry& inquiry, const std::vector<rules::Claim>& claims)
    : inquiry_(inquiry), claims_(claims) {
  inquiry_.services_.ledger.claim(inquiry_.exchange_.project.id, claims, rules::way_of(inquiry_.exchange_));
}

Inquiry::Claimed::~Claimed() { inquiry_.services_.ledger.release(inquiry_.exchange_.project.id, claims_); }

Task<std::optional<NameLocks::Hold>> Inquiry::hold_images() {
  LockedNames all_images;
  all_images.names.insert("images/");  // nothing else can be called so
  all_images.account = exchange_.project.id;
  co_return co_await services_.locks.acquire(all_images, services_.limits.turn_time);
}

Task<std::optional<rules::Deny>> Inquiry::learn(const rules::Ask& ask) {
  for (const auto& question : ask.questions)
    if (auto deny = co_await find_out(question)) co_return deny;
  co_return std::nullopt;
}

Task<std::optional<rules::Deny>> Inquiry::find_out(const rules::Question& question) {
  if (!services_.stated) co_return co_await ask_upstream(services_, *facts_, question, buffered_, waits_);
  const auto [status, content] = services_.stated->answer(question);
  co_return proxy::learn(*facts_, question, status, content, {});
}

}  // namespace podfence::proxy
