// The journal, by its native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram of NAME=value lines. Not
// by libsystemd: sd_journal_sendv says that all is well where there is no journal (tried with 252), and waits for one
// that hangs without an end.

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "proxy/audit_sink.hpp"
#include "proxy/private_file.hpp"
#include "rules/escaped.hpp"

namespace podfence::proxy {
namespace {

/// A journal that takes nothing for so long counts as gone; whoever waits is the whole of podfence.
constexpr timeval journal_patience{1, 0};

class Journal : public AuditSink {
 public:
  explicit Journal(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    address_.sun_family = AF_UNIX;
    path.copy(address_.sun_path, sizeof address_.sun_path - 1);
    ::setsockopt(socket_.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &journal_patience, sizeof journal_patience);
    const File probe(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (::connect(probe.descriptor(), address(), sizeof address_) != 0)
      throw std::runtime_error("the audit log cannot go to the journal: " + path + ": " +
                               std::generic_category().message(errno));
  }

  int write(const rules::AuditRecord& record, std::string line) override {
    const std::string entry =
        "PRIORITY=6\nSYSLOG_IDENTIFIER=podfence\nPODFENCE_PROJECT=" + rules::escaped(record.project) +
        "\nPODFENCE_DECISION=" + rules::escaped(record.decision) + "\nPODFENCE_RULE=" + rules::escaped(record.rule) +
        "\nPODFENCE_REQUEST_ID=" + rules::escaped(record.request_id) + "\nMESSAGE=" + line + "\n";
    // To the path, not to a connection: a journal that was started again has another socket there.
    const auto sent = ::sendto(socket_.descriptor(), entry.data(), entry.size(),
                               MSG_NOSIGNAL | (failing_ ? MSG_DONTWAIT : 0), address(), sizeof address_);
    failing_ = sent < 0;
    return failing_ ? errno : 0;
  }

  void reopen() override { throw std::runtime_error("the journal is no file"); }

 private:
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

  sockaddr_un address_{};
  File socket_;
  bool failing_ = false;
};

}  // namespace

std::unique_ptr<AuditSink> open_journal(const std::string& socket) { return std::make_unique<Journal>(socket); }

}  // namespace podfence::proxy
