#pragma once
// The ledger held against what Podman has. A process that is killed between what Podman did and its record of it leaves
// the two apart: names that were claimed and never came to be, things that are gone, images that are there and
// nobody's. What cannot be known stays hidden. docs/ledger.md tells the rules.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decision.hpp"
#include "rules/ledger_entry.hpp"

namespace podfence::rules {

/// What the engine has.
class EngineInventory {
 public:
  struct Image {
    std::string id;
    std::string project;  ///< that its label names, "" for none
  };

  /// `label_key`: of the label that podfence gives.
  explicit EngineInventory(std::string label_key) : label_key_(std::move(label_key)) {}

  static UpstreamRequest images_request();
  static UpstreamRequest secrets_request();
  /// False: the answer cannot be understood.
  bool learn_images(int status, std::string_view content);
  bool learn_secrets(int status, std::string_view content);

  bool has_image(const std::string& id) const { return images_.contains(id); }
  /// What the name stands for; nullptr for nothing.
  const Image* image_called(const std::string& name) const;
  bool has_secret(const std::string& id) const { return secrets_.contains(id); }

 private:
  std::string label_key_;
  std::map<std::string, Image> images_;       ///< by id
  std::map<std::string, std::string> names_;  ///< ids
  std::set<std::string> secrets_;
};

/// What Podman was told to do by a podfence that was killed then may still be under way; a name that is not there yet
/// is kept for that long.
inline constexpr std::int64_t repair_grace_seconds = 600;

struct RepairRules {
  std::int64_t grace = repair_grace_seconds;  ///< younger names are kept when they are not there
  const LedgerEntries* left = nullptr;        ///< only rows that are as they were then: on others somebody is at work
  /// By itself: when Podman has nothing of all that the ledger knows, it may be another Podman, and nothing is dropped
  /// because it is absent.
  bool careful = true;
};

struct Finding {
  enum class What {
    Absent,   ///< Podman has no such thing
    NotHeld,  ///< the name stands for an image that the project does not hold
    Made,     ///< the project has made it, and this was not recorded
  } what;
  std::string project;
  LedgerEntry::Kind kind;
  std::string subject;    ///< id or name
  std::string name = {};  ///< Made: by which it was found
  Claim claim;            ///< what it does to the ledger
};

struct Repair {
  std::vector<Finding> findings;
  std::size_t held_back = 0;  ///< findings that it was too careful for
};

Repair find_repair(const LedgerEntries& entries, const EngineInventory& engine, const RepairRules& rules);

/// A line for people: "p1 loses the tag quay.io/a/b:1: Podman has none".
std::string text_of(const Finding& finding);

}  // namespace podfence::rules
