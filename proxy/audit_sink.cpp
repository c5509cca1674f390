#include "proxy/audit_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "proxy/private_file.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {
namespace {

constexpr std::size_t most_kept = 64 * 1024;

/// Lines are one write(2), unless that stops short.
class Descriptor {
 public:
  int write(int file, std::string_view lines) {
    // A line of its own for what comes behind one that was cut off.
    if (torn_)
      if (const int error = write_all(file, "\n")) return error;
    return write_all(file, lines);
  }

  /// As the file is that it goes on with: whoever wrote it may have been killed within a line.
  void begin(int file) {
    struct stat status {};
    char last = '\n';
    torn_ = ::fstat(file, &status) == 0 && status.st_size > 0 && ::pread(file, &last, 1, status.st_size - 1) == 1 &&
            last != '\n';
  }

 private:
  int write_all(int file, std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      if (written > 0) torn_ = text[static_cast<std::size_t>(written) - 1] != '\n';
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }

  bool torn_ = false;  ///< the file ends within a line
};

class StandardError : public AuditSink {
 public:
  /// At once: others may write to it as well, and only what is short is not torn then.
  int write(const rules::AuditRecord&, std::string line) override { return out_.write(STDERR_FILENO, line += '\n'); }
  void reopen() override { throw std::runtime_error("standard error is no file of podfence's"); }

 private:
  Descriptor out_;
};

class LogFile : public AuditSink {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) { begin(); }

  int write(const rules::AuditRecord&, std::string line) override {
    kept_ += line += '\n';
    return kept_.size() < most_kept ? 0 : flush();
  }

  int flush() override {
    if (kept_.empty()) return 0;
    const int error = out_.write(file_.descriptor(), kept_);
    kept_.clear();
    return error;
  }

  void reopen() override { begin(); }

 private:
  void begin() {
    file_ = open_private_file(path_, O_RDWR | O_APPEND);
    out_.begin(file_.descriptor());
  }

  std::string path_;
  File file_;
  std::string kept_;
  Descriptor out_;
};

}  // namespace

std::unique_ptr<AuditSink> open_audit_sink(const std::string& to) {
  if (to == rules::audit_to_standard_error) return std::make_unique<StandardError>();
  if (to == rules::audit_to_journal) return open_journal();
  return std::make_unique<LogFile>(to);
}

}  // namespace podfence::proxy
