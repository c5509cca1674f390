#pragma once
// Which query parameters an endpoint knows and what becomes of each: a table of keys for every value of Query. Names
// are matched without regard to ASCII case and written in Podman's spelling; booleans are written true or false;
// `filters` is read in both encodings and written anew with the project's own label where the endpoint needs it.

#include <string>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/json.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

struct Exchange;

/// One value per distinct set of keys; rows of the endpoint table share them.
// clang-format off
enum class Query {
  None,
  ContainerListCompat, ContainerListLibpod, ContainerCreate, ContainerInspect, ContainerExists, ContainerRemove,
  ContainerStart, ContainerStop, ContainerKill, ContainerWaitCompat, ContainerWaitLibpod, ContainerRename,
  ContainerUpdate, ContainerAttach, ContainerLogs, ContainerStats, ContainerStatsAll, ContainerChanges, ContainerPrune,
  ArchiveGet, ArchivePut,
  Resize, Top,
  PodList, PodRemove, PodStop, PodKill, PodStats, PodPrune,
  VolumeList, VolumeRemove, VolumePrune,
  NetworkList, NetworkCreate, NetworkInspect, NetworkRemove, NetworkPrune,
  ImageList, ImageInspect, ImagePullCompat, ImagePullLibpod, ImageRemove, ImageBatchRemove, ImagePrune,
  Build,
  ImageTag, ImagePush, ImageSave, ImageExport, ImageGetCompat, ImageGetLibpod, ImageLoad, ImageImport,
  ImageImportCompat, ImageTree, ImageChanges, ImageSearch, Commit,
  ManifestCreate, ManifestInspect, ManifestModify, ManifestRemove,
  SecretCreate, SecretInspect, SecretList,
  Events, DiskUsage,
  KubePlay, KubeDown, KubeGenerate,
};
// clang-format on

/// The parameters to send on, in table order; or why not. References in filters are resolved through the exchange's
/// facts. A filter that names something that is not the project's own matches nothing: `nothing` is then set and the
/// caller answers with an empty list.
struct JudgedQuery {
  std::vector<QueryPair> pairs;
  bool nothing = false;
};
std::variant<JudgedQuery, Deny> judge_query(Query query, Exchange& exchange);

/// Does a content that an endpoint has no use for only say again what the query says? (dockerode)
bool repeats_query(const json::Value& content, const Target& target);

/// The first value of a parameter in the client's query, "" where there is none.
std::string value_of(const Target& target, std::string_view name);

/// The truth of a boolean parameter, `absent` where the client says nothing.
bool is_said(const Exchange& exchange, std::string_view name, bool absent);

/// Puts one value in the place of whatever a parameter had; "" leaves it out.
void set_value(std::vector<QueryPair>& pairs, std::string_view name, std::string value);

/// All values of a parameter in the client's query, name compared without regard to ASCII case.
std::vector<std::string> values_of(const Target& target, std::string_view name);

}  // namespace podfence::rules
