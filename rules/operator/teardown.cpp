#include "rules/operator/teardown.hpp"

#include <array>

#include "rules/target.hpp"

namespace podfence::rules {

namespace {

constexpr auto removals = std::to_array<TeardownStep>({
    {Kind::Container, "containers", "Id", Method::Delete, "/v4.0.0/libpod/containers/{}?force=true&timeout=0&v=true"},
    {Kind::Pod, "pods", "Id", Method::Delete, "/v4.0.0/libpod/pods/{}?force=true&timeout=0"},
    {Kind::Network, "networks", "name", Method::Delete, "/v4.0.0/libpod/networks/{}"},
    {Kind::Volume, "volumes", "Name", Method::Delete, "/v4.0.0/libpod/volumes/{}"},
    {Kind::Secret, "secrets", "", Method::Delete, "/v4.0.0/libpod/secrets/{}"},
    {Kind::Image, "images", "", Method::Delete, "/v4.0.0/libpod/images/{}", true},
});

// Podman stops no pod of which a member has ended already (api/handlers/libpod:PodStop): its other containers are
// stopped one by one.
constexpr auto stops = std::to_array<TeardownStep>({
    {Kind::Pod, "pods", "Id", Method::Post, "/v4.0.0/libpod/pods/{}/stop"},
    {Kind::Container, "containers", "Id", Method::Post, "/v4.0.0/libpod/containers/{}/stop"},
});

constexpr std::string_view place = "{}";

LedgerEntry::Kind entry_kind(Kind kind) {
  return kind == Kind::Secret ? LedgerEntry::Kind::Secret : LedgerEntry::Kind::Image;
}

}  // namespace

std::span<const TeardownStep> teardown_steps(Teardown how) {
  switch (how) {
    case Teardown::None:
      break;
    case Teardown::Stop:
      return stops;
    case Teardown::Remove:
      return removals;
  }
  return {};
}

std::optional<std::vector<std::string>> things_of(const TeardownStep& step, const Project& project, Facts& facts,
                                                  const LedgerEntries& entries) {
  std::vector<std::string> things;
  if (step.identity.empty()) {
    for (const auto& entry : entries)
      if (entry.project == project.id && entry.kind == entry_kind(step.kind)) things.push_back(entry.what);
    return things;
  }
  const auto* own = facts.count(step.kind);
  if (!own) return std::nullopt;
  // The container that holds a pod together is only removed with it.
  const bool with_infra = step.method != Method::Delete;
  for (const auto& object : *own)
    if (with_infra || !object.flag("IsInfra")) things.emplace_back(object.text(step.identity));
  return things;
}

UpstreamRequest teardown_request(const TeardownStep& step, const std::string& thing) {
  std::string target(step.target);
  target.replace(target.find(place), place.size(), encode(thing));
  return {step.method, std::move(target), {}, std::nullopt};
}

bool is_torn_down(int status) { return (status >= 200 && status < 300) || status == 304 || status == 404; }

std::string text_of(const TeardownReport& report) {
  std::string text;
  for (const auto& [name, number] : report.done) {
    if (number == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(number) + " " + std::string(name);
  }
  return text.empty() ? "nothing" : text;
}

Project ending_project(const std::string& id, const std::string& label_key) {
  Project project;
  project.id = id;
  project.label_key = label_key;
  return project;
}

}  // namespace podfence::rules
