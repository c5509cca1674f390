#include "proxy/admin.hpp"

#include "proxy/accepting.hpp"
#include "proxy/client_answer.hpp"
#include "proxy/concurrently.hpp"
#include "proxy/conversation.hpp"
#include "proxy/failure.hpp"
#include "proxy/log.hpp"
#include "proxy/page_fields.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_admin_sessions = 16;

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

Task<void> Admin::follow(const rules::OperatorCall& call, ClientAnswer& answer, Refused& refused) {
  refused = co_await decisions_.follow(call, answer);
}

Task<void> Admin::respond(const RequestHead& head, Connection& client, Deadline& deadline, ClientAnswer& answer,
                          rules::AuditRecord& record) {
  RequestContent content(client, deadline, limits_, head, record);
  auto call = rules::operator_call(head.method, head.target);
  const auto* asked = std::get_if<rules::OperatorCall>(&call);
  rules::Reply given;
  if (!asked) {
    given = operator_error(std::get<rules::Deny>(call));
  } else if (asked->row->action == rules::OperatorAction::Decisions && head.method == rules::Method::Get) {
    // A reader that goes makes room for another one at once. Whatever else is asked for is done to its end.
    Refused refused;
    co_await first_of(follow(*asked, answer, refused), client.until_peer_closed());
    if (!refused) co_return;
    given = operator_error(*refused);
  } else {
    given = co_await reply(*asked, head, content);
  }
  if (!content.complete()) answer.close_after();
  co_await answer.send(given, fields_);
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
    log("a request of the operator's came to nothing: " + said_by(error));
    co_return operator_error(rules::Deny{rules::refusal("server.internal"), std::string(asked.row->path)});
  }
}

}  // namespace podfence::proxy
