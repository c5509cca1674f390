#include "proxy/load.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/workspaces.hpp"

namespace podfence::proxy {
namespace {

using Loaded = std::variant<rules::Configuration, rules::ConfigurationError>;
using LoadedBase = std::variant<rules::ConfigurationBase, rules::ConfigurationError>;

rules::FileText read_trusted_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0)
    return {"", "can be written by everybody, so nobody can rely on it; chmod o-w it"};
  return read_file(path);
}

LoadedBase load_base_file(const std::string& path, bool for_serving) {
  const auto [text, wrong] = read_trusted_file(path);
  if (!wrong.empty()) return rules::ConfigurationError{"", wrong};
  auto loaded = rules::ConfigurationBase::read(text, policy_files());
  const auto* base = std::get_if<rules::ConfigurationBase>(&loaded);
  if (!base || !for_serving) return loaded;
  auto error = check_workspaces(base->configuration(), Places::of_this_process());
  if (!error) return loaded;
  error->line = rules::line_in_configuration(text, error->where);
  return *std::move(error);
}

Loaded load_file(const std::string& path, bool for_serving) {
  auto loaded = load_base_file(path, for_serving);
  if (auto* error = std::get_if<rules::ConfigurationError>(&loaded)) return std::move(*error);
  return std::get<rules::ConfigurationBase>(loaded).configuration();
}

}  // namespace

int refuse_usage(const std::string& what) {
  log(what + " (see podfence help)");
  return exit_usage;
}

rules::FileText read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.peek();  // a directory opens like a file
  if (!file.is_open() || file.bad()) return {"", "cannot be read"};
  return {std::string(std::istreambuf_iterator<char>(file), {})};
}

rules::PolicyFiles policy_files() { return {PODFENCE_POLICIES, read_trusted_file}; }

std::variant<rules::Configuration, int> load(const CommandLine& line, bool for_serving) {
  const bool from_file = !line.configuration_file.empty();
  auto loaded = from_file ? load_file(line.configuration_file, for_serving)
                          : rules::configuration_of(line.options, policy_files());
  if (auto* configuration = std::get_if<rules::Configuration>(&loaded)) return std::move(*configuration);
  const auto& error = std::get<rules::ConfigurationError>(loaded);
  if (!from_file && error.file.empty()) return refuse_usage(error.where + " " + error.what);
  log(rules::text_of(error, line.configuration_file));
  return exit_configuration;
}

std::variant<rules::ConfigurationBase, std::string> load_base(const std::string& path) {
  auto loaded = load_base_file(path, true);
  if (const auto* error = std::get_if<rules::ConfigurationError>(&loaded)) return rules::text_of(*error, path);
  return std::get<rules::ConfigurationBase>(std::move(loaded));
}

}  // namespace podfence::proxy
