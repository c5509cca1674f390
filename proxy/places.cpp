#include "proxy/places.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace podfence::proxy {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// The XDG specification: a path that is not absolute is to be ignored.
std::string absolute_or_empty(std::string path) { return path.starts_with('/') ? std::move(path) : std::string(); }

}  // namespace

Places::Places(Environment environment) : environment_(std::move(environment)) {}

Places Places::of_this_process() {
  return Places([](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

std::string Places::runtime() const {
  std::string named = absolute_or_empty(environment_("XDG_RUNTIME_DIR"));
  if (!named.empty()) return named;
  std::string usual = "/run/user/" + std::to_string(geteuid());
  return is_directory(usual) ? usual : std::string();
}

std::string Places::sockets() const {
  const std::string directory = runtime();
  return directory.empty() ? directory : directory + "/podfence";
}

std::string Places::socket(std::string_view project) const {
  const std::string directory = sockets();
  if (directory.empty())
    throw std::runtime_error("there is no place for sockets: set XDG_RUNTIME_DIR, or name one with --socket");
  return directory + "/" + std::string(project) + "/podman.sock";
}

std::string Places::state() const {
  if (const auto named = absolute_or_empty(environment_("XDG_STATE_HOME")); !named.empty()) return named + "/podfence";
  if (const auto directory = home(); !directory.empty()) return directory + "/.local/state/podfence";
  throw std::runtime_error("there is no place for the ledger: set HOME, or name one with --state");
}

std::string Places::home() const { return absolute_or_empty(environment_("HOME")); }

std::string Places::podman_socket() const {
  const std::string directory = runtime();
  return directory.empty() ? directory : directory + "/podman/podman.sock";
}

std::string Places::own_podman_socket() const { return socket(".podman"); }

void Places::fill(rules::Configuration& configuration) const {
  for (auto& [project, path, life] : configuration.projects) {
    if (path.empty()) path = socket(project.id);
    project.socket = path;
  }
  if (configuration.state.empty()) configuration.state = state();
}

}  // namespace podfence::proxy
