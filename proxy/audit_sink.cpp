#include "proxy/audit_sink.hpp"

#include <fcntl.h>
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
    std::string apart;
    if (torn_) lines = apart.append("\n").append(lines);
    std::string_view rest = lines;
    while (!rest.empty()) {
      const ssize_t written = ::write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    const int error = rest.empty() ? 0 : errno;
    if (const auto written = lines.size() - rest.size(); written > 0) torn_ = lines[written - 1] != '\n';
    return error;
  }
  void begin() { torn_ = false; }

 private:
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
  explicit LogFile(std::string path) : path_(std::move(path)), file_(open()) {}

  int write(const rules::AuditRecord&, std::string line) override {
    kept_.append(line) += '\n';
    return kept_.size() < most_kept ? 0 : flush();
  }

  int flush() override {
    if (kept_.empty()) return 0;
    const int error = out_.write(file_.descriptor(), kept_);
    kept_.clear();
    return error;
  }

  void reopen() override {
    file_ = open();
    out_.begin();
  }

 private:
  File open() const { return open_private_file(path_, O_WRONLY | O_APPEND); }

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
