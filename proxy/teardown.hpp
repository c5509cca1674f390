#pragma once
// The end of what a project has: podfence is a client of the project, and its requests are judged and recorded like
// those of any other.

#include "proxy/services.hpp"
#include "proxy/session_group.hpp"
#include "rules/operator/teardown.hpp"

namespace podfence::proxy {

/// As far as it goes; what is left can be tried again. With Remove, and nothing left, the ledger forgets the project.
Task<rules::TeardownReport> tear_down(Services& services, SessionGroup& clients, rules::Project project,
                                      rules::Teardown how);

}  // namespace podfence::proxy
