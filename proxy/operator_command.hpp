#pragma once
// `podfence project …` and `podfence reload`: they ask a running podfence, on its operator's socket.

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code. What is asked for goes to standard output, what is wrong to the log.
int operate(const CommandLine& line);

}  // namespace podfence::proxy
