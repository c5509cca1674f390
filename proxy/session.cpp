#include "proxy/session.hpp"

#include "proxy/concurrently.hpp"
#include "proxy/forwarding.hpp"
#include "proxy/log.hpp"
#include "rules/error_answer.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;
using namespace std::chrono_literals;

/// For a client that is still writing when it has been answered.
constexpr auto linger_time = 2s;

/// Clients send "null" or "{}" where there is nothing to say.
constexpr std::size_t max_empty_content = 64 * 1024;

constexpr std::size_t max_audited_objects = 64;

bool says_nothing(std::string_view content) {
  if (content.empty()) return true;
  const auto parsed = rules::json::parse(content);
  const auto* value = std::get_if<rules::json::Value>(&parsed);
  return value && value->is_zero();
}

/// Does upstream get, and the client see, what both would without a proxy, only in canonical form?
bool is_plain(const rules::Decision& decision, rules::Relay relay) {
  const auto* forward = std::get_if<rules::Forward>(&decision);
  const bool answer_passes = relay == rules::Relay::Bytes || relay == rules::Relay::Hijack;
  return forward && !forward->request.content && answer_passes;
}

bool is_served(const rules::Endpoint& endpoint) { return endpoint.refusal == nullptr; }

struct Routed {
  rules::Request request;
  rules::Match match;
};

std::variant<Routed, Deny> route(const RequestHead& head) {
  auto target = rules::parse_target(head.target);
  if (auto* deny = std::get_if<Deny>(&target)) return std::move(*deny);
  rules::Request request;
  request.method = head.method;
  request.target = std::get<rules::Target>(std::move(target));
  request.upgrade = head.upgrade;
  request.registry_auth = head.registry_auth;
  auto match = rules::route(head.method, request.target);
  if (auto* deny = std::get_if<Deny>(&match)) return std::move(*deny);
  return Routed{std::move(request), std::get<rules::Match>(std::move(match))};
}

Refused check_upgrade(ClientExchange& parts, const rules::Endpoint& endpoint) {
  const bool hijacks = rules::relay_of(endpoint.answer) == rules::Relay::Hijack;
  // Stream bytes that were sent ahead of a tunnel that does not come must not be read as the next request.
  if (parts.head.upgrade || hijacks) parts.answer.close_after();
  if (!parts.head.upgrade || hijacks || !is_served(endpoint)) return std::nullopt;
  return Deny{refusal("http.upgrade"), std::string(endpoint.path), rules::Kind::None};
}

}  // namespace

Session::Session(Services& services, Door door, Connection::Socket socket)
    : services_(services),
      door_(door),
      client_(std::move(socket)),
      peer_(client_.peer()),
      deadline_(client_.executor(), client_),
      departure_(client_.executor(), client_, services.limits.close_time) {}

Task<void> Session::run() { return run(serve()); }

Task<void> Session::turn_away() { return run(refuse_all()); }

Task<void> Session::run(Task<void> work) {
  co_await first_of(guard(std::move(work)), departure_.watch(), deadline_.watch());
}

void Session::stop() {
  stopping_ = true;
  if (idle_) client_.interrupt();
}

/// The one place where what was not expected ends.
Task<void> Session::guard(Task<void> work) {
  try {
    co_await std::move(work);
    co_await linger();
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::asio::error::operation_aborted) log(error.what());
  } catch (const std::exception& error) {
    log(std::string("a connection was given up: ") + error.what());
  }
}

Task<void> Session::serve() {
  // No co_await behind && in a while condition: g++ 12 awaits it whatever the left side says.
  bool goes_on = true;
  while (goes_on && !stopping_) goes_on = co_await serve_one();
}

Task<void> Session::refuse_all() {
  AuditTrail trail(services_.audit);
  identify(trail.record);
  ClientAnswer answer(client_, deadline_, services_.limits, trail.record);
  answer.close_after();
  const Deny deny{refusal("server.busy"), std::to_string(services_.limits.connections), rules::Kind::None};
  trail.refused(deny);
  co_await answer.send(rules::error_answer(deny, rules::Family::Docker));
}

void Session::identify(rules::AuditRecord& record) const {
  record.project = door_.project.id;
  record.listener = door_.listener;
  record.peer_uid = peer_.uid;
  record.peer_pid = peer_.pid;
}

/// True when another exchange may follow.
Task<bool> Session::serve_one() {
  // Hop 1: the head.
  auto read = co_await read_head();
  if (std::holds_alternative<Ended>(read)) co_return false;
  AuditTrail trail(services_.audit);
  identify(trail.record);
  ClientAnswer answer(client_, deadline_, services_.limits, trail.record);
  auto family = rules::Family::Docker;
  Refused refused;
  if (auto* unreadable = std::get_if<RefusedHead>(&read)) {
    trail.set_request(unreadable->method, unreadable->target);
    answer.close_after();
    refused = std::move(unreadable->deny);
  } else {
    const auto& head = std::get<RequestHead>(read);
    RequestContent content(client_, deadline_, services_.limits, head, trail.record);
    ClientExchange parts{services_, client_, deadline_, departure_, head, content, answer, trail};
    refused = co_await exchange(parts, family);
    if (!content.complete() || !head.keep_alive) answer.close_after();
  }
  if (refused) {
    trail.refused(*refused);
    co_await answer.send(rules::error_answer(*refused, family));
  }
  co_return answer.connection_goes_on();
}

/// The first byte may be late; what has begun must go on.
Task<std::variant<RequestHead, RefusedHead, Ended>> Session::read_head() {
  const auto& limits = services_.limits;
  if (client_.received().empty()) {
    const Deadline::Scope limited(deadline_, limits.idle_time);
    idle_ = true;
    const bool begun = co_await client_.receive();
    idle_ = false;
    if (!begun) co_return Ended{};
  }
  const Deadline::Scope limited(deadline_, limits.head_time);
  auto read = co_await read_request_head(client_, limits.head_bytes);
  if (!std::holds_alternative<Ended>(read) || !deadline_.passed()) co_return read;
  client_.resume();
  co_return RefusedHead{{refusal("http.timeout"), "the head", rules::Kind::None}, {}, {}};
}

/// A refusal has not been answered yet.
Task<Refused> Session::exchange(ClientExchange& parts, rules::Family& family) {
  const auto& head = parts.head;
  auto& record = parts.trail.record;
  parts.trail.set_request(rules::text(head.method), head.target);
  parts.answer.set_to_head(head.method == rules::Method::Head);
  if (!head.keep_alive) parts.answer.close_after();

  // Hop 2: which endpoint it is.
  auto routed = route(head);
  if (auto* deny = std::get_if<Deny>(&routed)) co_return std::move(*deny);
  auto& [request, match] = std::get<Routed>(routed);
  const auto& endpoint = *match.endpoint;
  family = endpoint.family;
  record.endpoint = endpoint.path;
  if (auto deny = check_upgrade(parts, endpoint)) co_return deny;

  // Hop 3: the content, where it is judged.
  if (auto deny = co_await read_content(parts, endpoint, request)) co_return deny;

  // Hops 4 and 5: what has to be known of the objects that it names, and the decision.
  Inquiry inquiry(services_, door_.project, match, request);
  auto decision = co_await inquiry.decide();
  record.objects = inquiry.exchange().facts.resolved_ids();
  if (record.objects.size() > max_audited_objects) record.objects.resize(max_audited_objects);

  // Hop 6: there and back.
  record.decision = is_plain(decision, rules::relay_of(endpoint.answer)) ? "allow" : "rewrite";
  co_return co_await carry_out(parts, inquiry, std::move(decision));
}

Task<Refused> Session::read_content(ClientExchange& parts, const rules::Endpoint& endpoint, rules::Request& request) {
  request.has_content = parts.content.expected();
  if (!request.has_content || endpoint.body == rules::Body::Stream || !is_served(endpoint)) co_return std::nullopt;
  const bool takes_none = endpoint.body == rules::Body::None;
  const auto limit = takes_none ? max_empty_content : services_.limits.json_bytes;
  const auto content = co_await parts.content.read_whole(limit);
  if (!content) co_return parts.content.failure();
  request.has_content = !takes_none && !content->empty();
  if (takes_none && !says_nothing(*content)) {
    parts.answer.close_after();
    co_return Deny{refusal("content.unexpected"), std::string(rules::text(request.method)), rules::Kind::None};
  }
  if (!request.has_content) co_return std::nullopt;
  auto parsed = rules::json::parse(*content);
  if (auto* error = std::get_if<rules::json::Error>(&parsed))
    co_return Deny{refusal("content.json"), error->text(), rules::Kind::None};
  request.content = std::get<rules::json::Value>(std::move(parsed));
  co_return std::nullopt;
}

Task<Refused> Session::carry_out(ClientExchange& parts, Inquiry& inquiry, rules::Decision decision) {
  if (auto* deny = std::get_if<Deny>(&decision)) co_return std::move(*deny);
  Forwarding forwarding(parts, inquiry);
  if (const auto* forward = std::get_if<rules::Forward>(&decision)) co_return co_await forwarding.carry_out(*forward);
  if (const auto* batch = std::get_if<rules::Batch>(&decision)) co_await forwarding.carry_out(*batch);
  if (const auto* reply = std::get_if<rules::Reply>(&decision)) {
    services_.ledger.apply(door_.project.id, reply->claims);
    inquiry.release_names();
    co_await parts.answer.send(*reply);
  }
  co_return std::nullopt;
}

/// A socket that is closed with bytes unread resets the client, which might then not read its answer.
Task<void> Session::linger() {
  if (client_.interrupted() || client_.peer_closed()) co_return;
  client_.finish_sending();
  idle_ = true;
  const Deadline::Scope limited(deadline_, linger_time);
  do {
    client_.consume(client_.received().size());
  } while (co_await client_.receive());
}

}  // namespace podfence::proxy
