#pragma once
// `podfence explain`: from a command line to what is printed, and an exit code.

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// Throws std::exception with a sentence for people.
int explain(const CommandLine& line);

}  // namespace podfence::proxy
