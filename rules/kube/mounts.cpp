// Volumes of a pod. An emptyDir, a configMap and a secret become volumes of the pod's own, named after it: Podman
// itself gives them the names that stand in the YAML, which everybody shares. The files of a ConfigMap or Secret are
// put there through a container that mounts it and can only read them, as in Kubernetes.

#include <algorithm>

#include "rules/json_path.hpp"
#include "rules/kube/pod.hpp"

namespace podfence::rules::kube {

namespace {

Deny missing(const std::string& what) { return {refusal("kube.reference"), what, Kind::None}; }

constexpr std::string_view scratch_ending = "-emptydir";

std::string own_volume(std::string_view pod, std::string_view volume, std::string_view ending) {
  return std::string(pod).append("-").append(volume).append(ending);
}

const json::Value* volume_of(const PodSource& source, std::string_view name) {
  const auto& volumes = source.spec.list("volumes");
  const auto found =
      std::ranges::find_if(volumes, [&](const json::Value& volume) { return volume.text("name") == name; });
  return found == volumes.end() ? nullptr : &*found;
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

class Mounts {
 public:
  Mounts(const PodSource& source, const Upload& upload, Pod& pod, json::Value& content, Extent& extent)
      : source_(source), upload_(upload), pod_(pod), content_(content), extent_(extent) {}

  std::optional<Deny> add(const json::Value& mount) {
    const auto name = mount.text("name");
    const json::Value* volume = volume_of(source_, name);
    if (!volume) return missing("volume " + std::string(name));
    const auto target = mount.text("mountPath");
    if (auto deny = extent_.add(bytes_of_mount + target.size())) return deny;
    const bool read_only = mount.flag("readOnly");
    if (const auto* host = volume->find("hostPath")) {
      json::make(content_, "mounts").push(bind_of(host->text("path"), target, read_only));
      return std::nullopt;
    }
    if (const auto* claim = volume->find("persistentVolumeClaim")) {
      json::make(content_, "volumes")
          .push(named(claim->text("claimName"), target, read_only || claim->flag("readOnly")));
      return std::nullopt;
    }
    if (volume->find("emptyDir")) {
      add_own(own_volume(source_.name, name, scratch_ending), target, read_only);
      return std::nullopt;
    }
    for (const auto& kind : data_kinds)
      if (const auto* wanted = volume->find(kind.volume)) return add_data(kind, *wanted, name, target);
    return missing("the source of volume " + std::string(name));
  }

 private:
  /// True: for the first time.
  bool add_own(const std::string& volume, std::string_view target, bool read_only) {
    json::make(content_, "volumes").push(named(volume, target, read_only));
    if (std::ranges::find(pod_.volumes, volume) != pod_.volumes.end()) return false;
    pod_.volumes.push_back(volume);
    return true;
  }

  std::optional<Deny> add_data(const DataKind& kind, const json::Value& wanted, std::string_view name,
                               std::string_view target) {
    const auto& objects = upload_.*kind.objects;
    const auto found = objects.find(wanted.text(kind.name));
    if (found == objects.end()) {
      if (wanted.flag("optional")) return std::nullopt;
      return missing(std::string(kind.kind) + " " + std::string(wanted.text(kind.name)));
    }
    if (!add_own(own_volume(source_.name, name, kind.ending), target, true)) return std::nullopt;
    Files files{pod_.containers.size(), std::string(target), {}, kind.confidential};
    const auto standard = mode_of(wanted, "defaultMode", 0644);
    bool clean = true;
    const auto add_file = [&](std::string_view path, const std::string& text, unsigned mode) {
      clean &= is_clean(path);
      files.files.push_back({std::string(path), text, mode});
      return extent_.add(bytes_of_mount + text.size());
    };
    auto data = found->second.texts;
    data.insert(found->second.binary.begin(), found->second.binary.end());
    for (const auto& item : wanted.list("items")) {
      const auto text = data.find(item.text("key"));
      if (text == data.end()) return missing("key " + std::string(item.text("key")));
      if (auto deny = add_file(item.text("path"), text->second, mode_of(item, "mode", standard))) return deny;
    }
    if (wanted.list("items").empty())
      for (const auto& [key, text] : data)
        if (auto deny = add_file(key, text, standard)) return deny;
    if (!clean) return Deny{refusal("field.value"), std::string(kind.volume) + ".items[].path", Kind::None};
    pod_.files.push_back(std::move(files));
    return std::nullopt;
  }

  const PodSource& source_;
  const Upload& upload_;
  Pod& pod_;
  json::Value& content_;
  Extent& extent_;
};

}  // namespace

std::vector<std::string> own_volumes(std::string_view pod, std::string_view volume) {
  std::vector<std::string> volumes{own_volume(pod, volume, scratch_ending)};
  for (const auto& kind : data_kinds) volumes.push_back(own_volume(pod, volume, kind.ending));
  return volumes;
}

std::optional<Deny> add_mounts(const json::Value& container, const PodSource& source, const Upload& upload, Pod& pod,
                               json::Value& content, Extent& extent) {
  Mounts mounts(source, upload, pod, content, extent);
  for (const auto& mount : container.list("volumeMounts"))
    if (auto deny = mounts.add(mount)) return deny;
  return std::nullopt;
}

}  // namespace podfence::rules::kube
