// Every endpoint of Podman 4.3 to 6.0, served or refused. What is not here does not exist for a client.

#include <algorithm>
#include <array>

#include "rules/endpoint.hpp"

namespace podfence::rules {

namespace {

using enum Method;
using enum Family;
using enum Act;

// clang-format off

// `{}` stands for None: no object in the path, no query parameters, no content.
constexpr auto served = std::to_array<Endpoint>({
    // method path                                    family  object           decided by        query                       content                      answer

    // Containers
    {Get,    "/containers/json",                          Docker, {},              List,             Query::ContainerListCompat, {},                          Answer::Containers},
    {Post,   "/containers/create",                        Docker, {},              ContainerCreate,  Query::ContainerCreate,     Body::ContainerCreateCompat, Answer::Bytes},
    {Post,   "/containers/prune",                         Docker, {},              Prune,            Query::ContainerPrune,      {},                          Answer::Bytes},
    {Get,    "/containers/{name}/json",                   Docker, Kind::Container, Plain,            Query::ContainerInspect,    {},                          Answer::Container},
    {Delete, "/containers/{name}",                        Docker, Kind::Container, Plain,            Query::ContainerRemove,     {},                          Answer::Bytes},
    {Post,   "/containers/{name}/start",                  Docker, Kind::Container, Start,            Query::ContainerStart,      {},                          Answer::Bytes},
    {Post,   "/containers/{name}/stop",                   Docker, Kind::Container, Plain,            Query::ContainerStop,       {},                          Answer::Bytes},
    {Post,   "/containers/{name}/restart",                Docker, Kind::Container, Start,            Query::ContainerStop,       {},                          Answer::Bytes},
    {Post,   "/containers/{name}/kill",                   Docker, Kind::Container, Plain,            Query::ContainerKill,       {},                          Answer::Bytes},
    {Post,   "/containers/{name}/pause",                  Docker, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/containers/{name}/unpause",                Docker, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/containers/{name}/wait",                   Docker, Kind::Container, Plain,            Query::ContainerWaitCompat, {},                          Answer::Bytes},
    {Post,   "/containers/{name}/rename",                 Docker, Kind::Container, Plain,            Query::ContainerRename,     {},                          Answer::Bytes},
    {Post,   "/containers/{name}/update",                 Docker, Kind::Container, Plain,            {},                         Body::ContainerUpdateCompat, Answer::Bytes},
    {Post,   "/containers/{name}/attach",                 Docker, Kind::Container, Start,            Query::ContainerAttach,     {},                          Answer::Hijack},
    {Post,   "/containers/{name}/resize",                 Docker, Kind::Container, Plain,            Query::Resize,              {},                          Answer::Bytes},
    {Get,    "/containers/{name}/logs",                   Docker, Kind::Container, Plain,            Query::ContainerLogs,       {},                          Answer::Bytes},
    {Get,    "/containers/{name}/stats",                  Docker, Kind::Container, Plain,            Query::ContainerStats,      {},                          Answer::ContainerStats},
    {Get,    "/containers/{name}/top",                    Docker, Kind::Container, Plain,            Query::Top,                 {},                          Answer::Bytes},
    {Get,    "/containers/{name}/changes",                Docker, Kind::Container, Plain,            Query::ContainerChanges,    {},                          Answer::Bytes},
    {Get,    "/containers/{name}/export",                 Docker, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/containers/{name}/archive",                Docker, Kind::Container, Archive,          Query::ArchiveGet,          {},                          Answer::Bytes},
    {Head,   "/containers/{name}/archive",                Docker, Kind::Container, Archive,          Query::ArchiveGet,          {},                          Answer::Bytes},
    {Put,    "/containers/{name}/archive",                Docker, Kind::Container, Archive,          Query::ArchivePut,          Body::Stream,                Answer::Bytes},
    {Post,   "/containers/{name}/exec",                   Docker, Kind::Container, Plain,            {},                         Body::ExecCreateCompat,      Answer::Bytes},

    {Get,    "/exec/{id}/json",                           Docker, Kind::Exec,      Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/exec/{id}/start",                          Docker, Kind::Exec,      Plain,            {},                         Body::ExecStart,             Answer::Hijack},
    {Post,   "/exec/{id}/resize",                         Docker, Kind::Exec,      Plain,            Query::Resize,              {},                          Answer::Bytes},

    {Get,    "/libpod/containers/json",                   Libpod, {},              List,             Query::ContainerListLibpod, {},                          Answer::Containers},
    {Get,    "/libpod/containers/stats",                  Libpod, {},              Stats,            Query::ContainerStatsAll,   {},                          Answer::StatsLines},
    {Get,    "/libpod/containers/showmounted",            Libpod, {},              Showmounted,      {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/containers/create",                 Libpod, {},              ContainerCreate,  {},                         Body::ContainerCreateLibpod, Answer::Bytes},
    {Post,   "/libpod/containers/prune",                  Libpod, {},              Prune,            Query::ContainerPrune,      {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/json",            Libpod, Kind::Container, Plain,            Query::ContainerInspect,    {},                          Answer::Container},
    {Get,    "/libpod/containers/{name}/exists",          Libpod, Kind::Container, Exists,           Query::ContainerExists,     {},                          Answer::Bytes},
    {Delete, "/libpod/containers/{name}",                 Libpod, Kind::Container, Plain,            Query::ContainerRemove,     {},                          Answer::Removal},
    {Post,   "/libpod/containers/{name}/init",            Libpod, Kind::Container, Start,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/start",           Libpod, Kind::Container, Start,            Query::ContainerStart,      {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/stop",            Libpod, Kind::Container, Plain,            Query::ContainerStop,       {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/restart",         Libpod, Kind::Container, Start,            Query::ContainerStop,       {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/kill",            Libpod, Kind::Container, Plain,            Query::ContainerKill,       {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/pause",           Libpod, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/unpause",         Libpod, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/wait",            Libpod, Kind::Container, Plain,            Query::ContainerWaitLibpod, {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/rename",          Libpod, Kind::Container, Plain,            Query::ContainerRename,     {},                          Answer::Bytes},
    {Post,   "/libpod/containers/{name}/update",          Libpod, Kind::Container, Plain,            Query::ContainerUpdate,     Body::ContainerUpdateLibpod, Answer::Bytes},
    {Post,   "/libpod/containers/{name}/attach",          Libpod, Kind::Container, Start,            Query::ContainerAttach,     {},                          Answer::Hijack},
    {Post,   "/libpod/containers/{name}/resize",          Libpod, Kind::Container, Plain,            Query::Resize,              {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/logs",            Libpod, Kind::Container, Plain,            Query::ContainerLogs,       {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/stats",           Libpod, Kind::Container, Plain,            Query::ContainerStats,      {},                          Answer::ContainerStats},
    {Get,    "/libpod/containers/{name}/top",             Libpod, Kind::Container, Plain,            Query::Top,                 {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/changes",         Libpod, Kind::Container, Plain,            Query::ContainerChanges,    {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/export",          Libpod, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name:.*}/healthcheck",  Libpod, Kind::Container, Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/containers/{name}/archive",         Libpod, Kind::Container, Archive,          Query::ArchiveGet,          {},                          Answer::Bytes},
    {Head,   "/libpod/containers/{name}/archive",         Libpod, Kind::Container, Archive,          Query::ArchiveGet,          {},                          Answer::Bytes},
    {Put,    "/libpod/containers/{name}/archive",         Libpod, Kind::Container, Archive,          Query::ArchivePut,          Body::Stream,                Answer::Bytes},
    {Post,   "/libpod/containers/{name}/exec",            Libpod, Kind::Container, Plain,            {},                         Body::ExecCreateLibpod,      Answer::Bytes},

    {Get,    "/libpod/exec/{id}/json",                    Libpod, Kind::Exec,      Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/exec/{id}/start",                   Libpod, Kind::Exec,      Plain,            {},                         Body::ExecStart,             Answer::Hijack},
    {Post,   "/libpod/exec/{id}/resize",                  Libpod, Kind::Exec,      Plain,            Query::Resize,              {},                          Answer::Bytes},
    {Post,   "/libpod/exec/{id}/remove",                  Libpod, Kind::Exec,      Plain,            {},                         Body::ExecRemove,            Answer::Bytes},

    // Pods
    {Get,    "/libpod/pods/json",                         Libpod, {},              List,             Query::PodList,             {},                          Answer::Pods},
    {Get,    "/libpod/pods/stats",                        Libpod, {},              Stats,            Query::PodStats,            {},                          Answer::StatsLines},
    {Post,   "/libpod/pods/create",                       Libpod, {},              Plain,            {},                         Body::PodCreate,             Answer::Bytes},
    {Post,   "/libpod/pods/prune",                        Libpod, {},              Prune,            Query::PodPrune,            {},                          Answer::Bytes},
    {Get,    "/libpod/pods/{name}/json",                  Libpod, Kind::Pod,       Plain,            {},                         {},                          Answer::Pod},
    {Get,    "/libpod/pods/{name}/exists",                Libpod, Kind::Pod,       Exists,           {},                         {},                          Answer::Bytes},
    {Delete, "/libpod/pods/{name}",                       Libpod, Kind::Pod,       Plain,            Query::PodRemove,           {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/start",                 Libpod, Kind::Pod,       Start,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/stop",                  Libpod, Kind::Pod,       Plain,            Query::PodStop,             {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/restart",               Libpod, Kind::Pod,       Start,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/kill",                  Libpod, Kind::Pod,       Plain,            Query::PodKill,             {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/pause",                 Libpod, Kind::Pod,       Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/pods/{name}/unpause",               Libpod, Kind::Pod,       Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/pods/{name}/top",                   Libpod, Kind::Pod,       Plain,            Query::Top,                 {},                          Answer::Bytes},

    // Volumes
    {Get,    "/volumes",                                  Docker, {},              List,             Query::VolumeList,          {},                          Answer::Volumes},
    {Post,   "/volumes/create",                           Docker, {},              VolumeCreate,     {},                         Body::VolumeCreateCompat,    Answer::Volume},
    {Post,   "/volumes/prune",                            Docker, {},              Prune,            Query::VolumePrune,         {},                          Answer::Bytes},
    {Get,    "/volumes/{name}",                           Docker, Kind::Volume,    Plain,            {},                         {},                          Answer::Volume},
    {Delete, "/volumes/{name}",                           Docker, Kind::Volume,    VolumeRemove,     Query::VolumeRemove,        {},                          Answer::Bytes},

    {Get,    "/libpod/volumes/json",                      Libpod, {},              List,             Query::VolumeList,          {},                          Answer::Volumes},
    {Post,   "/libpod/volumes/create",                    Libpod, {},              VolumeCreate,     {},                         Body::VolumeCreateLibpod,    Answer::Volume},
    {Post,   "/libpod/volumes/prune",                     Libpod, {},              Prune,            Query::VolumePrune,         {},                          Answer::Bytes},
    {Get,    "/libpod/volumes/{name}/json",               Libpod, Kind::Volume,    Plain,            {},                         {},                          Answer::Volume},
    {Get,    "/libpod/volumes/{name}/exists",             Libpod, Kind::Volume,    Exists,           {},                         {},                          Answer::Bytes},
    {Delete, "/libpod/volumes/{name}",                    Libpod, Kind::Volume,    VolumeRemove,     Query::VolumeRemove,        {},                          Answer::Bytes},
    {Get,    "/libpod/volumes/{name}/export",             Libpod, Kind::Volume,    Plain,            {},                         {},                          Answer::Bytes},
    {Post,   "/libpod/volumes/{name}/import",             Libpod, Kind::Volume,    VolumeImport,     {},                         Body::Stream,                Answer::Bytes},

    // Networks
    {Get,    "/networks",                                 Docker, {},              List,             Query::NetworkList,         {},                          Answer::Networks},
    {Post,   "/networks/create",                          Docker, {},              NetworkCreate,    {},                         Body::NetworkCreateCompat,   Answer::Network},
    {Post,   "/networks/prune",                           Docker, {},              Prune,            Query::NetworkPrune,        {},                          Answer::Bytes},
    {Get,    "/networks/{name}",                          Docker, Kind::Network,   Plain,            Query::NetworkInspect,      {},                          Answer::Network},
    {Delete, "/networks/{name}",                          Docker, Kind::Network,   NetworkRemove,    Query::NetworkRemove,       {},                          Answer::Bytes},
    {Post,   "/networks/{name}/connect",                  Docker, Kind::Network,   Plain,            {},                         Body::NetworkConnectCompat,  Answer::Bytes},
    {Post,   "/networks/{name}/disconnect",               Docker, Kind::Network,   Plain,            {},                         Body::NetworkDisconnect,     Answer::Bytes},

    {Get,    "/libpod/networks/json",                     Libpod, {},              List,             Query::NetworkList,         {},                          Answer::Networks},
    {Post,   "/libpod/networks/create",                   Libpod, {},              NetworkCreate,    Query::NetworkCreate,       Body::NetworkCreateLibpod,   Answer::Network},
    {Post,   "/libpod/networks/prune",                    Libpod, {},              Prune,            Query::NetworkPrune,        {},                          Answer::Bytes},
    {Get,    "/libpod/networks/{name}",                   Libpod, Kind::Network,   Plain,            {},                         {},                          Answer::Network},
    {Get,    "/libpod/networks/{name}/json",              Libpod, Kind::Network,   Plain,            {},                         {},                          Answer::Network},
    {Get,    "/libpod/networks/{name}/exists",            Libpod, Kind::Network,   Exists,           {},                         {},                          Answer::Bytes},
    {Delete, "/libpod/networks/{name}",                   Libpod, Kind::Network,   NetworkRemove,    Query::NetworkRemove,       {},                          Answer::Removal},
    {Post,   "/libpod/networks/{name}/update",            Libpod, Kind::Network,   Plain,            {},                         Body::NetworkUpdate,         Answer::Bytes},
    {Post,   "/libpod/networks/{name}/connect",           Libpod, Kind::Network,   Plain,            {},                         Body::NetworkConnectLibpod,  Answer::Bytes},
    {Post,   "/libpod/networks/{name}/disconnect",        Libpod, Kind::Network,   Plain,            {},                         Body::NetworkDisconnect,     Answer::Bytes},

    // Builds
    {Post,   "/build",                                    Docker, {},              Build,            Query::Build,               Body::BuildContext,          Answer::BuildLines},
    {Post,   "/libpod/build",                             Libpod, {},              Build,            Query::Build,               Body::BuildContext,          Answer::BuildLines},

    // Kubernetes YAML
    {Post,   "/libpod/play/kube",                         Libpod, {},              KubePlay,         Query::KubePlay,            Body::KubeYaml,              Answer::Bytes},
    {Post,   "/libpod/kube/play",                         Libpod, {},              KubePlay,         Query::KubePlay,            Body::KubeYaml,              Answer::Bytes},
    {Delete, "/libpod/play/kube",                         Libpod, {},              KubeDown,         Query::KubeDown,            Body::KubeYaml,              Answer::Bytes},
    {Delete, "/libpod/kube/play",                         Libpod, {},              KubeDown,         Query::KubeDown,            Body::KubeYaml,              Answer::Bytes},
    {Get,    "/libpod/generate/kube",                     Libpod, {},              KubeGenerate,     Query::KubeGenerate,        {},                          Answer::KubeYaml},
    {Get,    "/libpod/kube/generate",                     Libpod, {},              KubeGenerate,     Query::KubeGenerate,        {},                          Answer::KubeYaml},

    // Images
    {Get,    "/images/json",                              Docker, {},              List,             Query::ImageList,           {},                          Answer::Images},
    {Get,    "/images/get",                               Docker, {},              ImageSave,        Query::ImageSave,           {},                          Answer::Bytes},
    {Get,    "/images/search",                            Docker, {},              ImageSearch,      Query::ImageSearch,         {},                          Answer::Bytes},
    {Post,   "/images/load",                              Docker, {},              ImageLoad,        Query::ImageLoad,           Body::ImageArchive,          Answer::MadeImage},
    {Post,   "/images/create",                            Docker, {},              ImagePull,        Query::ImagePullCompat,     Body::RootArchive,           Answer::PullLines},
    {Post,   "/images/prune",                             Docker, {},              Prune,            Query::ImagePrune,          {},                          Answer::Bytes},
    {Get,    "/images/{name:.*}/json",                    Docker, Kind::Image,     Plain,            Query::ImageInspect,        {},                          Answer::Image},
    {Get,    "/images/{name:.*}/history",                 Docker, Kind::Image,     Plain,            {},                         {},                          Answer::ImageHistory},
    {Get,    "/images/{name:.*}/get",                     Docker, Kind::Image,     ImageSave,        Query::ImageGetCompat,      {},                          Answer::Bytes},
    {Post,   "/images/{name:.*}/tag",                     Docker, Kind::Image,     ImageTag,         Query::ImageTag,            {},                          Answer::Bytes},
    {Post,   "/images/{name:.*}/push",                    Docker, Kind::Image,     ImagePush,        Query::ImagePush,           {},                          Answer::PushLines},
    {Delete, "/images/{name:.*}",                         Docker, Kind::Image,     ImageRemove,      Query::ImageRemove,         {},                          Answer::Bytes},
    {Post,   "/commit",                                   Docker, {},              Commit,           Query::Commit,              {},                          Answer::MadeImage},
    {Post,   "/auth",                                     Docker, {},              RegistryLogin,    {},                         Body::RegistryLogin,         Answer::Bytes},

    {Get,    "/libpod/images/json",                       Libpod, {},              List,             Query::ImageList,           {},                          Answer::Images},
    {Get,    "/libpod/images/export",                     Libpod, {},              ImageSave,        Query::ImageExport,         {},                          Answer::Bytes},
    {Get,    "/libpod/images/search",                     Libpod, {},              ImageSearch,      Query::ImageSearch,         {},                          Answer::Bytes},
    {Post,   "/libpod/images/load",                       Libpod, {},              ImageLoad,        Query::ImageLoad,           Body::ImageArchive,          Answer::MadeImage},
    {Post,   "/libpod/images/import",                     Libpod, {},              ImageImport,      Query::ImageImport,         Body::RootArchive,           Answer::MadeImage},
    {Post,   "/libpod/images/pull",                       Libpod, {},              ImagePull,        Query::ImagePullLibpod,     {},                          Answer::PullLines},
    {Post,   "/libpod/images/prune",                      Libpod, {},              Prune,            Query::ImagePrune,          {},                          Answer::Bytes},
    {Delete, "/libpod/images/remove",                     Libpod, {},              ImageBatchRemove, Query::ImageBatchRemove,    {},                          Answer::Bytes},
    {Get,    "/libpod/images/{name:.*}/json",             Libpod, Kind::Image,     Plain,            Query::ImageInspect,        {},                          Answer::Image},
    {Get,    "/libpod/images/{name:.*}/exists",           Libpod, Kind::Image,     Exists,           {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/images/{name:.*}/history",          Libpod, Kind::Image,     Plain,            {},                         {},                          Answer::ImageHistory},
    {Get,    "/libpod/images/{name:.*}/get",              Libpod, Kind::Image,     ImageSave,        Query::ImageGetLibpod,      {},                          Answer::Bytes},
    {Get,    "/libpod/images/{name:.*}/tree",             Libpod, Kind::Image,     Plain,            Query::ImageTree,           {},                          Answer::ImageTree},
    {Get,    "/libpod/images/{name:.*}/changes",          Libpod, Kind::Image,     Plain,            Query::ImageChanges,        {},                          Answer::Bytes},
    {Post,   "/libpod/images/{name:.*}/tag",              Libpod, Kind::Image,     ImageTag,         Query::ImageTag,            {},                          Answer::Bytes},
    {Post,   "/libpod/images/{name:.*}/untag",            Libpod, Kind::Image,     ImageUntag,       Query::ImageTag,            {},                          Answer::Bytes},
    {Post,   "/libpod/images/{name:.*}/push",             Libpod, Kind::Image,     ImagePush,        Query::ImagePush,           {},                          Answer::PushLines},
    {Delete, "/libpod/images/{name:.*}",                  Libpod, Kind::Image,     ImageRemove,      Query::ImageRemove,         {},                          Answer::Bytes},
    {Post,   "/libpod/commit",                            Libpod, {},              Commit,           Query::Commit,              {},                          Answer::MadeImage},

    // Manifest lists
    {Get,    "/libpod/manifests/{name:.*}/exists",        Libpod, Kind::Manifest,  Exists,           {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/manifests/{name:.*}/json",          Libpod, Kind::Manifest,  ManifestInspect,  Query::ManifestInspect,     {},                          Answer::Bytes},
    {Post,   "/libpod/manifests/{name:.*}",               Libpod, Kind::Manifest,  ManifestCreate,   Query::ManifestCreate,      Body::ManifestModify,        Answer::ManifestLines},
    {Put,    "/libpod/manifests/{name:.*}",               Libpod, Kind::Manifest,  ManifestModify,   Query::ManifestModify,      Body::ManifestModify,        Answer::ManifestLines},
    {Delete, "/libpod/manifests/{name:.*}",               Libpod, Kind::Manifest,  ManifestRemove,   Query::ManifestRemove,      {},                          Answer::ManifestLines},

    // Secrets
    {Get,    "/secrets",                                  Docker, {},              List,             Query::SecretList,          {},                          Answer::Secrets},
    {Post,   "/secrets/create",                           Docker, {},              SecretCreate,     {},                         Body::SecretCreate,          Answer::MadeSecret},
    {Get,    "/secrets/{name}",                           Docker, Kind::Secret,    SecretInspect,    Query::SecretInspect,       {},                          Answer::Secret},
    {Delete, "/secrets/{name}",                           Docker, Kind::Secret,    SecretRemove,     {},                         {},                          Answer::Bytes},

    {Get,    "/libpod/secrets/json",                      Libpod, {},              List,             Query::SecretList,          {},                          Answer::Secrets},
    {Post,   "/libpod/secrets/create",                    Libpod, {},              SecretCreate,     Query::SecretCreate,        Body::Secret,                Answer::MadeSecret},
    {Get,    "/libpod/secrets/{name}/json",               Libpod, Kind::Secret,    SecretInspect,    Query::SecretInspect,       {},                          Answer::Secret},
    {Get,    "/libpod/secrets/{name}/exists",             Libpod, Kind::Secret,    Exists,           {},                         {},                          Answer::Bytes},
    {Delete, "/libpod/secrets/{name}",                    Libpod, Kind::Secret,    SecretRemove,     {},                         {},                          Answer::Bytes},

    // System
    {Get,    "/_ping",                                    Docker, {},              Plain,            {},                         {},                          Answer::Bytes},
    {Head,   "/_ping",                                    Docker, {},              Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/version",                                  Docker, {},              Plain,            {},                         {},                          Answer::Version},
    {Get,    "/info",                                     Docker, {},              Plain,            {},                         {},                          Answer::Info},
    {Get,    "/events",                                   Docker, {},              Events,           Query::Events,              {},                          Answer::EventLines},
    {Get,    "/system/df",                                Docker, {},              DiskUsage,        Query::DiskUsage,           {},                          Answer::DiskUsage},

    {Get,    "/libpod/_ping",                             Libpod, {},              Plain,            {},                         {},                          Answer::Bytes},
    {Head,   "/libpod/_ping",                             Libpod, {},              Plain,            {},                         {},                          Answer::Bytes},
    {Get,    "/libpod/version",                           Libpod, {},              Plain,            {},                         {},                          Answer::Version},
    {Get,    "/libpod/info",                              Libpod, {},              Plain,            {},                         {},                          Answer::Info},
    {Get,    "/libpod/events",                            Libpod, {},              Events,           Query::Events,              {},                          Answer::EventLines},
    {Get,    "/libpod/system/df",                         Libpod, {},              DiskUsage,        Query::DiskUsage,           {},                          Answer::DiskUsage},
});

struct RefusedRow {
  Method method;
  std::string_view path;
  Family family;
  const Refusal* refusal;
};

constexpr auto refused = std::to_array<RefusedRow>({
    // Build
    {Post,   "/libpod/local/build",                                            Libpod, refusal("endpoint.host-path")},
    {Post,   "/build/prune",                                                   Docker, refusal("endpoint.build-cache")},
    {Post,   "/session",                                                       Docker, refusal("endpoint.buildkit")},
    {Post,   "/grpc",                                                          Docker, refusal("endpoint.buildkit")},

    // Images
    {Post,   "/libpod/local/images/load",                                      Libpod, refusal("endpoint.host-path")},
    {Post,   "/libpod/images/scp/{name:.*}",                                   Libpod, refusal("endpoint.outgoing")},
    {Get,    "/libpod/images/{name:.*}/resolve",                               Libpod, refusal("endpoint.host-settings")},

    // Manifest lists, as they were before version 4
    {Post,   "/libpod/manifests/create",                                       Libpod, refusal("endpoint.old-manifest")},
    {Post,   "/libpod/manifests/{name}/push",                                  Libpod, refusal("endpoint.old-manifest")},
    {Post,   "/libpod/manifests/{name:.*}/add",                                Libpod, refusal("endpoint.old-manifest")},

    // Secrets
    {Post,   "/secrets/{name}/update",                                         Docker, refusal("endpoint.unsupported")},
    {Delete, "/secret/{name}",                                                 Docker, refusal("endpoint.unsupported")},

    // Kubernetes clusters and systemd units
    {Post,   "/libpod/kube/apply",                                             Libpod, refusal("endpoint.outgoing")},
    {Get,    "/libpod/generate/{name:.*}/systemd",                             Libpod, refusal("endpoint.discloses")},
    {Get,    "/libpod/quadlets/json",                                          Libpod, refusal("endpoint.host-code")},
    {Get,    "/libpod/quadlets/{name}/file",                                   Libpod, refusal("endpoint.host-code")},
    {Get,    "/libpod/quadlets/{name}/exists",                                 Libpod, refusal("endpoint.host-code")},
    {Post,   "/libpod/quadlets",                                               Libpod, refusal("endpoint.host-code")},
    {Delete, "/libpod/quadlets",                                               Libpod, refusal("endpoint.host-code")},
    {Delete, "/libpod/quadlets/{name}",                                        Libpod, refusal("endpoint.host-code")},

    // Paths of the host, checkpoints, everybody's things
    {Post,   "/libpod/containers/{name}/mount",                                Libpod, refusal("endpoint.host-path")},
    {Post,   "/libpod/containers/{name}/unmount",                              Libpod, refusal("endpoint.host-path")},
    {Post,   "/libpod/containers/{name}/checkpoint",                           Libpod, refusal("endpoint.checkpoint")},
    {Post,   "/libpod/containers/{name}/restore",                              Libpod, refusal("endpoint.checkpoint")},
    {Post,   "/libpod/system/prune",                                           Libpod, refusal("endpoint.global")},
    {Post,   "/libpod/system/check",                                           Libpod, refusal("endpoint.global")},
    {Get,    "/libpod/swagger",                                                Libpod, refusal("endpoint.host-path")},

    // Artifacts: they carry no labels
    {Get,    "/libpod/artifacts/json",                                         Libpod, refusal("endpoint.no-owner")},
    {Get,    "/libpod/artifacts/{name:.*}/json",                               Libpod, refusal("endpoint.no-owner")},
    {Get,    "/libpod/artifacts/{name:.*}/extract",                            Libpod, refusal("endpoint.no-owner")},
    {Post,   "/libpod/artifacts/add",                                          Libpod, refusal("endpoint.no-owner")},
    {Post,   "/libpod/artifacts/local/add",                                    Libpod, refusal("endpoint.host-path")},
    {Post,   "/libpod/artifacts/pull",                                         Libpod, refusal("endpoint.no-owner")},
    {Post,   "/libpod/artifacts/{name:.*}/push",                               Libpod, refusal("endpoint.no-owner")},
    {Delete, "/libpod/artifacts/remove",                                       Libpod, refusal("endpoint.no-owner")},
    {Delete, "/libpod/artifacts/{name:.*}",                                    Libpod, refusal("endpoint.no-owner")},
});

struct AnyMethodRow {
  std::string_view path;
  const Refusal* refusal;
};

// Podman answers these whatever the method.
constexpr auto refused_for_any_method = std::to_array<AnyMethodRow>({
    {"/plugins",                  refusal("endpoint.unsupported")},
    {"/monitor",                  refusal("endpoint.unsupported")},
    {"/distribution/{name}/json", refusal("endpoint.unsupported")},
    {"/configs/{name:.*}",        refusal("endpoint.swarm")},
    {"/nodes/{name:.*}",          refusal("endpoint.swarm")},
    {"/secrets/{name:.*}",        refusal("endpoint.swarm")},
    {"/services/{name:.*}",       refusal("endpoint.swarm")},
    {"/swarm/{name:.*}",          refusal("endpoint.swarm")},
    {"/tasks/{name:.*}",          refusal("endpoint.swarm")},
});
// clang-format on

constexpr auto every_method = std::to_array<Method>({Get, Head, Post, Put, Delete});

constexpr Endpoint refused_row(Method method, std::string_view path, Family family, const Refusal* why) {
  return {method, path, family, Kind::None, Refuse, Query::None, Body::None, Answer::Bytes, why};
}

constexpr auto table = [] {
  constexpr std::size_t any_method_rows = refused_for_any_method.size() * every_method.size();
  std::array<Endpoint, served.size() + refused.size() + any_method_rows> rows{};
  auto next = std::ranges::copy(served, rows.begin()).out;
  for (const RefusedRow& row : refused) *next++ = refused_row(row.method, row.path, row.family, row.refusal);
  for (const AnyMethodRow& row : refused_for_any_method)
    for (Method method : every_method) *next++ = refused_row(method, row.path, Docker, row.refusal);
  return rows;
}();

// What a row must be, checked by the compiler.

/// The path with its parameter's name taken out: two rows of one shape could not be told apart.
constexpr bool same_shape(std::string_view left, std::string_view right) {
  const auto without_name = [](std::string_view path, std::size_t from) {
    return path.substr(std::min(path.size(), path.find_first_of(":}", from)));
  };
  const auto brace = left.find('{');
  if (brace != right.find('{') || left.substr(0, brace) != right.substr(0, brace)) return false;
  return brace == std::string_view::npos || without_name(left, brace) == without_name(right, brace);
}

constexpr bool no_two_rows_alike() {
  for (auto row = table.begin(); row != table.end(); ++row)
    for (auto other = row + 1; other != table.end(); ++other)
      if (row->method == other->method && same_shape(row->path, other->path)) return false;
  return true;
}

constexpr bool is_list(Answer answer) {
  return answer == Answer::Containers || answer == Answer::Pods || answer == Answer::Volumes ||
         answer == Answer::Networks || answer == Answer::Images || answer == Answer::Secrets;
}

constexpr bool takes_content(const Endpoint& row) {
  return row.method == Post || row.method == Put || row.act == KubeDown;
}

constexpr bool every_row(bool (*holds)(const Endpoint&)) { return std::ranges::all_of(table, holds); }

static_assert(no_two_rows_alike());
static_assert(every_row([](const Endpoint& row) { return std::ranges::count(row.path, '{') <= 1; }));
static_assert(every_row([](const Endpoint& row) {
  return row.act == Refuse || (row.subject != Kind::None) == (row.path.find('{') != std::string_view::npos);
}));
static_assert(every_row([](const Endpoint& row) {
  return (row.family == Libpod) == row.path.starts_with("/libpod/");
}));
static_assert(every_row([](const Endpoint& row) { return (row.act == List) == is_list(row.answer); }));
static_assert(every_row([](const Endpoint& row) {
  return (row.act == Exists) == row.path.ends_with("/exists") || row.act == Refuse;
}));
static_assert(every_row([](const Endpoint& row) {
  return (row.act == Prune) == row.path.ends_with("/prune") || row.act == Refuse;
}));
static_assert(every_row([](const Endpoint& row) { return row.body == Body::None || takes_content(row); }));
static_assert(every_row([](const Endpoint& row) {
  const bool upgrades = row.path.ends_with("/attach") || (row.subject == Kind::Exec && row.path.ends_with("/start"));
  return (row.answer == Answer::Hijack) == upgrades;
}));

}  // namespace

std::span<const Endpoint> endpoints() { return table; }

bool tells_of_all(Answer answer) { return is_list(answer) || answer == Answer::Info || answer == Answer::DiskUsage; }

Relay relay_of(Answer answer) {
  switch (answer) {
    case Answer::Bytes:
      return Relay::Bytes;
    case Answer::Hijack:
      return Relay::Hijack;
    case Answer::EventLines:
    case Answer::StatsLines:
    case Answer::ContainerStats:
    case Answer::PullLines:
    case Answer::BuildLines:
    case Answer::PushLines:
    case Answer::MadeImage:
    case Answer::MadeSecret:
    case Answer::ManifestLines:
      return Relay::Lines;
    case Answer::Containers:
    case Answer::Pods:
    case Answer::Volumes:
    case Answer::Networks:
    case Answer::Images:
    case Answer::Container:
    case Answer::Pod:
    case Answer::Volume:
    case Answer::Network:
    case Answer::Image:
    case Answer::ImageHistory:
    case Answer::ImageTree:
    case Answer::Secrets:
    case Answer::Secret:
    case Answer::Removal:
    case Answer::KubeYaml:
    case Answer::Info:
    case Answer::Version:
    case Answer::DiskUsage:
      return Relay::Whole;
  }
  return Relay::Whole;
}

}  // namespace podfence::rules
