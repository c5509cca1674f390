#include "proxy/podman_service.hpp"

#include <unistd.h>

#include <stdexcept>

#include "proxy/probe.hpp"
#include "proxy/unix_socket.hpp"

namespace podfence::proxy {
namespace {

using namespace std::chrono_literals;

constexpr const char* passed_on[] = {"PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR"};

constexpr const char* way_out = "; see above, or start a Podman service yourself and name its socket with --upstream";

/// The first Podman of a user makes the user namespace and, were it the service, would go on in a process that we do
/// not know. So that is done first.
void make_user_namespace(const std::vector<std::string>& environment) {
  ChildProcess unshare({"podman", "unshare", "true"}, environment);
  const auto outcome = unshare.wait(60s);
  if (outcome != "ended with exit code 0")
    throw std::runtime_error("Podman cannot make its user namespace: podman unshare " +
                             outcome.value_or("does not end") + way_out);
}

}  // namespace

std::vector<std::string> podman_environment(const Places::Environment& environment) {
  std::vector<std::string> result;
  for (const char* name : passed_on)
    if (const std::string value = environment(name); !value.empty()) result.push_back(std::string(name) + "=" + value);
  return result;
}

std::unique_ptr<ChildProcess> start_podman_service(const std::string& socket, const Places::Environment& environment) {
  if (is_listening(socket))
    throw std::runtime_error("the Podman service of another podfence listens on " + socket +
                             "; end that podfence, or name a Podman socket with --upstream");
  make_private_directory(socket.substr(0, socket.rfind('/')));
  unlink(socket.c_str());
  const auto variables = podman_environment(environment);
  make_user_namespace(variables);
  const std::vector<std::string> command{"podman", "system", "service", "--time", "0", "unix://" + socket};
  auto service = std::make_unique<ChildProcess>(command, variables);
  std::string wrong;
  for (int tries = 0; tries < 300; ++tries) {
    if (const auto outcome = service->wait(100ms))
      throw std::runtime_error("podman system service " + *outcome + way_out);
    wrong = wrong_with_engine(socket, 10s);
    if (wrong.empty()) return service;
  }
  throw std::runtime_error("podman system service does not answer: " + wrong + way_out);
}

}  // namespace podfence::proxy
