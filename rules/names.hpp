#pragma once
// What things are called: by clients, and by Podman, which has one name space for all projects. With private names,
// what the project p1 calls `web` is called `p1..web` upstream. This file knows how, and nothing else does.
//
// What Podman itself has named (a container without a name, a pod's infra container), and what was there before names
// became private, has no such name: clients read it as it is, and may call it so.

#include <string>
#include <string_view>
#include <vector>

#include "rules/json.hpp"
#include "rules/kind.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

struct Exchange;

/// Stands between project and name. No client may give a name that has it, with private names or without, so that
/// nobody can take a name that another project may want.
inline constexpr std::string_view name_separator = "..";

/// Are they the project's own, whoever is shown how much of them?
inline bool has_private_names(const Project& project) { return project.policy.names != Names::Shared; }

/// With private names: what upstream calls it that clients call so. Otherwise the name itself.
std::string upstream_name(const Project& project, std::string_view name);

/// Has the name the form of the project's private ones?
bool is_private_name(const Project& project, std::string_view name);

/// The name without the project before it.
std::string_view short_name(const Project& project, std::string_view name);

/// What clients read that upstream calls so: the short name, but for a control plane that is shown it in full.
std::string_view client_name(const Project& project, std::string_view name);

/// The name without a project before it, whosever it is.
std::string_view without_any_project(std::string_view name);

/// A text for people, with the clients' names in it.
std::string with_client_names(const Project& project, std::string_view text);

/// What a client's word of that kind is looked up by, in this order: the first that is an own or shared thing is meant.
/// What looks like an id is tried as one first.
std::vector<std::string> upstream_words(const Project& project, Kind kind, std::string_view word);

/// What a new object is called upstream: as upstream_name says, or by the bare name where an own object of that kind is
/// there under it, so that a name is never given twice. With facts missing the result means nothing.
std::string name_for_new(Exchange& exchange, Kind kind, const std::string& name);

/// The name in an object's inspect answer or list item, libpod's.
std::string_view name_of(Kind kind, const json::Value& object);

}  // namespace podfence::rules
