// podfence: a filtering reverse proxy in front of a rootless Podman.

#include <sys/stat.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "proxy/command_line.hpp"
#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/serve.hpp"
#include "proxy/workspaces.hpp"
#include "rules/configuration_schema.hpp"

namespace {

using namespace podfence;
using proxy::CommandLine;
using Loaded = std::variant<rules::Configuration, rules::ConfigurationError>;

rules::FileText read_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0)
    return {"", "can be written by everybody, so nobody can rely on it; chmod o-w it"};
  std::ifstream file(path, std::ios::binary);
  file.peek();  // a directory opens like a file
  if (!file.is_open() || file.bad()) return {"", "cannot be read"};
  return {std::string(std::istreambuf_iterator<char>(file), {})};
}

Loaded load_file(const std::string& path, const rules::PolicyFiles& policies) {
  const auto [text, wrong] = read_file(path);
  if (!wrong.empty()) return rules::ConfigurationError{"", wrong};
  auto loaded = rules::read_configuration(text, policies);
  const auto* configuration = std::get_if<rules::Configuration>(&loaded);
  if (!configuration) return loaded;
  auto error = proxy::check_workspaces(*configuration, proxy::Places::of_this_process());
  if (!error) return loaded;
  error->line = rules::line_in_configuration(text, error->where);
  return *std::move(error);
}

int refuse_usage(const std::string& what) {
  proxy::log(what + " (see podfence help)");
  return proxy::exit_usage;
}

/// The configuration, or the exit code after the reason was told.
std::variant<rules::Configuration, int> load(const CommandLine& line) {
  const bool from_file = !line.configuration_file.empty();
  const rules::PolicyFiles policies{PODFENCE_POLICIES, read_file};
  auto loaded =
      from_file ? load_file(line.configuration_file, policies) : rules::configuration_of(line.options, policies);
  if (auto* configuration = std::get_if<rules::Configuration>(&loaded)) return std::move(*configuration);
  const auto& error = std::get<rules::ConfigurationError>(loaded);
  if (!from_file && error.file.empty()) return refuse_usage(error.where + " " + error.what);
  proxy::log(rules::text_of(error, line.configuration_file));
  return proxy::exit_configuration;
}

int check_configuration(const CommandLine& line) {
  const auto loaded = load(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  const auto& configuration = std::get<rules::Configuration>(loaded);
  std::cout << line.configuration_file << ": loads, " << configuration.projects.size() << " project(s)\n";
  for (const auto& opening : rules::opening_texts(configuration)) std::cout << opening << '\n';
  return proxy::exit_ok;
}

int serve(const CommandLine& line) {
  auto loaded = load(line);
  if (const int* code = std::get_if<int>(&loaded)) return *code;
  proxy::serve(std::get<rules::Configuration>(std::move(loaded)));
  return proxy::exit_ok;
}

int run(const CommandLine& line) {
  switch (line.command) {
    case CommandLine::Command::Serve:
      return serve(line);
    case CommandLine::Command::CheckConfig:
      return check_configuration(line);
    case CommandLine::Command::Schema:
      std::cout << rules::configuration_schema;
      return proxy::exit_ok;
    case CommandLine::Command::Version:
      std::cout << "podfence " PODFENCE_VERSION "\n";
      return proxy::exit_ok;
    case CommandLine::Command::Help:
      std::cout << proxy::usage();
      return proxy::exit_ok;
  }
  return proxy::exit_usage;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const auto parsed = proxy::parse_command_line({arguments + 1, arguments + count});
    if (const auto* error = std::get_if<proxy::UsageError>(&parsed)) return refuse_usage(error->what);
    return run(std::get<CommandLine>(parsed));
  } catch (const std::exception& error) {
    proxy::log(error.what());
    return proxy::exit_failure;
  }
}
