#include "proxy/listener.hpp"

#include <new>

#include "proxy/accepting.hpp"
#include "proxy/log.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

/// How many of those who are one too many may be told so at once.
constexpr std::size_t max_turned_away = 64;

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

Listener::Listener(const asio::any_io_executor& executor, const ListenerOptions& options, Services& services,
                   TaskGroup& tasks)
    : options_(options), services_(services), tasks_(tasks), file_(std::in_place, options.socket), acceptor_(executor) {
  acceptor_.assign(asio::local::stream_protocol(), file_->release());
}

Task<void> Listener::accept() {
  return accept_all(acceptor_, [this](Connection::Socket socket) { adopt(std::move(socket)); });
}

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  file_.reset();
  for (auto* session : sessions_) session->stop();
  for (auto* session : turned_away_) session->stop();
}

void Listener::adopt(Connection::Socket socket) {
  try {
    if (sessions_.size() < services_.limits.connections)
      tasks_.spawn(run_session(std::move(socket)));
    else if (turned_away_.size() < max_turned_away)
      tasks_.spawn(turn_away(std::move(socket)));
  } catch (const std::bad_alloc&) {
    log("no memory for another client");
  }
}

Task<void> Listener::run_session(Connection::Socket socket) {
  Session session(services_, {options_.project, options_.socket}, std::move(socket));
  const Registration registered(sessions_, session);
  co_await session.run();
}

Task<void> Listener::turn_away(Connection::Socket socket) {
  Session session(services_, {options_.project, options_.socket}, std::move(socket));
  const Registration registered(turned_away_, session);
  co_await session.turn_away();
}

}  // namespace podfence::proxy
