#include "proxy/load.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "proxy/log.hpp"
#include "proxy/places.hpp"
#include "proxy/workspaces.hpp"

namespace podfence::proxy {
namespace {

using Loaded = std::variant<rules::Configuration, rules::ConfigurationError>;
using LoadedBase = std::variant<rules::ConfigurationBase, rules::ConfigurationError>;

/// A pipe is what a shell makes of `<(command)`.
rules::FileText read_trusted_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return read_file(path);
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return {"", "is not a regular file"};
  if ((status.st_mode & S_IWOTH) != 0)
    return {"", "can be written by everybody, so nobody can rely on it; chmod o-w it"};
  return read_file(path);
}

/// What could have been meant by the name of a policy that is not there.
std::string policies_in(const std::filesystem::path& directory) {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") names.insert(entry.path().stem());
  if (error) return "the directory " + directory.string() + ": " + error.message();
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "the policies there are " : ", ").append(name);
  return text.empty() ? "there are no policies in that directory" : text;
}

rules::FileText read_policy_file(const std::string& path) {
  auto file = read_trusted_file(path);
  if (std::error_code hidden; !file.wrong.empty() && !std::filesystem::exists(path, hidden))
    file.wrong += "; " + policies_in(std::filesystem::path(path).parent_path());
  return file;
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
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  file.peek();  // a directory opens like a file
  if (!file.is_open() || file.bad()) return {"", "cannot be read: " + std::generic_category().message(errno)};
  return {std::string(std::istreambuf_iterator<char>(file), {})};
}

rules::PolicyFiles policy_files() { return {PODFENCE_POLICIES, read_policy_file}; }

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
