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

/// A line is one write(2), unless that stops short.
class Descriptor {
 public:
  int write(int file, std::string line) {
    line += '\n';
    if (torn_) line.insert(0, 1, '\n');
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = ::write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    const int error = rest.empty() ? 0 : errno;
    if (rest.size() < line.size()) torn_ = !rest.empty();
    return error;
  }
  void begin() { torn_ = false; }

 private:
  bool torn_ = false;  ///< the file ends within a line
};

class StandardError : public AuditSink {
 public:
  int write(const rules::AuditRecord&, std::string line) override { return out_.write(STDERR_FILENO, std::move(line)); }
  void reopen() override { throw std::runtime_error("standard error is no file of podfence's"); }

 private:
  Descriptor out_;
};

class LogFile : public AuditSink {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)), file_(open()) {}

  int write(const rules::AuditRecord&, std::string line) override {
    return out_.write(file_.descriptor(), std::move(line));
  }

  void reopen() override {
    file_ = open();
    out_.begin();
  }

 private:
  File open() const { return open_private_file(path_, O_WRONLY | O_APPEND); }

  std::string path_;
  File file_;
  Descriptor out_;
};

}  // namespace

std::unique_ptr<AuditSink> open_audit_sink(const std::string& to) {
  if (to == rules::audit_to_standard_error) return std::make_unique<StandardError>();
  if (to == rules::audit_to_journal) return open_journal();
  return std::make_unique<LogFile>(to);
}

}  // namespace podfence::proxy
