#include "proxy/server.hpp"

#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>

#include "proxy/control_listener.hpp"
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
  TaskGroup draining;
  std::map<std::string, std::unique_ptr<Listener>> listeners = {};  ///< by project
  std::list<std::unique_ptr<Listener>> removed = {};                ///< those that clients are being cut off from
  std::list<std::unique_ptr<ControlListener>> controls = {};
  TaskGroup repairing;
  std::optional<LedgerRepair> repair = std::nullopt;

  std::size_t tasks() const;
  void cancel();
  void forget_empty();
  void share_out();
  Task<void> drain();
};

Server::Server(asio::io_context& context, Upstream::Connect upstream, std::vector<ListenerOptions> listeners,
               Limits limits, SqliteLedger& ledger, AuditLog& audit, const std::string& spool_directory,
               std::string label_key, std::chrono::seconds repair_grace)
    : state_(new State{
          context,
          ConnectionBudget(limits.connections, limits.project_connections, listeners.size()),
          std::move(listeners),
          {limits, Upstream(context.get_executor(), std::move(upstream), {.trailer_bytes = limits.trailer_bytes}),
           NameLocks(context.get_executor()), BufferBudget(limits.buffered_bytes, limits.project_buffered_bytes),
           ConnectionBudget(limits.requests, limits.project_connections, 0), rules::OwnerMemory(), rules::Usage(),
           ledger, audit, spool_directory, BufferBudget(limits.spool_bytes, limits.spool_bytes / 2),
           BufferBudget(limits.unpacking_bytes, limits.unpacking_bytes / 2)},
          TaskGroup(context.get_executor()),
          {},
          {},
          {},
          TaskGroup(context.get_executor())}) {
  if (ledger.empty()) return;
  state_->repair.emplace(context.get_executor(), state_->services, std::move(label_key), repair_grace);
  state_->services.repair = &*state_->repair;
}

Server::~Server() {
  stop();
  // What still runs refers to what is about to be destroyed.
  state_->services.stopped = true;
  while (state_->tasks() > 0 || !state_->draining.empty() || !state_->repairing.empty()) {
    state_->cancel();
    state_->repairing.cancel();
    state_->draining.cancel();
    state_->context.restart();
    state_->context.run_for(10ms);
  }
}

void Server::start() {
  for (auto& options : state_->options) put(std::move(options));
  state_->options.clear();
  if (state_->repair) state_->repairing.spawn(state_->repair->run());
}

void Server::put(ListenerOptions options) {
  auto& state = *state_;
  state.forget_empty();
  const auto id = options.project->id;
  if (const auto known = state.listeners.find(id); known != state.listeners.end())
    return known->second->judge_by(std::move(options.project));
  auto listener =
      std::make_unique<Listener>(state.context.get_executor(), std::move(options), state.services, state.connections);
  listener->start();
  state.listeners.emplace(id, std::move(listener));
  state.share_out();
}

bool Server::remove(const std::string& project) {
  auto& state = *state_;
  state.forget_empty();
  const auto known = state.listeners.find(project);
  if (known == state.listeners.end()) return false;
  known->second->remove();
  state.removed.push_back(std::move(known->second));
  state.listeners.erase(known);
  state.share_out();
  return true;
}

void Server::listen(rules::ControlListener options) {
  auto& state = *state_;
  state.controls.push_back(ControlListener::open(state.context.get_executor(), std::move(options), *this,
                                                 state.services, state.connections));
  state.controls.back()->start();
}

std::vector<std::string> Server::reload_certificates() {
  std::vector<std::string> wrong;
  for (auto& control : state_->controls)
    if (auto what = control->reload(); !what.empty()) wrong.push_back(std::move(what));
  return wrong;
}

std::shared_ptr<const rules::Project> Server::project(const std::string& id) const {
  const auto known = state_->listeners.find(id);
  return known == state_->listeners.end() ? nullptr : known->second->project();
}

std::vector<std::shared_ptr<const rules::Project>> Server::projects() const {
  std::vector<std::shared_ptr<const rules::Project>> projects;
  for (const auto& [id, listener] : state_->listeners) projects.push_back(listener->project());
  return projects;
}

void Server::stop() {
  for (auto& [project, listener] : state_->listeners) listener->stop();
  for (auto& control : state_->controls) control->stop();
  state_->services.upstream.close_idle();
  state_->repairing.cancel();
  if (state_->draining.empty() && state_->tasks() > 0) state_->draining.spawn(state_->drain());
}

std::size_t Server::tasks() const { return state_->tasks(); }

std::size_t Server::connections(const std::string& project) const {
  const auto known = state_->listeners.find(project);
  return known == state_->listeners.end() ? 0 : known->second->tasks() - 1;  // the first one accepts
}

Services& Server::services() { return state_->services; }

std::size_t Server::State::tasks() const {
  std::size_t tasks = 0;
  for (const auto& [project, listener] : listeners) tasks += listener->tasks();
  for (const auto& listener : removed) tasks += listener->tasks();
  for (const auto& control : controls) tasks += control->tasks();
  return tasks;
}

void Server::State::cancel() {
  for (const auto& [project, listener] : listeners) listener->cancel();
  for (const auto& listener : removed) listener->cancel();
  for (const auto& control : controls) control->cancel();
}

void Server::State::forget_empty() {
  std::erase_if(removed, [](const auto& listener) { return listener->tasks() == 0; });
}

void Server::State::share_out() {
  connections.share_out(listeners.size());
  services.requests.share_out(listeners.size());
  // podfence itself has a part.
  for (auto* budget : {&services.buffers, &services.spool, &services.unpacking})
    budget->share_out(listeners.size() + 1);
}

/// Waits for the last client, or cuts off who is still there when the time is over.
Task<void> Server::State::drain() {
  const auto end = std::chrono::steady_clock::now() + services.limits.drain_time;
  asio::steady_timer timer(context);
  while (tasks() > 0 && std::chrono::steady_clock::now() < end) {
    timer.expires_after(10ms);
    co_await timer.async_wait(as_task);
  }
  if (tasks() > 0) log("cut off what still ran when the time to end was over: connections " + std::to_string(tasks()));
  services.stopped = true;
  cancel();
}

}  // namespace podfence::proxy
