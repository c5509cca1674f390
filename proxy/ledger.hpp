#pragma once
// The ledger on disk: SQLite in WAL mode, mirrored in memory for look-ups. Every change is durable before it is
// answered. One process at a time: the mirror of a second one would not see what the first one writes.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rules/decision.hpp"
#include "rules/facts.hpp"
#include "rules/ledger_entry.hpp"

namespace podfence::proxy {

/// Another process has it.
struct LedgerInUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SqliteLedger final : public rules::Ledger {
 public:
  /// The file is created with mode 0600; ":memory:" for tests. Throws std::runtime_error with a sentence for people.
  explicit SqliteLedger(const std::string& path);
  /// What an existing one says now, also while another process uses it. For look-ups only.
  static SqliteLedger copy_of(const std::string& path);
  /// Its rows, likewise.
  static rules::LedgerEntries entries_of(const std::string& path);
  SqliteLedger(SqliteLedger&&) noexcept;
  ~SqliteLedger() override;

  bool holds_image(std::string_view project, std::string_view image_id) const override;
  bool held_by_others(std::string_view project, std::string_view image_id) const override;
  bool owns_tag(std::string_view project, std::string_view tag) const override;
  bool tag_owned_by_others(std::string_view project, std::string_view tag) const override;
  bool tag_made_by_others(std::string_view project, std::string_view tag) const override;
  bool holds_secret(std::string_view project, std::string_view id) const override;
  std::vector<std::string> secrets(std::string_view project) const override;
  std::string cache_key(std::string_view project) const override;
  std::int64_t images(std::string_view project) const override;

  /// All or nothing. A tag that several projects pulled belongs to each of them. `way`: what the client did, a word.
  void apply(std::string_view project, const std::vector<rules::Claim>& claims, std::string_view way = "");

  /// Before a request is sent. A name of a registry (OwnTag) is only claimed by it: kept from others, and no right yet
  /// to do anything with it. Such claims are counted, and each ends with its own release(), or with the process.
  void claim(std::string_view project, const std::vector<rules::Claim>& claims, std::string_view way = "");
  void release(std::string_view project, const std::vector<rules::Claim>& claims);

  /// Every row, by project, kind and name. Keys of layer caches are nobody's to read.
  rules::LedgerEntries entries() const;
  /// How many rows there are of each kind.
  std::vector<std::pair<rules::LedgerEntry::Kind, std::int64_t>> sizes() const;
  /// Nothing was ever recorded, or nothing is left.
  bool empty() const;

 private:
  struct State;
  explicit SqliteLedger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace podfence::proxy
