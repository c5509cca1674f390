#pragma once
// The page of the operator's socket for a browser: a bridge from a port of the loopback address. Read-only, and for
// whoever knows its address: every path begins with a random word. (A cookie would be sent to each port of the address,
// so to those of other users as well.)

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "proxy/client_answer.hpp"
#include "proxy/limits.hpp"
#include "proxy/task_group.hpp"
#include "proxy/upstream.hpp"

namespace podfence::proxy {

class Dashboard {
 public:
  /// `port` 0: any. Throws std::runtime_error with a sentence.
  Dashboard(boost::asio::io_context& context, const std::string& admin, const boost::asio::ip::tcp::endpoint& endpoint);

  /// What to open: "http://127.0.0.1:PORT/WORD/".
  std::string address() const;
  void stop();

 private:
  Task<void> serve(SocketOf<boost::asio::ip::tcp> socket);
  Task<void> respond(const RequestHead& head, Connection& client, ClientAnswer& answer);
  Task<void> pass_on(const rules::UpstreamRequest& request, Connection& client, ClientAnswer& answer);
  std::variant<rules::UpstreamRequest, rules::Deny> judge(const RequestHead& head) const;

  Limits limits_;
  std::string socket_;  ///< the operator's
  Upstream admin_;
  AcceptorOf<boost::asio::ip::tcp> acceptor_;
  std::string word_;
  TaskGroup tasks_;
  std::size_t sessions_ = 0;
};

}  // namespace podfence::proxy
