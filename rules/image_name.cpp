#include "rules/image_name.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

constexpr std::size_t image_id_digits = 64;

bool all_of(std::string_view text, bool (*test)(char)) { return std::all_of(text.begin(), text.end(), test); }

bool lower_or_digit(char c) { return ascii::is_lower(c) || ascii::is_digit(c); }
bool path_character(char c) { return lower_or_digit(c) || c == '.' || c == '_' || c == '-'; }
bool tag_character(char c) { return path_character(c) || ascii::is_upper(c); }
bool label_character(char c) { return ascii::is_alphanumeric(c) || c == '-'; }
bool digit(char c) { return ascii::is_digit(c); }
bool hex_lower(char c) { return digit(c) || (c >= 'a' && c <= 'f'); }

/// One component between slashes (distribution reference grammar: alphanumerics with inner separators).
bool is_component(std::string_view text) {
  return !text.empty() && all_of(text, path_character) && lower_or_digit(text.front()) && lower_or_digit(text.back());
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= 128 && all_of(text, tag_character) && text.front() != '.' &&
         text.front() != '-';
}

bool is_host_label(std::string_view text) {
  const auto ends = [](char c) { return ascii::is_alphanumeric(c); };
  return !text.empty() && all_of(text, label_character) && ends(text.front()) && ends(text.back());
}

struct Parts {
  std::string_view path;  ///< with the registry if there is one
  std::string_view tag;
  std::string_view digest;
};

Parts split_reference(std::string_view reference) {
  Parts parts{reference, {}, {}};
  if (const auto at = parts.path.find('@'); at != std::string_view::npos) {
    parts.digest = parts.path.substr(at + 1);
    parts.path = parts.path.substr(0, at);
  }
  const auto slash = parts.path.rfind('/');
  const auto colon = parts.path.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    parts.tag = parts.path.substr(colon + 1);
    parts.path = parts.path.substr(0, colon);
  }
  return parts;
}

bool is_repository(std::string_view repository) {
  const auto slash = repository.find('/');
  if (slash == std::string_view::npos || !is_registry_syntax(repository.substr(0, slash))) return false;
  // Podman would read it as a transport first: of a build's tag, a pull, and where a push goes to.
  if (const auto colon = repository.find(':'); colon < slash && is_transport(repository.substr(0, colon))) return false;
  for (auto rest = repository.substr(slash + 1);;) {
    const auto next = rest.find('/');
    if (!is_component(rest.substr(0, next))) return false;
    if (next == std::string_view::npos) return true;
    rest = rest.substr(next + 1);
  }
}

void append_names(const json::Value& image, std::string_view key, std::vector<std::string>& names) {
  const auto* list = image.find(key);
  if (!list || !list->items()) return;
  for (const auto& item : *list->items())
    if (const auto* name = item.string(); name && !name->starts_with("<none>")) names.push_back(*name);
}

/// Has it the pieces between the stars, one behind the other?
bool has_in_order(std::string_view text, std::string_view pieces) {
  while (!pieces.empty()) {
    const auto piece = pieces.substr(0, pieces.find('*'));
    const auto at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
    pieces.remove_prefix(std::min(piece.size() + 1, pieces.size()));
  }
  return true;
}

}  // namespace

bool is_digest(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  return text.starts_with(prefix) && text.size() == prefix.size() + image_id_digits &&
         all_of(text.substr(prefix.size()), hex_lower);
}

bool is_transport(std::string_view word) {
  constexpr auto transports =
      std::to_array<std::string_view>({"atomic", "containers-storage", "dir", "docker-archive", "docker-daemon", "oci",
                                       "oci-archive", "ostree", "sif", "tarball"});
  return contains(transports, word);
}

bool is_registry(std::string_view first) {
  return first == "localhost" || first.find('.') != std::string_view::npos || first.find(':') != std::string_view::npos;
}

bool is_registry_syntax(std::string_view text) {
  const auto colon = text.find(':');
  for (auto host = text.substr(0, colon);;) {
    const auto dot = host.find('.');
    if (!is_host_label(host.substr(0, dot))) return false;
    if (dot == std::string_view::npos) break;
    host = host.substr(dot + 1);
  }
  if (colon == std::string_view::npos) return true;
  const auto port = text.substr(colon + 1);
  return !port.empty() && port.size() <= 5 && all_of(port, digit);
}

std::optional<std::string> normalise_image_name(std::string_view reference) {
  const auto parts = split_reference(reference);
  if (full_image_id(reference)) return std::nullopt;
  const auto first = parts.path.substr(0, parts.path.find('/'));
  std::string repository;
  if (first.size() == parts.path.size())
    repository = "docker.io/library/" + std::string(parts.path);
  else
    repository = (is_registry(first) ? "" : "docker.io/") + std::string(parts.path);
  if (repository.starts_with("index.docker.io/")) repository.erase(0, std::string_view("index.").size());
  if (repository.starts_with("docker.io/") &&
      repository.find('/', std::string_view("docker.io/").size()) == std::string::npos)
    repository.insert(std::string_view("docker.io/").size(), "library/");
  if (!is_repository(repository)) return std::nullopt;
  if (reference.find('@') != std::string_view::npos)
    return is_digest(parts.digest) ? std::optional(repository + "@" + std::string(parts.digest)) : std::nullopt;
  if (parts.tag.empty()) return reference.ends_with(':') ? std::nullopt : std::optional(repository + ":latest");
  return is_tag(parts.tag) ? std::optional(repository + ":" + std::string(parts.tag)) : std::nullopt;
}

std::string_view repository_of(std::string_view normalised) { return split_reference(normalised).path; }

std::vector<std::string> image_candidates(std::string_view reference) {
  std::vector<std::string> candidates;
  const auto path = split_reference(reference).path;
  const bool is_short = path.find('/') == std::string_view::npos || !is_registry(path.substr(0, path.find('/')));
  if (is_short)
    if (auto name = normalise_image_name("localhost/" + std::string(reference))) candidates.push_back(std::move(*name));
  if (auto name = normalise_image_name(reference)) candidates.push_back(std::move(*name));
  return candidates;
}

bool may_mean(std::string_view reference, std::string_view normalised) {
  const auto candidates = image_candidates(reference);
  if (contains(candidates, normalised)) return true;
  // An unqualified-search registry of the host's own: `x` found as quay.io/x:latest.
  return candidates.size() > 1 &&
         normalised.ends_with(std::string_view(candidates.front()).substr(std::string_view("localhost").size()));
}

std::optional<std::string> full_image_id(std::string_view reference) {
  if (reference.starts_with("sha256:")) reference.remove_prefix(std::string_view("sha256:").size());
  if (reference.size() != image_id_digits || !all_of(reference, hex_lower)) return std::nullopt;
  return std::string(reference);
}

bool matches_pattern(std::string_view pattern, std::string_view normalised) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == normalised;
  const auto head = pattern.substr(0, star), tail = pattern.substr(pattern.rfind('*') + 1);
  if (normalised.size() < head.size() + tail.size() || !normalised.starts_with(head) || !normalised.ends_with(tail))
    return false;
  normalised.remove_prefix(head.size());
  normalised.remove_suffix(tail.size());
  pattern.remove_prefix(head.size());
  pattern.remove_suffix(tail.size());
  return has_in_order(normalised, pattern);
}

bool is_shared_name(const Project& project, std::string_view normalised) {
  // A pattern without a tag means every tag of that repository; a digest is as good as a tag.
  return std::ranges::any_of(project.policy.shared_images, [&](const std::string& pattern) {
    return matches_pattern(pattern, normalised) || matches_pattern(pattern, repository_of(normalised));
  });
}

bool visible_name(const Project& project, const Ledger& ledger, std::string_view normalised) {
  return ledger.owns_tag(project.id, normalised) || is_shared_name(project, normalised);
}

std::vector<std::string> visible_names(const Project& project, const Ledger& ledger, const json::Value& image) {
  // A tag is mutable: others may have moved it to an image that this project never got.
  const bool held = ledger.holds_image(project.id, image_id_of(image));
  const auto is_visible = [&](const std::string& name) {
    return held ? visible_name(project, ledger, name) : is_shared_name(project, name);
  };
  std::vector<std::string> names, digests;
  append_names(image, "RepoTags", names);
  std::erase_if(names, std::not_fn(is_visible));
  append_names(image, "RepoDigests", digests);
  std::set<std::string, std::less<>> repositories;
  for (const auto& name : names) repositories.emplace(repository_of(name));
  for (auto& digest : digests) {
    if (!repositories.contains(repository_of(digest)) && !is_visible(digest)) continue;
    repositories.emplace(repository_of(digest));
    names.push_back(std::move(digest));
  }
  return names;
}

Ownership image_ownership(const Project& project, const Ledger& ledger, const json::Value& image) {
  const auto names = visible_names(project, ledger, image);
  // Shared wins: what everybody may read nobody may change, whoever pulled it as well.
  if (std::ranges::any_of(names, [&](const std::string& name) { return is_shared_name(project, name); }))
    return Ownership::Shared;
  return ledger.holds_image(project.id, image_id_of(image)) ? Ownership::Own : Ownership::Foreign;
}

std::string image_id_of(const json::Value& image) { return full_image_id(image.text("Id")).value_or(""); }

std::optional<std::string> pull_reference(const Exchange& exchange) {
  const auto& target = exchange.request.target;
  const auto value = [&](std::string_view name) {
    const auto values = values_of(target, name);
    return values.empty() ? std::string() : values.front();
  };
  if (exchange.match.endpoint->family == Family::Libpod) return normalise_image_name(value("reference"));
  const auto name = value("fromImage"), tag = value("tag");
  if (tag.empty()) return normalise_image_name(name);
  // Docker sends the digest as the tag as well, and Podman joins both alike (compat/images.go:mergeNameAndTagOrDigest).
  return normalise_image_name(name + (tag.starts_with("sha256:") ? "@" : ":") + tag);
}

}  // namespace podfence::rules
