#pragma once
// The record of all decisions: to a sink, and to whoever observes it.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "proxy/audit_sink.hpp"
#include "proxy/task.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {

class AuditLog {
 public:
  /// Throws like open_audit_sink.
  explicit AuditLog(const rules::AuditSettings& settings = {});
  ~AuditLog() { flush(); }
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void write(const rules::AuditRecord& record);
  /// From here on what is written in a turn of that loop that is shared is there at the end of the turn.
  void put_off(const Executor& executor) { executor_ = executor; }
  /// Is what was judged of a request recorded as well?
  bool takes_bodies() const { return bodies_; }
  /// Behind a rotation. Throws std::runtime_error with a sentence; then the former file goes on.
  void reopen();
  /// Is told of every record as well. Lives as long as the log is written to.
  void observe(std::function<void(const rules::AuditRecord&)> observer) { observers_.push_back(std::move(observer)); }

 private:
  bool is_put_off() const;
  void flush();
  void flush_later();
  void note(int error);

  std::unique_ptr<AuditSink> sink_;
  std::optional<Executor> executor_;
  bool kept_ = false;  ///< the sink may keep what was written
  bool flushes_later_ = false;
  bool bodies_ = false;
  bool failing_ = false;
  std::vector<std::function<void(const rules::AuditRecord&)>> observers_;
};

}  // namespace podfence::proxy
