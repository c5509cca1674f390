#include "proxy/serve.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "proxy/admin.hpp"
#include "proxy/archive.hpp"
#include "proxy/caretaker.hpp"
#include "proxy/confinement.hpp"
#include "proxy/connection_budget.hpp"
#include "proxy/connector.hpp"
#include "proxy/failure.hpp"
#include "proxy/followers.hpp"
#include "proxy/handed_sockets.hpp"
#include "proxy/heartbeat.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/podman_service.hpp"
#include "proxy/private_file.hpp"
#include "proxy/probe.hpp"
#include "proxy/process.hpp"
#include "proxy/server.hpp"
#include "proxy/service_manager.hpp"
#include "proxy/unix_socket.hpp"
#include "rules/error_answer.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Of whom it makes sense to begin.
constexpr Room least{16, 8};
/// Files are kept free for so many projects where some can be added.
constexpr std::size_t added_projects = 500;

void check_user(const rules::Configuration& configuration) {
  if (geteuid() != 0) return;
  if (configuration.upstream.empty())
    throw std::runtime_error(
        "running as root in front of root's own Podman would make every escape a root one; run podfence as an "
        "ordinary user, or name the socket of a rootless Podman with --upstream");
  log("running as root: an ordinary user is enough, and safer");
}

void check_sockets_are_free(const rules::Configuration& configuration) {
  for (const auto& [project, socket, life] : configuration.projects)
    if (!is_handed(socket) && is_listening(socket))
      throw std::runtime_error("somebody listens on " + socket +
                               " already, another podfence it seems; end it, or choose another place with --socket");
}

/// As many connections and requests as there is room for.
void fit_connections(rules::HttpLimits& limits, std::size_t projects) {
  const auto [before, files] = raise_file_limit();
  log("open files: at most " + std::to_string(files) + " (were " + std::to_string(before) + ")");
  const Room wanted{limits.connections, std::min(limits.requests, limits.connections)};
  const auto room = room_within(files, wanted, projects);
  const auto advice = " (LimitNOFILE= of a service, ulimit -Hn of a shell)";
  if (room.connections < least.connections || room.requests < least.requests)
    throw std::runtime_error(std::to_string(files) + " open files are too few; allow at least " +
                             std::to_string(open_files_for({2 * least.requests, least.requests}, projects)) + advice);
  if (room.connections < wanted.connections || room.requests < wanted.requests)
    log("open files: room for " + std::to_string(room.connections) + " connections of clients and " +
        std::to_string(room.requests) + " requests at a time, not for " + std::to_string(wanted.connections) + " and " +
        std::to_string(wanted.requests) + " (http.connections, http.requests): those take " +
        std::to_string(open_files_for(wanted, projects)) + advice);
  limits.connections = room.connections;
  limits.requests = room.requests;
}

/// What the operator's socket needs.
struct Operator {
  Operator(asio::io_context& context, const std::string& path, const Limits& limits, Server& server, Tenancy& tenancy,
           Caretaker& caretaker)
      : watching(context.get_executor(), PODFENCE_VERSION, tenancy),
        api(server.services(), tenancy, caretaker, watching, policy_files()),
        admin(context, path, limits, api, watching.decisions) {}
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  Watching watching;
  OperatorApi api;
  Admin admin;  ///< the last: it accepts clients from here on
};

/// The upstream that a configuration names, or Podman's own socket, or a service that is started here.
struct Engine {
  std::string socket;
  std::unique_ptr<ChildProcess> service = nullptr;
  bool answers = true;
};

/// Podman may come later; what is there in its place will not go away by itself.
void check_engine_place(const std::string& socket) {
  struct stat status {};
  if (stat(socket.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode))
    throw std::runtime_error(socket + " is not a socket, so no Podman can answer there; name its socket (upstream)");
}

Engine find_engine(const rules::Configuration& configuration, const Places& places) {
  if (!configuration.upstream.empty()) {
    check_engine_place(configuration.upstream);
    const auto wrong = wrong_with_engine(configuration.upstream, 10s);
    if (!wrong.empty())
      log("Podman does not answer on " + configuration.upstream + " (" + wrong + "); clients read 502 until it does");
    return {.socket = configuration.upstream, .answers = wrong.empty()};
  }
  if (const auto usual = places.podman_socket(); wrong_with_engine(usual, 10s).empty()) return {usual};
  const std::string own = places.own_podman_socket();
  return {own, start_podman_service(own, places.environment())};
}

void log_listeners(const rules::Configuration& configuration, const Engine& upstream) {
  const std::string behind =
      upstream.socket +
      (upstream.service ? " (started by podfence, pid " + std::to_string(upstream.service->id()) + ")" : "");
  for (const auto& [project, socket, life] : configuration.projects)
    log("project " + project.id + " listens on " + socket + " in front of " + behind + "; use DOCKER_HOST=unix://" +
        socket + " or CONTAINER_HOST=unix://" + socket);
}

void start(Tenancy& tenancy) {
  const std::string way_out = " (running as uid " + std::to_string(geteuid()) + "; choose another place with --socket)";
  try {
    tenancy.start();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(said_by(error) + way_out);
  }
}

/// What podfence calls upstream with.
Upstream::Connect through(Connector& connector) {
  return [&connector] { return connector.connect(); };
}

/// Everything that will be needed has been opened; a directory for the sockets of projects that are added has to be
/// there.
void confine_to(const rules::Configuration& configuration, const std::string& file,
                const std::vector<std::string>& policies, const Places& places, std::optional<Operator>& operators) {
  Confinement confinement;
  if (confines(configuration)) {
    auto reach = reach_of(configuration, file, policies);
    if (const auto sockets = places.sockets(); !file.empty() && !sockets.empty()) {
      make_private_directory(sockets);
      reach.writable.push_back(sockets);
    }
    confinement = confine(reach, memory_limit(configuration.http));
  }
  if (operators) operators->watching.metrics.note(confinement);
  log(confinement.text());
}

/// What runs, and is stopped together.
struct RunningParts {
  Server& server;
  Caretaker& caretaker;
  std::optional<Operator>& operators;
  Engine& upstream;
  Connector& connector;
  Followers& followers;
  Heartbeat& heartbeat;

  void stop() {
    notify_stopping(std::chrono::ceil<std::chrono::seconds>(server.services().limits.drain_time) + 5s);
    heartbeat.stop();
    followers.stop();
    caretaker.stop();
    server.stop();
    if (operators) operators->admin.stop();
  }
};

/// However serving ends, by an exception too: nothing of the parts is left in the context when they are destroyed.
class StopAtEnd {
 public:
  StopAtEnd(asio::io_context& context, RunningParts& parts) : context_(context), parts_(parts) {}
  ~StopAtEnd() {
    parts_.stop();
    while (!run_out()) {
    }
  }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  /// False: something was thrown on the way, and more may be left.
  bool run_out() {
    try {
      context_.restart();
      context_.run();
      return true;
    } catch (const std::exception& error) {
      log("while podfence ends: " + said_by(error));
      return false;
    }
  }

  asio::io_context& context_;
  RunningParts& parts_;
};

/// Until a signal ends the server, or a process that it cannot do without ends by itself: that is thrown.
void run(asio::io_context& context, RunningParts& parts) {
  auto& service = parts.upstream.service;
  std::optional<std::string> service_ended;
  bool connector_ended = false;
  asio::posix::stream_descriptor service_end(context), connector_end(context, dup(parts.connector.ended()));
  asio::signal_set signals(context, SIGTERM, SIGINT);
  const auto stop = [&] {
    // Nothing of ours may keep the context busy now. A second signal finds the default action and ends us at once.
    signals.clear();
    signals.cancel();
    service_end.close();
    connector_end.close();
    parts.stop();
  };
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    log(signal == SIGTERM ? "SIGTERM: no new connections, running requests may end"
                          : "SIGINT: no new connections, running requests may end");
    stop();
  });
  if (service) {
    service_end.assign(dup(service->ended()));
    service_end.async_wait(asio::posix::stream_descriptor::wait_read, [&](const boost::system::error_code& error) {
      if (error) return;
      service_ended = service->wait(0s);
      stop();
    });
  }
  connector_end.async_wait(asio::posix::stream_descriptor::wait_read, [&](const boost::system::error_code& error) {
    if (error) return;
    connector_ended = true;
    stop();
  });
  context.run();
  if (connector_ended) throw std::runtime_error("the process that connects to Podman for podfence has ended");
  if (service_ended) throw std::runtime_error("the Podman service that podfence started " + *service_ended);
}

/// `file`: where `base` comes from.
void serve(rules::Configuration configuration, std::optional<rules::ConfigurationBase> base, Tenancy::Read read,
           const std::string& file) {
  receive_sockets();
  harden_process();
  prepare_archives();
  return_freed_memory();
  check_user(configuration);
  Limits limits = configuration.http;
  fit_connections(limits, std::max(configuration.projects.size(), configuration.admin.empty() ? 0 : added_projects));
  const Places places = Places::of_this_process();
  places.fill(configuration);
  check_sockets_are_free(configuration);
  make_private_directory(configuration.state);
  SqliteLedger ledger(configuration.state + "/ledger.sqlite");
  asio::io_context context(1);
  Followers followers(context);
  AuditLog audit(configuration.audit);
  audit.put_off(context.get_executor());
  Engine upstream = find_engine(configuration, places);
  Connector connector(upstream.socket, confines(configuration));
  Server server(context, through(connector), {}, limits, ledger, audit, configuration.state, configuration.label);
  ProjectStore store(configuration.state + "/projects.sqlite");
  const auto policies = base ? base->policy_paths() : std::vector<std::string>();
  Tenancy tenancy(server, places, configuration, store, std::move(base), std::move(read));
  Caretaker caretaker(context.get_executor(), server.services(), tenancy, {});
  Heartbeat heartbeat(context.get_executor(), server.services());
  std::optional<Operator> operators;  // nothing is counted that nobody can read
  RunningParts parts{server, caretaker, operators, upstream, connector, followers, heartbeat};
  const StopAtEnd ending(context, parts);
  start(tenancy);
  server.start();
  for (const auto& control : configuration.control) {
    server.listen(control);
    log("a control plane comes in at " + control.text());
  }
  audit.observe([&](const rules::AuditRecord& record) { tenancy.note_request(record); });
  if (!configuration.admin.empty()) {
    operators.emplace(context, configuration.admin, limits, server, tenancy, caretaker);
    operators->watching.begin(audit);
  }
  log_listeners(configuration, upstream);
  for (const auto& opening : rules::opening_texts(configuration)) log(opening);
  followers.begin(file, server, tenancy, audit);
  close_untaken();
  heartbeat.begin(upstream.socket, upstream.answers);
  ask_who_listens([&](const std::string& path) { return connector.is_listening(path); });
  confine_to(configuration, file, policies, places, operators);
  caretaker.start();  // the last: it ends projects
  run(context, parts);
}

}  // namespace

void serve(rules::Configuration configuration) { serve(std::move(configuration), std::nullopt, nullptr, ""); }

void serve(rules::ConfigurationBase base, const std::string& file) {
  auto configuration = base.configuration();
  serve(
      std::move(configuration), std::move(base), [&] { return load_base(file); }, file);
}

}  // namespace podfence::proxy
