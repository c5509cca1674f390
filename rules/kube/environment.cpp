// Variables: their own values, those of ConfigMaps of the same YAML, and what a pod says of itself. What a variable is
// set to by itself counts more than what comes with a whole ConfigMap.

#include "rules/json_path.hpp"
#include "rules/kube/pod.hpp"

namespace podfence::rules::kube {

namespace {

Deny missing(const std::string& what) { return {refusal("kube.reference"), what, Kind::None}; }

const Data* find(const Upload& upload, std::string_view name) {
  const auto found = upload.configurations.find(name);
  return found == upload.configurations.end() ? nullptr : &found->second.texts;
}

std::optional<Deny> add_all(const json::Value& source, const Upload& upload, json::Value& variables) {
  const json::Value* reference = source.find("configMapRef");
  if (!reference) return std::nullopt;
  const Data* data = find(upload, reference->text("name"));
  if (!data && reference->flag("optional")) return std::nullopt;
  if (!data) return missing("ConfigMap " + std::string(reference->text("name")));
  for (const auto& [key, value] : *data) variables.set(std::string(source.text("prefix")) + key, value);
  return std::nullopt;
}

using Value = std::variant<std::optional<std::string>, Deny>;

Value from_configuration(const json::Value& reference, const Upload& upload) {
  const Data* data = find(upload, reference.text("name"));
  const auto key = reference.text("key");
  if (data)
    if (const auto found = data->find(key); found != data->end()) return found->second;
  if (reference.flag("optional")) return std::nullopt;
  return missing("key " + std::string(key) + " of ConfigMap " + std::string(reference.text("name")));
}

/// `metadata.labels['app']`: what stands in the quotes.
std::optional<std::string_view> key_in(std::string_view path, std::string_view begin) {
  constexpr std::string_view end = "']";
  if (!path.starts_with(begin) || !path.ends_with(end) || path.size() <= begin.size() + end.size()) return std::nullopt;
  return path.substr(begin.size(), path.size() - begin.size() - end.size());
}

Value from_pod(std::string_view path, const PodSource& pod) {
  if (path == "metadata.name") return pod.name;
  for (const auto& [begin, member] :
       {std::pair("metadata.labels['", "labels"), std::pair("metadata.annotations['", "annotations")})
    if (const auto key = key_in(path, begin)) {
      const json::Value* map = pod.metadata.find(member);
      return map ? std::string(map->text(*key)) : std::string();
    }
  return missing("fieldPath " + std::string(path));
}

Value value_of(const json::Value& variable, const PodSource& pod, const Upload& upload) {
  const json::Value* source = variable.find("valueFrom");
  if (!source) return std::string(variable.text("value"));
  if (const auto* reference = source->find("configMapKeyRef")) return from_configuration(*reference, upload);
  const json::Value* field = source->find("fieldRef");
  return from_pod(field ? field->text("fieldPath") : "", pod);
}

}  // namespace

std::variant<json::Value, Deny> environment_of(const json::Value& container, const PodSource& pod,
                                               const Upload& upload) {
  json::Value variables = json::Value::object();
  for (const auto& source : container.list("envFrom"))
    if (auto deny = add_all(source, upload, variables)) return *std::move(deny);
  for (const auto& variable : container.list("env")) {
    auto value = value_of(variable, pod, upload);
    if (auto* deny = std::get_if<Deny>(&value)) return std::move(*deny);
    if (const auto& text = std::get<std::optional<std::string>>(value)) variables.set(variable.text("name"), *text);
  }
  for (const auto& [name, value] : *variables.members())
    if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
      return Deny{refusal("field.value"), "env[].name", Kind::None};
  return variables;
}

}  // namespace podfence::rules::kube
