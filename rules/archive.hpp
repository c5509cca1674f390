#pragma once
// What an uploaded archive may hold: build contexts, images, file systems. The wire reads the archive (proxy/), the
// rules judge its members one by one, ask for the texts that they have to read, and say what is to be written in their
// place. What Podman gets is written anew, member by member.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/decision.hpp"

namespace podfence::rules {

/// As the archive's header names it.
struct ArchiveMember {
  enum class Type { File, Directory, SymbolicLink, HardLink, Other } type = Type::File;
  std::string name;
  std::string link = {};   ///< of links
  std::uint64_t size = 0;  ///< bytes of a file
  bool has_holes = false;  ///< of a file: fewer bytes are in the archive
};

/// What a kind of archive may be. The texts are members that the rules read; they must be plain files.
struct ArchiveRules {
  bool is_extracted = false;  ///< by Podman on the host: plain members, each name once, nothing through a link
  bool is_image = false;      ///< beside that, links lead nowhere else
  bool checks_blobs = false;  ///< files `blobs/sha256/DIGITS` must have that digest
  std::vector<std::string> texts = {};     ///< clean names
  std::vector<std::string> layers = {};    ///< clean names: of these the digest without compression is wanted
  std::string_view reserved = {};          ///< how the clean names begin that only podfence writes
  std::uint64_t text_bytes = 1024 * 1024;  ///< of each text
};

/// What the rules know of an archive, by clean names.
struct Archive {
  using Text = std::map<std::string, std::string, std::less<>>;
  Text texts;                                ///< that the rules asked for, and that are there
  Text layer_digests;                        ///< 64 hexadecimal digits, likewise
  Text links;                                ///< symbolic links of images, and what they lead to
  std::set<std::string, std::less<>> files;  ///< plain files of images
};

struct Endpoint;
struct Project;
struct Request;

/// How the row's archive is judged; nullopt: the row takes none.
std::optional<ArchiveRules> archive_rules(const Endpoint& endpoint, const Request& request, const Project& project);
/// What is to be read next, now that so much is known; nullopt: nothing.
std::optional<ArchiveRules> further_archive_rules(const Endpoint& endpoint, const Archive& known);

/// podman --remote 4.3 packs a build secret twice: as a member of the context, and once more by its path on the client.
bool is_second_copy(std::string_view name);

/// `./a//b/` is `a/b`; the archive's own root is "". nullopt: absolute, with `..`, or not UTF-8.
std::optional<std::string> clean_member_name(std::string_view name);

/// Judges members in their order. Bounded by the names that it remembers.
class ArchiveJudge {
 public:
  /// What a judged member's content is wanted for.
  enum class Reading {
    Nothing,
    Text,
    Digest,          ///< SHA-256 of the content as it is
    UnpackedDigest,  ///< SHA-256 of the content without its compression
  };

  explicit ArchiveJudge(ArchiveRules rules, Archive known = {});

  std::optional<Deny> judge(const ArchiveMember& member);
  Reading reading(const ArchiveMember& member) const;
  void take(const ArchiveMember& member, std::string text);
  std::optional<Deny> take_digest(const ArchiveMember& member, std::string digits);
  Archive finish() && { return std::move(archive_); }

 private:
  std::optional<Deny> remember(const ArchiveMember& member, const std::string& name);
  std::optional<Deny> judge_link(const ArchiveMember& member, const std::string& name);

  ArchiveRules rules_;  ///< with sorted names
  Archive archive_;
  std::unordered_map<std::string, ArchiveMember::Type> seen_;  ///< by clean names, directories above them too
  std::uint64_t members_ = 0;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace podfence::rules
