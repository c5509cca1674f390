#pragma once
// `podfence project …` and `podfence reload`: they ask a running podfence, on its operator's socket.

#include <string>
#include <variant>

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// The exit code. What is asked for goes to standard output, what is wrong to the log.
int operate(const CommandLine& line);

/// Where the operator's socket is, by the command line or the configuration; or the exit code.
std::variant<std::string, int> operator_socket(const CommandLine& line);
/// What is told when nobody answers there.
std::string no_answer_on(const std::string& socket);

}  // namespace podfence::proxy
