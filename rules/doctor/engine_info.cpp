#include "rules/doctor/facts.hpp"
#include "rules/host_path.hpp"
#include "rules/json.hpp"
#include "rules/json_pointer.hpp"

namespace podfence::rules::doctor {

namespace {

using json::Value;

std::string text_at(const Value& root, std::string_view pointer) {
  const auto* value = json::find(root, pointer);
  return value && value->string() ? *value->string() : "";
}

bool flag_at(const Value& root, std::string_view pointer) {
  const auto* value = json::find(root, pointer);
  return value && value->boolean() && *value->boolean();
}

std::int64_t total(const Value& root, std::string_view pointer) {
  std::int64_t sum = 0;
  const auto* ranges = json::find(root, pointer);
  for (const auto& range : ranges && ranges->items() ? *ranges->items() : json::Array())
    sum += range.int64("size").value_or(0);
  return sum;
}

/// "runc version 1.1.5+ds1\ncommit: ..." and "crun version 1.8.1\n...".
std::string runtime_version(std::string_view text) {
  constexpr std::string_view word = " version ";
  const auto at = text.find(word);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + word.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

}  // namespace

std::optional<EngineInfo> read_engine_info(std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* root = std::get_if<Value>(&parsed);
  if (!root || !root->find("host")) return std::nullopt;
  EngineInfo info;
  info.version = text_at(*root, "/version/Version");
  info.rootless = flag_at(*root, "/host/security/rootless");
  info.seccomp = flag_at(*root, "/host/security/seccompEnabled");
  info.cgroup_version = text_at(*root, "/host/cgroupVersion");
  const auto* controllers = json::find(*root, "/host/cgroupControllers");
  for (const auto& name : controllers && controllers->items() ? *controllers->items() : json::Array())
    if (name.string()) info.cgroup_controllers.push_back(*name.string());
  info.network_backend = text_at(*root, "/host/networkBackend");
  info.runtime = text_at(*root, "/host/ociRuntime/name");
  info.runtime_version = runtime_version(text_at(*root, "/host/ociRuntime/version"));
  info.subordinate_uids = total(*root, "/host/idMappings/uidmap");
  info.subordinate_gids = total(*root, "/host/idMappings/gidmap");
  return info;
}

std::vector<std::string> container_ids(std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* list = std::get_if<Value>(&parsed);
  std::vector<std::string> ids;
  for (const auto& container : list && list->items() ? *list->items() : json::Array())
    ids.emplace_back(container.text("Id"));
  return ids;
}

std::string holder_of(std::string_view content, std::string_view socket) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* container = std::get_if<Value>(&parsed);
  if (!container) return "";
  for (const auto& mount : container->list("Mounts")) {
    const auto source = mount.text("Source");
    if (source == socket || is_below(socket, source)) return std::string(container->text("Name"));
  }
  return "";
}

}  // namespace podfence::rules::doctor
