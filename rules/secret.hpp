#pragma once
// Secrets. Podman keeps no owner in its lists of them, so the ledger says whose a secret is, by its id.
//
// A container that has a secret as a file was given a copy of it. One that has it in its environment was not: Podman
// looks the value up at every start, by the name that the secret had (libpod: LookupSecretData), or whatever begins
// with that as an id. The name must not become another project's meanwhile. So such a container carries the names in a
// label of podfence's own, and no secret that stands in one can be removed.

#include <set>
#include <string>
#include <string_view>

#include "rules/facts.hpp"

namespace podfence::rules {

inline constexpr std::string_view secret_driver_name = "file";

/// Is it written like the id of one?
bool is_secret_id(std::string_view text);

/// As its inspect answer or a list has it.
std::string_view secret_name(const json::Value& secret);

/// What a word of the client's stands for: an id, a name, or the beginning of an id. Its name is looked at as well, so
/// that it is locked and still this secret's. nullptr: not known yet.
const Fact* find_secret(Facts& facts, std::string_view word);

/// A secret's own label: it was made of a Secret that says so.
std::string immutable_secret_label(const Project& project);

/// A container's own label, and what it says.
std::string environment_secrets_label(const Project& project);
std::string environment_secrets_text(const std::set<std::string>& names);
/// Does the container, as libpod lists it, have a secret of that name in its environment?
bool has_in_environment(const Project& project, const json::Value& container, std::string_view name);

}  // namespace podfence::rules
