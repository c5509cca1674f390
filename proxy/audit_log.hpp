#pragma once
// The record of all decisions: to a sink, and to whoever observes it.

#include <functional>
#include <memory>
#include <vector>

#include "proxy/audit_sink.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {

class AuditLog {
 public:
  /// Throws like open_audit_sink.
  explicit AuditLog(const rules::AuditSettings& settings = {});
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void write(const rules::AuditRecord& record);
  /// Is what was judged of a request recorded as well?
  bool takes_bodies() const { return bodies_; }
  /// Behind a rotation. Throws std::runtime_error with a sentence; then the former file goes on.
  void reopen() { sink_->reopen(); }
  /// Is told of every record as well. Lives as long as the log is written to.
  void observe(std::function<void(const rules::AuditRecord&)> observer) { observers_.push_back(std::move(observer)); }

 private:
  std::unique_ptr<AuditSink> sink_;
  bool bodies_ = false;
  bool failing_ = false;
  std::vector<std::function<void(const rules::AuditRecord&)>> observers_;
};

}  // namespace podfence::proxy
