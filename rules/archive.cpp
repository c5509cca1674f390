#include "rules/archive.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/build/options.hpp"
#include "rules/exchange.hpp"
#include "rules/refusal.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules {

namespace {

using Type = ArchiveMember::Type;

constexpr std::uint64_t max_members = 500'000;
constexpr std::uint64_t max_name_bytes = 32 * 1024 * 1024;

Deny refused(const Refusal* rule, std::string_view name) { return {rule, std::string(name), Kind::None}; }

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<ArchiveRules> archive_rules(const Endpoint& endpoint, const Request& request, const Project& project) {
  switch (endpoint.body) {
    case Body::BuildContext: {
      const auto options = build::read_options(request, project);
      const auto* read = std::get_if<build::Options>(&options);
      return read ? build::context_rules(*read) : ArchiveRules{.is_context = true};  // decide() says what is wrong
    }
    case Body::RootArchive:
      return ArchiveRules{};
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

std::optional<Deny> ArchiveJudge::judge(const ArchiveMember& member) {
  const auto name = clean_member_name(member.name);
  if (rules_.is_context && is_second_copy(member.name)) return std::nullopt;
  if (!name) return refused(refusal("archive.name"), member.name);
  name_bytes_ += name->size();
  if (++members_ > max_members) return refused(refusal("archive.members"), std::to_string(max_members));
  if (contains(rules_.reserved, *name)) return refused(refusal("archive.reserved"), *name);
  if (contains(rules_.texts, *name)) {
    if (member.type != Type::File) return refused(refusal("archive.text-type"), *name);
    if (member.size > rules_.text_bytes) return refused(refusal("archive.text-size"), *name);
  }
  if (!rules_.is_context) return contains(rules_.texts, *name) ? remember(member, *name) : std::nullopt;
  if (member.type == Type::Other) return refused(refusal("archive.type"), *name);
  if (auto deny = judge_link(member, *name)) return deny;
  return remember(member, *name);
}

/// A hard link is extracted as what it names at that moment: a file of the archive, or something of the host.
std::optional<Deny> ArchiveJudge::judge_link(const ArchiveMember& member, const std::string& name) const {
  if (member.type != Type::HardLink) return std::nullopt;
  const auto target = clean_member_name(member.link);
  const auto found = target ? seen_.find(*target) : seen_.end();
  if (found == seen_.end() || found->second != Type::File) return refused(refusal("archive.hard-link"), name);
  return std::nullopt;
}

std::optional<Deny> ArchiveJudge::remember(const ArchiveMember& member, const std::string& name) {
  if (name.empty())
    return member.type == Type::Directory ? std::nullopt : std::optional(refused(refusal("archive.name"), "."));
  if (name_bytes_ > max_name_bytes) return refused(refusal("archive.members"), std::to_string(max_members));
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const auto [above, is_new] = seen_.emplace(name.substr(0, slash), Type::Directory);
    if (above->second != Type::Directory) return refused(refusal("archive.through"), name);
  }
  const auto [found, is_new] = seen_.emplace(name, member.type);
  const bool same_directory = found->second == Type::Directory && member.type == Type::Directory;
  if (!is_new && !same_directory) return refused(refusal("archive.duplicate"), name);
  return std::nullopt;
}

bool ArchiveJudge::wants(const ArchiveMember& member) const {
  const auto name = clean_member_name(member.name);
  return name && contains(rules_.texts, *name);
}

void ArchiveJudge::take(const ArchiveMember& member, std::string text) {
  archive_.texts[*clean_member_name(member.name)] = std::move(text);
}

}  // namespace podfence::rules
