#include "proxy/decisions.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <deque>
#include <utility>
#include <vector>

#include "rules/refusal.hpp"

namespace podfence::proxy {

struct Decisions::Reader {
  Reader(Decisions& of, rules::DecisionFilter wanted)
      : decisions(of),
        filter(std::move(wanted)),
        wake(of.executor_),
        place(of.readers_.insert(of.readers_.end(), this)) {}
  ~Reader() { decisions.readers_.erase(place); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// All that waits, at once.
  std::string take() {
    std::string text;
    for (const auto& event : std::exchange(waiting, {})) text += event;
    if (lost > 0) text += rules::lost_event_text(std::exchange(lost, 0));
    return text;
  }

  Task<void> until_woken(std::chrono::milliseconds time) {
    wake.expires_after(time);
    co_await wake.async_wait(boost::asio::as_tuple(as_task));
  }

  Decisions& decisions;
  rules::DecisionFilter filter;
  std::deque<std::string> waiting = {};
  std::size_t lost = 0;
  boost::asio::steady_timer wake;
  std::list<Reader*>::iterator place;
};

void Decisions::tell(const rules::AuditRecord& record) {
  auto& recent = record.rule.empty() ? recent_others_ : recent_denied_;
  recent.push_back(record);  // the texts of the oldest one give their room
  auto& kept = recent.back();
  kept.query = kept.content = std::nullopt;  // they are not told, and can be large
  for (auto* reader : readers_) queue(*reader, record);
}

/// A text is made for those only who can take it: a client that is refused a thousand times a second costs no more.
void Decisions::queue(Reader& reader, const rules::AuditRecord& record) {
  if (!reader.filter.takes(record)) return;
  if (reader.waiting.size() >= max_waiting)
    ++reader.lost;
  else
    reader.waiting.push_back(rules::event_text(rules::decision_event(record, place_(record))));
  reader.wake.cancel();
}

void Decisions::queue_recent(Reader& reader, std::size_t most) {
  std::vector<const rules::AuditRecord*> wanted;
  for (const auto* recent : {&recent_denied_, &recent_others_})
    for (const auto& record : *recent)
      if (reader.filter.takes(record)) wanted.push_back(&record);
  std::ranges::stable_sort(wanted, {}, [](const auto* record) { return std::string_view(record->time); });
  for (auto i = wanted.size() - std::min(most, wanted.size()); i < wanted.size(); ++i) queue(reader, *wanted[i]);
}

Task<std::optional<rules::Deny>> Decisions::follow(const rules::OperatorCall& call, ClientAnswer& answer) {
  if (readers_.size() >= max_readers)
    co_return rules::Deny{rules::refusal("operator.readers"), std::to_string(max_readers)};
  const auto said = rules::wanted_decisions(call, max_recent);
  if (const auto* refused = std::get_if<rules::Deny>(&said)) co_return *refused;
  const auto& wanted = std::get<rules::WantedDecisions>(said);
  Reader reader(*this, wanted.filter);
  queue_recent(reader, wanted.recent);
  rules::Fields fields{{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}};
  constexpr std::string_view greeting = ": decisions, as they are made\n\n";
  bool reads = co_await answer.begin(200, std::move(fields), Framing::chunked(), greeting);
  while (reads) {
    auto text = reader.take();
    if (text.empty()) {
      co_await reader.until_woken(heartbeat_);
      text = reader.take();
    }
    if (text.empty()) text = ": nothing\n\n";
    reads = co_await answer.write(text);
  }
  co_return std::nullopt;
}

}  // namespace podfence::proxy
