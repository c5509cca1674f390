#pragma once
// What `podfence explain` and `podfence replay` judge by: one project of a configuration, and what exists.

#include <string>
#include <variant>

#include "proxy/command_line.hpp"
#include "rules/stated_objects.hpp"

namespace podfence::proxy {

/// The configuration of a command line that does not serve, with every place filled in; or the exit code after the
/// reason was told.
std::variant<rules::Configuration, int> load_unserved(const CommandLine& line);

/// nullptr: there is none of that id.
const rules::Project* find_project(const rules::Configuration& configuration, const std::string& id);

/// The project of that id, or the only one; nullptr after the reason was told.
const rules::Project* choose_project(const rules::Configuration& configuration, const std::string& id);

/// What a facts file says exists, nothing for ""; or the exit code after the reason was told.
std::variant<rules::StatedObjects, int> read_facts(const std::string& path, const rules::Project& project);

}  // namespace podfence::proxy
