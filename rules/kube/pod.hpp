#pragma once
// A Kubernetes pod in the words of libpod's creates: the contents that a client would send who made the pod, its
// containers and its volumes one by one. They are judged like such a client's (act/kube_play.cpp), so nothing here has
// to be safe, only right.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/kube/extent.hpp"
#include "rules/kube/upload.hpp"

namespace podfence::rules::kube {

/// What the query says of all pods.
struct Options {
  std::vector<std::string> networks;   ///< modes or names
  std::vector<std::string> addresses;  ///< one for each pod, in their order
  std::vector<std::string> hardware_addresses;
  std::string user_namespace;
  std::string log_driver;
  std::vector<std::string> log_options;  ///< name=value
  bool no_hosts = false;
  bool no_hostname = false;
  bool publish_all = false;
};

enum class PullPolicy { Missing, Newer, Never };

struct Container {
  std::string name;  ///< in the YAML
  json::Value content;
  std::string image;
  PullPolicy pull = PullPolicy::Missing;
  bool runs_first = false;        ///< an init container
  std::set<std::string> secrets;  ///< the variables whose values come from Secrets
};

/// Files that are put into a volume before anything runs.
struct Files {
  struct File {
    std::string path;
    std::string content;
    unsigned mode = 0644;
  };
  std::size_t container = 0;  ///< that mounts it
  std::string target;         ///< where
  std::vector<File> files;
  bool confidential = false;
};

struct Pod {
  std::string name;
  json::Value content;
  std::vector<Container> containers;  ///< those that run first come first
  std::vector<std::string> volumes;   ///< of the pod itself: made for it, empty
  std::vector<Files> files;
};

std::variant<Pod, Deny> make_pod(const PodSource& source, const Upload& upload, const Options& options,
                                 std::size_t number, Extent& extent);

/// The volumes that may stand for a volume of the pod itself: an emptyDir, a configMap or a secret.
std::vector<std::string> own_volumes(std::string_view pod, std::string_view volume);

// The parts. A Deny's subject says where in the pod.

/// env and envFrom: variables that are set, by name.
struct Environment {
  json::Value variables = json::Value::object();
  std::set<std::string> secrets;  ///< those whose values come from Secrets

  std::map<std::string, std::size_t> places;  ///< of the variables

  std::optional<Deny> set(const std::string& name, std::string_view value, bool is_secret, Extent& extent);
};
std::variant<Environment, Deny> environment_of(const json::Value& container, const PodSource& pod, const Upload& upload,
                                               Extent& extent);

/// Libpod's mounts and volumes of a pod's containers, and what they need.
class Mounts {
 public:
  Mounts(const PodSource& source, const Upload& upload, Pod& pod, Extent& extent);

  /// Those of the container that is made next.
  std::optional<Deny> add_all(const json::Value& container, json::Value& content);

 private:
  std::optional<Deny> add(const json::Value& mount, json::Value& content);
  std::optional<Deny> add_data(const DataKind& kind, const json::Value& wanted, std::string_view name,
                               std::string_view target, json::Value& content);
  bool add_own(const std::string& volume, std::string_view target, bool read_only, json::Value& content);

  const PodSource& source_;
  const Upload& upload_;
  Pod& pod_;
  Extent& extent_;
  std::map<std::string_view, const json::Value*> volumes_;  ///< of the YAML, by name: the first counts
  std::set<std::string> own_;                               ///< what stands in the pod's volumes
};

/// Libpod's health check; null for none.
json::Value health_check_of(const json::Value& container);

}  // namespace podfence::rules::kube
