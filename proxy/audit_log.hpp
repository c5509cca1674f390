#pragma once
// Where decisions are written: a file opened for append, or standard error. A line is one write(2).

#include <functional>
#include <string>
#include <vector>

#include "rules/audit.hpp"

namespace podfence::proxy {

class AuditLog {
 public:
  /// "" for standard error. Throws std::runtime_error with a sentence when the file cannot be opened, or others may
  /// write it (created with mode 0600).
  explicit AuditLog(const std::string& path);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void write(const rules::AuditRecord& record);
  /// Is told of every record as well. Lives as long as the log is written to.
  void observe(std::function<void(const rules::AuditRecord&)> observer) { observers_.push_back(std::move(observer)); }

 private:
  int file_ = -1;
  bool owned_ = false;
  bool failing_ = false;
  std::vector<std::function<void(const rules::AuditRecord&)>> observers_;
};

}  // namespace podfence::proxy
