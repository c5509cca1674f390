#pragma once
// Kubernetes YAML as it was judged by the tables: what is to be made of it is in pod.hpp.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules::kube {

/// Name of a file or variable, and what is in it.
using Data = std::map<std::string, std::string, std::less<>>;

/// Of a ConfigMap or a Secret.
struct Configuration {
  Data texts;
  Data binary;  ///< for files, and not for variables
};
using Configurations = std::map<std::string, Configuration, std::less<>>;

/// A Secret as Podman keeps it: a secret of that name, whose value is the object in YAML.
struct KeptSecret {
  std::string name;
  json::Value labels;
  bool immutable = false;
  std::string value;
};

/// What the YAML names is not in it, and not the project's.
inline Deny missing(const std::string& what) { return {refusal("kube.reference"), what, Kind::None}; }

struct VolumeClaim {
  std::string name;
  json::Value labels;
};

struct PodSource {
  std::string name;
  json::Value metadata;  ///< of the pod, or of the deployment's template
  json::Value spec;
};

struct Upload {
  Configurations configurations, secrets;
  std::vector<KeptSecret> kept_secrets;
  std::vector<VolumeClaim> claims;
  std::vector<PodSource> pods;
};

/// What variables and files are made of, and what each kind of it is called where.
struct DataKind {
  std::string_view kind;
  std::string_view all;     ///< in envFrom[]
  std::string_view one;     ///< in env[].valueFrom
  std::string_view volume;  ///< in volumes[]
  std::string_view name;    ///< in that: the object's
  std::string_view ending;  ///< of the pod's own volume
  bool confidential;        ///< values are shown to nobody but Podman
  Configurations Upload::*objects;
};
inline constexpr auto data_kinds = std::to_array<DataKind>({
    {"ConfigMap", "configMapRef", "configMapKeyRef", "configMap", "name", "-configmap", false, &Upload::configurations},
    {"Secret", "secretRef", "secretKeyRef", "secret", "secretName", "-secret", true, &Upload::secrets},
});

/// Of documents of that kind; nullopt: there is no table for them.
std::optional<Body> body_of(std::string_view kind);

/// The documents, each judged by the table of its kind. Services are left out, as Podman does.
std::variant<Upload, Deny> read_upload(Exchange& exchange);

/// A deployment's pods are called so by Podman 4.3.
std::string replica_name(std::string_view deployment, std::int64_t number);

/// The names alone, for what takes the objects away.
struct Names {
  struct Pod {
    std::string name;
    std::vector<std::string> volumes;  ///< those of the pod itself, as they are called in the YAML
  };
  std::vector<Pod> pods;
  std::vector<std::string> claims;
};
std::variant<Names, Deny> read_names(const Request& request);

}  // namespace podfence::rules::kube
