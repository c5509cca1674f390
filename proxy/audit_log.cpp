#include "proxy/audit_log.hpp"

#include <boost/asio/post.hpp>
#include <cstdio>
#include <system_error>
#include <utility>

#include "proxy/turn.hpp"

namespace podfence::proxy {

AuditLog::AuditLog(const rules::AuditSettings& settings)
    : sink_(open_audit_sink(settings.to)), bodies_(settings.bodies) {}

bool AuditLog::is_put_off() const { return executor_ && Turn::of(*executor_).is_shared(); }

void AuditLog::write(const rules::AuditRecord& record) {
  const int error = sink_->write(record, rules::write_audit_line(record));
  kept_ = error == 0;
  if (error != 0)
    note(error);
  else if (is_put_off())
    flush_later();
  else
    flush();
  for (const auto& observer : observers_) observer(record);
}

void AuditLog::flush() {
  if (std::exchange(kept_, false)) note(sink_->flush());
}

void AuditLog::flush_later() {
  if (flushes_later_) return;
  boost::asio::post(*executor_, [this] {
    flushes_later_ = false;
    flush();
  });
  flushes_later_ = true;
}

void AuditLog::reopen() {
  flush();
  sink_->reopen();
}

void AuditLog::note(int error) {
  // Once, not with every request: the reader of standard error must learn of it and must not drown in it.
  if (error != 0 && !failing_)
    std::fprintf(stderr, "podfence: cannot write the audit log: %s; decisions are not recorded until it works again\n",
                 std::generic_category().message(error).c_str());
  failing_ = error != 0;
}

}  // namespace podfence::proxy
