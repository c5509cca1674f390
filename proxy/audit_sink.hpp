#pragma once
// The places that audit lines go to: a file opened for append, standard error, or the journal.

#include <memory>
#include <string>

#include "rules/audit.hpp"

namespace podfence::proxy {

class AuditSink {
 public:
  virtual ~AuditSink() = default;
  /// 0, or the error number: the line is not there, or not whole. `line` is the record's, without its end. It may be
  /// kept until flush().
  virtual int write(const rules::AuditRecord& record, std::string line) = 0;
  /// 0, or the error number: what was kept is not there, or not whole.
  virtual int flush() { return 0; }
  /// Of a file that was given another name: opens the path anew, with nothing kept. Throws as at the start; then
  /// nothing has changed.
  virtual void reopen() {}
};

/// `to`: an absolute path, "journald" or "stderr". Throws std::runtime_error with a sentence when a file cannot be
/// opened or others may write it (created with mode 0600), or there is no journal.
std::unique_ptr<AuditSink> open_audit_sink(const std::string& to);

/// The journal's socket is named for tests.
std::unique_ptr<AuditSink> open_journal(const std::string& socket = "/run/systemd/journal/socket");

}  // namespace podfence::proxy
