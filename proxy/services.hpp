#pragma once
// What all sessions of a server share. One thread: nothing in here is locked.

#include "proxy/audit_log.hpp"
#include "proxy/buffer_budget.hpp"
#include "proxy/ledger.hpp"
#include "proxy/limits.hpp"
#include "proxy/name_locks.hpp"
#include "proxy/upstream.hpp"
#include "rules/facts.hpp"
#include "rules/stated_objects.hpp"

namespace podfence::proxy {

struct Services {
  Limits limits;
  Upstream upstream;
  NameLocks locks;
  BufferBudget buffers;
  rules::OwnerMemory memory;
  rules::Usage usage;
  SqliteLedger& ledger;
  AuditLog& audit;
  std::string spool_directory;                   ///< for uploads that are being judged
  BufferBudget spool;                            ///< bytes of them on disk
  BufferBudget unpacking;                        ///< bytes of memory to take their compression off
  const rules::StatedObjects* stated = nullptr;  ///< these are asked instead of upstream, for explanations
};

}  // namespace podfence::proxy
