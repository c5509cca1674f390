#pragma once
// What all sessions of a server share. One thread: nothing in here is locked.

#include "proxy/audit_log.hpp"
#include "proxy/buffer_budget.hpp"
#include "proxy/connection_budget.hpp"
#include "proxy/ledger.hpp"
#include "proxy/limits.hpp"
#include "proxy/makers.hpp"
#include "proxy/name_locks.hpp"
#include "proxy/upstream.hpp"
#include "rules/facts.hpp"
#include "rules/stated_objects.hpp"

namespace podfence::proxy {

class LedgerRepair;

struct Services {
  Limits limits;
  Upstream upstream;
  NameLocks locks;
  BufferBudget buffers;
  ConnectionBudget requests;  ///< at work
  rules::OwnerMemory memory;
  rules::Usage usage;
  SqliteLedger& ledger;
  AuditLog& audit;
  std::string spool_directory;     ///< for uploads that are being judged
  BufferBudget spool;              ///< bytes of them on disk
  BufferBudget unpacking;          ///< bytes of memory to take their compression off
  Makers makers = {};              ///< at work
  bool stopped = false;            ///< what still runs is being cut off
  std::size_t generation = 1;      ///< of projects and policies
  LedgerRepair* repair = nullptr;  ///< before the first decision; nullptr: there is nothing to repair
  // For explanations:
  bool changes_nothing = false;                  ///< what a request would need first is not done
  const rules::StatedObjects* stated = nullptr;  ///< these are asked instead of upstream
  const rules::Ledger* stated_ledger = nullptr;  ///< likewise, instead of the ledger

  const rules::Ledger& known() const { return stated_ledger ? *stated_ledger : ledger; }
};

}  // namespace podfence::proxy
