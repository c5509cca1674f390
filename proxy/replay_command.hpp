#pragma once
// `podfence replay`: from a command line to a decision per request, and an exit code.

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// Throws std::exception with a sentence for people.
int replay(const CommandLine& line);

}  // namespace podfence::proxy
