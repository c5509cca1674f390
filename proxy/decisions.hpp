#pragma once
// Decisions as they are made, for those who watch: `GET /decisions`, a stream of server-sent events. Nobody waits for a
// reader: one that is too slow loses decisions, and is told how many.

#include <boost/asio/steady_timer.hpp>
#include <boost/circular_buffer.hpp>
#include <functional>
#include <list>
#include <string>

#include "proxy/client_answer.hpp"
#include "rules/operator/decision_event.hpp"

namespace podfence::proxy {

class Decisions {
 public:
  static constexpr std::size_t max_readers = 8;
  /// Kept for readers that ask what was before: so many of denials and failures, and so many of others.
  static constexpr std::size_t max_recent = 200;
  static constexpr std::size_t max_waiting = 256;  ///< events that one reader has not taken yet

  /// Where the policy stands that could change a decision.
  using Place = std::function<std::optional<rules::PolicyPlace>(const rules::AuditRecord&)>;

  /// `heartbeat`: behind so much silence a reader is told that there is nothing.
  explicit Decisions(Executor executor, Place place, std::chrono::milliseconds heartbeat = std::chrono::seconds(15))
      : executor_(std::move(executor)), place_(std::move(place)), heartbeat_(heartbeat) {}

  void tell(const rules::AuditRecord& record);
  std::size_t readers() const { return readers_.size(); }

  /// Until the reader goes. A refusal has not been answered yet.
  Task<std::optional<rules::Deny>> follow(const rules::OperatorCall& call, ClientAnswer& answer);

 private:
  struct Reader;
  void queue(Reader& reader, const rules::AuditRecord& record);
  void queue_recent(Reader& reader, std::size_t most);

  Executor executor_;
  Place place_;
  std::chrono::milliseconds heartbeat_;
  boost::circular_buffer<rules::AuditRecord> recent_denied_{max_recent};
  boost::circular_buffer<rules::AuditRecord> recent_others_{max_recent};
  std::list<Reader*> readers_;
};

}  // namespace podfence::proxy
