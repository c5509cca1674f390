#pragma once
// The Podman service that podfence starts where there is none, and ends with itself.

#include <memory>
#include <string>
#include <vector>

#include "proxy/child_process.hpp"
#include "proxy/places.hpp"

namespace podfence::proxy {

/// Everything that Podman needs and nothing else: its API lets clients read the environment of the service (`--env
/// NAME` without a value, proxy variables, search), so what is not here cannot be read.
std::vector<std::string> podman_environment(const Places::Environment& environment);

/// Returns when the service answers on that socket. Throws std::runtime_error with a sentence for people.
std::unique_ptr<ChildProcess> start_podman_service(const std::string& socket, const Places::Environment& environment);

}  // namespace podfence::proxy
