#include "proxy/admin.hpp"

#include "proxy/accepting.hpp"
#include "proxy/client_answer.hpp"
#include "proxy/concurrently.hpp"
#include "rules/error_answer.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_sessions = 16;
constexpr const char* metrics_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

Admin::Admin(asio::io_context& context, const std::string& path, const Limits& limits, const Metrics& metrics)
    : limits_(limits), metrics_(metrics), file_(path, 0600), acceptor_(context), tasks_(context.get_executor()) {
  acceptor_.assign(asio::local::stream_protocol(), file_.release());
  tasks_.spawn(accept_all(acceptor_, [this](Connection::Socket socket) {
    if (sessions_ < max_sessions) tasks_.spawn(serve(std::move(socket)));
  }));
}

void Admin::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  tasks_.cancel();
}

Task<void> Admin::serve(Connection::Socket socket) {
  struct Count {
    explicit Count(std::size_t& count) : count_(++count) {}
    ~Count() { --count_; }
    std::size_t& count_;
  } counted(sessions_);
  Connection client(std::move(socket));
  Deadline deadline(client.executor(), client);
  co_await first_of(answer(client, deadline), deadline.watch());
}

Task<void> Admin::answer(Connection& client, Deadline& deadline) {
  bool goes_on = true;
  while (goes_on) {
    deadline.set(limits_.idle_time);
    auto read = co_await read_request_head(client, limits_);
    deadline.clear();
    if (std::holds_alternative<Ended>(read)) co_return;
    rules::AuditRecord record;
    ClientAnswer answer(client, deadline, limits_, record);
    const auto* head = std::get_if<RequestHead>(&read);
    if (!head || !head->keep_alive || head->content.has_content()) answer.close_after();
    const auto given =
        head ? reply(*head) : rules::error_answer(std::get<RefusedHead>(read).deny, rules::Family::Docker);
    if (head) answer.set_to_head(head->method == rules::Method::Head);
    co_await answer.send(given);
    goes_on = answer.connection_goes_on();
  }
}

rules::Reply Admin::reply(const RequestHead& head) const {
  const bool reads = head.method == rules::Method::Get || head.method == rules::Method::Head;
  if (reads && head.target == "/metrics") return {200, metrics_type, metrics_.text(), {}};
  if (reads && head.target == "/healthz") return {200, "text/plain", "ok\n", {}};
  const rules::Deny unknown{rules::refusal("endpoint.unknown"), rules::audit_target(head.target), rules::Kind::None};
  return rules::error_answer(unknown, rules::Family::Docker);
}

}  // namespace podfence::proxy
