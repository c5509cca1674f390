#pragma once
// The configuration file: JSON with comments. Text in, values out; files are read by the proxy. A configuration that names
// an unknown key, or that would be wide open, does not load.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/project.hpp"

namespace podfence::rules {

struct ProjectConfiguration {
  Project project;
  std::string socket;  ///< path of the listening socket; "" means the default place
};

struct Configuration {
  std::string upstream;    ///< path of Podman's socket; "" means the default place, or a service that podfence starts
  std::string state;       ///< directory of the ledger; "" means the default place
  std::string audit_log;   ///< file; "" means standard error
  std::vector<ProjectConfiguration> projects;
};

struct ConfigurationError {
  std::string where;  ///< JSON pointer, "/projects/p1/socket"
  std::string what;   ///< "must be an absolute path"
};

std::variant<Configuration, ConfigurationError> read_configuration(std::string_view text);

}  // namespace podfence::rules
