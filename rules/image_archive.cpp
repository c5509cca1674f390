#include "rules/image_archive.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/image_archive_forms.hpp"
#include "rules/image_name.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {

namespace {

/// Podman has no other index than these two, and the one that it tries first counts.
bool is_oci(const Archive& archive) { return archive.texts.contains(oci_form::index_name); }

}  // namespace

ArchiveRules image_archive_rules() {
  return {.is_extracted = true,
          .is_image = true,
          .checks_blobs = true,
          .texts = {std::string(oci_form::index_name), std::string(docker_form::index_name)}};
}

std::optional<ArchiveRules> further_image_rules(const Archive& known) {
  ArchiveRules further{.is_extracted = true, .is_image = true};
  if (is_oci(known))
    oci_form::want(known, further);
  else
    docker_form::want(known, further);
  return further.texts.empty() && further.layers.empty() ? std::nullopt : std::optional(std::move(further));
}

std::variant<ImageArchive, Deny> read_image_archive(const Archive& archive) {
  auto read = is_oci(archive) ? oci_form::read(archive) : docker_form::read(archive);
  if (auto* image = std::get_if<ImageArchive>(&read)) {
    // What Podman could take for the other form.
    for (const auto* other : {"index.json", "manifest.json", "oci-layout", "repositories"})
      if (!image->members.contains(other)) image->members[other] = std::nullopt;
  }
  return read;
}

std::optional<json::Value> parsed_text(const Archive& archive, std::string_view name) {
  const auto found = archive.texts.find(name);
  if (found == archive.texts.end()) return std::nullopt;
  auto parsed = json::parse(found->second);
  auto* value = std::get_if<json::Value>(&parsed);
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

bool go_takes_for(std::string_view member, std::string_view field) {
  constexpr std::string_view long_s = "\u017F", kelvin = "\u212A";
  if (member.size() > kelvin.size() * field.size()) return false;
  std::string folded(member);
  for (const auto& [letter, ascii_letter] : {std::pair(long_s, "s"), std::pair(kelvin, "k")})
    for (auto at = folded.find(letter); at != std::string::npos; at = folded.find(letter))
      folded.replace(at, letter.size(), ascii_letter);
  return ascii::equal_caseless(folded, field);
}

std::optional<const json::Value*> only_member(const json::Value& object, std::string_view name) {
  if (!object.members()) return nullptr;
  const json::Value* found = nullptr;
  for (const auto& member : *object.members()) {
    if (member.name == name)
      found = &member.value;
    else if (go_takes_for(member.name, name))
      return std::nullopt;
  }
  return found;
}

std::optional<std::string> digest_digits(std::string_view digest) {
  return digest.starts_with("sha256:") ? full_image_id(digest) : std::nullopt;
}

}  // namespace podfence::rules
