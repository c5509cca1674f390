#pragma once
// Which registries the host may be made to talk to, on behalf of a project: pull, push, search, login, and the base
// images of builds. Policy says it (`images.registries`); where it says nothing, every registry that has a domain name.
// A name without one, an address, or localhost would be a service of the host or beside it.

#include <optional>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

/// The registry of a normalised image name, with its port.
std::string_view registry_of(std::string_view normalised);

/// The normalised image name is in a registry, or a part of one, that the project may use.
std::optional<Deny> check_registry(const Project& project, std::string_view normalised);

/// The same of a registry as such, for search and login: a part of it is enough.
std::optional<Deny> check_registry_host(const Project& project, std::string_view host);

}  // namespace podfence::rules
