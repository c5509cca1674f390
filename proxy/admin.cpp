#include "proxy/admin.hpp"

#include "proxy/accepting.hpp"
#include "proxy/client_answer.hpp"
#include "proxy/concurrently.hpp"
#include "proxy/conversation.hpp"
#include "proxy/failure.hpp"
#include "proxy/log.hpp"
#include "proxy/page_fields.hpp"
#include "proxy/time_limit.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_admin_sessions = 16;

/// For what only reads. podfence's own commands wait for longer (question_time), and read what is told then.
constexpr std::chrono::seconds reading_time{30};
/// Who asks whether Podman answers does not wait until it might.
constexpr std::chrono::seconds ready_time{5};

std::chrono::seconds time_for(rules::OperatorAction action) {
  return action == rules::OperatorAction::Ready ? ready_time : reading_time;
}

/// What only reads, and a removal: it has begun by then, and goes on by itself (Caretaker::end). All else is done to
/// its end.
bool may_be_left(rules::Method method) { return rules::is_safe(method) || method == rules::Method::Delete; }

bool is_cancelled(const std::exception& error) {
  const auto* failure = dynamic_cast<const boost::system::system_error*>(&error);
  return failure && failure->code() == asio::error::operation_aborted;
}

}  // namespace

Admin::Admin(asio::io_context& context, const std::string& path, const Limits& limits, OperatorApi& api,
             Decisions& decisions)
    : limits_(limits),
      api_(api),
      decisions_(decisions),
      fields_(page_fields()),
      file_(path, 0600),
      acceptor_(context),
      tasks_(context.get_executor()) {
  acceptor_.assign(asio::local::stream_protocol(), file_.release());
  tasks_.spawn(accept_all(acceptor_, [this](Connection::Socket socket) {
    if (sessions_ < max_admin_sessions) tasks_.spawn(serve(std::move(socket)));
  }));
}

void Admin::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  tasks_.cancel();
}

Task<void> Admin::serve(Connection::Socket socket) {
  const Counted counted(sessions_);
  Connection client(std::move(socket));
  Deadline deadline(client.executor(), client);
  Respond respond = [&](const RequestHead& head, ClientAnswer& answer, rules::AuditRecord& record) {
    return this->respond(head, client, deadline, answer, record);
  };
  co_await converse(client, deadline, limits_, std::move(respond));
}

Task<void> Admin::respond(const RequestHead& head, Connection& client, Deadline& deadline, ClientAnswer& answer,
                          rules::AuditRecord& record) {
  RequestContent content(client, deadline, limits_, head, record);
  std::optional<rules::Reply> given;
  const auto call = rules::operator_call(head.method, head.target);
  if (const auto* refused = std::get_if<rules::Deny>(&call)) {
    given = operator_error(*refused);
  } else {
    auto work = carry_out(std::get<rules::OperatorCall>(call), head, content, answer, given);
    if (!may_be_left(head.method)) {
      co_await std::move(work);
    } else if (co_await first_of(std::move(work), client.until_peer_closed()) != 0) {
      co_return;  // who goes makes room for another one at once
    }
  }
  if (!given) co_return;
  if (!content.complete()) answer.close_after();
  co_await answer.send(*given, fields_);
}

/// Nothing is given behind a stream.
Task<void> Admin::carry_out(const rules::OperatorCall& call, const RequestHead& head, RequestContent& content,
                            ClientAnswer& answer, std::optional<rules::Reply>& given) {
  if (call.row->action == rules::OperatorAction::Decisions && head.method == rules::Method::Get) {
    if (const auto refused = co_await decisions_.follow(call, answer)) given = operator_error(*refused);
  } else if (!rules::is_safe(head.method)) {
    given = co_await reply(call, head, content);
  } else {
    const auto time = time_for(call.row->action);
    given = co_await in_time(reply(call, head, content), time);
    if (!given) given = operator_error(rules::Deny{rules::refusal("operator.engine"), no_answer_within(time).subject});
  }
}

Task<rules::Reply> Admin::reply(rules::OperatorCall asked, const RequestHead& head, RequestContent& content) {
  std::string text;
  if (head.content.has_content()) {
    if (!asked.row->takes_content)
      co_return operator_error(rules::Deny{rules::refusal("content.unexpected"), std::string(asked.row->path)});
    BufferBudget own(limits_.json_bytes, limits_.json_bytes);
    BufferBudget::Share share(own, "");
    auto whole = co_await content.read_whole(limits_.json_bytes, share);
    if (!whole) co_return operator_error(content.failure());
    text = *std::move(whole);
  }
  try {
    co_return co_await api_.answer(std::move(asked), std::move(text));
  } catch (const std::exception& error) {
    if (is_cancelled(error)) throw;
    log("a request of the operator's came to nothing: " + said_by(error));
    co_return operator_error(rules::Deny{rules::refusal("server.internal"), std::string(asked.row->path)});
  }
}

}  // namespace podfence::proxy
