#pragma once
// The content of the client's request: read when the request has been judged far enough, under a time limit for each
// piece, and asked for with 100 (Continue) when the client waits for that.

#include <optional>
#include <string>

#include "proxy/buffer_budget.hpp"
#include "proxy/content_source.hpp"
#include "proxy/deadline.hpp"
#include "proxy/limits.hpp"
#include "proxy/message_io.hpp"
#include "proxy/waits.hpp"
#include "rules/audit.hpp"

namespace podfence::proxy {

class RequestContent final : public ContentSource {
 public:
  /// Its size goes into the record. `waits`: of the exchange that it belongs to, if those are counted.
  RequestContent(Connection& connection, Deadline& deadline, const Limits& limits, const RequestHead& head,
                 rules::AuditRecord& record, Waits* waits = nullptr);

  Task<ContentPiece> next_piece() override;
  Task<std::string_view> next();
  /// All of it; nothing when it is not complete, larger than `limit`, or than what is left for it in memory: see
  /// failure().
  Task<std::optional<std::string>> read_whole(std::size_t limit, BufferBudget::Share& share);

  Executor executor() { return connection_.executor(); }
  Waits* waits() const { return waits_; }
  bool expected() const { return framing_.has_content(); }
  bool complete() const override { return reader_.state() == ContentReader::State::Complete; }
  rules::Deny failure() const override;

 private:
  template <class What>
  Task<What> next_of(Task<What> (ContentReader::*read)());

  Connection& connection_;
  Deadline& deadline_;
  const Limits& limits_;
  rules::AuditRecord& record_;
  Waits* waits_;
  Framing framing_;
  ContentReader reader_;
  bool continue_awaited_;
  bool late_ = false;
  bool crowded_ = false;      ///< too much is in memory already
  std::size_t exceeded_ = 0;  ///< the limit that it was larger than
};

}  // namespace podfence::proxy
