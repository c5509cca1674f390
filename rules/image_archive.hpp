#pragma once
// Archives of images, as docker save and podman save write them: docker-archive (manifest.json) and oci-archive
// (index.json). Names in them become names in the store, so they are judged first, and the file that has them is
// written anew. Podman tries OCI first and Docker's form when that fails, and untars the archive on the host for the
// trial (libimage: Runtime.Load); what is sent has one form only.
//
// Podman takes a layer that the store has already for the one that an archive only names by its digest, and fetches
// what an archive gives an address for (tried live on 4.3.1). Who knows the digest of another project's layer would get
// it. So an archive must hold everything it names, under the right digest.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/archive.hpp"

namespace podfence::rules {

/// Files below it are named by their SHA-256 digest (OCI image layout).
inline constexpr std::string_view blob_folder = "blobs/sha256/";

ArchiveRules image_archive_rules();
/// nullopt: enough is known to judge the archive.
std::optional<ArchiveRules> further_image_rules(const Archive& known);

struct ImageArchive {
  std::size_t images = 0;
  std::vector<std::string> tags;  ///< normalised
  WrittenMembers members;
};
std::variant<ImageArchive, Deny> read_image_archive(const Archive& archive);

}  // namespace podfence::rules
