#pragma once
// Manifest lists: names of images for several platforms. The ledger says whose a list is, by its name, and holds it by
// that as well: by its id Podman finds one of the members, which may be another project's image.

#include <optional>
#include <string>
#include <variant>

#include "rules/exchange.hpp"

namespace podfence::rules {

/// What a list is made of, as it goes on: an image of the project's or a shared one by its id, else one of a registry
/// that the project may use. Podman would read directories and archives of the host as well, and takes a plain name for
/// a registry's.
std::variant<std::string, Deny> judge_manifest_member(const std::string& said, Exchange& exchange);

/// `/manifests/NAME/registry/DESTINATION`.
struct ManifestPush {
  std::string list;
  std::string destination;
};
std::optional<ManifestPush> pushed_manifest(const Exchange& exchange);

/// Does a removal of images mean manifest lists?
bool asks_for_manifests(const Exchange& exchange);

/// Is the name that of a list of the project's? An image must not take it: nobody could find the list then.
bool names_own_manifest(const Exchange& exchange, const std::string& name);

/// The name that a new list gets.
std::optional<std::string> new_manifest_name(const Exchange& exchange);

}  // namespace podfence::rules
