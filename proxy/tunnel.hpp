#pragma once
// After the heads of a hijacked exchange: bytes both ways, as they come, with half-closes passed on. No idle limit: a
// container may be silent for hours behind a closed standard input.

#include "proxy/deadline.hpp"
#include "rules/audit.hpp"

namespace podfence::proxy {

/// Until upstream has ended and the client as well, or `close_time` later; or until the client has closed everything.
/// Their bytes are counted in the record.
Task<void> run_tunnel(Connection& client, Deadline& deadline, std::chrono::milliseconds close_time,
                      Connection& upstream, rules::AuditRecord& record);

}  // namespace podfence::proxy
