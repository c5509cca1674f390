#pragma once
// What is done with the things of a project that ends: podfence asks for it as a client of that project, so that the
// same rules judge it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/facts.hpp"
#include "rules/ledger_entry.hpp"
#include "rules/life.hpp"

namespace podfence::rules {

/// All things of a kind, in the order in which nothing is taken away that something else still needs.
struct TeardownStep {
  Kind kind;
  std::string_view name;      ///< for people, the plural
  std::string_view identity;  ///< member of a list's item; "" for what the ledger knows
  Method method;
  std::string_view target;  ///< with `{}` for the thing
  /// Things of it that stay hinder nothing: Podman keeps an image that somebody's container needs.
  bool may_stay = false;
};
std::span<const TeardownStep> teardown_steps(Teardown how);

/// What the project has of it. nullopt: noted as a question.
std::optional<std::vector<std::string>> things_of(const TeardownStep& step, const Project& project, Facts& facts,
                                                  const LedgerEntries& entries);
UpstreamRequest teardown_request(const TeardownStep& step, const std::string& thing);
/// Also when it was so already.
bool is_torn_down(int status);

struct TeardownReport {
  std::vector<std::pair<std::string_view, std::size_t>> done = {};  ///< things by a step's name
  std::vector<std::string> left = {};                               ///< what is tried again, each with the reason
  std::vector<std::string> kept = {};                               ///< what stays in Podman and is nobody's
};
/// "2 containers and 1 volumes", "nothing".
std::string text_of(const TeardownReport& report);

/// A client of the project that may do whatever its clients could ever have done.
Project ending_project(const std::string& id, const std::string& label_key);

}  // namespace podfence::rules
