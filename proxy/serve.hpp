#pragma once
// `podfence serve`: from a configuration to a running proxy and back to an exit code.

#include "rules/configuration.hpp"

namespace podfence::proxy {

/// Returns when a signal has ended the proxy, or throws std::exception with a sentence for people.
void serve(rules::Configuration configuration);
/// The file can be read again, and projects added to what it says.
void serve(rules::ConfigurationBase base, const std::string& file);

}  // namespace podfence::proxy
