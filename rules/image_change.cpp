#include "rules/image_change.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

namespace {

/// Those that Podman knows here (libimage: ImageConfigFromChanges, libpod: Container.Commit).
constexpr auto instructions = std::to_array<std::string_view>(
    {"cmd", "entrypoint", "env", "expose", "label", "onbuild", "stopsignal", "user", "volume", "workdir"});

std::string own_label(const Project& project) { return project.label_key + "=" + project.id; }

std::optional<Deny> check_change(const Project& project, const std::string& change) {
  const auto end = std::min(change.find_first_of(" ="), change.size());
  const auto instruction = ascii::lower(change.substr(0, end));
  if (!contains(instructions, instruction)) return Deny{refusal("image.change"), change, Kind::None};
  const auto rest = change.substr(std::min(end + 1, change.size()));
  if (instruction == "label" && rest.find(project.label_key) != std::string::npos && rest != own_label(project))
    return Deny{refusal("ownership.label"), project.label_key, Kind::None};
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<std::string>, Deny> judge_changes(const Exchange& exchange) {
  auto changes = values_of(exchange.request.target, "changes");
  std::erase(changes, "");
  for (const auto& change : changes)
    if (auto deny = check_change(exchange.project, change)) return *std::move(deny);
  const auto own = "LABEL " + own_label(exchange.project);
  std::erase(changes, own);  // a client may say it; ours is the last, and there once
  changes.push_back(own);
  return changes;
}

}  // namespace podfence::rules
