#include "proxy/session.hpp"

#include <algorithm>

#include "proxy/failure.hpp"
#include "proxy/forwarding.hpp"
#include "proxy/ledger_repair.hpp"
#include "proxy/log.hpp"
#include "proxy/verification.hpp"
#include "rules/endpoint_class.hpp"
#include "rules/error_answer.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;
using namespace std::chrono_literals;

/// For a client that is still writing when it has been answered, or has not begun when it is turned away.
constexpr auto linger_time = 2s;

constexpr std::size_t max_audited_objects = 64;

/// While a client sends the content, and while something is asked or waited for, the project may end: nothing is made
/// for it any more.
Refused ended_meanwhile(const Door& door, const RequestHead& head, const std::string& project) {
  const Deny gone{refusal("control.project-unknown"), project, rules::Kind::None};
  if (door.is_removed()) return gone;
  const auto choice = door.project_for(head);
  if (const auto* deny = std::get_if<Deny>(&choice)) return *deny;
  const auto* some = std::get_if<Door::OneOf>(&choice);
  const auto is_it = [&](const ProjectHandle& each) { return each->id == project; };
  return some && std::ranges::none_of(*some, is_it) ? Refused(gone) : std::nullopt;
}

/// Records why an answer was not given whole, however the exchange ends: it may be cancelled anywhere.
class AnswerEnding {
 public:
  AnswerEnding(const Services& services, const Departure& departure, const Connection& client,
               const ClientAnswer& answer, rules::AuditRecord& record)
      : services_(services), departure_(departure), client_(client), answer_(answer), record_(record) {}
  AnswerEnding(const AnswerEnding&) = delete;
  AnswerEnding& operator=(const AnswerEnding&) = delete;
  ~AnswerEnding() {
    auto& why = record_.aborted;
    if (answer_.finished())
      why.clear();
    else if (services_.stopped)
      why = "stopped";
    else if (departure_.is_sent_away())
      why = "project-removed";
    else if (why != "client-slow" && client_.peer_closed())
      why = "client-gone";
    else if (why.empty())
      why = "error";
  }

 private:
  const Services& services_;
  const Departure& departure_;
  const Connection& client_;
  const ClientAnswer& answer_;
  rules::AuditRecord& record_;
};

/// Waits of the client's connection count as the exchange's, as long as that goes on.
class TimedClient {
 public:
  TimedClient(Connection& client, Waits& waits) : client_(client) { client_.add_waits_to(&waits.client); }
  ~TimedClient() { client_.add_waits_to(nullptr); }
  TimedClient(const TimedClient&) = delete;
  TimedClient& operator=(const TimedClient&) = delete;

 private:
  Connection& client_;
};

}  // namespace

Session::Session(Services& services, const Door& door, Connection::Socket socket, boost::asio::cancellation_signal& end)
    : services_(services),
      door_(door),
      client_(std::move(socket)),
      peer_(client_.peer()),
      deadline_(client_.executor(), client_),
      departure_(client_, services.limits.close_time, end) {}

Task<void> Session::run() { return guard(serve()); }

Task<void> Session::turn_away(Deny deny, bool waits) { return guard(refuse_all(std::move(deny), waits)); }

void Session::stop() {
  stopping_ = true;
  // A request that has come already is answered.
  if (idle_ && client_.is_quiet()) client_.interrupt();
}

void Session::cut() {
  stop();
  departure_.send_away();
}

/// The one place where what was not expected ends.
Task<void> Session::guard(Task<void> work) {
  try {
    co_await std::move(work);
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::asio::error::operation_aborted) log(said_by(error));
  } catch (const std::exception& error) {
    log("a connection was given up: " + said_by(error));
  }
}

Task<void> Session::serve() {
  // No co_await behind && in a while condition: g++ 12 awaits it whatever the left side says.
  bool goes_on = true;
  while (goes_on && !stopping_) {
    // What an exchange needs is there while there is one: most clients are idle most of the time.
    if (client_.received().empty()) co_await first_bytes(services_.limits.idle_time);
    if (client_.received().empty()) break;
    goes_on = co_await serve_next();
  }
  co_await linger();
}

/// True when another exchange may follow.
Task<bool> Session::serve_next() {
  auto read = co_await read_head();
  if (std::holds_alternative<Ended>(read)) co_return false;
  co_return co_await serve_one(read);
}

/// Clients that read an answer before they have sent a request do not take it for one.
Task<void> Session::refuse_all(Deny deny, bool waits) {
  if (waits) co_await first_bytes(linger_time);
  if (stopping_) co_return;
  AuditTrail trail(services_.audit);
  identify(trail.record);
  ClientAnswer answer(client_, deadline_, services_.limits, trail.record, trail.waits);
  const AnswerEnding ending(services_, departure_, client_, answer, trail.record);
  answer.close_after();
  trail.refused(deny);
  co_await answer.send(rules::error_answer(deny, rules::Family::Docker));
  if (waits) co_await linger();
}

void Session::identify(rules::AuditRecord& record) const {
  record.generation = services_.generation;
  record.project = door_.project();
  record.listener = door_.listener();
  record.identity = door_.identity();
  record.remote = door_.remote();
  if (!record.remote.empty()) return;  // the socket is podfence's own
  record.peer_uid = peer_.uid;
  record.peer_pid = peer_.pid;
}

/// True when another exchange may follow.
Task<bool> Session::serve_one(ReadHead& read) {
  const Departure::Exchange watched(departure_);
  const Turn::Work work(client_.turn());
  AuditTrail trail(services_.audit);
  identify(trail.record);
  ClientAnswer answer(client_, deadline_, services_.limits, trail.record, trail.waits);
  const AnswerEnding ending(services_, departure_, client_, answer, trail.record);
  answer.close_if(stopping_);
  const TimedClient timed(client_, trail.waits);
  const rules::Endpoint* endpoint = nullptr;
  Refused refused;
  if (auto* unreadable = std::get_if<RefusedHead>(&read)) {
    trail.set_request(unreadable->method, unreadable->target);
    answer.close_after();
    refused = std::move(unreadable->deny);
  } else {
    const auto& head = std::get<RequestHead>(read);
    RequestContent content(client_, deadline_, services_.limits, head, trail.record, &trail.waits);
    ClientExchange parts{services_, client_, deadline_, departure_, head, content, answer, trail};
    refused = co_await survive(parts, endpoint);
    if (!content.complete() || !head.keep_alive) answer.close_after();
  }
  if (refused) {
    trail.refused(*refused);
    co_await answer.send(rules::error_answer(*refused, endpoint));
  }
  co_return answer.connection_goes_on() && !departure_.is_sent_away();
}

/// Hop 1: the head. The first byte has been there; what has begun must go on.
Task<Session::ReadHead> Session::read_head() {
  const auto& limits = services_.limits;
  const Deadline::Scope limited(deadline_, limits.head_time);
  auto read = co_await read_request_head(client_, limits);
  if (!std::holds_alternative<Ended>(read) || !deadline_.passed()) co_return read;
  client_.resume();
  co_return RefusedHead{{refusal("http.timeout"), "the head", rules::Kind::None}, {}, {}};
}

/// What fails here, such as a disk that is gone or memory that is not there, is told to the client as long as it has
/// not been answered.
Task<Refused> Session::survive(ClientExchange& parts, const rules::Endpoint*& endpoint) {
  std::string failure;
  try {
    co_return co_await exchange(parts, endpoint);
  } catch (const boost::system::system_error&) {
    throw;  // the connection's
  } catch (const std::exception& error) {
    failure = said_by(error);
  }
  if (parts.answer.has_begun()) throw std::runtime_error(failure);
  log("request " + parts.trail.record.request_id + " failed: " + failure);
  parts.answer.close_after();
  co_return Deny{refusal("server.internal"), parts.trail.record.request_id, rules::Kind::None};
}

/// A refusal has not been answered yet.
Task<Refused> Session::exchange(ClientExchange& parts, const rules::Endpoint*& endpoint) {
  const auto& head = parts.head;
  parts.trail.set_request(rules::text(head.method), head.target);
  parts.answer.set_to_head(head.method == rules::Method::Head);
  if (!head.keep_alive) parts.answer.close_after();

  // Held as long as the exchange: another policy may take its place meanwhile.
  ProjectHandle project;
  std::optional<std::string> content;
  auto choice = door_.project_for(head);
  if (auto* deny = std::get_if<Deny>(&choice)) co_return std::move(*deny);
  if (auto* known = std::get_if<ProjectHandle>(&choice)) project = std::move(*known);
  if (auto* some = std::get_if<Door::OneOf>(&choice)) {
    Verification verification(services_, std::move(*some), head, parts.content);
    auto found = co_await verification.find();
    if (auto* deny = std::get_if<Deny>(&found)) co_return std::move(*deny);
    if (auto* reply = std::get_if<rules::Reply>(&found)) {
      parts.trail.record.decision = "rewrite";
      co_await parts.answer.send(*reply);
      co_return std::nullopt;
    }
    project = std::get<ProjectHandle>(std::move(found));
    content = verification.take_content();
  }
  parts.trail.record.project = project->id;
  auto place = services_.requests.take(project->id);
  if (!std::holds_alternative<ConnectionBudget::Place>(place))
    co_return Deny{refusal("server.requests"), std::to_string(services_.requests.in_all()), rules::Kind::None};
  co_return co_await exchange(parts, *project, std::move(content), endpoint);
}

Task<Refused> Session::exchange(ClientExchange& parts, const rules::Project& project,
                                std::optional<std::string> content, const rules::Endpoint*& endpoint) {
  const auto& head = parts.head;
  auto& record = parts.trail.record;
  Makers::Place place(services_.makers, project.id, departure_);  // when the project ends, so does this

  // Hop 2: which endpoint it is.
  Examination examination(services_, project, head, parts.content);
  if (content) examination.supply(*std::move(content));
  auto refused = examination.route();
  if (examination.ends_connection()) parts.answer.close_after();
  if (examination.is_routed()) {
    endpoint = &examination.endpoint();
    record.endpoint = examination.endpoint().path;
    record.group = rules::group_of(examination.endpoint());
    record.act = rules::act_of(examination.endpoint());
  }
  if (services_.audit.takes_bodies() && examination.is_read())
    record.query = rules::redacted_query(examination.request().target, examination.match().endpoint);
  if (refused) co_return refused;

  // Hop 3: the content, where it is judged.
  refused = co_await examination.read_content();
  if (examination.ends_connection()) parts.answer.close_after();
  if (services_.audit.takes_bodies() && examination.request().content)
    record.content = rules::redacted_content(examination.endpoint(), *examination.request().content);
  if (refused) co_return refused;

  // A ledger that an earlier podfence was killed over is held against what is there, before it decides anything.
  if (services_.repair) refused = co_await services_.repair->ensure();
  if (refused) co_return refused;

  refused = ended_meanwhile(door_, head, project.id);
  if (refused) co_return refused;
  if (rules::is_change(examination.endpoint())) place.begin_change();

  // Hop 4: what has to be known of the objects that it names, and the decision.
  auto decision = co_await examination.decide();
  refused = ended_meanwhile(door_, head, project.id);
  if (refused) co_return refused;
  auto& inquiry = examination.inquiry();
  record.objects = inquiry.exchange().facts.resolved_ids();
  if (record.objects.size() > max_audited_objects) record.objects.resize(max_audited_objects);
  record.decision = rules::audit_decision(decision, examination.endpoint());

  // Hops 5 and 6: there and back.
  co_return co_await carry_out(parts, examination, decision);
}

Task<Refused> Session::carry_out(ClientExchange& parts, Examination& examination, rules::Decision& decision) {
  if (auto* deny = std::get_if<Deny>(&decision)) co_return std::move(*deny);
  // Nothing is changed for who has gone already, however short ago.
  if (rules::changes_something(examination.endpoint()) && client_.peer_closed()) co_return std::nullopt;
  auto& inquiry = examination.inquiry();
  Forwarding forwarding(parts, inquiry, examination.archive());
  if (const auto* forward = std::get_if<rules::Forward>(&decision)) co_return co_await forwarding.carry_out(*forward);
  if (const auto* batch = std::get_if<rules::Batch>(&decision)) co_return co_await forwarding.carry_out(*batch);
  if (const auto* reply = std::get_if<rules::Reply>(&decision)) {
    inquiry.record(reply->claims);
    inquiry.release_names();
    co_await parts.answer.send(*reply);
  }
  co_return std::nullopt;
}

Task<void> Session::first_bytes(std::chrono::milliseconds time) {
  const Deadline::Scope limited(deadline_, time);
  client_.shrink();
  idle_ = true;
  co_await client_.receive();
  idle_ = false;
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
