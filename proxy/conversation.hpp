#pragma once
// The requests of one client of the operator's, one after the other: on the operator's socket, and on the bridge to it.

#include <functional>

#include "proxy/client_answer.hpp"
#include "proxy/deadline.hpp"
#include "proxy/limits.hpp"
#include "proxy/message_io.hpp"

namespace podfence::proxy {

/// Answers a request whose head could be read.
using Respond = std::function<Task<void>(const RequestHead& head, ClientAnswer& answer, rules::AuditRecord& record)>;

/// Until the client, or an answer, ends the connection. Heads that cannot be read are refused here.
Task<void> converse(Connection& client, Deadline& deadline, const Limits& limits, Respond respond);

/// One more, as long as it lives.
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(++count) {}
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

}  // namespace podfence::proxy
