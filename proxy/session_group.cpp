#include "proxy/session_group.hpp"

#include <new>

#include "proxy/log.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

rules::Deny deny_for(ConnectionBudget::Full full, const ConnectionBudget& connections) {
  using rules::refusal;
  if (full == ConnectionBudget::Full::Project)
    return {refusal("http.connections"), std::to_string(connections.per_project()), rules::Kind::None};
  return {refusal("server.connections"), std::to_string(connections.in_all()), rules::Kind::None};
}

class Registration {
 public:
  Registration(std::set<Session*>& sessions, Session& session) : sessions_(sessions), session_(session) {
    sessions_.insert(&session_);
  }
  ~Registration() { sessions_.erase(&session_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  std::set<Session*>& sessions_;
  Session& session_;
};

}  // namespace

void SessionGroup::adopt(Connection::Socket socket, std::shared_ptr<const Door> door, const std::string& account) {
  auto place = connections_.take(account);
  if (auto* free = std::get_if<ConnectionBudget::Place>(&place))
    tasks_.spawn([&](End& end) { return run_session(std::move(socket), std::move(door), std::move(*free), end); });
  else
    turn_away(std::move(socket), std::move(door), deny_for(std::get<ConnectionBudget::Full>(place), connections_));
}

void SessionGroup::turn_away(Connection::Socket socket, std::shared_ptr<const Door> door, rules::Deny deny) {
  tasks_.spawn([&](End& end) { return run_refusal(std::move(socket), std::move(door), std::move(deny), end); });
}

void SessionGroup::stop() {
  for (auto* session : sessions_) session->stop();
  for (auto* session : turned_away_) session->stop();
}

void SessionGroup::cut() {
  for (auto* session : sessions_) session->cut();
  for (auto* session : turned_away_) session->cut();
}

/// The place is given back when everything else of the session is gone.
Task<void> SessionGroup::run_session(Connection::Socket socket, std::shared_ptr<const Door> door,
                                     ConnectionBudget::Place, End& end) {
  Session session(services_, *door, std::move(socket), end);
  const Registration registered(sessions_, session);
  co_await session.run();
}

Task<void> SessionGroup::run_refusal(Connection::Socket socket, std::shared_ptr<const Door> door, rules::Deny deny,
                                     End& end) {
  const bool waits = turned_away_.size() < max_turned_away;
  Session session(services_, *door, std::move(socket), end);
  const Registration registered(turned_away_, session);
  co_await session.turn_away(std::move(deny), waits);
}

}  // namespace podfence::proxy
