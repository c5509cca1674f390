#include "rules/archive.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/build/options.hpp"
#include "rules/exchange.hpp"
#include "rules/image_archive.hpp"
#include "rules/image_target.hpp"
#include "rules/refusal.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules {

namespace {

using Type = ArchiveMember::Type;

constexpr std::uint64_t max_members = 500'000;
constexpr std::uint64_t max_texts_bytes = 8 * 1024 * 1024;
constexpr std::uint64_t max_name_bytes = 32 * 1024 * 1024;
constexpr std::uint64_t bytes_of_place = 64;  ///< about what a name takes beside its own letters

Deny refused(const Refusal* rule, std::string_view name) { return {rule, std::string(name), Kind::None}; }

/// Every member is looked for among these names.
ArchiveRules sorted(ArchiveRules rules) {
  for (auto* names : {&rules.texts, &rules.layers}) std::ranges::sort(*names);
  return rules;
}

bool is_among(const std::vector<std::string>& sorted_names, std::string_view name) {
  return std::ranges::binary_search(sorted_names, name);
}

/// Where a symbolic link leads, by the names alone; nullopt: out of the archive.
std::optional<std::string> link_target(std::string_view name, std::string_view link) {
  if (link.starts_with('/')) return std::nullopt;
  std::vector<std::string_view> steps;
  const std::string path = std::string(name.substr(0, name.rfind('/') + 1)).append(link);
  for (std::string_view rest = path; !rest.empty();) {
    const auto step = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), step.size() + 1));
    if (step == ".." && steps.empty()) return std::nullopt;
    if (step == "..")
      steps.pop_back();
    else
      steps.push_back(step);
  }
  std::string target;
  for (const auto step : steps) target.append(target.empty() ? "" : "/").append(step);
  return clean_member_name(target);
}

}  // namespace

std::optional<ArchiveRules> archive_rules(const Endpoint& endpoint, const Request& request, const Project& project) {
  switch (endpoint.body) {
    case Body::BuildContext: {
      const auto options = build::read_options(request, project);
      const auto* read = std::get_if<build::Options>(&options);
      return read ? build::context_rules(*read) : ArchiveRules{.is_extracted = true};  // decide() says what is wrong
    }
    case Body::RootArchive:
      // The pull of Docker's API has the import's endpoint.
      return takes_root_archive(endpoint, request.target) ? std::optional(ArchiveRules{}) : std::nullopt;
    case Body::ImageArchive:
      return image_archive_rules();
    default:
      return std::nullopt;
  }
}

bool is_second_copy(std::string_view name) {
  constexpr std::string_view sign = "/podman-build-secret";
  const auto at = name.rfind('/');
  return name.starts_with('/') && name.substr(at).starts_with(sign) &&
         std::ranges::all_of(name.substr(at + sign.size()), ascii::is_digit);
}

/// podman-py writes the root's own directory as "/". Extracted, it is where everything goes, as "./" is.
static bool is_root(const ArchiveMember& member) {
  return member.type == ArchiveMember::Type::Directory && member.name == "/";
}

std::optional<ArchiveRules> further_archive_rules(const Endpoint& endpoint, const Archive& known) {
  return endpoint.body == Body::ImageArchive ? further_image_rules(known) : std::nullopt;
}

std::optional<std::string> clean_member_name(std::string_view name) {
  if (name.starts_with('/') || !is_utf8(name) || name.find('\0') != std::string_view::npos) return std::nullopt;
  std::string clean;
  while (!name.empty()) {
    const auto slash = name.find('/');
    const auto step = name.substr(0, slash);
    if (step == "..") return std::nullopt;
    if (!step.empty() && step != ".") {
      if (!clean.empty()) clean += '/';
      clean += step;
    }
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
  }
  return clean;
}

ArchiveJudge::ArchiveJudge(ArchiveRules rules, Archive known)
    : rules_(sorted(std::move(rules))), archive_(std::move(known)) {}

std::optional<Deny> ArchiveJudge::judge(const ArchiveMember& member) {
  if (++members_ > max_members) return refused(refusal("archive.members"), std::to_string(max_members));
  const auto name = clean_member_name(member.name);
  if (rules_.is_extracted && !rules_.is_image && (is_second_copy(member.name) || is_root(member))) return std::nullopt;
  if (!name) return refused(refusal("archive.name"), member.name);
  name_bytes_ += name->size();
  // A few bytes would be gigabytes to be read.
  if (rules_.is_image && member.has_holes) return refused(refusal("archive.holes"), *name);
  if (!rules_.reserved.empty() && name->starts_with(rules_.reserved))
    return refused(refusal("archive.reserved"), *name);
  if (is_among(rules_.texts, *name)) {
    if (member.type != Type::File) return refused(refusal("archive.text-type"), *name);
    std::uint64_t size = member.size;
    for (const auto& [other, text] : archive_.texts) size += text.size();
    if (member.size > rules_.text_bytes || size > max_texts_bytes) return refused(refusal("archive.text-size"), *name);
  }
  if (!rules_.is_extracted) return is_among(rules_.texts, *name) ? remember(member, *name) : std::nullopt;
  if (member.type == Type::Other) return refused(refusal("archive.type"), *name);
  if (auto deny = judge_link(member, *name)) return deny;
  return remember(member, *name);
}

/// A hard link is extracted as what it names at that moment: a file of the archive, or something of the host.
std::optional<Deny> ArchiveJudge::judge_link(const ArchiveMember& member, const std::string& name) {
  if (member.type == Type::SymbolicLink && rules_.is_image) {
    // What is named by its digest is read where it stands, or is not there.
    if (name == "blobs" || name.starts_with("blobs/")) return refused(refusal("archive.link"), name);
    auto target = link_target(name, member.link);
    if (!target) return refused(refusal("archive.link"), name);
    archive_.links.emplace(name, std::move(*target));
  }
  if (member.type != Type::HardLink) return std::nullopt;
  if (rules_.is_image) return refused(refusal("archive.link"), name);
  const auto target = clean_member_name(member.link);
  const auto found = target ? seen_.find(*target) : seen_.end();
  if (found == seen_.end() || found->second != Type::File) return refused(refusal("archive.hard-link"), name);
  return std::nullopt;
}

std::optional<Deny> ArchiveJudge::remember(const ArchiveMember& member, const std::string& name) {
  if (name.empty())
    return member.type == Type::Directory ? std::nullopt : std::optional(refused(refusal("archive.name"), "."));
  // What is above a directory that is known is known. Directories that are only spoken of take room as well.
  for (auto slash = name.rfind('/'); slash != std::string::npos; slash = name.rfind('/', slash - 1)) {
    const auto [above, is_new] = seen_.emplace(name.substr(0, slash), Type::Directory);
    if (above->second != Type::Directory) return refused(refusal("archive.through"), name);
    if (!is_new) break;
    name_bytes_ += slash + bytes_of_place;
    if (name_bytes_ > max_name_bytes) break;
  }
  if (name_bytes_ > max_name_bytes) return refused(refusal("archive.members"), std::to_string(max_members));
  const auto [found, is_new] = seen_.emplace(name, member.type);
  const bool same_directory = found->second == Type::Directory && member.type == Type::Directory;
  if (!is_new && !same_directory) return refused(refusal("archive.duplicate"), name);
  if (rules_.is_image && member.type == Type::File) archive_.files.insert(name);
  return std::nullopt;
}

ArchiveJudge::Reading ArchiveJudge::reading(const ArchiveMember& member) const {
  const auto name = clean_member_name(member.name);
  if (!name || member.type != Type::File) return Reading::Nothing;
  if (is_among(rules_.texts, *name)) return Reading::Text;
  if (is_among(rules_.layers, *name)) return Reading::UnpackedDigest;
  return rules_.checks_blobs && name->starts_with(blob_folder) ? Reading::Digest : Reading::Nothing;
}

void ArchiveJudge::take(const ArchiveMember& member, std::string text) {
  archive_.texts[*clean_member_name(member.name)] = std::move(text);
}

std::optional<Deny> ArchiveJudge::take_digest(const ArchiveMember& member, std::string digits) {
  auto name = *clean_member_name(member.name);
  if (is_among(rules_.layers, name)) {
    archive_.layer_digests[std::move(name)] = std::move(digits);
    return std::nullopt;
  }
  if (name == std::string(blob_folder) + digits) return std::nullopt;
  return refused(refusal("archive.digest"), name);
}

}  // namespace podfence::rules
