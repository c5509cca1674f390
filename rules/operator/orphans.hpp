#pragma once
// Things of projects that nobody knows any more, found by the label that podfence gives and in the ledger.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/ledger_entry.hpp"

namespace podfence::rules {

class OrphanSurvey {
 public:
  struct Row {
    std::string_view name;  ///< of the things, the plural
    std::string_view list;  ///< target
    std::string_view labels;
  };
  static std::span<const Row> rows();

  explicit OrphanSurvey(std::string label_key) : label_key_(std::move(label_key)) {}

  UpstreamRequest request(const Row& row) const;
  /// False: the answer cannot be understood.
  bool learn(const Row& row, int status, std::string_view content);
  void learn(const LedgerEntries& entries);

  /// Numbers of things by their name.
  using Things = std::map<std::string_view, std::size_t>;
  /// By project, known ones among them.
  const std::map<std::string, Things>& projects() const { return projects_; }

 private:
  std::string label_key_;
  std::map<std::string, Things> projects_;
};

/// "2 containers, 1 volumes".
std::string text_of(const OrphanSurvey::Things& things);

}  // namespace podfence::rules
