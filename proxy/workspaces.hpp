#pragma once
// The look at the file system that the rules leave to the proxy: are the workspaces what the configuration takes them
// for?

#include <optional>

#include "proxy/places.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {

/// Each workspace must be a plain directory, apart from what podfence and Podman live by: a client that writes there
/// would be everybody.
std::optional<rules::ConfigurationError> check_workspaces(const rules::Configuration& configuration,
                                                          const Places& places);

}  // namespace podfence::proxy
