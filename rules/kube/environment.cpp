// Variables: their own values, those of ConfigMaps and Secrets of the same YAML, and what a pod says of itself. What a
// variable is set to by itself counts more than what comes with a whole ConfigMap or Secret.

#include "rules/json_path.hpp"
#include "rules/kube/pod.hpp"

namespace podfence::rules::kube {

namespace {

std::string called(const DataKind& kind, const json::Value& reference) {
  return std::string(kind.kind) + " " + std::string(reference.text("name"));
}

const Data* find(const DataKind& kind, const Upload& upload, const json::Value& reference) {
  const auto& objects = upload.*kind.objects;
  const auto found = objects.find(reference.text("name"));
  return found == objects.end() ? nullptr : &found->second.texts;
}

std::optional<Deny> add_all(const DataKind& kind, const json::Value& source, const Upload& upload,
                            Environment& environment, Extent& extent) {
  const json::Value* reference = source.find(kind.all);
  if (!reference) return std::nullopt;
  const Data* data = find(kind, upload, *reference);
  if (!data && reference->flag("optional")) return std::nullopt;
  if (!data) return missing(called(kind, *reference));
  for (const auto& [key, value] : *data)
    if (auto deny = environment.set(std::string(source.text("prefix")) + key, value, kind.confidential, extent))
      return deny;
  return std::nullopt;
}

struct Found {
  std::optional<std::string> text = {};  ///< none: the variable is left out
  bool is_secret = false;
};
using Value = std::variant<Found, Deny>;

Value from_data(const DataKind& kind, const json::Value& reference, const Upload& upload) {
  const Data* data = find(kind, upload, reference);
  const auto key = reference.text("key");
  if (data)
    if (const auto found = data->find(key); found != data->end()) return Found{found->second, kind.confidential};
  if (reference.flag("optional")) return Found{};
  return missing("key " + std::string(key) + " of " + called(kind, reference));
}

/// `metadata.labels['app']`: what stands in the quotes.
std::optional<std::string_view> key_in(std::string_view path, std::string_view begin) {
  constexpr std::string_view end = "']";
  if (!path.starts_with(begin) || !path.ends_with(end) || path.size() <= begin.size() + end.size()) return std::nullopt;
  return path.substr(begin.size(), path.size() - begin.size() - end.size());
}

Value from_pod(std::string_view path, const PodSource& pod) {
  if (path == "metadata.name") return Found{pod.name};
  for (const auto& [begin, member] :
       {std::pair("metadata.labels['", "labels"), std::pair("metadata.annotations['", "annotations")})
    if (const auto key = key_in(path, begin)) {
      const json::Value* map = pod.metadata.find(member);
      return Found{map ? std::string(map->text(*key)) : std::string()};
    }
  return missing("fieldPath " + std::string(path));
}

Value value_of(const json::Value& variable, const PodSource& pod, const Upload& upload) {
  const json::Value* source = variable.find("valueFrom");
  if (!source) return Found{std::string(variable.text("value"))};
  for (const auto& kind : data_kinds)
    if (const auto* reference = source->find(kind.one)) return from_data(kind, *reference, upload);
  const json::Value* field = source->find("fieldRef");
  return from_pod(field ? field->text("fieldPath") : "", pod);
}

}  // namespace

std::optional<Deny> Environment::set(const std::string& name, std::string_view value, bool is_secret, Extent& extent) {
  if (auto deny = extent.add(sizeof(json::Member) + name.size() + value.size())) return deny;
  auto& members = *variables.members();
  const auto [place, is_new] = places.try_emplace(name, members.size());
  if (is_new) members.emplace_back().name = name;
  members[place->second].value = value;
  if (is_secret)
    secrets.insert(name);
  else
    secrets.erase(name);
  return std::nullopt;
}

std::variant<Environment, Deny> environment_of(const json::Value& container, const PodSource& pod, const Upload& upload,
                                               Extent& extent) {
  Environment environment;
  for (const auto& source : container.list("envFrom"))
    for (const auto& kind : data_kinds)
      if (auto deny = add_all(kind, source, upload, environment, extent)) return *std::move(deny);
  for (const auto& variable : container.list("env")) {
    auto value = value_of(variable, pod, upload);
    if (auto* deny = std::get_if<Deny>(&value)) return std::move(*deny);
    const auto& [text, is_secret] = std::get<Found>(value);
    if (!text) continue;
    if (auto deny = environment.set(std::string(variable.text("name")), *text, is_secret, extent))
      return *std::move(deny);
  }
  for (const auto& [name, value] : *environment.variables.members())
    if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
      return Deny{refusal("field.value"), "env[].name", Kind::None};
  return environment;
}

}  // namespace podfence::rules::kube
