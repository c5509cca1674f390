#include "rules/operator/holder.hpp"

#include <array>

#include "rules/contains.hpp"
#include "rules/json.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

using json::Value;

/// Podman's names of states (libpod/define/containerstate.go) in which a container has not ended. It tells "created"
/// to clients where it means "configured".
constexpr auto living_states =
    std::to_array<std::string_view>({"configured", "created", "initialized", "running", "paused", "stopping"});

bool lives(std::string_view state) { return contains(living_states, state); }

}  // namespace

UpstreamRequest holder_request(const std::string& container) {
  return {Method::Get, "/v4.0.0/libpod/containers/" + encode(container) + "/json", {}, std::nullopt};
}

HeldBy holder_of(int status, std::string_view content) {
  if (status == 404) return {.wrong = "Podman has no such container"};
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<Value>(&parsed);
  const auto* state = document ? document->find("State") : nullptr;
  if (status != 200 || !state || document->text("Id").empty()) return {.wrong = "Podman tells nothing about it"};
  if (!lives(state->text("Status"))) return {.wrong = "the container has ended already"};
  return {.id = std::string(document->text("Id"))};
}

UpstreamRequest holders_request(const std::vector<std::string>& ids) {
  auto list = Value::array();
  for (const auto& id : ids) list.push(id);
  auto filters = Value::object();
  filters.set("id", std::move(list));
  return {Method::Get,
          write_target("/v4.0.0/libpod/containers/json", {{"all", "true"}, {"filters", json::write(filters)}}),
          {},
          std::nullopt};
}

std::optional<std::set<std::string>> living_holders(int status, std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<Value>(&parsed);
  if (status != 200 || !document || (!document->items() && !document->is_null())) return std::nullopt;
  std::set<std::string> living;
  if (document->is_null()) return living;
  for (const auto& container : *document->items())
    if (lives(container.text("State"))) living.emplace(container.text("Id"));
  return living;
}

}  // namespace podfence::rules
