#pragma once
// Where Podman listens, for commands that are run beside a podfence.

#include <string>

#include "proxy/places.hpp"

namespace podfence::proxy {

/// What the configuration names; else the usual place, and where nobody listens there, that of the service that
/// podfence starts.
std::string engine_socket(const rules::Configuration& configuration, const Places& places);

}  // namespace podfence::proxy
