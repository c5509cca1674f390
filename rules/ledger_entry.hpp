#pragma once
// The rows of the ledger as people and the repair see them. Look-ups are rules::Ledger (facts.hpp).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decision.hpp"

namespace podfence::rules {

struct Exchange;

struct LedgerEntry {
  enum class Kind { Image, Tag, Secret } kind = Kind::Image;
  std::string project = {};
  std::string what = {};                           ///< image id, normalised name, or id of a secret: as in a Claim
  bool made = false;                               ///< a name that the project gave itself
  std::string way = {};                            ///< by which it came: way_of(); "" before that was recorded
  std::string since = {};                          ///< "2026-11-30T20:15:00Z"; "" likewise
  std::optional<std::int64_t> age = std::nullopt;  ///< seconds; nullopt likewise
};
using LedgerEntries = std::vector<LedgerEntry>;

std::string_view text(LedgerEntry::Kind kind);

/// The word for what a request does to the ledger: "pull", "tag", "build".
std::string_view way_of(const Exchange& exchange);

/// That takes the row away.
Claim drop_of(const LedgerEntry& entry);

/// The rows that a person means by a full id, the first digits of one (twelve or more), or a name as Podman completes
/// it.
LedgerEntries entries_called(const LedgerEntries& entries, std::string_view word);

/// A line for each row below a heading, in columns.
std::string ledger_table(const LedgerEntries& entries);
/// An array of objects, a line for each.
std::string ledger_json(const LedgerEntries& entries);

}  // namespace podfence::rules
