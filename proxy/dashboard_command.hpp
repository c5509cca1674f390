#pragma once
// `podfence dashboard`: the page of a running podfence, for a browser of this machine.

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code, when a signal ends it.
int dashboard(const CommandLine& line);

}  // namespace podfence::proxy
