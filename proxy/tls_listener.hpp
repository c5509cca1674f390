#pragma once
// TLS 1.3 with certificates on both sides, in front of sessions that know nothing of it: each connection is deciphered
// into a pair of unix sockets, whose other end a session has. A close_notify is a half-close, as clients of hijacked
// connections mean it; an end without one is a client that is gone.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <list>

#include "proxy/control_listener.hpp"

namespace podfence::proxy {

class TlsListener final : public ControlListener {
 public:
  TlsListener(const Executor& executor, rules::ControlListener options, const Server& server, Services& services,
              ConnectionBudget& connections);

  void start() override;
  void stop() override;
  std::string reload() override;

 private:
  using Tcp = boost::asio::ip::tcp;

  Task<void> serve(SocketOf<Tcp> socket);

  const std::chrono::milliseconds close_time_;  ///< for what a session said last
  AcceptorOf<Tcp> acceptor_;
  std::shared_ptr<boost::asio::ssl::context> context_;  ///< of connections that begin from now on
  std::list<SocketOf<Tcp>*> handshakes_;                ///< the oldest first
};

}  // namespace podfence::proxy
