#pragma once
// `podfence verify`: an audit of a running podfence, from the outside (docs/verify.md).

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code.
int verify(const CommandLine& line);

}  // namespace podfence::proxy
