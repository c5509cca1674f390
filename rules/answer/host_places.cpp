// Where answers speak of the host: a table of places. A text becomes the row's text, or what its clients call the path
// in it; a number 0, an array or object empty.

#include <algorithm>
#include <array>

#include "rules/answer/places.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/host_path.hpp"

namespace podfence::rules::answer {

namespace {

enum class Shows {
  Text,        ///< the row's own
  ClientPath,  ///< of a workspace or the engine's socket; nothing of any other path
  ClientBind,  ///< likewise, of Podman's text for a mount
  Lines,       ///< those in which no path can be
};

struct HostPlace {
  Answer answer;
  std::string_view path;
  std::string_view text = "";
  Shows shows = Shows::Text;
};

constexpr HostPlace client_paths_at(Answer answer, std::string_view path) {
  return {answer, path, "", Shows::ClientPath};
}
constexpr HostPlace client_binds_at(Answer answer, std::string_view path) {
  return {answer, path, "", Shows::ClientBind};
}

constexpr HostPlace lines_at(Answer answer, std::string_view path) { return {answer, path, "", Shows::Lines}; }

// clang-format off
constexpr auto host_places = std::to_array<HostPlace>({
    // Container inspect, both families
    {Answer::Container, "ResolvConfPath"},
    {Answer::Container, "HostnamePath"},
    {Answer::Container, "HostsPath"},
    {Answer::Container, "LogPath"},
    {Answer::Container, "StaticDir"},
    {Answer::Container, "OCIConfigPath"},
    {Answer::Container, "PidFile"},
    {Answer::Container, "ConmonPidFile"},
    {Answer::Container, "Rootfs"},
    {Answer::Container, "State.PidFile"},
    {Answer::Container, "State.ConmonPidFile"},
    {Answer::Container, "State.CgroupPath"},
    {Answer::Container, "State.CheckpointPath"},
    {Answer::Container, "State.CheckpointLog"},
    {Answer::Container, "State.RestoreLog"},
    {Answer::Container, "GraphDriver.Data.*"},
    client_paths_at(Answer::Container, "Mounts.*.Source"),
    {Answer::Container, "NetworkSettings.SandboxKey"},
    client_binds_at(Answer::Container, "HostConfig.Binds.*"),
    {Answer::Container, "HostConfig.ContainerIDFile"},
    {Answer::Container, "HostConfig.LogConfig.Path"},
    {Answer::Container, "lockNumber"},  // all locks are numbered together, whoever has them
    client_paths_at(Answer::Containers, "*.Mounts.*.Source"),
    client_paths_at(Answer::DiskUsage, "Containers.*.Mounts.*.Source"),

    {Answer::Pods, "*.Cgroup"},
    {Answer::Pod, "CgroupParent"},
    {Answer::Pod, "CgroupPath"},
    {Answer::Pod, "LockNumber"},
    client_paths_at(Answer::Pod, "mounts.*.Source"),

    // Volumes: Docker's list, libpod's list, inspect and create of both
    {Answer::Volumes, "Volumes.*.Mountpoint"},
    {Answer::Volumes, "*.Mountpoint"},
    {Answer::Volume, "Mountpoint"},
    {Answer::Volume, "LockNumber"},
    {Answer::Volumes, "*.LockNumber"},

    // Where the file driver keeps the values
    {Answer::Secrets, "*.Spec.Driver.Options"},
    {Answer::Secret, "Spec.Driver.Options"},

    {Answer::Image, "GraphDriver.Data.*"},

    lines_at(Answer::Version, "Components.*.Version"),  // crun tells its directory

    // Docker's info
    {Answer::Info, "Name", "podman"},
    {Answer::Info, "DockerRootDir"},
    {Answer::Info, "HttpProxy"},
    {Answer::Info, "HttpsProxy"},
    {Answer::Info, "NoProxy"},
    {Answer::Info, "NFd"},
    {Answer::Info, "NGoroutines"},
    {Answer::Info, "NEventsListener"},
    {Answer::Info, "Runtimes.*.path"},
    {Answer::Info, "RegistryConfig.AllowNondistributableArtifactsCIDRs"},
    {Answer::Info, "RegistryConfig.AllowNondistributableArtifactsHostnames"},
    {Answer::Info, "RegistryConfig.InsecureRegistryCIDRs"},
    {Answer::Info, "RegistryConfig.IndexConfigs"},
    {Answer::Info, "RegistryConfig.Mirrors"},

    // libpod's info
    {Answer::Info, "host.hostname", "podman"},
    {Answer::Info, "host.freeLocks"},
    {Answer::Info, "host.conmon.path"},
    {Answer::Info, "host.ociRuntime.path"},
    lines_at(Answer::Info, "host.ociRuntime.version"),
    {Answer::Info, "host.slirp4netns.executable"},
    {Answer::Info, "host.pasta.executable"},
    {Answer::Info, "host.networkBackendInfo.path"},
    {Answer::Info, "host.networkBackendInfo.dns.path"},
    {Answer::Info, "host.remoteSocket.path"},
    {Answer::Info, "host.security.seccompProfilePath"},
    {Answer::Info, "store.configFile"},
    {Answer::Info, "store.graphRoot"},
    {Answer::Info, "store.runRoot"},
    {Answer::Info, "store.volumePath"},
    {Answer::Info, "store.imageCopyTmpDir"},
    {Answer::Info, "store.graphOptions"},
});
// clang-format on

std::string lines_without_path(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (line.find('/') == std::string_view::npos) kept.append(kept.empty() ? "" : "\n").append(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return kept;
}

std::string shown(const Project& project, const HostPlace& place, const std::string& text) {
  switch (place.shows) {
    case Shows::Text:
      break;
    case Shows::ClientPath:
      return client_path(project, text);
    case Shows::ClientBind:
      return client_bind(project, text);
    case Shows::Lines:
      return lines_without_path(text);
  }
  return std::string(place.text);
}

void blank(const Project& project, const HostPlace& place, json::Value& value) {
  if (value.string())
    value = shown(project, place, *value.string());
  else if (value.items())
    value = json::Value::array();
  else if (value.members())
    value = json::Value::object();
  else if (value.number())
    value = json::Value::integer(0);
}

/// Where a client sent none, Podman records the command line of its own service (specgenutil: FillOutSpecGen).
void hide_service_command(json::Value& container) {
  auto* config = container.find("Config");
  auto* command = config ? config->find("CreateCommand") : nullptr;
  if (!command || !command->items()) return;
  constexpr std::array<std::string_view, 2> service{"system", "service"};
  const auto same = [](const json::Value& word, std::string_view text) {
    return word.string() && *word.string() == text;
  };
  // Not std::ranges::search: clang 14 cannot read libstdc++'s subranges.
  const auto& words = *command->items();
  if (std::search(words.begin(), words.end(), service.begin(), service.end(), same) != words.end())
    *command = json::Value::array();
}

/// What the rules of containers ask about beside host_places and the owner's label: image, workspace mounts, the
/// service's command.
json::Parts container_parts(Answer answer, Names names) {
  std::vector<std::string_view> whole{"Id", "Image", "ImageID", "ImageName", "Mounts", "Binds", "CreateCommand"};
  std::vector<std::string_view> through{"Config", "HostConfig", "Labels", "labels"};
  for (const auto& place : host_places)
    if (place.answer == answer) add_parts(place.path, whole, through);
  if (names == Names::Private) add_name_parts(answer, whole, through);
  return {std::move(whole), std::move(through)};
}

}  // namespace

const json::Parts* parts_of(Answer answer, const Project& project) {
  static const json::Parts of_list = container_parts(Answer::Containers, Names::Shared);
  static const json::Parts of_one = container_parts(Answer::Container, Names::Shared);
  static const json::Parts of_named_list = container_parts(Answer::Containers, Names::Private);
  static const json::Parts of_named_one = container_parts(Answer::Container, Names::Private);
  const bool named = project.policy.names == Names::Private;
  if (answer == Answer::Containers) return named ? &of_named_list : &of_list;
  if (answer == Answer::Container) return named ? &of_named_one : &of_one;
  return nullptr;
}

void hide_host(const Project& project, Answer answer, json::Value& document) {
  for (const auto& place : host_places)
    if (place.answer == answer)
      for_each_at(document, place.path, [&](json::Value& value) { blank(project, place, value); });
  if (answer == Answer::Container) hide_service_command(document);
}

}  // namespace podfence::rules::answer
