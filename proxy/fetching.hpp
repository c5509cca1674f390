#pragma once
// Images that a request needs and that are not here: pulled for its project, by the same rules as a client's own pull.

#include "proxy/services.hpp"
#include "rules/decision.hpp"
#include "rules/project.hpp"

namespace podfence::proxy {

/// Why it could not be had.
Task<std::optional<rules::Deny>> fetch_image(Services& services, const rules::Project& project,
                                             const rules::Fetch& wanted, Waits* waits);

}  // namespace podfence::proxy
