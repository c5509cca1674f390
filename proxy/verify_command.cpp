#include "proxy/verify_command.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>
#include <stdexcept>

#include "proxy/choose_project.hpp"
#include "proxy/concurrently.hpp"
#include "proxy/engine_place.hpp"
#include "proxy/failure.hpp"
#include "proxy/private_file.hpp"
#include "proxy/probe.hpp"
#include "proxy/random.hpp"
#include "proxy/run_alone.hpp"
#include "proxy/verify.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto patience = 30s;

void check_answers(const std::string& what, const std::string& socket) {
  if (const auto wrong = wrong_with_engine(socket, patience); !wrong.empty())
    throw std::runtime_error(what + " does not answer on " + socket + ": " + wrong);
}

/// One run at a time: each begins with removing what others have left.
File lock_runs(const Places& places) {
  const auto directory = places.runtime();
  const auto path =
      (directory.empty() ? "/tmp" : directory) + "/podfence-verify-" + std::to_string(geteuid()) + ".lock";
  File file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.descriptor() < 0) throw std::runtime_error("the lock " + path + " cannot be made");
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0)
    throw std::runtime_error("another podfence verify is running (" + path + "): wait for its end");
  return file;
}

Task<void> guarded(Verifier& run) {
  std::string wrong;
  try {
    co_await run.run();
  } catch (const std::exception& error) {
    wrong = said_by(error);
  }
  run.report().broken_off = wrong;
}

Task<void> until(asio::signal_set& signals) {
  boost::system::error_code ignored;
  co_await signals.async_wait(asio::redirect_error(as_task, ignored));
}

/// A signal, a reader who has gone, or whatever else ends it: what was made is removed.
Task<void> run_and_clean(Verifier& run, asio::signal_set& signals) {
  const bool interrupted = co_await first_of(guarded(run), until(signals)) == 1;
  if (interrupted) run.report().broken_off = "by a signal";
  try {
    co_await run.clean_up();
  } catch (const std::exception& error) {
    run.report().left.push_back("what is called " + run.report().run + ": " + said_by(error));
  }
}

int code_of(const rules::verify::Report& report) {
  if (report.count(rules::verify::Verdict::Result::Fail) > 0) return exit_unsound;
  const bool nothing = report.count(rules::verify::Verdict::Result::Pass) == 0;
  return nothing || !report.left.empty() || !report.broken_off.empty() ? exit_failure : exit_ok;
}

}  // namespace

int audit_from_outside(const CommandLine& line) {
  const auto loaded = load_unserved(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  const auto* project = choose_project(configuration, line.options.project);
  if (!project) return exit_usage;
  const auto places = Places::of_this_process();
  const VerifySettings settings{project->socket,
                                engine_socket(configuration, places),
                                line.operate.admin.empty() ? configuration.admin : line.operate.admin,
                                project->id,
                                project->label_key,
                                line.verify.image};
  if (settings.admin.empty() && configuration.removes_orphans)
    throw std::runtime_error(
        "orphans are removed here, and without an operator's socket (admin) the decoy would be one: name one");
  const auto lock = lock_runs(places);
  check_answers("Podman", settings.upstream);
  check_answers("podfence", settings.socket);
  std::signal(SIGPIPE, SIG_IGN);
  const bool json = line.operate.json;
  Verifier run(settings, random_digits() + random_digits(), [json](const rules::verify::Outcome& outcome) {
    if (!json) std::cout << rules::verify::text_of(outcome) << std::flush;
  });
  asio::io_context context(1);
  asio::signal_set signals(context, SIGINT, SIGTERM, SIGHUP);
  run_alone(context, run_and_clean(run, signals));
  std::cout << (json ? rules::verify::json_of(run.report()) : rules::verify::summary(run.report()));
  return code_of(run.report());
}

}  // namespace podfence::proxy
