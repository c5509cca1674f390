#pragma once
// Image names, and which of them a project may see. Labels inside images prove nothing (any registry image can claim
// any project), so visibility comes from the ledger and from policy's shared patterns alone.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/facts.hpp"
#include "rules/json.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

struct Exchange;

/// `registry/path:tag` or `registry/path@sha256:…`, as Podman stores it: "bb" is docker.io/library/bb:latest, a tag
/// beside a digest is dropped. nullopt: not a registry reference at all (a transport prefix, upper case, an id, bad
/// syntax).
std::optional<std::string> normalise_image_name(std::string_view reference);

/// A transport of containers/image, whose references are no names of a registry though some look like one: `dir:5000/x`
/// is a directory of the host. `docker:5000/x` is none of them: what follows that word begins with "//".
bool is_transport(std::string_view word);

/// Does the first part of a name say a registry? It does when it has a dot or a port, or is "localhost" (distribution:
/// splitDockerDomain).
bool is_registry(std::string_view first);
/// A host, perhaps with a port.
bool is_registry_syntax(std::string_view text);

/// Without its tag or digest.
std::string_view repository_of(std::string_view normalised);

/// A client's short name could mean any of these; Podman's own order (libimage: localhost before docker.io).
std::vector<std::string> image_candidates(std::string_view reference);

/// Can a client's reference have led Podman to this name?
bool may_mean(std::string_view reference, std::string_view normalised);

/// 64 hexadecimal digits, with or without "sha256:".
std::optional<std::string> full_image_id(std::string_view reference);
/// 64 hexadecimal digits behind "sha256:".
bool is_digest(std::string_view text);

/// May the name match the pattern? `*` stands for any run of characters; `localhost/*` covers every tag below.
bool matches_pattern(std::string_view pattern, std::string_view normalised);
bool is_shared_name(const Project& project, std::string_view normalised);

/// May the project see this name? (its own tag, or a shared one)
bool visible_name(const Project& project, const Ledger& ledger, std::string_view normalised);

/// RepoTags and RepoDigests of an image (either family's JSON) that the project may see.
std::vector<std::string> visible_names(const Project& project, const Ledger& ledger, const json::Value& image);

/// Own: held by the project. Shared: one of its names is. Otherwise Foreign.
Ownership image_ownership(const Project& project, const Ledger& ledger, const json::Value& image);

/// The image's id: 64 hexadecimal digits.
std::string image_id_of(const json::Value& image);

/// What a pull asks for: fromImage and tag (compat) or reference (libpod), normalised.
std::optional<std::string> pull_reference(const Exchange& exchange);

}  // namespace podfence::rules
