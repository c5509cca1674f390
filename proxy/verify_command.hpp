#pragma once
// `podfence verify`: an audit of a running podfence, from the outside (docs/verify.md).

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code.
int audit_from_outside(const CommandLine& line);

}  // namespace podfence::proxy
