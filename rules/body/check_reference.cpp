#include <string>

#include "rules/body/bounds.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/reference.hpp"
#include "rules/body/refuse.hpp"
#include "rules/exchange.hpp"
#include "rules/json_path.hpp"
#include "rules/secret.hpp"

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

namespace {

/// An image's variables, labels and annotations become those of its containers, and Podman acts on them as if the
/// client had said them.
std::optional<Deny> check_image_words(const json::Value& document, const Project& project) {
  const auto refused = [](const Refusal* rule, std::string_view word) {
    return Deny{rule, std::string(word) + ", which the image brings", Kind::None,
                "use an image whose configuration does not have it"};
  };
  if (const json::Value* environment = json::at(document, "Config.Env"); environment && environment->items())
    for (const json::Value& entry : *environment->items())
      if (!entry.string() || !says_value(*entry.string()))
        return refused(refusal("env.host"), entry.string() ? *entry.string() : "an entry that is no text");
  for (const auto* path : {"Annotations", "Labels", "Config.Labels"}) {
    const json::Value* words = json::at(document, path);
    if (!words || !words->members()) continue;
    std::size_t size = 0;
    for (const json::Member& word : *words->members()) {
      size += word.name.size() + (word.value.string() ? word.value.string()->size() : 0);
      if (is_reserved_label(word.name) || word.name == environment_secrets_label(project))
        return refused(refusal("label.reserved"), word.name);
    }
    if (size > bounds::labels_size)
      return Deny{refusal("limit.labels"), std::to_string(bounds::labels_size), Kind::None,
                  "use an image with fewer: its labels become the container's"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Deny> judge_image(json::Value& value, const Place& place) {
  place.judged.image = *value.string();
  return judge_image_volume(value, place);
}

std::optional<Deny> judge_image_volume(json::Value& value, const Place& place) {
  const Fact* found = place.exchange.facts.find(Kind::Image, *value.string());
  if (auto deny = resolve_text(Kind::Image, value, place)) return deny;
  if (!found || place.exchange.facts.has_judged_words(found->id)) return std::nullopt;
  if (auto deny = check_image_words(found->document, place.exchange.project)) return deny;
  place.exchange.facts.note_judged_words(found->id);
  return std::nullopt;
}

std::optional<Deny> judge_container(json::Value& value, const Place& place) {
  return resolve_text(Kind::Container, value, place);
}

std::optional<Deny> judge_pod(json::Value& value, const Place& place) { return resolve_text(Kind::Pod, value, place); }

/// Options behind the name take the place of those that the mounts have, nosuid, nodev and ro among them: rw goes
/// without saying, since it may not make more of a mount than it is, and ro is for containers without workspaces.
/// Podman 5.4 forgets the path below a volume.
std::optional<Deny> check_inherited(const std::string& name, bool says_ro, const Place& place) {
  const Fact* source = place.exchange.facts.find(Kind::Container, name, true);
  const json::Value* mounts = source ? source->document.find("Mounts") : nullptr;
  if (!mounts || !mounts->items()) return std::nullopt;
  if (!place.judged.mounts_from.emplace(source->id, says_ro).second) return std::nullopt;
  for (const json::Value& each : *mounts->items()) {
    const bool of_host = each.text("Type") == "bind" || is_own_name(each.text("Name"));
    if (of_host && says_ro)
      return Deny{refusal("mount.option"), "ro", Kind::None,
                  "leave it out: the mounts of that container keep their own"};
    if (is_own_name(each.text("Name"))) return Deny{refusal("mount.handed-on"), name, Kind::None};
  }
  return std::nullopt;
}

/// Podman splits at the first colon and takes any mount option behind it.
std::optional<Deny> judge_volumes_from(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string options = text.substr(colon);
  if (!options.empty() && options != ":ro" && options != ":rw") return refuse(refusal("mount.option"), text);
  auto resolved = resolve(Kind::Container, text.substr(0, colon), place);
  if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
  const bool says_ro = options == ":ro";
  if (auto deny = check_inherited(text.substr(0, colon), says_ro, place)) return deny;
  value = std::get<std::string>(resolved) + (says_ro ? options : "");
  return std::nullopt;
}

}  // namespace podfence::rules
