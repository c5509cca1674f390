#include "proxy/serve.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "proxy/admin.hpp"
#include "proxy/caretaker.hpp"
#include "proxy/connection_budget.hpp"
#include "proxy/file_watch.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/podman_service.hpp"
#include "proxy/private_file.hpp"
#include "proxy/probe.hpp"
#include "proxy/process.hpp"
#include "proxy/server.hpp"
#include "rules/error_answer.hpp"

namespace podfence::proxy {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Of whom it makes sense to begin.
constexpr std::size_t min_connections = 16;
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

/// What the operator's socket needs.
struct Operator {
  Operator(asio::io_context& context, const std::string& path, const Limits& limits, Server& server, Tenancy& tenancy,
           Caretaker& caretaker, AuditLog& audit)
      : watching(context.get_executor(), PODFENCE_VERSION, tenancy),
        api(server.services(), tenancy, caretaker, watching, policy_files()),
        admin(context, path, limits, api, watching.decisions) {
    watching.begin(audit);
  }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  Watching watching;
  OperatorApi api;
  Admin admin;
};

/// The upstream that a configuration names, or Podman's own socket, or a service that is started here.
struct Engine {
  std::string socket;
  std::unique_ptr<ChildProcess> service;
};

Engine find_engine(const rules::Configuration& configuration, const Places& places) {
  if (!configuration.upstream.empty()) {
    if (const auto wrong = wrong_with_engine(configuration.upstream, 10s); !wrong.empty())
      log("Podman does not answer on " + configuration.upstream + " (" + wrong + "); clients read 502 until it does");
    return {configuration.upstream, nullptr};
  }
  if (const auto usual = places.podman_socket(); wrong_with_engine(usual, 10s).empty()) return {usual, nullptr};
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
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string("cannot listen on ") + error.what() + way_out);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + way_out);
  }
}

/// `why`: what it is read again for.
void read_again(const std::string& why, Server& server, Tenancy& tenancy) {
  try {
    const auto refused = tenancy.reload();
    for (const auto& wrong : server.reload_certificates()) log(why + ": the former certificates count: " + wrong);
    log(why + ": " +
        (refused ? "the configuration stays as it was: " + rules::sentence_of(*refused)
                 : "the configuration was read again, generation " + std::to_string(tenancy.generation())));
  } catch (const std::exception& failure) {
    log(why + ": the configuration stays as it was: " + failure.what());
  }
}

/// SIGHUP reads the configuration again, as often as it comes.
void follow_hangups(asio::signal_set& hangups, Server& server, Tenancy& tenancy) {
  hangups.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    read_again("SIGHUP", server, tenancy);
    follow_hangups(hangups, server, tenancy);
  });
}

/// SIGUSR1 opens the file of the audit log again, for whoever has given it another name.
void follow_rotations(asio::signal_set& rotations, AuditLog& audit) {
  rotations.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    try {
      audit.reopen();
      log("SIGUSR1: the audit log was opened again");
    } catch (const std::exception& failure) {
      log(std::string("SIGUSR1: the audit log goes on where it was: ") + failure.what());
    }
    follow_rotations(rotations, audit);
  });
}

/// What else reads it again, where the configuration says so.
void watch_files(std::optional<FileWatch>& watch, asio::io_context& context, const std::string& file, Server& server,
                 Tenancy& tenancy) {
  const auto& configuration = tenancy.configuration();
  if (!configuration.watch) return;
  std::vector<std::string> paths = {file};
  const auto& policies = configuration.policies.empty() ? policy_files().directory : configuration.policies;
  if (::access(policies.c_str(), R_OK) == 0) paths.push_back(policies);
  watch.emplace(context.get_executor(), std::move(paths), [&] { read_again("a file has changed", server, tenancy); });
}

/// Until a signal ends the server, or the service behind it ends by itself: that is thrown.
void run(asio::io_context& context, Server& server, Tenancy& tenancy, Caretaker& caretaker,
         std::optional<Operator>& operators, Engine& upstream, const std::string& file, asio::signal_set& rotations) {
  std::optional<std::string> service_ended;
  asio::posix::stream_descriptor service_end(context);
  asio::signal_set signals(context, SIGTERM, SIGINT);
  asio::signal_set hangups(context, SIGHUP);
  follow_hangups(hangups, server, tenancy);
  std::optional<FileWatch> watch;
  watch_files(watch, context, file, server, tenancy);
  const auto stop = [&] {
    // Nothing of ours may keep the context busy now. A second signal finds the default action and ends us at once.
    signals.clear();
    signals.cancel();
    hangups.cancel();
    rotations.cancel();
    service_end.close();
    if (watch) watch->stop();
    caretaker.stop();
    server.stop();
    if (operators) operators->admin.stop();
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

/// `file`: where `base` comes from.
void serve(rules::Configuration configuration, std::optional<rules::ConfigurationBase> base, Tenancy::Read read,
           const std::string& file) {
  harden_process();
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
  asio::signal_set rotations(context, SIGUSR1);
  AuditLog audit(configuration.audit);
  Engine upstream = find_engine(configuration, places);
  Server server(context, upstream.socket, {}, limits, ledger, audit, configuration.state, configuration.label);
  ProjectStore store(configuration.state + "/projects.sqlite");
  Tenancy tenancy(server, places, configuration, store, std::move(base), std::move(read));
  start(tenancy);
  server.start();
  for (const auto& control : configuration.control) {
    server.listen(control);
    log("a control plane comes in at " + control.text());
  }
  audit.observe([&](const rules::AuditRecord& record) { tenancy.note_request(record); });
  Caretaker caretaker(context.get_executor(), server.services(), tenancy, {});
  std::optional<Operator> operators;  // nothing is counted that nobody can read
  if (!configuration.admin.empty())
    operators.emplace(context, configuration.admin, limits, server, tenancy, caretaker, audit);
  log_listeners(configuration, upstream);
  for (const auto& opening : rules::opening_texts(configuration)) log(opening);
  follow_rotations(rotations, audit);
  caretaker.start();
  notify_ready();
  run(context, server, tenancy, caretaker, operators, upstream, file, rotations);
}

}  // namespace

void serve(rules::Configuration configuration) { serve(std::move(configuration), std::nullopt, nullptr, ""); }

void serve(rules::ConfigurationBase base, const std::string& file) {
  auto configuration = base.configuration();
  serve(
      std::move(configuration), std::move(base), [&] { return load_base(file); }, file);
}

}  // namespace podfence::proxy
