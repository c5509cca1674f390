#pragma once
// One row of the endpoint table: method and path template, and everything that is needed to decide about it. The rows
// are in endpoint_table.cpp; docs/endpoints.md is generated from them.

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/body.hpp"
#include "rules/decision.hpp"
#include "rules/kind.hpp"
#include "rules/method.hpp"
#include "rules/query.hpp"
#include "rules/refusal.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

enum class Family { Docker, Libpod };

/// How a request of the row is decided (decide.cpp has one function for each).
// clang-format off
enum class Act {
  Refuse,        ///< `refusal` says why
  Plain,         ///< resolve the path's object if there is one, judge query and content, send on
  Exists,        ///< answered from the ownership alone: 204 or 404
  List,          ///< send on with our filter; the answer is reduced
  Prune,         ///< list own, delete each
  VolumeCreate,  ///< compat returns an existing volume of anybody with 201
  VolumeRemove,  ///< Podman takes a unique prefix here: exact name only
  VolumeImport,  ///< some Podmans unpack through links that lie in the volume
  NetworkCreate,
  NetworkRemove, ///< Podman sees the containers on a network only when it is named by its exact name
  ContainerCreate,
  Start,         ///< Podman opens what is mounted from the host
  Archive,       ///< so it does where the container does not run
  ImageRemove,
  ImageBatchRemove,
  ImagePull,     ///< and Docker's import, which has the same endpoint
  Build,
  ImageTag,
  ImageUntag,
  ImagePush,
  ImageSave,     ///< also of several images
  ImageLoad,
  ImageImport,
  Commit,
  ImageSearch,
  RegistryLogin,
  ManifestCreate,   ///< and push, which has the destination behind the name
  ManifestInspect,  ///< by the id: for the name of what has gone Podman would ask a registry
  ManifestModify,
  ManifestRemove,
  SecretCreate,
  SecretInspect,
  SecretRemove,  ///< not while a container has it in its environment: Podman reads it there at every start
  Stats,         ///< many containers or pods: own ones only
  Showmounted,
  DiskUsage,
  Events,
  KubePlay,      ///< made into creates of pods, containers and volumes
  KubeDown,      ///< into removals
  KubeGenerate,
};
// clang-format on

/// What becomes of a successful answer (answer/).
// clang-format off
enum class Answer {
  Bytes,         ///< passed on as it comes
  Hijack,        ///< 101, or 200 without length: a tunnel
  Containers, Pods, Volumes, Networks, Images, Secrets,  ///< lists: own items only
  Container, Pod, Volume, Network, Image, ImageHistory, ImageTree, Secret, ///< one object: host paths and foreign names removed
  Removal,       ///< libpod's report of one removal: the client's word instead of the id
  Info, Version, DiskUsage,
  EventLines, StatsLines, ContainerStats, PullLines, PushLines, BuildLines,  ///< JSON lines, judged one by one
  KubeYaml,      ///< YAML documents, written anew
  MadeImage,     ///< likewise, and the ledger records what was made; short, but 5.x tells its progress
  ManifestLines, ///< of manifest lists: made, changed, removed, pushed; likewise
  MadeSecret,    ///< one line, and the ledger records the secret
};
// clang-format on

struct Endpoint {
  Method method;
  std::string_view path;  ///< as in Podman's router, without the version: `/libpod/containers/{name}/json`, `{name:.*}`
                          ///< for names with slashes
  Family family;
  Kind subject;  ///< what the path's parameter names; None where there is none
  Act act;
  Query query;
  Body body;
  Answer answer;
  const Refusal* refusal = nullptr;
};

std::span<const Endpoint> endpoints();

/// How the answer moves through the relay.
enum class Relay { Bytes, Whole, Lines, Hijack };
Relay relay_of(Answer answer);

/// Podman looks at everybody's objects for such an answer, one after the other, and fails when one goes meanwhile.
bool tells_of_all(Answer answer);

struct Match {
  const Endpoint* endpoint = nullptr;
  std::string name;  ///< the path's parameter, decoded; "" where there is none
};

/// The row of a request. Literal segments beat parameters; a path that no row of that method has is told from one that
/// no row has at all.
std::variant<Match, Deny> route(Method method, const Target& target);

/// The table as Markdown, the text of docs/endpoints.md.
std::string endpoints_markdown();

}  // namespace podfence::rules
