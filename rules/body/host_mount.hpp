#pragma once
// Mounts whose source is a path of the host, in the three forms that the families have for them. One set of rules: the
// path is a workspace, below one, or the engine's socket; the options are written anew.

#include <optional>
#include <string>
#include <vector>

#include "rules/body/table.hpp"

namespace podfence::rules {

struct HostMount {
  std::string source;  ///< as the client names it; judged, as the host has it
  std::string target;
  std::vector<std::string> options;
  std::string sub_path = {};  ///< judged: the source is a volume of podfence's own, and this is the path below it
};

/// May the project mount it at all?
std::optional<Deny> judge_host_source(const std::string& source, const Place& place);

/// Docker's -v text: writes it over the value, or null where it becomes one of JudgedBody::sub_paths.
std::optional<Deny> judge_host_bind(const HostMount& asked, json::Value& value, const Place& place);
/// Docker's mount object of type bind. It becomes one of JudgedBody::binds or sub_paths, and the value null.
std::optional<Deny> judge_host_mount_compat(json::Value& value, const Place& place);
/// The runtime specification's mount of type bind: written over, or null as above.
std::optional<Deny> judge_host_mount_libpod(json::Value& value, const Place& place);

}  // namespace podfence::rules
