#include "proxy/replay.hpp"

#include "proxy/upstream.hpp"
#include "rules/made_object.hpp"
#include "rules/object_claim.hpp"
#include "rules/refusal.hpp"
#include "rules/shown_request.hpp"
#include "rules/workspace_volume.hpp"

namespace podfence::proxy {
namespace {

/// Of what is not made here.
std::string unknown_id() { return std::string(64, '0'); }

/// The bytes that Podman gets, in order, but for the values of secrets.
std::vector<std::string> messages_of(const rules::Decision& decision, const rules::Judged& judged) {
  std::vector<std::string> messages;
  const auto add = [&](const rules::UpstreamRequest& request) {
    messages.push_back(write_request(rules::as_shown(request), false, false));
  };
  if (const auto* needs = rules::needs_of(decision)) {
    for (const auto& volume : needs->workspace_volumes) add(rules::claim(volume));
    for (const auto& volume : needs->volumes) add(rules::claim(judged.project, volume));
    for (const auto& network : needs->networks) add(rules::claim(judged.project, network));
  }
  if (const auto* batch = std::get_if<rules::Batch>(&decision)) {
    for (const auto& item : batch->items)
      if (!item.ledger_only) add(item.about ? rules::with_made_id(item.request, unknown_id()) : item.request);
  }
  if (const auto* forward = std::get_if<rules::Forward>(&decision)) {
    const auto& endpoint = *judged.match->endpoint;
    const bool streamed = endpoint.body == rules::Body::Stream || judged.request->archive;
    const bool hijacks = rules::relay_of(endpoint.answer) == rules::Relay::Hijack;
    messages.push_back(write_request(rules::as_shown(forward->request), streamed, hijacks));
  }
  return messages;
}

/// What begins and does not go on is refused when its time is over.
rules::Decision unfinished_head() { return rules::Deny{rules::refusal("http.timeout"), "the head", rules::Kind::None}; }

bool says_nothing(std::string_view bytes) { return bytes.find_first_not_of("\r\n") == std::string_view::npos; }

std::string_view difference_between(const Replay::Result& one, const Replay::Result& other) {
  if (one.verdicts.size() != other.verdicts.size() || one.closed != other.closed) return "decision";
  for (std::size_t i = 0; i < one.verdicts.size(); ++i)
    if (const auto what = rules::difference_between(one.verdicts[i], other.verdicts[i]); !what.empty()) return what;
  return "";
}

}  // namespace

Replay::Result Replay::decide_once(std::string_view bytes) {
  Result result;
  const auto end = rehearsal_.play(bytes, [&](const auto& judged, const RequestHead*, rules::Decision decision) {
    auto& verdict = result.verdicts.emplace_back(rules::verdict_of(judged, decision));
    verdict.sent = messages_of(decision, judged);
  });
  result.closed = end == Rehearsal::End::Closed;
  if (end == Rehearsal::End::InsideHead)
    result.verdicts.push_back(rules::verdict_of({project_, "", ""}, unfinished_head()));
  return result;
}

Replay::Result Replay::decide(std::string_view bytes) {
  if (says_nothing(bytes)) return {};
  rehearsal_.forget();
  auto result = decide_once(bytes);
  result.differs = difference_between(result, decide_once(bytes));
  return result;
}

}  // namespace podfence::proxy
