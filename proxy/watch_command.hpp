#pragma once
// `podfence watch`: the decisions of a running podfence, as they are made.

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code, when podfence ends; a person ends it before that.
int watch(const CommandLine& line);

}  // namespace podfence::proxy
