#include "rules/manifest.hpp"

#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/refuse.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"
#include "rules/registry.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view of_registry = "docker://";
constexpr std::string_view of_store = "containers-storage:";

}  // namespace

std::variant<std::string, Deny> judge_manifest_member(const std::string& said, Exchange& exchange) {
  const bool remote = said.starts_with(of_registry), local = said.starts_with(of_store);
  const auto name = said.substr(remote ? of_registry.size() : local ? of_store.size() : 0);
  const auto normal = normalise_image_name(name);
  if (!normal && (remote || !full_image_id(name))) return Deny{refusal("manifest.member"), said, Kind::Image};
  if (!remote) {
    const auto* found = exchange.facts.find(Kind::Image, name);
    if (!found) return said;
    if (found->ownership == Ownership::Own || found->ownership == Ownership::Shared)
      return std::string(of_store) + "@" + found->id;
    if (local || !normal) return hidden(Kind::Image, name);
  }
  if (auto deny = check_registry(exchange.project, *normal)) return *std::move(deny);
  return std::string(of_registry) + *normal;
}

/// Podman splits at the last one.
std::optional<ManifestPush> pushed_manifest(const Exchange& exchange) {
  const auto& segments = exchange.request.target.segments;
  constexpr std::size_t first = 2;  // behind libpod and manifests
  for (std::size_t at = segments.size(); at-- > first + 1;) {
    if (segments[at] != "registry" || at + 1 == segments.size()) continue;
    const auto joined = [&](std::size_t from, std::size_t to) {
      std::string text;
      for (std::size_t i = from; i < to; ++i) text.append(i == from ? "" : "/").append(segments[i]);
      return text;
    };
    return ManifestPush{joined(first, at), joined(at + 1, segments.size())};
  }
  return std::nullopt;
}

bool asks_for_manifests(const Exchange& exchange) {
  const auto said = ascii::lower(value_of(exchange.request.target, "lookupManifest"));
  return !said.empty() && said != "false" && said != "0" && said != "f";
}

bool names_own_manifest(const Exchange& exchange, const std::string& name) {
  return exchange.facts.ledger().holds_image(exchange.project.id, name);
}

std::optional<std::string> new_manifest_name(const Exchange& exchange) {
  return target_name(Family::Libpod, exchange.match.name, "");
}

std::optional<Deny> finish_manifest(json::Value& content, const Place& place) {
  auto* images = content.find("images");
  if (!images) return std::nullopt;
  const auto operation = content.text("operation");
  const bool adds = operation.empty() || operation == "update";
  for (auto& each : *images->items()) {
    if (!adds && !is_digest(*each.string())) return refuse(refusal("image.reference"), *each.string());
    if (!adds) continue;
    auto member = judge_manifest_member(*each.string(), place.exchange);
    if (auto* deny = std::get_if<Deny>(&member)) return std::move(*deny);
    each = std::get<std::string>(std::move(member));
  }
  return std::nullopt;
}

}  // namespace podfence::rules
