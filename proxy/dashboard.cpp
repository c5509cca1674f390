#include "proxy/dashboard.hpp"

#include <openssl/crypto.h>

#include <stdexcept>

#include "proxy/accepting.hpp"
#include "proxy/concurrently.hpp"
#include "proxy/conversation.hpp"
#include "proxy/operator_api.hpp"
#include "proxy/page_fields.hpp"
#include "proxy/random.hpp"
#include "rules/ascii.hpp"
#include "rules/operator/call.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using asio::ip::tcp;
using rules::Deny;
using rules::refusal;

namespace {

constexpr std::size_t max_dashboard_sessions = 64;
constexpr std::size_t max_shown = 64;

AcceptorOf<tcp> listen(asio::io_context& context, const tcp::endpoint& endpoint) {
  try {
    return {context, endpoint};
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + address_text(endpoint) + ": " + error.code().message());
  }
}

/// Without telling by its time how much was right.
bool same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

Task<void> pass_content(UpstreamCall& call, ClientAnswer& answer) {
  bool taken = true;
  while (taken) {
    const auto piece = co_await call.content().next_piece();
    if (piece.empty()) break;
    taken = co_await answer.write(piece);
  }
  if (taken && call.content().state() == ContentReader::State::Complete) co_await answer.finish();
}

}  // namespace

Dashboard::Dashboard(asio::io_context& context, const std::string& admin, const tcp::endpoint& endpoint)
    : socket_(admin),
      admin_(context.get_executor(), connect_to_socket(admin)),
      acceptor_(listen(context, endpoint)),
      word_(random_digits()),
      tasks_(context.get_executor()) {
  tasks_.spawn(accept_all(acceptor_, [this](SocketOf<tcp> socket) {
    if (sessions_ < max_dashboard_sessions) tasks_.spawn(serve(std::move(socket)));
  }));
}

std::string Dashboard::address() const {
  return "http://" + address_text(acceptor_.local_endpoint()) + "/" + word_ + "/";
}

void Dashboard::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  tasks_.cancel();
}

/// A Connection does to any stream socket what it does to one of its own kind.
Task<void> Dashboard::serve(SocketOf<tcp> socket) {
  const Counted counted(sessions_);
  boost::system::error_code error;
  socket.set_option(tcp::no_delay(true), error);
  const int file = socket.release(error);
  if (error) co_return;
  Connection::Socket adopted(acceptor_.get_executor());
  adopted.assign(asio::local::stream_protocol(), file);
  Connection client(std::move(adopted));
  Deadline deadline(client.executor(), client);
  Respond respond = [&](const RequestHead& head, ClientAnswer& answer, rules::AuditRecord&) {
    if (head.content.has_content()) answer.close_after();  // it is not read
    return this->respond(head, client, answer);
  };
  co_await first_of(converse(client, deadline, limits_, std::move(respond)), client.until_peer_closed());
}

/// A page of elsewhere can make a browser ask here, under a name of its own that leads to this address.
std::variant<rules::UpstreamRequest, Deny> Dashboard::judge(const RequestHead& head) const {
  const auto local = acceptor_.local_endpoint();
  const auto port = ":" + std::to_string(local.port());
  if (head.host != address_text(local) && !rules::ascii::equal_caseless(head.host, "localhost" + port))
    return Deny{refusal("dashboard.host"), head.host.substr(0, max_shown)};
  std::string_view target = head.target;
  if (!target.starts_with('/') || !same(target.substr(1, word_.size()), word_))
    return Deny{refusal("dashboard.address"), head.target.substr(0, max_shown)};
  target.remove_prefix(1 + word_.size());
  auto call = rules::operator_call(head.method, target);
  if (auto* refused = std::get_if<Deny>(&call)) return std::move(*refused);
  if (!std::get<rules::OperatorCall>(call).row->of_page)
    return Deny{refusal("dashboard.address"), head.target.substr(0, max_shown)};
  return rules::UpstreamRequest{head.method, std::string(target), {}, std::nullopt};
}

Task<void> Dashboard::respond(const RequestHead& head, Connection& client, ClientAnswer& answer) {
  const auto judged = judge(head);
  if (const auto* request = std::get_if<rules::UpstreamRequest>(&judged)) {
    co_await pass_on(*request, client, answer);
  } else {
    const auto refused = operator_error(std::get<Deny>(judged));
    const auto fields = page_fields();
    co_await answer.send(refused, fields);
  }
}

Task<void> Dashboard::pass_on(const rules::UpstreamRequest& request, Connection& client, ClientAnswer& answer) {
  UpstreamCall call(admin_);
  const auto outcome = co_await call.send(request);
  auto fields = page_fields();
  if (refusal_for(outcome)) {
    const auto gone = operator_error(Deny{refusal("dashboard.unanswered"), socket_});
    co_await answer.send(gone, fields);
    co_return;
  }
  const auto& head = call.head();
  if (const auto* type = rules::find(head.fields, "Content-Type")) fields.push_back({"Content-Type", *type});
  const bool taken = co_await answer.begin(head.status, std::move(fields), head.content, call.content().take_piece());
  if (!taken) co_return;
  // Behind a stream nothing is asked for: what can be read then is the end of who read it, and makes room for another.
  if (head.content.kind == Framing::Kind::Chunked)
    co_await first_of(pass_content(call, answer), client.until_readable());
  else
    co_await pass_content(call, answer);
}

}  // namespace podfence::proxy
