#include "proxy/serve.hpp"

#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "proxy/admin.hpp"
#include "proxy/connection_budget.hpp"
#include "proxy/log.hpp"
#include "proxy/metrics.hpp"
#include "proxy/places.hpp"
#include "proxy/podman_service.hpp"
#include "proxy/private_file.hpp"
#include "proxy/probe.hpp"
#include "proxy/process.hpp"
#include "proxy/server.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Of whom it makes sense to begin.
constexpr std::size_t min_connections = 16;

void check_user(const rules::Configuration& configuration) {
  if (geteuid() != 0) return;
  if (configuration.upstream.empty())
    throw std::runtime_error(
        "running as root in front of root's own Podman would make every escape a root one; run podfence as an "
        "ordinary user, or name the socket of a rootless Podman with --upstream");
  log("running as root: an ordinary user is enough, and safer");
}

void check_sockets_are_free(const rules::Configuration& configuration) {
  for (const auto& [project, socket] : configuration.projects)
    if (is_listening(socket))
      throw std::runtime_error("somebody listens on " + socket +
                               " already, another podfence it seems; end it, or choose another place with --socket");
}

/// As many connections as there is room for.
void fit_connections(rules::HttpLimits& limits, std::size_t projects) {
  const auto [before, files] = raise_file_limit();
  log("open files: at most " + std::to_string(files) + " (were " + std::to_string(before) + ")");
  const auto room = connections_within(files, projects);
  const auto advice = " (LimitNOFILE= of a service, ulimit -Hn of a shell)";
  if (room < min_connections)
    throw std::runtime_error(std::to_string(files) + " open files are too few; allow at least " +
                             std::to_string(open_files_for(min_connections, projects)) + advice);
  if (room >= limits.connections) return;
  log("open files: room for " + std::to_string(room) + " connections of clients, not for " +
      std::to_string(limits.connections) + " (http.connections): those take " +
      std::to_string(open_files_for(limits.connections, projects)) + advice);
  limits.connections = room;
}

/// The upstream that a configuration names, or Podman's own socket, or a service that is started here.
struct Upstream {
  std::string socket;
  std::unique_ptr<ChildProcess> service;
};

Upstream find_upstream(const rules::Configuration& configuration, const Places& places) {
  if (!configuration.upstream.empty()) {
    if (const auto wrong = wrong_with_engine(configuration.upstream, 10s); !wrong.empty())
      log("Podman does not answer on " + configuration.upstream + " (" + wrong + "); clients read 502 until it does");
    return {configuration.upstream, nullptr};
  }
  if (const auto usual = places.podman_socket(); wrong_with_engine(usual, 10s).empty()) return {usual, nullptr};
  const std::string own = places.own_podman_socket();
  return {own, start_podman_service(own, places.environment())};
}

void log_listeners(const rules::Configuration& configuration, const Upstream& upstream) {
  const std::string behind =
      upstream.socket +
      (upstream.service ? " (started by podfence, pid " + std::to_string(upstream.service->id()) + ")" : "");
  for (const auto& [project, socket] : configuration.projects)
    log("project " + project.id + " listens on " + socket + " in front of " + behind + "; use DOCKER_HOST=unix://" +
        socket + " or CONTAINER_HOST=unix://" + socket);
}

std::vector<ListenerOptions> listeners(const rules::Configuration& configuration) {
  std::vector<ListenerOptions> result;
  for (const auto& [project, socket] : configuration.projects)
    result.push_back({std::make_shared<const rules::Project>(project), socket});
  return result;
}

void start(Server& server) {
  const std::string way_out = " (running as uid " + std::to_string(geteuid()) + "; choose another place with --socket)";
  try {
    server.start();
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string("cannot listen on ") + error.what() + way_out);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + way_out);
  }
}

/// Until a signal ends the server, or the service behind it ends by itself: that is thrown.
void run(asio::io_context& context, Server& server, std::optional<Admin>& admin, Upstream& upstream) {
  std::optional<std::string> service_ended;
  asio::posix::stream_descriptor service_end(context);
  asio::signal_set signals(context, SIGTERM, SIGINT);
  const auto stop = [&] {
    // Nothing of ours may keep the context busy now. A second signal finds the default action and ends us at once.
    signals.clear();
    signals.cancel();
    service_end.close();
    server.stop();
    if (admin) admin->stop();
  };
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    log(signal == SIGTERM ? "SIGTERM: no new connections, running requests may end"
                          : "SIGINT: no new connections, running requests may end");
    stop();
  });
  if (upstream.service) {
    service_end.assign(dup(upstream.service->ended()));
    service_end.async_wait(asio::posix::stream_descriptor::wait_read, [&](const boost::system::error_code& error) {
      if (error) return;
      service_ended = upstream.service->wait(0s);
      stop();
    });
  }
  context.run();
  if (service_ended) throw std::runtime_error("the Podman service that podfence started " + *service_ended);
}

}  // namespace

void serve(rules::Configuration configuration) {
  harden_process();
  return_freed_memory();
  check_user(configuration);
  fit_connections(configuration.http, configuration.projects.size());
  const Places places = Places::of_this_process();
  places.fill(configuration);
  check_sockets_are_free(configuration);
  make_private_directory(configuration.state);
  SqliteLedger ledger(configuration.state + "/ledger.sqlite");
  AuditLog audit(configuration.audit_log);
  Upstream upstream = find_upstream(configuration, places);
  asio::io_context context(1);
  const Limits& limits = configuration.http;
  std::optional<Metrics> metrics;  // nothing is counted that nobody can read
  if (!configuration.admin.empty()) {
    metrics.emplace(PODFENCE_VERSION, configuration);
    audit.observe([&metrics](const rules::AuditRecord& record) { metrics->count(record); });
  }
  Server server(context, upstream.socket, listeners(configuration), limits, ledger, audit, configuration.state);
  start(server);
  std::optional<Admin> admin;
  if (metrics) admin.emplace(context, configuration.admin, limits, *metrics);
  log_listeners(configuration, upstream);
  for (const auto& opening : rules::opening_texts(configuration)) log(opening);
  notify_ready();
  run(context, server, admin, upstream);
}

}  // namespace podfence::proxy
