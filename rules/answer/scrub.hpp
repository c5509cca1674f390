#pragma once
// Podman's texts for people name ids, and paths of the host's storage, of whatever stood in the way.

#include <string>
#include <string_view>

#include "rules/exchange.hpp"

namespace podfence::rules::answer {

/// The text without paths of the host's storage.
std::string without_host_paths(std::string_view text);

/// The text without host paths, and without ids that are not the project's own and that the request did not name.
std::string scrub(const Exchange& exchange, std::string_view text);

}  // namespace podfence::rules::answer
