#include "proxy/server.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>

#include "proxy/ledger_repair.hpp"
#include "proxy/listener.hpp"
#include "proxy/log.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Server::State {
  asio::io_context& context;
  ConnectionBudget connections;
  std::vector<ListenerOptions> options;
  Services services;
  TaskGroup clients;
  TaskGroup draining;
  std::list<Listener> listeners;
  TaskGroup repairing;
  std::optional<LedgerRepair> repair = std::nullopt;

  Task<void> drain();
};

Server::Server(asio::io_context& context, const std::string& upstream, std::vector<ListenerOptions> listeners,
               Limits limits, SqliteLedger& ledger, AuditLog& audit, const std::string& spool_directory,
               std::chrono::seconds repair_grace)
    : state_(new State{
          context,
          ConnectionBudget(limits.connections, limits.project_connections, listeners.size()),
          std::move(listeners),
          {limits, Upstream(context.get_executor(), upstream, {.trailer_bytes = limits.trailer_bytes}),
           NameLocks(context.get_executor()), BufferBudget(limits.buffered_bytes, limits.project_buffered_bytes),
           rules::OwnerMemory(), rules::Usage(), ledger, audit, spool_directory,
           BufferBudget(limits.spool_bytes, limits.spool_bytes / 2),
           BufferBudget(limits.unpacking_bytes, limits.unpacking_bytes / 2)},
          TaskGroup(context.get_executor()),
          TaskGroup(context.get_executor()),
          {},
          TaskGroup(context.get_executor())}) {
  if (ledger.empty()) return;
  const auto& label_key = state_->options.front().project.label_key;  // the same for all
  state_->repair.emplace(context.get_executor(), state_->services, label_key, repair_grace);
  state_->services.repair = &*state_->repair;
}

Server::~Server() {
  stop();
  // What still runs refers to what is about to be destroyed.
  state_->services.stopped = true;
  while (!state_->clients.empty() || !state_->draining.empty() || !state_->repairing.empty()) {
    state_->clients.cancel();
    state_->repairing.cancel();
    state_->draining.cancel();
    state_->context.restart();
    state_->context.run_one();
  }
}

void Server::start() {
  const auto executor = state_->context.get_executor();
  for (const auto& options : state_->options)
    state_->listeners.emplace_back(executor, options, state_->services, state_->connections, state_->clients);
  for (auto& listener : state_->listeners) state_->clients.spawn(listener.accept());
  if (state_->repair) state_->repairing.spawn(state_->repair->run());
}

void Server::stop() {
  for (auto& listener : state_->listeners) listener.stop();
  state_->services.upstream.close_idle();
  state_->repairing.cancel();
  if (state_->draining.empty() && !state_->clients.empty()) state_->draining.spawn(state_->drain());
}

std::size_t Server::tasks() const { return state_->clients.size(); }

/// Waits for the last client, or cuts off who is still there when the time is over.
Task<void> Server::State::drain() {
  const auto end = std::chrono::steady_clock::now() + services.limits.drain_time;
  asio::steady_timer timer(context);
  while (!clients.empty() && std::chrono::steady_clock::now() < end) {
    timer.expires_after(10ms);
    co_await timer.async_wait(asio::use_awaitable);
  }
  if (!clients.empty())
    log("cut off what still ran when the time to end was over: connections " + std::to_string(clients.size()));
  services.stopped = true;
  clients.cancel();
}

}  // namespace podfence::proxy
