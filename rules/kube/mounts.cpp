// Volumes of a pod. An emptyDir, a configMap and a secret become volumes of the pod's own, named after it: Podman
// itself gives them the names that stand in the YAML, which everybody shares. The files of a ConfigMap or Secret are
// put there through a container that mounts it and can only read them, as in Kubernetes.

#include <algorithm>

#include "rules/json_path.hpp"
#include "rules/kube/pod.hpp"

namespace podfence::rules::kube {

namespace {

constexpr std::string_view scratch_ending = "-emptydir";

std::string own_volume(std::string_view pod, std::string_view volume, std::string_view ending) {
  return std::string(pod).append("-").append(volume).append(ending);
}

json::Value options_of(bool read_only) {
  json::Value options = json::Value::array();
  if (read_only) options.push("ro");
  return options;
}

json::Value bind_of(std::string_view source, std::string_view target, bool read_only) {
  json::Value mount;
  mount.set("type", "bind");
  mount.set("source", source);
  mount.set("destination", target);
  mount.set("options", options_of(read_only));
  return mount;
}

json::Value named(std::string_view name, std::string_view target, bool read_only) {
  json::Value volume;
  volume.set("Name", name);
  volume.set("Dest", target);
  volume.set("Options", options_of(read_only));
  return volume;
}

bool is_clean(std::string_view path) {
  constexpr std::size_t longest = 99;  // of a name in a tar header
  if (path.empty() || path.size() > longest || path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    const auto end = path.find('/');
    const auto step = path.substr(0, end);
    if (step.empty() || step == "." || step == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

unsigned mode_of(const json::Value& object, std::string_view member, unsigned absent) {
  return static_cast<unsigned>(object.int64(member).value_or(absent));
}

/// What is made of a mount or file without its content, about.
constexpr std::size_t bytes_of_mount = 512;

/// The key is in one of the two.
const std::string* value_of(const Configuration& configuration, std::string_view key) {
  for (const auto* data : {&configuration.texts, &configuration.binary})
    if (const auto found = data->find(key); found != data->end()) return &found->second;
  return nullptr;
}

std::vector<const Data::value_type*> sorted(const Configuration& configuration) {
  std::vector<const Data::value_type*> all;
  for (const auto* data : {&configuration.texts, &configuration.binary})
    for (const auto& each : *data) all.push_back(&each);
  std::ranges::sort(all, {}, [](const auto* each) { return std::string_view(each->first); });
  return all;
}

}  // namespace

std::vector<std::string> own_volumes(std::string_view pod, std::string_view volume) {
  std::vector<std::string> volumes{own_volume(pod, volume, scratch_ending)};
  for (const auto& kind : data_kinds) volumes.push_back(own_volume(pod, volume, kind.ending));
  return volumes;
}

Mounts::Mounts(const PodSource& source, const Upload& upload, Pod& pod, Extent& extent)
    : source_(source), upload_(upload), pod_(pod), extent_(extent) {
  for (const auto& volume : source.spec.list("volumes")) volumes_.try_emplace(volume.text("name"), &volume);
}

std::optional<Deny> Mounts::add_all(const json::Value& container, json::Value& content) {
  for (const auto& mount : container.list("volumeMounts"))
    if (auto deny = add(mount, content)) return deny;
  return std::nullopt;
}

std::optional<Deny> Mounts::add(const json::Value& mount, json::Value& content) {
  const auto name = mount.text("name");
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return missing("volume " + std::string(name));
  const json::Value& volume = *found->second;
  const auto target = mount.text("mountPath");
  if (auto deny = extent_.add(bytes_of_mount + target.size())) return deny;
  const bool read_only = mount.flag("readOnly");
  if (const auto* host = volume.find("hostPath")) {
    const auto path = host->text("path");
    if (auto deny = extent_.add(path.size())) return deny;
    json::make(content, "mounts").push(bind_of(path, target, read_only));
    return std::nullopt;
  }
  if (const auto* claim = volume.find("persistentVolumeClaim")) {
    const auto claimed = claim->text("claimName");
    if (auto deny = extent_.add(claimed.size())) return deny;
    json::make(content, "volumes").push(named(claimed, target, read_only || claim->flag("readOnly")));
    return std::nullopt;
  }
  if (volume.find("emptyDir")) {
    add_own(own_volume(source_.name, name, scratch_ending), target, read_only, content);
    return std::nullopt;
  }
  for (const auto& kind : data_kinds)
    if (const auto* wanted = volume.find(kind.volume)) return add_data(kind, *wanted, name, target, content);
  return missing("the source of volume " + std::string(name));
}

/// True: for the first time.
bool Mounts::add_own(const std::string& volume, std::string_view target, bool read_only, json::Value& content) {
  json::make(content, "volumes").push(named(volume, target, read_only));
  if (!own_.insert(volume).second) return false;
  pod_.volumes.push_back(volume);
  return true;
}

std::optional<Deny> Mounts::add_data(const DataKind& kind, const json::Value& wanted, std::string_view name,
                                     std::string_view target, json::Value& content) {
  const auto& objects = upload_.*kind.objects;
  const auto found = objects.find(wanted.text(kind.name));
  if (found == objects.end()) {
    if (wanted.flag("optional")) return std::nullopt;
    return missing(std::string(kind.kind) + " " + std::string(wanted.text(kind.name)));
  }
  if (!add_own(own_volume(source_.name, name, kind.ending), target, true, content)) return std::nullopt;
  Files files{pod_.containers.size(), std::string(target), {}, kind.confidential};
  const auto standard = mode_of(wanted, "defaultMode", 0644);
  bool clean = true;
  const auto add_file = [&](std::string_view path, const std::string& text, unsigned mode) {
    clean &= is_clean(path);
    files.files.push_back({std::string(path), text, mode});
    return extent_.add(bytes_of_mount + text.size());
  };
  for (const auto& item : wanted.list("items")) {
    const auto* text = value_of(found->second, item.text("key"));
    if (!text) return missing("key " + std::string(item.text("key")));
    if (auto deny = add_file(item.text("path"), *text, mode_of(item, "mode", standard))) return deny;
  }
  if (wanted.list("items").empty())
    for (const auto* each : sorted(found->second))
      if (auto deny = add_file(each->first, each->second, standard)) return deny;
  if (!clean) return Deny{refusal("field.value"), std::string(kind.volume) + ".items[].path", Kind::None};
  pod_.files.push_back(std::move(files));
  return std::nullopt;
}

}  // namespace podfence::rules::kube
