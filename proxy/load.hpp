#pragma once
// From a command line to a configuration, and what people read when that fails.

#include <string>
#include <variant>

#include "proxy/command_line.hpp"

namespace podfence::proxy {

/// Tells what is wrong with the command line; its exit code.
int refuse_usage(const std::string& what);

/// Any file; one that cannot be read has what is wrong.
rules::FileText read_file(const std::string& path);

/// The policies that come with podfence, and how policy files are read.
rules::PolicyFiles policy_files();

/// The configuration, or the exit code after the reason was told. `for_serving`: the host is looked at as well, not
/// only the text.
std::variant<rules::Configuration, int> load(const CommandLine& line, bool for_serving);

/// Reads a configuration file for serving, the look at the host included. An error is a sentence.
std::variant<rules::ConfigurationBase, std::string> load_base(const std::string& path);

}  // namespace podfence::proxy
