#pragma once
// Accepts the clients of one project and runs their sessions, no more than a fixed number at once.

#include <optional>
#include <set>

#include "proxy/server.hpp"
#include "proxy/session.hpp"
#include "proxy/socket_file.hpp"
#include "proxy/task_group.hpp"

namespace podfence::proxy {

class Listener {
 public:
  /// Throws std::system_error that names the path.
  Listener(const boost::asio::any_io_executor& executor, const ListenerOptions& options, Services& services,
           TaskGroup& tasks);

  /// Until stop().
  Task<void> accept();
  /// No new clients, and the socket's file is gone; idle sessions end.
  void stop();

 private:
  using Acceptor = boost::asio::local::stream_protocol::acceptor;

  void adopt(Connection::Socket socket);
  Task<void> run_session(Connection::Socket socket);
  Task<void> turn_away(Connection::Socket socket);

  const ListenerOptions& options_;
  Services& services_;
  TaskGroup& tasks_;
  std::optional<SocketFile> file_;
  Acceptor acceptor_;
  std::set<Session*> sessions_;
  std::set<Session*> turned_away_;
};

}  // namespace podfence::proxy
