#include "proxy/conversation.hpp"

#include "proxy/operator_api.hpp"

namespace podfence::proxy {

Task<void> converse(Connection& client, Deadline& deadline, const Limits& limits, Respond respond) {
  bool goes_on = true;
  while (goes_on) {
    deadline.set(limits.idle_time);
    auto read = co_await read_request_head(client, limits);
    deadline.clear();
    if (std::holds_alternative<Ended>(read)) co_return;
    rules::AuditRecord record;
    const Waits waits;
    ClientAnswer answer(client, deadline, limits, record, waits);
    if (const auto* head = std::get_if<RequestHead>(&read)) {
      answer.set_to_head(head->method == rules::Method::Head);
      if (!head->keep_alive) answer.close_after();
      co_await respond(*head, answer, record);
    } else {
      answer.close_after();
      const auto refused = operator_error(std::get<RefusedHead>(read).deny);
      co_await answer.send(refused);
    }
    goes_on = answer.connection_goes_on();
  }
}

}  // namespace podfence::proxy
