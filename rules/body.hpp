#pragma once
// What a request's JSON content may say. One table of fields per value of Body (body/tables/), walked by body/walk.cpp:
// names are matched without regard to ASCII case and written in Podman's spelling, zero values are dropped, and every
// field has a decision. Nothing is sent on that is not in a table.

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

struct Exchange;
struct Project;

// clang-format off
enum class Body {
  None,      ///< the row takes no content; empty content and an empty or null JSON document are accepted and not sent on
  Stream,    ///< content is passed on as it comes (tar archives)
  Secret,    ///< kept whole and passed on as it is: bytes of any kind, a few
  BuildContext, ImageArchive, RootArchive,  ///< tar archives that are kept, judged and written anew: archive.hpp
  ContainerCreateCompat, ContainerCreateLibpod, ContainerUpdateCompat, ContainerUpdateLibpod,
  PodCreate,
  VolumeCreateCompat, VolumeCreateLibpod,
  NetworkCreateCompat, NetworkCreateLibpod, NetworkConnectCompat, NetworkConnectLibpod, NetworkDisconnect, NetworkUpdate,
  ExecCreateCompat, ExecCreateLibpod, ExecStart, ExecRemove,
  RegistryLogin, SecretCreate, ManifestModify,
  KubeYaml,  ///< YAML, read into a list of documents; each has the table of its kind
  KubePod, KubeDeployment, KubeConfigMap, KubeSecret, KubeClaim,
};
// clang-format on

/// Read as YAML, and not as JSON.
constexpr bool is_yaml(Body body) { return body == Body::KubeYaml; }

/// An archive is kept and judged before anything is sent.
constexpr bool is_archive(Body body) {
  return body == Body::BuildContext || body == Body::ImageArchive || body == Body::RootArchive;
}

struct JudgedBody {
  json::Value content;             ///< to send on; the project's label is in it where the object carries labels
  std::vector<NewVolume> volumes;  ///< named volumes that must exist first
  std::vector<NewNetwork> networks = {};
  std::set<HostSource> sources = {};
  std::vector<WorkspaceVolume> workspace_volumes = {};  ///< that are missing
  std::string image = {};                               ///< of a container, as the client named it
  std::set<std::string> environment_secrets = {};       ///< the names of those that its environment has
  std::vector<std::string> binds = {};      ///< mounts of a compat create that are sent as Binds (check_host_mount.cpp)
  std::vector<json::Value> sub_paths = {};  ///< likewise, of volumes: compat's Mounts, libpod's volumes
  /// Containers whose mounts it takes over, by their full ids, and whether it says ro.
  std::set<std::pair<std::string, bool>> mounts_from = {};
};

/// References in the content are resolved through the exchange's facts; while some are unknown the content holds
/// placeholders and the caller asks before it looks at it.
std::variant<JudgedBody, Deny> judge_body(Body body, const json::Value& content, Exchange& exchange);

/// `name:address`, of /etc/hosts.
std::optional<Deny> check_host_entry(std::string_view entry);

/// A label that a client gives.
std::optional<Deny> check_label(std::string_view name, std::string_view value, const Project& project);

/// Names of containers, pods, volumes and networks that a client gives to new objects.
std::optional<Deny> check_new_name(std::string_view name, const Project& project);

}  // namespace podfence::rules
