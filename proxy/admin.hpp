#pragma once
// The operator's own socket. Whoever can open it is trusted.

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <string>

#include "proxy/connection.hpp"
#include "proxy/deadline.hpp"
#include "proxy/decisions.hpp"
#include "proxy/limits.hpp"
#include "proxy/message_io.hpp"
#include "proxy/operator_api.hpp"
#include "proxy/request_content.hpp"
#include "proxy/socket_file.hpp"
#include "proxy/task_group.hpp"

namespace podfence::proxy {

class Admin {
 public:
  /// Listens on `path`, with mode 0600. Throws std::system_error that names the path.
  Admin(boost::asio::io_context& context, const std::string& path, const Limits& limits, OperatorApi& api,
        Decisions& decisions);
  /// The context runs out of work of this one.
  void stop();

 private:
  Task<void> serve(Connection::Socket socket);
  Task<void> respond(const RequestHead& head, Connection& client, Deadline& deadline, ClientAnswer& answer,
                     rules::AuditRecord& record);
  Task<void> carry_out(const rules::OperatorCall& call, const RequestHead& head, RequestContent& content,
                       ClientAnswer& answer, std::optional<rules::Reply>& given);
  Task<rules::Reply> reply(rules::OperatorCall call, const RequestHead& head, RequestContent& content);

  const Limits& limits_;
  OperatorApi& api_;
  Decisions& decisions_;
  const rules::Fields fields_;  ///< of every answer
  SocketFile file_;
  Connection::Acceptor acceptor_;
  TaskGroup tasks_;
  std::size_t sessions_ = 0;
};

}  // namespace podfence::proxy
