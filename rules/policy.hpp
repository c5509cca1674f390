#pragma once
// What a project may do: values that are read once from the configuration (docs/configuration.md) and never change
// while a request is judged. The defaults here are those of a project that says nothing.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podfence::rules {

/// A directory of the host that a project may mount.
struct Workspace {
  std::string client;  ///< its path as clients name it, and read it in answers
  std::string host;    ///< its path on the host
  bool read_only = false;
};

/// What one container may be given.
enum class Amount {
  Memory,          ///< bytes
  Cpus,            ///< billionths of a processor
  Processes,       ///< a count
  SharedMemory,    ///< bytes
  Tmpfs,           ///< bytes, of each tmpfs
  OpenFiles,       ///< a count: the ulimit nofile
  UserProcesses,   ///< a count: the ulimit nproc
  LogSize,         ///< bytes
  HealthInterval,  ///< nanoseconds
  Restarts,        ///< a count: of the restart policy on-failure
  StopTimeout,     ///< seconds
};
inline constexpr std::size_t amount_count = 11;

struct Limit {
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> standard;  ///< written when a client says nothing: "default"
  std::optional<std::int64_t> most;
};

/// What a project may have at one time.
enum class Resource {
  Containers,
  Pods,
  Volumes,
  Networks,
  Secrets,
  Images,
  Execs,    ///< exec sessions that run or may be started
  Streams,  ///< open attach, exec, logs, events, stats and wait requests
  Builds,
  Memory,  ///< bytes: the limits of all containers
  Cpus,    ///< billionths of a processor: likewise
};
inline constexpr std::size_t resource_count = 11;

struct Privileges {
  /// The most that a container may have, in lower case without `cap_`. Podman's default set
  /// (containers/common:DefaultCapabilities).
  std::vector<std::string> capabilities = {"chown",   "dac_override",     "fowner",    "fsetid",
                                           "kill",    "net_bind_service", "setfcap",   "setgid",
                                           "setpcap", "setuid",           "sys_chroot"};
  bool new_privileges = false;      ///< insecure_new_privileges: set-user-id programs of the image work
  bool read_only_root = false;      ///< every root file system is read-only
  std::string user_namespace = {};  ///< forced mode, "keep-id" or "auto"; "" leaves the choice to clients
};

/// Host ports that may be published, both ends included. An explicit range is the project's alone.
struct Ports {
  std::int64_t first = 1024;
  std::int64_t last = 65535;
  bool own_range = false;  ///< the configuration says the range: ports that Podman would choose are taken from it
};

struct Egress {
  /// False: containers reach nothing but the project's own networks; those are made internal.
  bool open = true;
  /// Name of a network of the operator's that every container with a network is put on, "" for none. Whoever is on it
  /// besides the project's containers is their way out.
  std::string gate = {};
};

struct NetworkPolicy {
  /// True: containers that name no network are put on the project's own, which is made on demand. False: on a private
  /// one, without other containers.
  bool project_network = false;
  Egress egress;
  /// Ranges of private addresses: a subnet that a client chooses lies within one of them. All bridges share one space
  /// of addresses, so the default is what Podman gives anybody (containers/common: the first of default_subnet_pools).
  std::vector<std::string> subnets = {"10.89.0.0/16"};
};

/// What RUN and ADD of a Dockerfile may reach besides what the build has.
struct BuildPolicy {
  bool network = false;  ///< insecure_network: RUN has a network where the engine cannot keep the host's loopback out
  bool urls = false;     ///< insecure_urls: ADD fetches, which Podman does in the network of the host
};

/// What the project's things are called upstream: names.hpp.
enum class Names {
  Shared,   ///< as clients call them: one name space for all projects
  Private,  ///< with the project before the name, which clients do not see
  Full,     ///< likewise, and shown: to a control plane that speaks for several projects
};

struct Policy {
  /// Patterns of normalised image names (`localhost/*`) that every project may use and none may change.
  std::vector<std::string> shared_images = {};
  /// Patterns of registries, or of repositories in them, that the host may be made to talk to; nullopt: registry.hpp.
  std::optional<std::vector<std::string>> registries = {};
  bool manifests = false;  ///< images.insecure_manifests: manifest lists also where they can break everybody's lists
  std::vector<Workspace> workspaces = {};
  Names names = Names::Shared;
  bool read_only = false;      ///< requests that change something are refused
  bool bind_subpaths = false;  ///< insecure_bind_subpaths
  Privileges privileges = {};
  std::array<Limit, amount_count> limits = default_limits();
  std::array<std::optional<std::int64_t>, resource_count> quotas = default_quotas();
  Ports ports = {};
  NetworkPolicy network = {};
  BuildPolicy build = {};
  /// NAME, value: set in every container whose client does not set it.
  std::vector<std::pair<std::string, std::string>> environment = {};

  const Limit& limit(Amount amount) const { return limits[static_cast<std::size_t>(amount)]; }
  Limit& limit(Amount amount) { return limits[static_cast<std::size_t>(amount)]; }
  std::optional<std::int64_t> quota(Resource resource) const { return quotas[static_cast<std::size_t>(resource)]; }
  std::optional<std::int64_t>& quota(Resource resource) { return quotas[static_cast<std::size_t>(resource)]; }

  static std::array<Limit, amount_count> default_limits();
  static std::array<std::optional<std::int64_t>, resource_count> default_quotas();
};

/// How the configuration names and counts them, in the order of the enums.
enum class Unit {
  Count,
  Bytes,       ///< "512m"
  Processors,  ///< 1.5
  Seconds,     ///< "1h30m"
  Nanoseconds  ///< the same texts
};

struct AmountRow {
  Amount amount;
  std::string_view key;  ///< in `limits`
  Unit unit;
  Limit built_in;  ///< what counts for a project that says nothing
  /// What is beyond is brought to the limit and not refused: clients send a default of their own, which nobody asked
  /// for (podman: 10 seconds to stop, 64 MiB of shared memory, a health check every 30 seconds).
  bool clamped = false;
};
struct ResourceRow {
  Resource resource;
  std::string_view key;  ///< in `quota`
  Unit unit;
  std::optional<std::int64_t> built_in;
};
extern const std::array<AmountRow, amount_count> amount_rows;
extern const std::array<ResourceRow, resource_count> resource_rows;

/// For people: "4g", "1.5", "90s".
std::string amount_text(Unit unit, std::int64_t number);

/// The openings of a policy, by the names that the configuration has for them: `insecure_bind_subpaths`.
std::vector<std::string_view> openings(const Policy& policy);

/// What each of them means, a line for the operator: "insecure_bind_subpaths is on: ...".
std::vector<std::string> opening_texts(const Policy& policy);

}  // namespace podfence::rules
