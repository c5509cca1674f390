// oci-archive: index.json lists manifests, each a blob under its digest, which name more blobs (OCI image layout). The
// index is written anew; the manifests cannot be, since they are what their digests say, so nothing in them may be
// unknown.

#include <algorithm>
#include <array>
#include <set>

#include "rules/body/checks.hpp"
#include "rules/contains.hpp"
#include "rules/image_archive_forms.hpp"
#include "rules/image_target.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules::oci_form {

namespace {

/// An index in an index, and its manifests: what docker buildx writes.
constexpr int max_depth = 2;

constexpr std::string_view reference_name = "org.opencontainers.image.ref.name";
/// Of containerd and Docker; Podman prefers it (libimage: nameFromAnnotations).
constexpr std::string_view full_name = "io.containerd.image.name";

constexpr auto manifest_members = std::to_array<std::string_view>(
    {"schemaVersion", "mediaType", "artifactType", "config", "layers", "manifests", "subject", "annotations"});
constexpr auto descriptor_members = std::to_array<std::string_view>(
    {"mediaType", "artifactType", "digest", "size", "annotations", "platform", "urls", "data"});
/// By these annotations newer Podmans take a layer that is there for one that is not (c/storage: zstd:chunked,
/// eStargz).
constexpr auto layer_annotations =
    std::to_array<std::string_view>({"io.github.containers.", "containerd.io/snapshot/"});

Deny not_understood(std::string_view what) { return {refusal("archive.image"), std::string(what), Kind::None}; }

bool has_only(const json::Value& object, std::span<const std::string_view> names) {
  return object.members() && std::ranges::all_of(*object.members(), [&](const json::Member& member) {
           return contains(names, member.name);
         });
}

/// The blob that a descriptor is about; nullopt: it cannot be told.
std::optional<std::string> blob_of(const json::Value& descriptor) {
  const auto digits = digest_digits(descriptor.text("digest"));
  return digits ? std::optional(std::string(blob_folder) + *digits) : std::nullopt;
}

/// Blobs, and how deep: many descriptors may be about one, which is read once.
using Seen = std::set<std::pair<std::string, int>>;

bool is_unset(const json::Value& object, std::string_view name) {
  const auto* value = object.find(name);
  return !value || value->is_zero();
}

std::optional<Deny> check_descriptor(const json::Value& descriptor) {
  if (!has_only(descriptor, descriptor_members) || !blob_of(descriptor) || !is_unset(descriptor, "data"))
    return not_understood("a descriptor in it");
  if (!is_unset(descriptor, "urls")) return Deny{refusal("archive.url"), *blob_of(descriptor), Kind::None};
  return std::nullopt;
}

std::optional<Deny> check_content(const Archive& archive, const json::Value& descriptor) {
  if (auto deny = check_descriptor(descriptor)) return deny;
  if (const auto* annotations = descriptor.find("annotations"); annotations && annotations->members())
    for (const auto& member : *annotations->members())
      for (const auto& mark : layer_annotations)
        if (member.name.starts_with(mark)) return Deny{refusal("archive.image"), member.name, Kind::None};
  if (!archive.files.contains(*blob_of(descriptor)))
    return Deny{refusal("archive.absent"), *blob_of(descriptor), Kind::None};
  return std::nullopt;
}

/// A manifest, or an index and what is below it. What an index in the archive lists may be left out: of an image for
/// several platforms one is enough, and Podman finds manifests nowhere else.
class LayoutCheck {
 public:
  explicit LayoutCheck(const Archive& archive) : archive_(archive) {}

  std::optional<Deny> operator()(const json::Value& descriptor, int depth = 0) {
    if (auto deny = check_descriptor(descriptor)) return deny;
    const auto name = *blob_of(descriptor);
    if (!checked_.emplace(name, depth).second) return std::nullopt;
    if (depth > 0 && !archive_.files.contains(name)) return std::nullopt;
    if (!archive_.files.contains(name)) return Deny{refusal("archive.absent"), name, Kind::None};
    const auto manifest = depth > max_depth ? std::nullopt : parsed_text(archive_, name);
    if (!manifest || !has_only(*manifest, manifest_members)) return not_understood(name);
    // They become those of every image with that configuration, whosever it is, and of its containers.
    if (const auto* annotations = manifest->find("annotations"); annotations && annotations->members())
      for (const auto& each : *annotations->members())
        if (is_reserved_label(each.name)) return Deny{refusal("label.reserved"), each.name, Kind::None};
    for (const auto& each : manifest->list("manifests"))
      if (auto deny = (*this)(each, depth + 1)) return deny;
    if (const auto* config = manifest->find("config"))
      if (auto deny = check_content(archive_, *config)) return deny;
    for (const auto& layer : manifest->list("layers")) {
      if (++layers_ > max_layers) return Deny{refusal("archive.images"), std::to_string(max_layers), Kind::None};
      if (auto deny = check_content(archive_, layer)) return deny;
    }
    return std::nullopt;
  }

 private:
  const Archive& archive_;
  Seen checked_;
  std::size_t layers_ = 0;
};

/// The name that Podman would give to the image, "" for none.
std::variant<std::string, Deny> name_of(const json::Value& descriptor) {
  const auto* annotations = descriptor.find("annotations");
  if (!annotations) return std::string();
  auto text = annotations->text(full_name);
  if (text.empty()) text = annotations->text(reference_name);
  if (text.empty()) return std::string();
  auto name = target_name(Family::Libpod, text, "");
  if (!name) return Deny{refusal("image.reference"), std::string(text), Kind::Image};
  return *std::move(name);
}

json::Value written(const json::Value& descriptor, const std::string& name) {
  json::Value value, annotations;
  value.set("mediaType", descriptor.text("mediaType"));
  value.set("digest", descriptor.text("digest"));
  value.set("size", json::Value::integer(descriptor.int64("size").value_or(0)));
  annotations.set(reference_name, name);
  if (!name.empty()) value.set("annotations", std::move(annotations));
  return value;
}

void want_manifests(const Archive& known, const json::Value& index, int depth, Seen& seen, ArchiveRules& further) {
  for (const auto& descriptor : index.list("manifests")) {
    const auto name = blob_of(descriptor).value_or("");
    if (!seen.emplace(name, depth).second) continue;
    if (!known.files.contains(name) || further.texts.size() + known.texts.size() > max_images) continue;
    if (!known.texts.contains(name))
      further.texts.push_back(name);
    else if (const auto manifest = depth < max_depth ? parsed_text(known, name) : std::nullopt)
      want_manifests(known, *manifest, depth + 1, seen, further);
  }
}

}  // namespace

void want(const Archive& known, ArchiveRules& further) {
  Seen seen;
  if (const auto index = parsed_text(known, index_name)) want_manifests(known, *index, 0, seen, further);
}

std::variant<ImageArchive, Deny> read(const Archive& archive) {
  const auto index = parsed_text(archive, index_name);
  const auto* manifests = index ? index->find("manifests") : nullptr;
  if (!manifests || !manifests->items()) return not_understood(index_name);
  if (manifests->items()->size() > max_images) return Deny{refusal("archive.images"), std::to_string(max_images)};
  ImageArchive result;
  LayoutCheck check(archive);
  auto list = json::Value::array();
  for (const auto& descriptor : *manifests->items()) {
    if (auto deny = check(descriptor)) return *std::move(deny);
    auto name = name_of(descriptor);
    if (auto* deny = std::get_if<Deny>(&name)) return std::move(*deny);
    list.push(written(descriptor, std::get<std::string>(name)));
    if (!std::get<std::string>(name).empty()) result.tags.push_back(std::get<std::string>(std::move(name)));
    ++result.images;
  }
  json::Value document;
  document.set("schemaVersion", json::Value::integer(2));
  document.set("manifests", std::move(list));
  result.members[std::string(index_name)] = json::write(document);
  result.members["oci-layout"] = R"({"imageLayoutVersion":"1.0.0"})";
  return result;
}

}  // namespace podfence::rules::oci_form
