#pragma once
// What `podfence doctor` has seen of the host: values, so that every check is a function of them.
// proxy/doctor_facts.cpp looks; checks.hpp judges.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podfence::rules::doctor {

/// What Podman tells of itself.
struct EngineInfo {
  std::string version;  ///< "4.3.1"
  bool rootless = false;
  bool seccomp = false;
  std::string cgroup_version;  ///< "v2"
  std::vector<std::string> cgroup_controllers;
  std::string network_backend;  ///< "netavark"
  std::string runtime;          ///< "runc"
  std::string runtime_version;  ///< "1.1.5", "" where Podman does not say it in a form that is known
  std::int64_t subordinate_uids = 0, subordinate_gids = 0;  ///< how many a container can have
};
/// Of Podman's answer to `engine_info_request`; nullopt: it is none.
std::optional<EngineInfo> read_engine_info(std::string_view content);
inline constexpr std::string_view engine_info_target = "/v4.0.0/libpod/info";

/// Of the running containers, and of one: its name if it has that socket, or a directory above it, mounted; else "".
inline constexpr std::string_view running_target = "/v4.0.0/libpod/containers/json";
std::vector<std::string> container_ids(std::string_view content);
inline constexpr std::string_view container_target = "/v4.0.0/libpod/containers/{}/json";
std::string holder_of(std::string_view content, std::string_view socket);

/// One directory on the way to a file, or the file itself.
struct PathStep {
  std::string path;
  std::int64_t owner = -1;
  std::string owner_name;
  std::string group_name;
  unsigned mode = 0;          ///< permission bits
  bool group_is_own = false;  ///< nobody but the owner is in the group, as far as can be seen
  bool has_acl = false;       ///< more is said about it than the mode tells
};
/// From the root to the file. `wrong`: why it cannot be looked at.
struct PathFacts {
  std::vector<PathStep> steps = {};
  std::string wrong = {};
};

struct ProjectFacts {
  std::string id;
  std::string socket;
  PathFacts path;
};

struct WorkspaceFacts {
  std::string project, host;
  bool read_only = false;
  bool is_directory = false;
  bool is_link = false;  ///< a step of the path is a symbolic link
  std::int64_t owner = -1;
  bool is_ours = false;  ///< of the user, or of one of the subordinate ones
  unsigned mode = 0;
};

struct HostFacts {
  std::string user = {};
  std::int64_t uid = -1;
  std::string configuration = {};  ///< file, "" for none

  std::string upstream = {};      ///< Podman's socket
  std::string engine_wrong = {};  ///< why Podman does not answer, "" if it does
  std::optional<EngineInfo> engine = {};
  PathFacts upstream_path = {};
  std::vector<std::string> tcp_services = {};  ///< command lines of Podman services that listen on TCP
  std::vector<std::string> holders = {};       ///< running containers that have Podman's socket mounted
  bool holders_known = false;

  bool has_systemd = false;  ///< as the machine's first process
  bool lingers = false;

  bool limits_wanted = false;  ///< a policy writes limits of memory, processors or processes

  std::string ledger = {};
  std::string ledger_wrong = {};  ///< why it cannot be compared, "" if it could be
  std::vector<std::string> ledger_findings = {};

  std::vector<ProjectFacts> projects = {};
  std::vector<WorkspaceFacts> workspaces = {};

  std::int64_t now = 0;             ///< seconds since the epoch
  bool clock_synchronised = false;  ///< the kernel says so
  std::uint64_t files_most = 0;     ///< hard limit of open files
  std::size_t connections = 0;      ///< that podfence may have of clients
};

}  // namespace podfence::rules::doctor
