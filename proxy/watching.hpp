#pragma once
// All that looks on while podfence decides: the counts, the last hour, and the readers of decisions.

#include "proxy/decisions.hpp"
#include "proxy/metrics.hpp"
#include "proxy/tenancy.hpp"
#include "rules/operator/history.hpp"

namespace podfence::proxy {

struct Watching {
  Watching(Executor executor, std::string_view version, Tenancy& projects);
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// From now on. Lives as long as the log is written to.
  void begin(AuditLog& audit);

  Tenancy& tenancy;
  Metrics metrics;
  rules::History history;
  Decisions decisions;
};

/// Since the epoch: of History.
std::int64_t this_minute();

}  // namespace podfence::proxy
