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
  /// Throws std::system_error that names the path.
  Listener(const boost::asio::any_io_executor& executor, const ListenerOptions& options, Services& services,
           ConnectionBudget& connections, TaskGroup& tasks);

  /// Until stop().
  Task<void> accept();
  /// No new clients, and the socket's file is gone; idle sessions end.
  void stop();

 private:
  using Acceptor = boost::asio::local::stream_protocol::acceptor;

  void adopt(Connection::Socket socket);
  Task<void> run_session(Connection::Socket socket, ConnectionBudget::Place place);
  Task<void> turn_away(Connection::Socket socket, rules::Deny deny);

  const ListenerOptions& options_;
  Services& services_;
  ConnectionBudget& connections_;
  TaskGroup& tasks_;
  std::optional<SocketFile> file_;
  Acceptor acceptor_;
  std::set<Session*> sessions_;
  std::set<Session*> turned_away_;
};

}  // namespace podfence::proxy
