#pragma once
// The end of what a project has: podfence is a client of the project, and its requests are judged and recorded like
// those of any other.

#include <chrono>

#include "proxy/services.hpp"
#include "proxy/session_group.hpp"
#include "rules/operator/teardown.hpp"

namespace podfence::proxy {

/// For one thing: what is large takes Podman a minute, what stops as long as it was made for. Beyond that it is tried
/// again.
constexpr std::chrono::seconds thing_time{300};

/// As far as it goes; what is left can be tried again. With Remove, and nothing left, the ledger forgets the project.
Task<rules::TeardownReport> tear_down(Services& services, SessionGroup& clients, rules::Project project,
                                      rules::Teardown how, std::chrono::seconds time = thing_time);

}  // namespace podfence::proxy
