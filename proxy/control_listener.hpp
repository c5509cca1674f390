#pragma once
// Where a control plane comes in: a unix socket, whose clients are known by their uid, or TCP with TLS 1.3 and
// certificates on both sides. docs/control-plane.md.

#include <memory>
#include <optional>

#include "proxy/server.hpp"
#include "proxy/session_group.hpp"

namespace podfence::proxy {

class ControlListener {
 public:
  /// Listens. Throws std::runtime_error (or std::system_error) with a sentence when that cannot be done.
  static std::unique_ptr<ControlListener> open(const Executor& executor, rules::ControlListener options,
                                               const Server& server, Services& services, ConnectionBudget& connections);
  virtual ~ControlListener() = default;
  ControlListener(const ControlListener&) = delete;
  ControlListener& operator=(const ControlListener&) = delete;

  /// Accepts until stop().
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Certificates and revocation lists are read again; connections go on as they are. What is wrong, "" for nothing:
  /// then those of before still count.
  virtual std::string reload() { return ""; }

  void cancel() { clients_.cancel(); }
  std::size_t tasks() const { return clients_.size(); }

 protected:
  ControlListener(const Executor& executor, rules::ControlListener options, const Server& server, Services& services,
                  ConnectionBudget& connections)
      : options_(std::move(options)), server_(server), clients_(executor, services, connections) {}

  /// A session for whom the credentials fit, a refusal for others.
  void adopt(Connection::Socket socket, const rules::Credentials& client, const std::string& remote = "");

  const rules::ControlListener options_;
  const Server& server_;
  SessionGroup clients_;
};

}  // namespace podfence::proxy
