#pragma once
// What Kubernetes YAML is made into, for its tests.

#include <string>
#include <string_view>
#include <vector>

#include "rules/json_path.hpp"
#include "world.hpp"

namespace podfence::tests {

inline const std::string play = "/v4.3.1/libpod/play/kube";

/// A pod whose container has these lines, and whose spec these.
inline std::string pod(std::string_view container, std::string_view spec = "", std::string_view metadata = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\n" + std::string(metadata) + "spec:\n" +
         std::string(spec) + "  containers:\n  - name: web\n    image: localhost/shared/base\n" +
         std::string(container);
}

struct Played {
  std::string denied, subject;
  std::vector<std::string> requests;  ///< "pod/shop POST /v4.0.0/libpod/pods/create"
  std::vector<json::Value> contents;
  Batch batch;

  /// What is created under that name.
  const json::Value& content(std::string_view name) const {
    static const json::Value none;
    for (std::size_t i = 0; i < batch.items.size(); ++i)
      if (batch.items[i].name == name) return contents[i];
    return none;
  }
  std::string at(std::string_view name, std::string_view path) const {
    const auto* value = json::at(content(name), path);
    return value ? json::write(*value) : "";
  }
};

inline Played played(World& world, std::string_view yaml, const std::string& target = play,
                     Method method = Method::Post) {
  Played result;
  const auto decision = world.decide(method, target, yaml);
  if (const auto* deny = std::get_if<Deny>(&decision)) {
    result.denied = deny->rule->id;
    result.subject = deny->subject;
  }
  if (const auto* fetch = std::get_if<Fetch>(&decision)) result.denied = "fetch " + fetch->reference;
  if (const auto* batch = std::get_if<Batch>(&decision)) result.batch = *batch;
  for (const auto& item : result.batch.items) {
    result.requests.push_back(item.name + " " + std::string(text(item.request.method)) + " " + item.request.target);
    const auto content = json::parse(item.request.content.value_or("null"));
    const auto* value = std::get_if<json::Value>(&content);
    result.contents.push_back(value ? *value : json::Value());
  }
  return result;
}

inline Played played(std::string_view yaml, const std::string& target = play) {
  auto world = one_of_every_kind();
  return played(world, yaml, target);
}

using Texts = std::vector<std::string>;

}  // namespace podfence::tests
