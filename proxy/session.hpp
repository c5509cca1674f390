#pragma once
// One client connection: a loop of exchanges, strictly one after the other. The six hops of an exchange stand in
// session.cpp from top to bottom.

#include <variant>

#include "proxy/client_exchange.hpp"
#include "proxy/door.hpp"
#include "proxy/examination.hpp"

namespace podfence::proxy {

class Session {
 public:
  /// The door outlives the session.
  /// `end`: cancels what the session waits for.
  Session(Services& services, const Door& door, Connection::Socket socket, boost::asio::cancellation_signal& end);

  Task<void> run();
  /// Tells a client that there is no room for it. `waits`: for its request, and until it has read the answer; else what
  /// is told is told at once.
  Task<void> turn_away(rules::Deny deny, bool waits);
  /// Ends an idle session; another one ends behind the running exchange.
  void stop();
  /// Cuts it off, as if the client had gone: what upstream is making is seen to its end.
  void cut();

 private:
  Task<void> guard(Task<void> work);
  Task<void> serve();
  Task<void> refuse_all(rules::Deny deny, bool waits);
  using ReadHead = std::variant<RequestHead, RefusedHead, Ended>;
  Task<bool> serve_next();
  Task<bool> serve_one(ReadHead& read);
  Task<ReadHead> read_head();
  Task<std::optional<rules::Deny>> survive(ClientExchange& exchange, const rules::Endpoint*& endpoint);
  Task<std::optional<rules::Deny>> exchange(ClientExchange& exchange, const rules::Endpoint*& endpoint);
  Task<std::optional<rules::Deny>> exchange(ClientExchange& exchange, const rules::Project& project,
                                            std::optional<std::string> content, const rules::Endpoint*& endpoint);
  Task<std::optional<rules::Deny>> carry_out(ClientExchange& exchange, Examination& examination,
                                             rules::Decision& decision);
  void identify(rules::AuditRecord& record) const;
  Task<void> first_bytes(std::chrono::milliseconds time);
  Task<void> linger();

  Services& services_;
  const Door& door_;
  Connection client_;
  Connection::Peer peer_;
  Deadline deadline_;
  Departure departure_;
  bool idle_ = false;
  bool stopping_ = false;
};

}  // namespace podfence::proxy
