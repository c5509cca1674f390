#include "rules/kube/upload.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "rules/base64.hpp"
#include "rules/body/name.hpp"
#include "rules/json_path.hpp"
#include "rules/kube/extent.hpp"
#include "rules/out_of_bounds.hpp"
#include "rules/utf8.hpp"
#include "rules/yaml.hpp"

namespace podfence::rules::kube {

namespace {

struct KindRow {
  std::string_view kind;
  Body body;
};
constexpr auto kinds = std::to_array<KindRow>({
    {"Pod", Body::KubePod},
    {"Deployment", Body::KubeDeployment},
    {"ConfigMap", Body::KubeConfigMap},
    {"Secret", Body::KubeSecret},
    {"PersistentVolumeClaim", Body::KubeClaim},
});
/// `podman kube generate --service` writes one beside the pod; Podman makes nothing of it.
constexpr std::string_view left_out = "Service";
constexpr std::int64_t most_replicas = 100;

std::optional<Deny> check_kind(std::string_view kind) {
  if (body_of(kind) || kind == left_out) return std::nullopt;
  return Deny{refusal("kube.kind"), std::string(kind), Kind::None};
}

/// Members in the order of Podman's own YAML. `data` without values is left out, as there.
std::string value_of(const json::Value& secret) {
  json::Value written, metadata;
  const auto copy = [](const json::Value& from, std::string_view member, json::Value& to) {
    if (const auto* value = from.find(member)) to.set(member, *value);
  };
  metadata.set("creationTimestamp", json::Value());
  for (const auto* member : {"labels", "name"}) copy(json::part(secret, "metadata"), member, metadata);
  for (const auto* member : {"apiVersion", "data", "immutable", "kind"}) copy(secret, member, written);
  written.set("metadata", std::move(metadata));
  for (const auto* member : {"stringData", "type"}) copy(secret, member, written);
  return yaml::write(written);
}

/// Can a variable have it?
bool is_variable(std::string_view value) { return is_utf8(value) && value.find('\0') == std::string_view::npos; }

class Reader {
 public:
  explicit Reader(Exchange& exchange) : exchange_(exchange) {}

  std::optional<Deny> read(const json::Value& document) {
    const auto kind = document.text("kind");
    if (auto deny = check_kind(kind)) return deny;
    if (kind == left_out) return std::nullopt;
    const Body body = *body_of(kind);
    auto judged = judge_body(body, document, exchange_);
    if (auto* deny = std::get_if<Deny>(&judged)) return std::move(*deny);
    return add(body, std::get<JudgedBody>(judged).content);
  }

  Upload take() { return std::move(upload_); }

 private:
  std::optional<Deny> add(Body body, const json::Value& document) {
    const std::string name(json::part(document, "metadata").text("name"));
    if (name.empty() || !names_.emplace(body, name).second) return Deny{refusal("kube.name"), name, Kind::None};
    if (body == Body::KubeClaim) upload_.claims.push_back({name, json::part(document, "metadata.labels")});
    if (body == Body::KubeConfigMap) return add_configuration(name, document);
    if (body == Body::KubeSecret) return add_secret(name, document);
    if (body == Body::KubePod) return add_pod({name, json::part(document, "metadata"), json::part(document, "spec")});
    if (body != Body::KubeDeployment) return std::nullopt;
    const auto replicas = json::part(document, "spec").int64("replicas").value_or(1);
    const auto metadata = json::part(document, "spec.template.metadata"),
               spec = json::part(document, "spec.template.spec");
    for (std::int64_t i = 0; i < replicas; ++i)
      if (auto deny = add_pod({replica_name(name, i), metadata, spec})) return deny;
    return std::nullopt;
  }

  std::optional<Deny> add_pod(PodSource pod) {
    if (auto deny = extent_.add(json::footprint(pod.metadata) + json::footprint(pod.spec))) return deny;
    upload_.pods.push_back(std::move(pod));
    return std::nullopt;
  }

  std::optional<Deny> add_configuration(const std::string& name, const json::Value& document) {
    auto& [texts, binaries] = upload_.configurations[name];
    const auto data = json::part(document, "data");
    for (const auto& [key, value] : *data.members()) texts[key] = *value.string();
    const auto binary = json::part(document, "binaryData");
    for (const auto& [key, value] : *binary.members()) {
      if (texts.contains(key)) return Deny{refusal("field.repeated"), "binaryData." + key, Kind::None};
      binaries[key] = decode_base64(*value.string()).value_or("");
    }
    return std::nullopt;
  }

  /// A text counts more than bytes of the same key, as in Kubernetes.
  std::optional<Deny> add_secret(const std::string& name, const json::Value& document) {
    Data all;
    const auto data = json::part(document, "data"), texts = json::part(document, "stringData");
    for (const auto& [key, value] : *data.members()) all[key] = decode_exact_base64(*value.string()).value_or("");
    for (const auto& [key, value] : *texts.members()) all[key] = *value.string();
    auto& secret = upload_.secrets[name];
    for (auto& [key, value] : all) (is_variable(value) ? secret.texts : secret.binary)[key] = std::move(value);
    upload_.kept_secrets.push_back(
        {name, json::part(document, "metadata.labels"), document.flag("immutable"), value_of(document)});
    return std::nullopt;
  }

  Exchange& exchange_;
  Upload upload_;
  Extent extent_;
  std::set<std::pair<Body, std::string>> names_;
};

/// Each once, in their order.
std::vector<std::string> volume_names(const json::Value& spec) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const auto& volume : spec.list("volumes"))
    if (const auto name = volume.text("name"); known.insert(name).second) names.emplace_back(name);
  return names;
}

/// Only what says a name is read: nothing else of it matters to anything.
std::optional<Deny> add_names(const json::Value& document, Names& names, Extent& extent) {
  const auto kind = document.text("kind");
  if (auto deny = check_kind(kind)) return deny;
  const std::string name(json::part(document, "metadata").text("name"));
  if (name.empty()) return Deny{refusal("kube.name"), name, Kind::None};
  const bool claimed = kind == "PersistentVolumeClaim", deployed = kind == "Deployment";
  if (kind != "Pod" && !deployed && !claimed) return std::nullopt;
  if (!is_name(name)) return Deny{refusal("name.syntax"), name, Kind::None};
  if (claimed) {
    names.claims.push_back(name);
    return std::nullopt;
  }
  const auto volumes = volume_names(json::part(document, deployed ? "spec.template.spec" : "spec"));
  const auto replicas = deployed ? json::part(document, "spec").int64("replicas").value_or(1) : 1;
  if (replicas > most_replicas)
    return out_of_bounds("spec.replicas", std::to_string(replicas), "most", std::to_string(most_replicas));
  const auto size =
      std::accumulate(volumes.begin(), volumes.end(), name.size() + sizeof(Names::Pod),
                      [](std::size_t sum, const std::string& volume) { return sum + sizeof volume + volume.size(); });
  for (std::int64_t i = 0; i < replicas; ++i) {
    if (auto deny = extent.add(size)) return deny;
    names.pods.push_back({deployed ? replica_name(name, i) : name, volumes});
  }
  return std::nullopt;
}

std::optional<Deny> check_documents(const Request& request) {
  if (!request.content || !request.content->items() || request.content->items()->empty())
    return Deny{refusal("kube.nothing"), "no documents", Kind::None};
  for (const auto& document : *request.content->items())
    if (!document.members()) return Deny{refusal("kube.nothing"), "a document that is no map", Kind::None};
  return std::nullopt;
}

}  // namespace

std::optional<Body> body_of(std::string_view kind) {
  const auto found = std::ranges::find(kinds, kind, &KindRow::kind);
  return found == kinds.end() ? std::nullopt : std::optional(found->body);
}

std::variant<Upload, Deny> read_upload(Exchange& exchange) {
  if (auto deny = check_documents(exchange.request)) return *std::move(deny);
  Reader reader(exchange);
  for (const auto& document : *exchange.request.content->items())
    if (auto deny = reader.read(document)) return *std::move(deny);
  auto upload = reader.take();
  if (upload.pods.empty() && upload.claims.empty() && upload.kept_secrets.empty())
    return Deny{refusal("kube.nothing"), "no pods, volumes and secrets", Kind::None};
  return upload;
}

std::string replica_name(std::string_view deployment, std::int64_t number) {
  return std::string(deployment) + "-pod-" + std::to_string(number);
}

std::variant<Names, Deny> read_names(const Request& request) {
  if (auto deny = check_documents(request)) return *std::move(deny);
  Names names;
  Extent extent;
  for (const auto& document : *request.content->items())
    if (auto deny = add_names(document, names, extent)) return *std::move(deny);
  return names;
}

}  // namespace podfence::rules::kube
