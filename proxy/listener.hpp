#pragma once
// Accepts the clients of one project and runs their sessions, as many as there are places for.

#include <optional>
#include <set>

#include "proxy/connection_budget.hpp"
#include "proxy/server.hpp"
#include "proxy/session.hpp"
#include "proxy/socket_file.hpp"
#include "proxy/task_group.hpp"

namespace podfence::proxy {

class Listener {
 public:
  /// Listens. Throws std::system_error that names the path.
  Listener(const boost::asio::any_io_executor& executor, ListenerOptions options, Services& services,
           ConnectionBudget& connections);

  /// Accepts until stop().
  void start();
  /// The policy of requests that begin from now on.
  void judge_by(std::shared_ptr<const rules::Project> project) { door_.project = std::move(project); }
  /// No new clients, and the socket's file is gone; idle sessions end.
  void stop();
  /// Likewise, and what still runs is cut off: the project is gone.
  void remove();
  /// Cuts off what still runs.
  void cancel() { tasks_.cancel(); }

  const Door& door() const { return door_; }
  /// Itself, while it accepts, and connections of clients.
  std::size_t tasks() const { return tasks_.size(); }

 private:
  using Acceptor = boost::asio::local::stream_protocol::acceptor;

  void adopt(Connection::Socket socket);
  Task<void> run_session(Connection::Socket socket, ConnectionBudget::Place place);
  Task<void> turn_away(Connection::Socket socket, rules::Deny deny);

  Door door_;
  Services& services_;
  ConnectionBudget& connections_;
  TaskGroup tasks_;
  std::optional<SocketFile> file_;
  Acceptor acceptor_;
  std::set<Session*> sessions_;
  std::set<Session*> turned_away_;
};

}  // namespace podfence::proxy
