#include "proxy/doctor_command.hpp"

#include <iostream>

#include "proxy/choose_project.hpp"
#include "proxy/doctor_facts.hpp"
#include "proxy/engine_place.hpp"
#include "rules/doctor/checks.hpp"

namespace podfence::proxy {

namespace {

/// Without a configuration there is no project to look at.
std::variant<rules::Configuration, int> configuration_of(const CommandLine& line) {
  if (!line.configuration_file.empty()) return load_unserved(line);
  rules::Configuration configuration;
  configuration.upstream = line.options.upstream;
  configuration.state = line.options.state;
  return configuration;
}

}  // namespace

int examine_host(const CommandLine& line) {
  const auto loaded = configuration_of(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  const auto places = Places::of_this_process();
  const auto state = configuration.state.empty() ? places.state() : configuration.state;
  const auto facts = look_at_host(
      configuration, {engine_socket(configuration, places), state + "/ledger.sqlite", line.configuration_file});
  const auto lines = rules::doctor::examine(facts);
  std::cout << (line.operate.json ? rules::doctor::json_of(lines) : rules::doctor::text_of(lines));
  return rules::doctor::has_failed(lines) ? exit_unsound : exit_ok;
}

}  // namespace podfence::proxy
