#include "proxy/forwarding.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <set>

#include "proxy/begun_content.hpp"
#include "proxy/directory.hpp"
#include "proxy/patience.hpp"
#include "proxy/relay.hpp"
#include "proxy/tunnel.hpp"
#include "rules/contains.hpp"
#include "rules/error_answer.hpp"
#include "rules/image_removal.hpp"
#include "rules/made_object.hpp"
#include "rules/names.hpp"
#include "rules/object_claim.hpp"
#include "rules/refusal.hpp"
#include "rules/workspace_volume.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;

bool succeeded(int status) { return status >= 200 && status < 300; }
bool passed(const rules::Outcome& outcome) { return succeeded(outcome.status); }

/// What upstream makes has to be seen to its end, also when the client goes: volumes may have to be undone, and what is
/// counted while it is made would be missed.
bool makes_something(const rules::Forward& forward) {
  return !forward.volumes.empty() || !forward.networks.empty() ||
         std::ranges::any_of(forward.uses, [](const rules::Use& use) { return rules::lasts(use.resource); });
}

/// Podman goes on building when nobody listens, and the build counts as long as it does.
bool is_build(const rules::Forward& forward) {
  return rules::contains(forward.uses, rules::Resource::Builds, &rules::Use::resource);
}

bool claims_objects(const rules::Needs& needs) {
  return !needs.workspace_volumes.empty() || !needs.volumes.empty() || !needs.networks.empty();
}

/// Upstream has answered, if only with an error, or what became of the request is not known.
bool may_have_made_something(const Refused& refused) { return !refused || refused->rule == refusal("upstream.answer"); }

/// Podman answers a hijacked request with 101, or with 200 and a stream without end (libpod/util.go:writeHijackHeader).
bool is_tunnel(const AnswerHead& head) {
  return head.status == 101 || (head.status == 200 && head.content.kind == Framing::Kind::UntilClose);
}

Deny images_are_busy() {
  return {refusal("server.busy"), "changes of images that come first take too long", rules::Kind::None};
}

}  // namespace

Refused check_sources(const rules::Needs& needs) {
  for (const auto& [root, below, client_path] : needs.sources) {
    if (!wrong_with_directory(root).empty())
      return Deny{refusal("mount.workspace-absent"), client_path, rules::Kind::None};
    if (!below.empty() && !is_below_directory(root, below))
      return Deny{refusal("mount.source-absent"), client_path, rules::Kind::None};
  }
  return std::nullopt;
}

bool Forwarding::hijacks() const {
  return rules::relay_of(inquiry_.exchange().match.endpoint->answer) == rules::Relay::Hijack;
}

ContentSource* Forwarding::streamed() const {
  if (archive_) return archive_;
  return inquiry_.exchange().match.endpoint->body == rules::Body::Stream ? &exchange_.content : nullptr;
}

Task<Refused> Forwarding::carry_out(const rules::Forward& forward) {
  if (rules::tells_of_all(inquiry_.exchange().match.endpoint->answer)) co_return co_await carry_out_list(forward);
  auto& [services, client, deadline, departure, head, content, answer, trail] = exchange_;
  const bool records = rules::is_recorded(inquiry_.exchange());
  const bool builds = is_build(forward);
  const bool outlasts = records || builds;  // the client
  const bool finishes = outlasts || makes_something(forward);
  if (finishes) departure.set(builds ? Departure::Means::Outlast : Departure::Means::Finish);
  const Inquiry::Claimed claimed(inquiry_, forward.before);
  // Locked names are held at upstream's pace, never at the client's. What a stream goes into exists already; that it
  // may be removed meanwhile is so without a proxy as well.
  if (streamed() == &exchange_.content) inquiry_.release_names();
  UpstreamCall call(services.upstream, &trail.waits);
  Refused refused;
  if (rules::names_image(inquiry_.exchange()))
    refused = co_await send_alone(forward, call);
  else
    refused = co_await send(forward, call);
  const bool failed = refused || call.head().status >= 400;
  if (failed) co_await unclaim_volumes();
  if (failed && !(records && may_have_made_something(refused))) inquiry_.record(forward.on_failure);
  if (!refused && !forward.steady.empty()) refused = co_await check_steady(forward);
  inquiry_.release_names();
  if (!outlasts || refused) departure.set(Departure::Means::Cancel);
  if (refused || (finishes && !outlasts && client.peer_closed())) co_return refused;

  if (!content.complete()) answer.close_after();
  if (hijacks() && is_tunnel(call.head())) {
    co_await tunnel(call);
    co_return std::nullopt;
  }
  refused = co_await relay_answer(call, inquiry_, services, answer);
  departure.set(Departure::Means::Cancel);
  co_return refused;
}

/// Other projects' removals must not make this one's lists fail.
Task<Refused> Forwarding::carry_out_list(const rules::Forward& forward) {
  auto& [services, client, deadline, departure, head, content, answer, trail] = exchange_;
  if (!content.complete()) answer.close_after();
  Patience patience(co_await boost::asio::this_coro::executor);
  while (true) {
    UpstreamCall call(services.upstream, &trail.waits);
    if (auto refused = co_await send(forward, call)) co_return refused;
    const auto refused = co_await relay_answer(call, inquiry_, services, answer);
    bool again = refused && refused->rule == refusal("upstream.changing");
    if (again) again = co_await patience.wait();
    if (!again) co_return refused;
  }
}

Task<Refused> Forwarding::check_steady(const rules::Forward& forward) {
  auto& facts = inquiry_.exchange().facts;
  for (const auto& [kind, name, id] : forward.steady) {
    facts.forget({rules::Question::Ask::Object, kind, name});
    if (auto refused = co_await look_up(kind, name)) co_return refused;
    if (facts.find_upstream(kind, name)->id != id) co_return rules::hidden(kind, name);
  }
  co_return std::nullopt;
}

/// Nobody takes the image away that it names.
Task<Refused> Forwarding::send_alone(const rules::Forward& forward, UpstreamCall& call) {
  const auto alone = co_await inquiry_.hold_images();
  if (!alone) co_return images_are_busy();
  co_return co_await send(forward, call);
}

Task<Refused> Forwarding::send(const rules::Forward& forward, UpstreamCall& call) {
  if (auto refused = check_sources(forward)) co_return refused;
  if (claims_objects(forward)) {
    if (auto refused = co_await claim_objects(forward)) co_return refused;
  }
  auto* source = streamed();
  if (archive_) archive_->set_written(forward.members);
  BegunContent begun(exchange_.content);
  if (source == &exchange_.content) {
    const bool has_begun = co_await begun.begin();
    if (!has_begun) co_return begun.failure();
    source = &begun;
  }
  const auto outcome = co_await call.send(forward.request, source, hijacks());
  if (outcome == UpstreamCall::Outcome::SourceFailed) co_return source->failure();
  co_return refusal_for(outcome);
}

Task<Refused> Forwarding::claim_objects(const rules::Needs& needs) {
  const auto& project = inquiry_.exchange().project;
  for (const auto& volume : needs.workspace_volumes)
    if (auto refused = co_await claim(volume)) co_return refused;
  for (const auto& volume : needs.volumes) {
    auto request = rules::claim(project, volume);
    if (auto refused = co_await claim(rules::Kind::Volume, volume.name, std::move(request))) co_return refused;
  }
  for (const auto& network : needs.networks) {
    auto request = rules::claim(project, network);
    if (auto refused = co_await claim(rules::Kind::Network, network.name, std::move(request))) co_return refused;
  }
  co_return std::nullopt;
}

Task<Refused> Forwarding::claim(rules::Kind kind, std::string name, rules::UpstreamRequest request) {
  UpstreamCall call(exchange_.services.upstream, &exchange_.trail.waits);
  const auto outcome = co_await call.send(request);
  if (auto refused = refusal_for(outcome)) co_return refused;
  if (kind == rules::Kind::Volume && rules::volume_was_made(call.head().status)) made_.push_back(name);
  inquiry_.exchange().facts.forget(rules::owner_of_claimed(kind, name));
  co_return co_await check_owner(kind, std::move(name));
}

/// Made for good: it is nobody's and everybody's.
Task<Refused> Forwarding::claim(const rules::WorkspaceVolume& volume) {
  UpstreamCall call(exchange_.services.upstream, &exchange_.trail.waits);
  const auto request = rules::claim(volume);
  if (auto refused = refusal_for(co_await call.send(request))) co_return refused;
  auto& facts = inquiry_.exchange().facts;
  facts.forget(rules::owner_of_claimed(rules::Kind::Volume, volume.name));
  if (auto refused = co_await look_up(rules::Kind::Volume, volume.name)) co_return refused;
  co_return rules::check_claim(volume, facts.find_upstream(rules::Kind::Volume, volume.name)->document);
}

Task<Refused> Forwarding::check_owner(rules::Kind kind, std::string name) {
  if (auto refused = co_await look_up(kind, name)) co_return refused;
  co_return rules::check_claim(kind, *inquiry_.exchange().facts.find_upstream(kind, name),
                               rules::client_name(inquiry_.exchange().project, name));
}

/// The fact is known then.
Task<Refused> Forwarding::look_up(rules::Kind kind, std::string name) {
  auto& facts = inquiry_.exchange().facts;
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    const auto* fact = facts.find_upstream(kind, name);
    if (facts.complete() && fact) co_return std::nullopt;
    const rules::Ask ask{facts.take_open()};  // named, as in relay.cpp: whole()
    if (auto refused = co_await inquiry_.learn(ask)) co_return refused;
  }
  co_return refusal_for(UpstreamCall::Outcome::Invalid);
}

Task<void> Forwarding::unclaim_volumes() {
  for (const auto& name : made_) {
    UpstreamCall call(exchange_.services.upstream, &exchange_.trail.waits);
    co_await call.send(rules::unclaim_volume(name));
  }
}

Task<Refused> Forwarding::carry_out(const rules::Batch& batch) {
  exchange_.departure.set(Departure::Means::Finish);
  if (batch.together) co_return co_await carry_out_together(batch);
  std::set<std::string> names;
  for (const auto& item : batch.items) names.insert(item.name);
  inquiry_.keep_names(std::move(names));
  std::vector<rules::Outcome> outcomes;
  for (const auto& item : batch.items) outcomes.push_back(co_await send(item));
  inquiry_.release_names();
  exchange_.departure.set(Departure::Means::Cancel);
  co_await exchange_.answer.send(rules::report(inquiry_.exchange(), outcomes));
  co_return std::nullopt;
}

Task<Refused> Forwarding::carry_out_together(const rules::Batch& batch) {
  std::vector<rules::Outcome> outcomes;
  auto refused = check_sources(batch.needs);
  if (!refused) refused = co_await claim_objects(batch.needs);
  bool failed = refused.has_value();
  for (std::size_t i = 0; i < batch.items.size() && !failed; ++i) {
    refused = check_sources(batch.needs);  // anew: much can be done meanwhile in what is mounted
    if (!refused) outcomes.push_back(co_await send_about(batch.items[i], outcomes));
    failed = refused || (!batch.items[i].may_fail && !passed(outcomes.back()));
  }
  if (failed) {
    co_await undo(batch, outcomes);
    co_await unclaim_volumes();
  }
  inquiry_.release_names();
  exchange_.departure.set(Departure::Means::Cancel);
  if (!refused) co_await exchange_.answer.send(rules::report(inquiry_.exchange(), outcomes));
  co_return refused;
}

/// Without the id that it needs nothing is sent.
Task<rules::Outcome> Forwarding::send_about(const rules::Batch::Item& item,
                                            const std::vector<rules::Outcome>& outcomes) {
  if (!item.about) co_return co_await send(item);
  const auto id = rules::made_id(outcomes[*item.about].content);
  auto named = item;
  if (id) named.request = rules::with_made_id(item.request, *id);
  if (id) co_return co_await send(named);
  const Deny unknown{refusal("upstream.answer"), "no id of what was made", rules::Kind::None};
  co_return refused_outcome(item, unknown);
}

/// What was not answered may have been made for all that, but nobody has learnt its id.
Task<void> Forwarding::undo(const rules::Batch& batch, const std::vector<rules::Outcome>& outcomes) {
  for (std::size_t i = outcomes.size(); i-- > 0;) {
    if (!batch.items[i].undo || !succeeded(outcomes[i].status)) continue;
    auto request = *batch.items[i].undo;
    if (const auto id = rules::made_id(outcomes[i].content)) request = rules::with_made_id(std::move(request), *id);
    UpstreamCall call(exchange_.services.upstream, &exchange_.trail.waits);
    const auto outcome = co_await call.send(request);
    if (!refusal_for(outcome) && succeeded(call.head().status))
      inquiry_.record(rules::with_made_id(batch.items[i].on_undo, outcomes[i].content));
  }
}

Task<rules::Outcome> Forwarding::send(rules::Batch::Item item) {
  std::optional<NameLocks::Hold> alone;
  if (rules::removes_image(inquiry_.exchange())) {
    alone = co_await inquiry_.hold_images();
    if (!alone) co_return refused_outcome(item, images_are_busy());
    item = rules::renewed(inquiry_.exchange(), std::move(item));
  }
  rules::Outcome result{item.name, 200, {}};
  if (!item.ledger_only) {
    UpstreamCall call(exchange_.services.upstream, &exchange_.trail.waits);
    auto refused = refusal_for(co_await call.send(item.request));
    if (!refused) {
      auto content = co_await read_whole(call.content(), exchange_.services.limits.answer_bytes, inquiry_.buffered());
      if (auto* deny = std::get_if<Deny>(&content))
        refused = std::move(*deny);
      else
        result.content = std::get<std::string>(std::move(content));
    }
    if (refused) co_return refused_outcome(item, *refused);
    result.status = call.head().status;
  }
  if (succeeded(result.status)) inquiry_.record(rules::with_made_id(item.on_success, result.content));
  co_return result;
}

rules::Outcome Forwarding::refused_outcome(const rules::Batch::Item& item, const Deny& refused) const {
  auto reply = rules::error_answer(refused, inquiry_.exchange().match.endpoint->family);
  return {item.name, reply.status, std::move(reply.content)};
}

Task<void> Forwarding::tunnel(UpstreamCall& call) {
  auto& [services, client, deadline, departure, head, content, answer, trail] = exchange_;
  departure.set(Departure::Means::Drain);
  // The client gets what it asked for, whichever of the two upstream chose.
  const auto framing = head.upgrade ? Framing{} : Framing::until_close();
  if (!co_await answer.begin(head.upgrade ? 101 : 200, rules::answer_fields(call.take_fields()), framing)) co_return;
  const auto end = co_await run_tunnel(client, deadline, services.limits, call.connection(), trail.record);
  answer.end_tunnel(end == TunnelEnd::Whole);
  answer.abort(end == TunnelEnd::ClientSlow ? "client-slow" : "client-gone");
}

}  // namespace podfence::proxy
