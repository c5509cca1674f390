#pragma once
// `podfence serve`: from a configuration to a running proxy and back to an exit code.

#include "rules/configuration.hpp"

namespace podfence::proxy {

/// Returns when a signal has ended the proxy, or throws std::exception with a sentence for people.
void serve(rules::Configuration configuration, const std::string& file);

}  // namespace podfence::proxy
