#include "proxy/listener.hpp"

#include <new>

#include "proxy/accepting.hpp"
#include "proxy/log.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

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

Listener::Listener(const asio::any_io_executor& executor, ListenerOptions options, Services& services,
                   ConnectionBudget& connections)
    : door_{std::move(options.project), std::move(options.socket)},
      services_(services),
      connections_(connections),
      tasks_(executor),
      file_(std::in_place, door_.listener),
      acceptor_(executor) {
  acceptor_.assign(asio::local::stream_protocol(), file_->release());
}

void Listener::start() {
  tasks_.spawn(accept_all(acceptor_, [this](Connection::Socket socket) { adopt(std::move(socket)); }));
}

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  file_.reset();
  for (auto* session : sessions_) session->stop();
  for (auto* session : turned_away_) session->stop();
}

void Listener::remove() {
  door_.removed = true;
  stop();
  cancel();
}

void Listener::adopt(Connection::Socket socket) {
  try {
    auto place = connections_.take(door_.project->id);
    if (auto* free = std::get_if<ConnectionBudget::Place>(&place))
      tasks_.spawn(run_session(std::move(socket), std::move(*free)));
    else
      tasks_.spawn(turn_away(std::move(socket), deny_for(std::get<ConnectionBudget::Full>(place), connections_)));
  } catch (const std::bad_alloc&) {
    log("no memory for another client");
  }
}

/// The place is given back when everything else of the session is gone.
Task<void> Listener::run_session(Connection::Socket socket, ConnectionBudget::Place) {
  Session session(services_, door_, std::move(socket));
  const Registration registered(sessions_, session);
  co_await session.run();
}

Task<void> Listener::turn_away(Connection::Socket socket, rules::Deny deny) {
  const bool waits = turned_away_.size() < max_turned_away;
  Session session(services_, door_, std::move(socket));
  const Registration registered(turned_away_, session);
  co_await session.turn_away(std::move(deny), waits);
}

}  // namespace podfence::proxy
