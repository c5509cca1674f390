#pragma once
// After the heads of a hijacked exchange: bytes both ways, as they come, with half-closes passed on. No idle limit: a
// container may be silent for hours behind a closed standard input.

#include "proxy/deadline.hpp"
#include "proxy/limits.hpp"
#include "rules/audit.hpp"

namespace podfence::proxy {

enum class TunnelEnd {
  Whole,       ///< upstream said all it had to say, and the client was there to take it
  ClientGone,  ///< it closed everything before upstream ended
  ClientSlow,  ///< it took nothing for `stream_send_idle_time`
};

/// Until upstream has ended and the client as well, or `close_time` later; or until the client has closed everything or
/// takes nothing. Their bytes are counted in the record.
Task<TunnelEnd> run_tunnel(Connection& client, Deadline& deadline, const Limits& limits, Connection& upstream,
                           rules::AuditRecord& record);

}  // namespace podfence::proxy
