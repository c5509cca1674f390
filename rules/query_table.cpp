#include "rules/query_table.hpp"

#include <array>

#include "rules/build/parameters.hpp"

namespace podfence::rules {

namespace {

using enum ParameterType;
using enum ParameterRule;

// clang-format off

// Container lists of both families. Podman's libpod form knows last, namespace, sync and external beside these.
constexpr auto container_list_compat = std::to_array<Parameter>({
    {"all", Boolean},
    {"limit", Integer},
    {"size", Boolean},
    {"filters", Filters},
    {"trunc_cmd", Boolean, Drop},  // docker-py; Podman knows none of these three
    {"since", Text, OnlyUnset},
    {"before", Text, OnlyUnset},
});
constexpr auto container_list_libpod = std::to_array<Parameter>({
    {"all", Boolean},
    {"limit", Integer},
    {"last", Integer},
    {"size", Boolean},
    {"namespace", Boolean},
    {"pod", Boolean},
    {"sync", Boolean},
    {"external", Boolean, Drop},  // containers of builds: nobody's
    {"filters", Filters},
});
constexpr auto container_create = std::to_array<Parameter>({
    {"name", NewName},
    {"platform", Text},
});
constexpr auto container_inspect = std::to_array<Parameter>({{"size", Boolean}});
constexpr auto container_exists = std::to_array<Parameter>({{"external", Boolean, Drop}});
constexpr auto container_remove = std::to_array<Parameter>({
    {"force", Boolean},
    {"v", Boolean},
    {"volumes", Boolean},
    {"ignore", Boolean},
    {"timeout", StopSeconds},
    {"depend", Boolean, Drop},  // would remove what depends on it, whoever owns that; `podman rm --all` sends it
    {"link", Boolean, OnlyUnset},
});
constexpr auto container_start = std::to_array<Parameter>({
    {"detachKeys", DetachKeys},
    {"recursive", Boolean},
});
constexpr auto container_stop = std::to_array<Parameter>({
    {"t", StopSeconds},
    {"timeout", StopSeconds},
    {"ignore", Boolean},
    {"signal", Signal},
    {"all", Boolean, OnlyUnset},
});
constexpr auto container_kill = std::to_array<Parameter>({
    {"signal", Signal},
    {"all", Boolean, OnlyUnset},
});
constexpr auto container_wait_compat = std::to_array<Parameter>({
    {"condition", Text},
    {"interval", Interval},
});
constexpr auto container_wait_libpod = std::to_array<Parameter>({
    {"condition", Texts},
    {"interval", Interval},
});
constexpr auto container_rename = std::to_array<Parameter>({{"name", NewName}});
constexpr auto container_update = std::to_array<Parameter>({
    {"restartPolicy", Text},
    {"restartRetries", Restarts},
});
constexpr auto container_attach = std::to_array<Parameter>({
    {"detachKeys", DetachKeys},
    {"logs", Boolean},
    {"stream", Boolean},
    {"stdin", Boolean},
    {"stdout", Boolean},
    {"stderr", Boolean},
});
constexpr auto container_logs = std::to_array<Parameter>({
    {"follow", Boolean},
    {"stdout", Boolean},
    {"stderr", Boolean},
    {"since", Text},
    {"until", Text},
    {"timestamps", Boolean},
    {"tail", Text},
    {"details", Boolean, Drop},  // Docker's; Podman has none
});
constexpr auto container_stats = std::to_array<Parameter>({
    {"stream", Boolean},
    {"one-shot", Boolean},
});
constexpr auto container_stats_all = std::to_array<Parameter>({
    {"containers", Containers},
    {"stream", Boolean},
    {"interval", Integer},
    {"all", Boolean, Drop},  // those that do not run have no statistics
});
constexpr auto container_changes = std::to_array<Parameter>({
    // Podman takes the id for an image's or a layer's first (libpod: Runtime.GetDiff).
    {"diffType", Text, Force, "container"},
    {"parent", Text, OnlyUnset},
});
constexpr auto archive_get = std::to_array<Parameter>({{"path", Path}});
constexpr auto archive_put = std::to_array<Parameter>({
    {"path", Path},
    {"rename", Renames},
    {"noOverwriteDirNonDir", Boolean},
    {"copyUIDGID", Boolean},
});
constexpr auto resize = std::to_array<Parameter>({
    {"h", Unsigned},
    {"w", Unsigned},
    {"running", Boolean},
});
constexpr auto top = std::to_array<Parameter>({
    {"ps_args", PsArguments},
    {"stream", Boolean},
    {"delay", Unsigned},
});
constexpr auto pod_remove = std::to_array<Parameter>({
    {"force", Boolean},
    {"timeout", StopSeconds},
});
constexpr auto pod_stop = std::to_array<Parameter>({
    {"t", StopSeconds},
    {"timeout", StopSeconds},
});
constexpr auto pod_kill = std::to_array<Parameter>({{"signal", Signal}});
constexpr auto pod_stats = std::to_array<Parameter>({
    {"namesOrIDs", Pods},
    {"stream", Boolean},
    {"delay", Unsigned},
    {"all", Boolean, Drop},
});
constexpr auto filters_only = std::to_array<Parameter>({{"filters", Filters}});
constexpr auto volume_remove = std::to_array<Parameter>({
    {"force", Boolean},
    {"timeout", StopSeconds},
});
constexpr auto network_create = std::to_array<Parameter>({
    {"ignoreIfExists", Boolean, OnlyUnset},  // would answer with a foreign network of the name
});
constexpr auto network_inspect = std::to_array<Parameter>({
    {"scope", Text},
    {"verbose", Boolean},
});
constexpr auto network_remove = std::to_array<Parameter>({
    {"force", Boolean, OnlyUnset},  // removes every container that is attached
    {"timeout", Unsigned, Drop},    // of that force
});
constexpr auto image_list = std::to_array<Parameter>({
    {"all", Boolean},
    {"digests", Boolean},
    {"size", Boolean},
    {"shared-size", Boolean},
    {"filters", Filters},
    {"filter", Text, OnlyUnset},
    {"manifests", Boolean, Drop},  // Docker's and docker-py's; Podman has neither
    {"only_ids", Boolean, Drop},
});
constexpr auto image_inspect = std::to_array<Parameter>({
    {"size", Boolean},
    {"manifests", Boolean, Drop},
    {"platform", Text, OnlyUnset},
});
constexpr auto image_pull_compat = std::to_array<Parameter>({
    {"fromImage", Text},
    {"tag", Text},
    {"platform", Text},
    {"fromSrc", Text, OnlyUnset},  // the rest belongs to an import
    {"repo", Text, OnlyUnset},
    {"message", Text, OnlyUnset},
    {"changes", Text, OnlyUnset},
    {"retry", Unsigned, Drop},
    {"retryDelay", Text, Drop},
});
constexpr auto image_pull_libpod = std::to_array<Parameter>({
    {"reference", Text},
    {"policy", Text},
    {"Arch", Text},
    {"OS", Text},
    {"Variant", Text},
    {"quiet", Boolean},
    {"allTags", Boolean, OnlyUnset},
    {"compatMode", Boolean, Drop},  // podman-py sends it, and reads the answer in either form
    {"pullProgress", Boolean, Drop},
    {"tlsVerify", Boolean, OnlyTrue},
    {"retry", Unsigned, Drop},
    {"retrydelay", Text, Drop},
    {"authfile", Text, Drop},  // podman --remote sends these; what counts is X-Registry-Auth
    {"username", Text, Drop},
    {"password", Text, Drop},
});
constexpr auto image_remove = std::to_array<Parameter>({
    {"force", Boolean, Drop},  // kills the containers that use the image, whoever owns them
    {"noprune", Boolean, Drop},
    {"ignore", Boolean, Drop},
    {"lookupManifest", Boolean, OnlyUnset},
});
constexpr auto image_batch_remove = std::to_array<Parameter>({
    {"images", Texts},
    {"all", Boolean, OnlyUnset},
    {"force", Boolean, Drop},
    {"noprune", Boolean, Drop},
    {"ignore", Boolean, Drop},
    {"lookupManifest", Boolean, Judged},  // names are those of manifest lists
});
constexpr auto image_prune = std::to_array<Parameter>({
    {"all", Boolean},
    {"filters", Filters},
    {"external", Boolean, OnlyUnset},
    {"buildcache", Boolean, OnlyUnset},
});
constexpr auto image_tag = std::to_array<Parameter>({
    {"repo", Text},
    {"tag", Text},
    {"force", Boolean, Drop},  // docker-py sends it, Podman does not know it
});
constexpr auto image_push = std::to_array<Parameter>({
    {"tag", Text},
    {"destination", Text},  // Docker's endpoint would take every transport, the host's directories among them
    {"format", Text},
    {"compress", Boolean},
    {"compressionFormat", Text},
    {"compressionLevel", Integer},
    {"forceCompressionFormat", Boolean},
    {"removeSignatures", Boolean},
    {"quiet", Boolean},
    {"all", Boolean, Drop},  // of a manifest list
    {"platform", Text, OnlyUnset},
    {"tlsVerify", Boolean, OnlyTrue},
    {"retry", Unsigned, Drop},
    {"retryDelay", Text, Drop},
    {"authfile", Text, Drop},  // podman --remote sends these; what counts is X-Registry-Auth
    {"username", Text, Drop},
    {"password", Text, Drop},
    {"signBy", Text, OnlyUnset},
});
constexpr auto image_save = std::to_array<Parameter>({
    {"names", Texts},
    {"platform", Text, OnlyUnset},
});
constexpr auto image_export = std::to_array<Parameter>({
    {"references", Texts},
    {"format", ArchiveFormat},
    {"compress", Boolean},
    {"ociAcceptUncompressedLayers", Boolean},
});
constexpr auto image_get_compat = std::to_array<Parameter>({{"platform", Text, OnlyUnset}});
constexpr auto image_get_libpod = std::to_array<Parameter>({
    {"format", ArchiveFormat},
    {"compress", Boolean},
});
constexpr auto image_load = std::to_array<Parameter>({
    {"quiet", Boolean},
    {"platform", Text, OnlyUnset},
});
constexpr auto image_import = std::to_array<Parameter>({
    {"reference", Text},
    {"changes", Texts},
    {"message", Text},
    {"OS", Text},
    {"Architecture", Text},
    {"Variant", Text},
    {"url", Text, OnlyUnset},  // fetched by the host, or a path of the host
});
constexpr auto image_import_compat = std::to_array<Parameter>({
    {"fromSrc", Text},
    {"repo", Text},
    {"tag", Text},
    {"changes", Texts},
    {"message", Text},
    {"platform", Text},
    {"fromImage", Text, OnlyUnset},  // the rest belongs to a pull
    {"retry", Unsigned, Drop},
    {"retryDelay", Text, Drop},
});
constexpr auto image_tree = std::to_array<Parameter>({
    {"whatrequires", Boolean, OnlyUnset},  // tells of images that others have made from it
});
constexpr auto image_changes = std::to_array<Parameter>({
    {"diffType", Text, Force, "image"},
    {"parent", Text, OnlyUnset},
});
constexpr auto image_search = std::to_array<Parameter>({
    {"term", Text},
    {"limit", Unsigned},
    {"filters", Filters},
    {"listTags", Boolean},
    {"noTrunc", Boolean},
    {"tlsVerify", Boolean, OnlyTrue},
    {"authfile", Text, Drop},
});
constexpr auto commit = std::to_array<Parameter>({
    {"container", Text},
    {"repo", Text},
    {"tag", Text},
    {"author", Text},
    {"comment", Text},
    {"changes", Texts},
    {"pause", Boolean},
    {"squash", Boolean},
    {"format", Text},
    {"stream", Boolean},
});
constexpr auto events = std::to_array<Parameter>({
    {"since", Text},
    {"until", Text},
    {"stream", Boolean},
    {"filters", Filters},
});
// Of create, and of push, which has the same endpoint.
constexpr auto manifest_create = std::to_array<Parameter>({
    {"images", Texts, Judged},
    {"amend", Boolean},
    {"all", Boolean},
    {"annotation", Texts},
    {"format", Text},
    {"compressionFormat", Text},
    {"compressionLevel", Integer},
    {"forceCompressionFormat", Boolean},
    {"addCompression", Texts},
    {"removeSignatures", Boolean},
    {"quiet", Boolean},
    {"tlsVerify", Boolean, OnlyTrue},
    {"authfile", Text, Drop},  // podman --remote sends these; what counts is X-Registry-Auth
    {"username", Text, Drop},
    {"password", Text, Drop},
    {"signBy", Text, OnlyUnset},
});
constexpr auto manifest_inspect = std::to_array<Parameter>({
    {"tlsVerify", Boolean, OnlyTrue},
    {"authfile", Text, Drop},
});
constexpr auto manifest_modify = std::to_array<Parameter>({
    {"tlsVerify", Boolean, OnlyTrue},
    {"operation", Text, Drop},  // podman --remote says the content again here, where Podman does not read it
    {"images", Texts, Drop},
    {"all", Boolean, Drop},
    {"annotation", Texts, Drop},
    {"annotations", Texts, Drop},
    {"arch", Text, Drop},
    {"features", Texts, Drop},
    {"os", Text, Drop},
    {"osFeatures", Texts, Drop},
    {"osVersion", Text, Drop},
    {"variant", Text, Drop},
    {"indexAnnotation", Texts, Drop},
    {"indexAnnotations", Texts, Drop},
    {"skipTLSVerify", Boolean, OnlyUnset},
    {"authfile", Text, Drop},
    {"username", Text, Drop},
    {"password", Text, Drop},
});
constexpr auto manifest_remove = std::to_array<Parameter>({{"ignore", Boolean, Drop}});
constexpr auto secret_create = std::to_array<Parameter>({
    {"name", NewName},
    {"driver", Text, Judged},
    {"driveropts", Text, Judged},
    {"labels", Text, Judged},
    {"replace", Boolean},  // sent on where the secret is the project's own
    {"ignore", Boolean},
});
constexpr auto secret_inspect = std::to_array<Parameter>({{"showsecret", Boolean}});
constexpr auto disk_usage = std::to_array<Parameter>({
    {"type", Texts},
    {"verbose", Boolean, Drop},
});

// `podman --remote kube play` sends a parameter for most options that it has, most of them empty. The names of files are
// the client's own.
constexpr auto kube_play = std::to_array<Parameter>({
    {"network", Texts, Judged},
    {"start", Boolean, Judged},
    {"replace", Boolean, Judged},
    {"noHosts", Boolean, Judged},
    {"noHostname", Boolean, Judged},
    {"publishAllPorts", Boolean, Judged},
    {"staticIPs", Texts, Judged},
    {"staticMACs", Texts, Judged},
    {"userns", Text, Judged},
    {"logDriver", Text, Judged},
    {"logOptions", Texts, Judged},
    {"tlsVerify", Boolean, OnlyTrue},
    {"quiet", Boolean, Drop},
    {"noTrunc", Boolean, Drop},
    {"authfile", Text, Drop},  // credentials come in X-Registry-Auth
    {"username", Text, Drop},
    {"password", Text, Drop},
    {"annotations", Text, OnlyUnset},
    {"build", Boolean, OnlyUnset},
    {"certDir", Text, OnlyUnset},
    {"configMaps", Texts, OnlyUnset},
    {"contextDir", Text, OnlyUnset},
    {"publishPorts", Texts, OnlyUnset},
    {"seccompProfileRoot", Text, OnlyUnset},
    {"serviceContainer", Boolean, OnlyUnset},
    {"signaturePolicy", Text, OnlyUnset},
    {"wait", Boolean, OnlyUnset},
});
constexpr auto kube_down = std::to_array<Parameter>({{"force", Boolean, Judged}});
constexpr auto kube_generate = std::to_array<Parameter>({
    {"names", Texts, Judged},
    {"service", Boolean},
    {"type", Text},
    {"replicas", Integer},
    {"noTrunc", Boolean},
    {"podmanOnly", Boolean, Drop},
});

constexpr auto container_filters = std::to_array<FilterKey>({
    {"id"}, {"name", FilterValue::Name}, {"label"}, {"label!"}, {"status"}, {"exited"}, {"health"}, {"until"}, {"command"},
    {"restart-policy"}, {"should-start-on-boot"},
    {"volume", FilterValue::Mounted},
    {"before", FilterValue::Container},
    {"since", FilterValue::Container},
    {"pod", FilterValue::PodOfContainer},
    {"network", FilterValue::NetworkOfContainer},
    {"ancestor", FilterValue::ImageOfContainer},
});
constexpr auto pod_filters = std::to_array<FilterKey>({
    {"id"}, {"name", FilterValue::Name}, {"label"}, {"label!"}, {"status"}, {"until"},
    {"ctr-ids"}, {"ctr-names", FilterValue::Name}, {"ctr-number"}, {"ctr-status"},  // of the pod's own members
    {"network", FilterValue::NetworkOfContainer},
});
constexpr auto volume_filters = std::to_array<FilterKey>({
    {"name", FilterValue::Name}, {"label"}, {"label!"}, {"driver"}, {"scope"}, {"opt"}, {"until"}, {"dangling"},
    {"after", FilterValue::Volume},
    {"since", FilterValue::Volume},
});
constexpr auto network_filters = std::to_array<FilterKey>({
    {"id"}, {"name", FilterValue::Name}, {"label"}, {"label!"}, {"driver"}, {"type"}, {"until"}, {"dangling"},
});
// Not "containers" and "intermediate", which tell of what others do with an image, nor "reference!", which tells of names
// that are not shown. "reference" is held against the visible names once more (answer/images.cpp).
constexpr auto image_filters = std::to_array<FilterKey>({
    {"id"}, {"digest"}, {"label"}, {"label!"}, {"dangling"}, {"readonly"}, {"manifest"},
    {"until"}, {"reference"},
    {"before", FilterValue::Image},
    {"after", FilterValue::Image},
    {"since", FilterValue::Image},
});
constexpr auto search_filters = std::to_array<FilterKey>({{"is-official"}, {"is-automated"}, {"stars"}});
constexpr auto prune_filters = std::to_array<FilterKey>({{"label"}, {"label!"}, {"until"}});
constexpr auto volume_prune_filters = std::to_array<FilterKey>({
    {"label"}, {"label!"}, {"until"}, {"all"},
    {"after", FilterValue::Volume},
    {"since", FilterValue::Volume},
});
constexpr auto image_prune_filters = std::to_array<FilterKey>({{"label"}, {"label!"}, {"until"}, {"dangling"}});
// Every event is judged by its own owner, so a filter has nothing to tell; it may name what is still to be made.
constexpr auto event_filters = std::to_array<FilterKey>({
    {"type"}, {"event"}, {"status"}, {"label"}, {"label!"},
    {"image"}, {"artifact"},
    {"container", FilterValue::EventName},
    {"pod", FilterValue::EventName},
    {"volume", FilterValue::EventName},
    {"network", FilterValue::EventName},
    {"secret", FilterValue::EventName},
});

constexpr auto secret_filters = std::to_array<FilterKey>({{"id"}, {"name", FilterValue::Name}});

constexpr FilterTable no_filters;
constexpr FilterTable containers_by_and{container_filters, OwnLabel::Always};
constexpr FilterTable pods_by_and{pod_filters, OwnLabel::Always};
constexpr FilterTable networks_by_and{network_filters, OwnLabel::BesideOthers};
constexpr FilterTable pruned_by_and{prune_filters, OwnLabel::Always};
constexpr FilterTable volumes_by_or{volume_filters, OwnLabel::Never};
constexpr FilterTable pruned_volumes{volume_prune_filters, OwnLabel::Never};
constexpr FilterTable images_without_owner{image_filters, OwnLabel::Never};
constexpr FilterTable pruned_images{image_prune_filters, OwnLabel::Never};
constexpr FilterTable search_without_owner{search_filters, OwnLabel::Never};
constexpr FilterTable secrets_without_owner{secret_filters, OwnLabel::Never};
constexpr FilterTable events_without_owner{event_filters, OwnLabel::Never};

// clang-format on

}  // namespace

std::span<const Parameter> parameters_of(Query query) {
  switch (query) {
    case Query::None:
      return {};
    case Query::ContainerListCompat:
      return container_list_compat;
    case Query::ContainerListLibpod:
      return container_list_libpod;
    case Query::ContainerCreate:
      return container_create;
    case Query::ContainerInspect:
      return container_inspect;
    case Query::ContainerExists:
      return container_exists;
    case Query::ContainerRemove:
      return container_remove;
    case Query::ContainerStart:
      return container_start;
    case Query::ContainerStop:
      return container_stop;
    case Query::ContainerKill:
      return container_kill;
    case Query::ContainerWaitCompat:
      return container_wait_compat;
    case Query::ContainerWaitLibpod:
      return container_wait_libpod;
    case Query::ContainerRename:
      return container_rename;
    case Query::ContainerUpdate:
      return container_update;
    case Query::ContainerAttach:
      return container_attach;
    case Query::ContainerLogs:
      return container_logs;
    case Query::ContainerStats:
      return container_stats;
    case Query::ContainerStatsAll:
      return container_stats_all;
    case Query::ContainerChanges:
      return container_changes;
    case Query::ArchiveGet:
      return archive_get;
    case Query::ArchivePut:
      return archive_put;
    case Query::Resize:
      return resize;
    case Query::Top:
      return top;
    case Query::PodRemove:
      return pod_remove;
    case Query::PodStop:
      return pod_stop;
    case Query::PodKill:
      return pod_kill;
    case Query::PodStats:
      return pod_stats;
    case Query::VolumeRemove:
      return volume_remove;
    case Query::NetworkCreate:
      return network_create;
    case Query::NetworkInspect:
      return network_inspect;
    case Query::NetworkRemove:
      return network_remove;
    case Query::ImageList:
      return image_list;
    case Query::ImageInspect:
      return image_inspect;
    case Query::ImagePullCompat:
      return image_pull_compat;
    case Query::ImagePullLibpod:
      return image_pull_libpod;
    case Query::ImageRemove:
      return image_remove;
    case Query::ImageBatchRemove:
      return image_batch_remove;
    case Query::ImagePrune:
      return image_prune;
    case Query::Build:
      return build::parameters();
    case Query::ImageTag:
      return image_tag;
    case Query::ImagePush:
      return image_push;
    case Query::ImageSave:
      return image_save;
    case Query::ImageExport:
      return image_export;
    case Query::ImageGetCompat:
      return image_get_compat;
    case Query::ImageGetLibpod:
      return image_get_libpod;
    case Query::ImageLoad:
      return image_load;
    case Query::ImageImport:
      return image_import;
    case Query::ImageImportCompat:
      return image_import_compat;
    case Query::ImageTree:
      return image_tree;
    case Query::ImageChanges:
      return image_changes;
    case Query::ImageSearch:
      return image_search;
    case Query::Commit:
      return commit;
    case Query::ManifestCreate:
      return manifest_create;
    case Query::ManifestInspect:
      return manifest_inspect;
    case Query::ManifestModify:
      return manifest_modify;
    case Query::ManifestRemove:
      return manifest_remove;
    case Query::SecretCreate:
      return secret_create;
    case Query::SecretInspect:
      return secret_inspect;
    case Query::Events:
      return events;
    case Query::DiskUsage:
      return disk_usage;
    case Query::KubePlay:
      return kube_play;
    case Query::KubeDown:
      return kube_down;
    case Query::KubeGenerate:
      return kube_generate;
    case Query::ContainerPrune:
    case Query::PodList:
    case Query::PodPrune:
    case Query::VolumeList:
    case Query::VolumePrune:
    case Query::NetworkList:
    case Query::NetworkPrune:
    case Query::SecretList:
      return filters_only;
  }
  return {};
}

const FilterTable& filters_of(Query query) {
  switch (query) {
    case Query::ContainerListCompat:
    case Query::ContainerListLibpod:
      return containers_by_and;
    case Query::ContainerPrune:
    case Query::NetworkPrune:
      return pruned_by_and;
    case Query::PodList:
    case Query::PodPrune:
      return pods_by_and;
    case Query::VolumeList:
      return volumes_by_or;
    case Query::VolumePrune:
      return pruned_volumes;
    case Query::NetworkList:
      return networks_by_and;
    case Query::ImageList:
      return images_without_owner;
    case Query::ImagePrune:
      return pruned_images;
    case Query::ImageSearch:
      return search_without_owner;
    case Query::SecretList:
      return secrets_without_owner;
    case Query::Events:
      return events_without_owner;
    case Query::None:
    case Query::ContainerCreate:
    case Query::ContainerInspect:
    case Query::ContainerExists:
    case Query::ContainerRemove:
    case Query::ContainerStart:
    case Query::ContainerStop:
    case Query::ContainerKill:
    case Query::ContainerWaitCompat:
    case Query::ContainerWaitLibpod:
    case Query::ContainerRename:
    case Query::ContainerUpdate:
    case Query::ContainerAttach:
    case Query::ContainerLogs:
    case Query::ContainerStats:
    case Query::ContainerStatsAll:
    case Query::ContainerChanges:
    case Query::ArchiveGet:
    case Query::ArchivePut:
    case Query::Resize:
    case Query::Top:
    case Query::PodRemove:
    case Query::PodStop:
    case Query::PodKill:
    case Query::PodStats:
    case Query::VolumeRemove:
    case Query::NetworkCreate:
    case Query::NetworkInspect:
    case Query::NetworkRemove:
    case Query::ImageInspect:
    case Query::ImagePullCompat:
    case Query::ImagePullLibpod:
    case Query::ImageTag:
    case Query::ImagePush:
    case Query::ImageSave:
    case Query::ImageExport:
    case Query::ImageGetCompat:
    case Query::ImageGetLibpod:
    case Query::ImageLoad:
    case Query::ImageImport:
    case Query::ImageImportCompat:
    case Query::ImageTree:
    case Query::ImageChanges:
    case Query::Commit:
    case Query::ImageRemove:
    case Query::ImageBatchRemove:
    case Query::Build:
    case Query::ManifestCreate:
    case Query::ManifestInspect:
    case Query::ManifestModify:
    case Query::ManifestRemove:
    case Query::SecretCreate:
    case Query::SecretInspect:
    case Query::DiskUsage:
    case Query::KubePlay:
    case Query::KubeDown:
    case Query::KubeGenerate:
      return no_filters;
  }
  return no_filters;
}

}  // namespace podfence::rules
