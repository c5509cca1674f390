#include "proxy/audit_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "proxy/private_file.hpp"

namespace podfence::proxy {
namespace {

/// False when the rest of the line could not be written.
bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

AuditLog::AuditLog(const std::string& path)
    : file_(path.empty() ? STDERR_FILENO : open_private_file(path, O_WRONLY | O_APPEND).release()),
      owned_(!path.empty()) {}

AuditLog::~AuditLog() {
  if (owned_) close(file_);
}

void AuditLog::write(const rules::AuditRecord& record) {
  const bool written = write_whole(file_, rules::write_audit_line(record) + "\n");
  // Once, not with every request: the reader of standard error must learn of it and must not drown in it.
  if (!written && !failing_)
    std::fprintf(stderr, "podfence: cannot write the audit log: %s; decisions are not recorded until it works again\n",
                 std::generic_category().message(errno).c_str());
  failing_ = !written;
  for (const auto& observer : observers_) observer(record);
}

}  // namespace podfence::proxy
