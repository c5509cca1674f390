#include "proxy/control_listener.hpp"

#include "proxy/accepting.hpp"
#include "proxy/control_door.hpp"
#include "proxy/socket_file.hpp"
#include "proxy/tls_listener.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

/// No project can be called so.
constexpr const char* account = "*control";

class SocketListener final : public ControlListener {
 public:
  SocketListener(const Executor& executor, rules::ControlListener options, const Server& server, Services& services,
                 ConnectionBudget& connections)
      : ControlListener(executor, std::move(options), server, services, connections),
        file_(std::in_place, options_.socket),
        acceptor_(executor) {
    acceptor_.assign(asio::local::stream_protocol(), file_->release());
  }

  void start() override {
    clients_.tasks().spawn(accept_all(acceptor_, [this](Connection::Socket socket) {
      Connection client(std::move(socket));
      rules::Credentials credentials;
      credentials.uid = client.peer().uid;
      adopt(std::move(client).release(), credentials);
    }));
  }

  void stop() override {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    file_.reset();
    clients_.stop();
  }

 private:
  std::optional<SocketFile> file_;
  Connection::Acceptor acceptor_;
};

}  // namespace

std::unique_ptr<ControlListener> ControlListener::open(const Executor& executor, rules::ControlListener options,
                                                       const Server& server, Services& services,
                                                       ConnectionBudget& connections) {
  if (options.socket.empty())
    return std::make_unique<TlsListener>(executor, std::move(options), server, services, connections);
  return std::make_unique<SocketListener>(executor, std::move(options), server, services, connections);
}

void ControlListener::adopt(Connection::Socket socket, const rules::Credentials& client, const std::string& remote) {
  const auto* identity = rules::identify(options_, client);
  if (identity) {
    clients_.adopt(std::move(socket), std::make_shared<ControlDoor>(options_.text(), *identity, remote, server_),
                   account);
  } else {
    rules::Deny deny{rules::refusal("control.identity"), rules::text_of(client), rules::Kind::None};
    clients_.turn_away(std::move(socket), std::make_shared<ClosedDoor>(options_.text(), remote), std::move(deny));
  }
}

}  // namespace podfence::proxy
