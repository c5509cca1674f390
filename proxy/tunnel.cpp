#include "proxy/tunnel.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>

#include "proxy/concurrently.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;

struct Tunnel {
  Connection& client;
  Deadline& deadline;
  const Limits& limits;
  Connection& upstream;
  rules::AuditRecord& record;
  asio::steady_timer closing{client.executor(), asio::steady_timer::time_point::max()};
  bool client_ended = false;
  bool upstream_ended = false;
  bool taken_by_upstream = true;
  bool taken_by_client = true;

  Task<void> send_to_upstream(std::string_view piece);
  Task<void> send_to_client(std::string_view piece);
  Task<void> pump_to_upstream();
  Task<void> pump_to_client();
  Task<void> watch_closing();
};

// Both pumps pass on first what came with the head. They end with the end of their source, and go on reading when the
// other side takes nothing more: only so does the sender's own end come to light.

Task<void> Tunnel::send_to_upstream(std::string_view piece) {
  taken_by_upstream = co_await upstream.send(piece);
  if (taken_by_upstream) record.bytes_in += piece.size();
}

Task<void> Tunnel::send_to_client(std::string_view piece) {
  const Deadline::Scope limited(deadline, limits.stream_send_idle_time, Deadline::Kind::Sending);
  taken_by_client = co_await client.send(piece);
  if (taken_by_client) record.bytes_out += piece.size();
}

Task<void> Tunnel::pump_to_upstream() {
  while (true) {
    if (client.received().empty()) {
      const bool more = co_await client.receive();
      if (!more) break;
    }
    if (taken_by_upstream) co_await send_to_upstream(client.received());
    client.consume(client.received().size());
  }
  client_ended = true;
  upstream.finish_sending();
  // A half-closed client waits for output; one that is gone altogether needs none.
  if (!upstream_ended) co_await client.until_peer_closed();
  upstream.interrupt();
}

Task<void> Tunnel::pump_to_client() {
  while (true) {
    if (upstream.received().empty()) {
      const bool more = co_await upstream.receive();
      if (!more) break;
    }
    if (taken_by_client) co_await send_to_client(upstream.received());
    upstream.consume(upstream.received().size());
  }
  upstream_ended = !upstream.interrupted();
  client.finish_sending();
  if (client_ended)
    client.interrupt();
  else
    closing.expires_after(limits.close_time);
}

/// Whatever the client still does, and whether upstream takes it or not.
Task<void> Tunnel::watch_closing() {
  while (closing.expiry() > asio::steady_timer::clock_type::now()) co_await closing.async_wait(asio::as_tuple(as_task));
}

}  // namespace

Task<TunnelEnd> run_tunnel(Connection& client, Deadline& deadline, const Limits& limits, Connection& upstream,
                           rules::AuditRecord& record) {
  Tunnel tunnel{client, deadline, limits, upstream, record};
  co_await first_of(both(tunnel.pump_to_upstream(), tunnel.pump_to_client()), tunnel.watch_closing());
  client.interrupt();
  if (tunnel.taken_by_client && tunnel.upstream_ended) co_return TunnelEnd::Whole;
  co_return deadline.passed() ? TunnelEnd::ClientSlow : TunnelEnd::ClientGone;
}

}  // namespace podfence::proxy
