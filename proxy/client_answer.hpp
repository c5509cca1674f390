#pragma once
// The answer to one request, on the client's connection: our framing, the id of the exchange, and whether the
// connection goes on behind it.

#include <chrono>
#include <string>
#include <vector>

#include "proxy/deadline.hpp"
#include "proxy/limits.hpp"
#include "proxy/message_io.hpp"
#include "proxy/waits.hpp"
#include "rules/audit.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

class ClientAnswer {
 public:
  /// Status, size and the time until it begins go into the record. `waits`: those of the exchange, which begins now.
  ClientAnswer(Connection& connection, Deadline& deadline, const Limits& limits, rules::AuditRecord& record,
               const Waits& waits)
      : connection_(connection), deadline_(deadline), limits_(limits), record_(record), waits_(waits) {}

  /// The request was a HEAD: no content, whatever the fields say.
  void set_to_head(bool to_head) { to_head_ = to_head; }
  /// The connection ends behind this answer. Before begin() the client is told.
  void close_after() { closes_ = true; }
  /// As close_after(), when that is so by the time of begin().
  void close_if(const bool& stopping) { stopping_ = &stopping; }
  bool has_begun() const { return record_.status != 0; }
  /// The answer was given whole.
  bool finished() const { return finished_; }
  /// The answer was complete, and another request may follow it.
  bool connection_goes_on() const { return finished_ && !closes_; }

  /// A whole answer. Content-Type among `fields` gives way to the reply's own. A client that does not take it is cut.
  Task<bool> send(const rules::Reply& reply, const rules::Fields& fields = {});

  /// Piece by piece; every piece goes out at once, `first` together with the head. False: the client does not take it.
  /// How long upstream may be silent between two pieces has no limit, how long the client may take for one has.
  Task<bool> begin(int status, rules::Fields fields, const Framing& content, ContentPiece first = {});
  Task<bool> write(std::string_view piece) { return write(ContentPiece(piece)); }
  Task<bool> write(ContentPiece piece);
  /// Each is a piece, and all go out together.
  Task<bool> write_each(const std::vector<std::string>& pieces);
  Task<bool> finish();
  /// A tunnel carries its bytes past this. `whole`: it ended by itself.
  void end_tunnel(bool whole) { finished_ = whole; }
  /// The answer stays as it is. The first reason is recorded: AuditRecord::aborted.
  void abort(std::string_view why);

 private:
  Task<bool> send_whole(std::string_view head, std::string_view content);
  bool was_taken(bool sent);
  void note_time();
  std::string head(int status, rules::Fields fields, const Framing& content);

  Connection& connection_;
  Deadline& deadline_;
  const Limits& limits_;
  rules::AuditRecord& record_;
  const Waits& waits_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Framing framing_;
  bool to_head_ = false;
  bool closes_ = false;
  bool finished_ = false;
  const bool* stopping_ = nullptr;
};

}  // namespace podfence::proxy
