#pragma once
// The clients of one listener: as many sessions as there are places for, and those who are told that there is none.

#include <set>

#include "proxy/connection_budget.hpp"
#include "proxy/session.hpp"
#include "proxy/task_group.hpp"

namespace podfence::proxy {

class SessionGroup {
 public:
  SessionGroup(const Executor& executor, Services& services, ConnectionBudget& connections)
      : services_(services), connections_(connections), tasks_(executor) {}

  /// Serves a client, if there is a place in the budget of `account`.
  void adopt(Connection::Socket socket, std::shared_ptr<const Door> door, const std::string& account);
  /// Tells a client that it is not served.
  void turn_away(Connection::Socket socket, std::shared_ptr<const Door> door, rules::Deny deny);
  /// Also for what leads to sessions: accepting, handshakes.
  TaskGroup& tasks() { return tasks_; }
  std::size_t size() const { return tasks_.size(); }

  /// Idle sessions end, others behind the running exchange.
  void stop();
  /// Cuts off all clients; what upstream is making for them is seen to its end.
  void cut();
  /// Cuts off what still runs.
  void cancel() { tasks_.cancel(); }

 private:
  using End = boost::asio::cancellation_signal;
  Task<void> run_session(Connection::Socket socket, std::shared_ptr<const Door> door, ConnectionBudget::Place place,
                         End& end);
  Task<void> run_refusal(Connection::Socket socket, std::shared_ptr<const Door> door, rules::Deny deny, End& end);

  Services& services_;
  ConnectionBudget& connections_;
  std::set<Session*> sessions_;
  std::set<Session*> turned_away_;
  TaskGroup tasks_;
};

}  // namespace podfence::proxy
