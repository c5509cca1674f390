#pragma once
// Accepts the clients of one project.

#include <optional>

#include "proxy/server.hpp"
#include "proxy/session_group.hpp"
#include "proxy/socket_file.hpp"

namespace podfence::proxy {

class Listener {
 public:
  /// Listens. Throws std::system_error that names the path.
  Listener(const Executor& executor, ListenerOptions options, Services& services, ConnectionBudget& connections);

  /// Accepts until stop().
  void start();
  /// The policy of requests that begin from now on.
  void judge_by(ProjectHandle project) { door_->judge_by(std::move(project)); }
  /// No new clients, and the socket's file is gone unless it is kept for the next start; idle sessions end.
  void stop();
  /// Likewise, and what still runs is cut off: the project is gone.
  void remove();
  /// Cuts off what still runs.
  void cancel() { clients_.cancel(); }

  const ProjectHandle& project() const { return door_->handle(); }
  /// Itself, while it accepts, and connections of clients.
  std::size_t tasks() const { return clients_.size(); }

 private:
  std::shared_ptr<ProjectDoor> door_;
  SessionGroup clients_;
  std::optional<SocketFile> file_;
  Connection::Acceptor acceptor_;
};

}  // namespace podfence::proxy
