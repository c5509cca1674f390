#include "rules/body/checks.hpp"
#include "rules/body/reference.hpp"
#include "rules/body/refuse.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

std::variant<std::string, Deny> resolve(Kind kind, const std::string& name, const Place& place) {
  if (name.empty()) return hidden(kind, name);
  const Fact* fact = place.exchange.facts.find(kind, name);
  if (!fact) return name;
  const bool usable =
      fact->ownership == Ownership::Own || (kind == Kind::Image && fact->ownership == Ownership::Shared);
  if (!usable) return hidden(kind, name);
  return fact->id;
}

std::optional<Deny> resolve_text(Kind kind, json::Value& value, const Place& place) {
  auto resolved = resolve(kind, *value.string(), place);
  if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
  value = std::get<std::string>(std::move(resolved));
  return std::nullopt;
}

std::optional<Deny> judge_image(json::Value& value, const Place& place) {
  place.judged.image = *value.string();
  return resolve_text(Kind::Image, value, place);
}

std::optional<Deny> judge_container(json::Value& value, const Place& place) {
  return resolve_text(Kind::Container, value, place);
}

std::optional<Deny> judge_pod(json::Value& value, const Place& place) { return resolve_text(Kind::Pod, value, place); }

/// Podman splits at the first colon and takes any mount option behind it.
std::optional<Deny> judge_volumes_from(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string options = text.substr(colon);
  if (!options.empty() && options != ":ro" && options != ":rw") return refuse(refusal("mount.option"), text);
  auto resolved = resolve(Kind::Container, text.substr(0, colon), place);
  if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
  value = std::get<std::string>(resolved) + options;
  return std::nullopt;
}

/// No secret can be made through podfence, so none can be the project's own.
std::optional<Deny> judge_secret(json::Value& value, const Place&) {
  const std::string* name = value.string();
  return hidden(Kind::Secret, name ? std::string_view(*name) : value.text("Source"));
}

}  // namespace podfence::rules
