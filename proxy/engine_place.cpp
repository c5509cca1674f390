#include "proxy/engine_place.hpp"

#include "proxy/unix_socket.hpp"

namespace podfence::proxy {

std::string engine_socket(const rules::Configuration& configuration, const Places& places) {
  if (!configuration.upstream.empty()) return configuration.upstream;
  const auto usual = places.podman_socket();
  return usual.empty() || is_listening(usual) ? usual : places.own_podman_socket();
}

}  // namespace podfence::proxy
