// podfence: a filtering reverse proxy in front of a rootless Podman.

#include <exception>
#include <iostream>

#include "proxy/command_line.hpp"
#include "proxy/dashboard_command.hpp"
#include "proxy/doctor_command.hpp"
#include "proxy/explain_command.hpp"
#include "proxy/failure.hpp"
#include "proxy/help.hpp"
#include "proxy/ledger_command.hpp"
#include "proxy/load.hpp"
#include "proxy/log.hpp"
#include "proxy/operator_command.hpp"
#include "proxy/replay_command.hpp"
#include "proxy/serve.hpp"
#include "proxy/verify_command.hpp"
#include "proxy/watch_command.hpp"
#include "rules/configuration_schema.hpp"

namespace {

using namespace podfence;
using proxy::CommandLine;

int check_configuration(const CommandLine& line) {
  const auto loaded = proxy::load(line, true);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  std::cout << line.configuration_file << ": loads, " << configuration.projects.size() << " project(s)\n";
  for (const auto& opening : rules::opening_texts(configuration)) std::cout << opening << '\n';
  return proxy::exit_ok;
}

int serve(const CommandLine& line) {
  if (line.configuration_file.empty()) {
    auto loaded = proxy::load(line, true);
    if (const int* code = std::get_if<int>(&loaded)) return *code;
    proxy::serve(std::get<rules::Configuration>(std::move(loaded)));
    return proxy::exit_ok;
  }
  auto base = proxy::load_base(line.configuration_file);
  if (const auto* wrong = std::get_if<std::string>(&base)) {
    proxy::log(*wrong);
    return proxy::exit_configuration;
  }
  proxy::serve(std::get<rules::ConfigurationBase>(std::move(base)), line.configuration_file);
  return proxy::exit_ok;
}

int run(const CommandLine& line) {
  switch (line.command) {
    case CommandLine::Command::Serve:
      return serve(line);
    case CommandLine::Command::CheckConfig:
      return check_configuration(line);
    case CommandLine::Command::Explain:
      return proxy::explain(line);
    case CommandLine::Command::Replay:
      return proxy::replay(line);
    case CommandLine::Command::ProjectAdd:
    case CommandLine::Command::ProjectList:
    case CommandLine::Command::ProjectShow:
    case CommandLine::Command::ProjectRemove:
    case CommandLine::Command::ProjectRenew:
    case CommandLine::Command::Collect:
    case CommandLine::Command::Reload:
      return proxy::operate(line);
    case CommandLine::Command::Watch:
      return proxy::watch(line);
    case CommandLine::Command::Dashboard:
      return proxy::dashboard(line);
    case CommandLine::Command::Verify:
      return proxy::audit_from_outside(line);
    case CommandLine::Command::Doctor:
      return proxy::examine_host(line);
    case CommandLine::Command::Ledger:
      return proxy::ledger(line);
    case CommandLine::Command::Schema:
      std::cout << rules::configuration_schema;
      return proxy::exit_ok;
    case CommandLine::Command::Version:
      std::cout << "podfence " PODFENCE_VERSION "\n";
      return proxy::exit_ok;
    case CommandLine::Command::Help:
      std::cout << (line.topic.empty() ? proxy::usage() : proxy::usage_of(line.topic));
      return proxy::exit_ok;
  }
  return proxy::exit_usage;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const auto parsed = proxy::parse_command_line({arguments + 1, arguments + count});
    if (const auto* error = std::get_if<proxy::UsageError>(&parsed)) return proxy::refuse_usage(error->what);
    return run(std::get<CommandLine>(parsed));
  } catch (const std::exception& error) {
    proxy::log(proxy::said_by(error));
    return proxy::exit_failure;
  }
}
