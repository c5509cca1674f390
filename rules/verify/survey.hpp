#pragma once
// What there is at Podman of a run of `podfence verify`, whoever made it, and how it is removed.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/verify/probe.hpp"

namespace podfence::rules::verify {

struct KindRow {
  std::string_view name;       ///< "container"
  std::string_view by_name;    ///< lists, at Podman: what may begin with the name of a run
  std::string_view by_label;   ///< what carries the decoy's label; "" where things have none
  std::string_view id, names;  ///< JSON pointers in an item; `names` may be a list
  std::string_view inspect;    ///< of the value `thing`
  std::string_view remove;
  bool in_ledger = false;  ///< podfence has a record of it
};
/// In the order in which things go: nothing is removed before what uses it.
std::span<const KindRow> kinds();

struct Thing {
  const KindRow* kind = nullptr;
  std::string id, name;  ///< an image without a name has none
  friend bool operator==(const Thing&, const Thing&) = default;
  std::string text() const;  ///< "the container podfence-verify-0123456789-new"
  /// What it is removed by: an image by its name, so that others keep theirs.
  std::string handle() const { return name.empty() || (!id.empty() && kind->name != "image") ? id : name; }
};

/// nullopt: the answer cannot be understood. `prefix`: only what is named so, "" for all.
std::optional<std::vector<Thing>> things_in(const KindRow& kind, int status, std::string_view content,
                                            std::string_view prefix);

/// The name of a run that the text begins with: `podfence-verify-` and ten digits; "" for none.
std::string_view run_of(std::string_view name);

}  // namespace podfence::rules::verify
