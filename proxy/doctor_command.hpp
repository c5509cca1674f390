#pragma once
// `podfence doctor`: is the host as podfence needs it (docs/verify.md)?

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code.
int examine_host(const CommandLine& line);

}  // namespace podfence::proxy
