#pragma once
// Holds the ledger against what upstream has: at the start, and by `podfence ledger repair`. rules/repair.hpp says what
// comes of it.

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "proxy/ledger.hpp"
#include "proxy/services.hpp"
#include "rules/repair.hpp"

namespace podfence::proxy {

/// What upstream has, or why that cannot be known.
Task<std::variant<rules::EngineInventory, rules::Deny>> take_inventory(Upstream& upstream, BufferBudget& buffers,
                                                                       std::size_t answer_bytes, std::string label_key);

void apply(SqliteLedger& ledger, const rules::Repair& repair);
/// A line for each finding, and what was held back.
std::vector<std::string> texts_of(const rules::Repair& repair);

/// For a server: once before the first request is decided, and once more when what an earlier podfence has begun must
/// have come to its end.
class LedgerRepair {
 public:
  LedgerRepair(Executor executor, Services& services, std::string label_key, std::chrono::seconds grace);

  /// Done already, or done now. A refusal: upstream cannot be asked, and nothing may be decided by such a ledger.
  Task<std::optional<rules::Deny>> ensure();
  /// Both, without being asked.
  Task<void> run();

 private:
  class Turn;
  Task<std::optional<rules::Deny>> repair(rules::RepairRules how);

  Services& services_;
  std::string label_key_;
  std::chrono::seconds grace_;
  boost::asio::steady_timer turn_;
  rules::LedgerEntries left_;  ///< by the first look
  bool running_ = false;
  bool done_;
};

}  // namespace podfence::proxy
