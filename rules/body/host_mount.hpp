#pragma once
// Mounts whose source is a path of the host, in the three forms that the families have for them. One set of rules: the
// path is a workspace or the engine's socket, the options are written anew.

#include <optional>
#include <string>
#include <vector>

#include "rules/body/table.hpp"

namespace podfence::rules {

struct HostMount {
  std::string source;  ///< as the client names it; judged, as the host has it
  std::string target;
  std::vector<std::string> options;
};

/// May the project mount it at all?
std::optional<Deny> judge_host_source(const std::string& source, const Place& place);

/// Docker's -v text: writes it over the value.
std::optional<Deny> judge_host_bind(const HostMount& asked, json::Value& value, const Place& place);
/// Docker's mount object of type bind. It becomes one of JudgedBody::binds, and the value null.
std::optional<Deny> judge_host_mount_compat(json::Value& value, const Place& place);
/// The runtime specification's mount of type bind.
std::optional<Deny> judge_host_mount_libpod(json::Value& value, const Place& place);

}  // namespace podfence::rules
