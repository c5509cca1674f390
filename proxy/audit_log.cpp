#include "proxy/audit_log.hpp"

#include <cstdio>
#include <system_error>

namespace podfence::proxy {

AuditLog::AuditLog(const rules::AuditSettings& settings)
    : sink_(open_audit_sink(settings.to)), bodies_(settings.bodies) {}

void AuditLog::write(const rules::AuditRecord& record) {
  const int error = sink_->write(record, rules::write_audit_line(record));
  // Once, not with every request: the reader of standard error must learn of it and must not drown in it.
  if (error != 0 && !failing_)
    std::fprintf(stderr, "podfence: cannot write the audit log: %s; decisions are not recorded until it works again\n",
                 std::generic_category().message(error).c_str());
  failing_ = error != 0;
  for (const auto& observer : observers_) observer(record);
}

}  // namespace podfence::proxy
