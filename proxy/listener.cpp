#include "proxy/listener.hpp"

#include "proxy/accepting.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

Listener::Listener(const Executor& executor, ListenerOptions options, Services& services, ConnectionBudget& connections)
    : door_(std::make_shared<ProjectDoor>(std::move(options.project), std::move(options.socket))),
      clients_(executor, services, connections),
      file_(std::in_place, door_->listener()),
      acceptor_(executor) {
  acceptor_.assign(asio::local::stream_protocol(), file_->release());
}

void Listener::start() {
  clients_.tasks().spawn(accept_all(
      acceptor_, [this](Connection::Socket socket) { clients_.adopt(std::move(socket), door_, door_->project()); }));
}

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  file_.reset();
  clients_.stop();
}

void Listener::remove() {
  door_->remove();
  if (file_) file_->discard(acceptor_.native_handle());
  stop();
  clients_.cut();
}

}  // namespace podfence::proxy
