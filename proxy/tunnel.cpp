#include "proxy/tunnel.hpp"

#include "proxy/concurrently.hpp"

namespace podfence::proxy {

namespace {

/// Bytes that came with the head are passed on first. Ends with the end of `from`, and goes on reading when `to` takes
/// nothing more: only so does the sender's own end come to light.
Task<void> pump(Connection& from, Connection& to, std::uint64_t& bytes) {
  bool taken = true;
  while (true) {
    if (from.received().empty() && !co_await from.receive()) break;
    const auto piece = from.received();
    taken = taken && co_await to.send(piece);
    if (taken) bytes += piece.size();
    from.consume(piece.size());
  }
}

struct Tunnel {
  Connection& client;
  Deadline& deadline;
  std::chrono::milliseconds close_time;
  Connection& upstream;
  rules::AuditRecord& record;
  bool client_ended = false;
  bool upstream_ended = false;

  Task<void> pump_to_upstream() {
    co_await pump(client, upstream, record.bytes_in);
    client_ended = true;
    upstream.finish_sending();
    // A half-closed client waits for output; one that is gone altogether needs none.
    if (!upstream_ended) co_await client.until_peer_closed();
    upstream.interrupt();
  }

  Task<void> pump_to_client() {
    co_await pump(upstream, client, record.bytes_out);
    upstream_ended = true;
    client.finish_sending();
    if (client_ended)
      client.interrupt();
    else
      deadline.set(close_time);
  }
};

}  // namespace

Task<void> run_tunnel(Connection& client, Deadline& deadline, std::chrono::milliseconds close_time,
                      Connection& upstream, rules::AuditRecord& record) {
  Tunnel tunnel{client, deadline, close_time, upstream, record};
  co_await both(tunnel.pump_to_upstream(), tunnel.pump_to_client());
  deadline.clear();
}

}  // namespace podfence::proxy
