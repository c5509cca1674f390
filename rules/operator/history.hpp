#pragma once
// The last hour, minute by minute: how many requests and denials there were, and how long they took. No clock: the
// minute is told.

#include <array>
#include <cstdint>

#include "rules/audit.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

/// How numbers are spread, within an eighth of each: 8 steps for every doubling.
class Spread {
 public:
  void add(std::int64_t number);
  /// A number that so much of all are not above; 0 where there are none.
  std::int64_t quantile(double part) const;
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::size_t steps = 8;
  static std::size_t place_of(std::uint64_t number);
  static std::uint64_t end_of(std::size_t place);

  std::array<std::uint32_t, 40 * steps> counts_{};
  std::uint64_t count_ = 0;
};

class History {
 public:
  static constexpr std::int64_t minutes = 60;

  /// `minute`: since the epoch.
  void count(const AuditRecord& record, std::int64_t minute);
  /// The 60 minutes that end with `now`, the oldest first. docs/admin-api.md tells each member.
  json::Value document(std::int64_t now) const;

 private:
  struct Minute {
    std::int64_t minute = -1;
    std::uint64_t requests = 0;
    std::uint64_t denied = 0;
    std::uint64_t failed = 0;
    Spread own;
    Spread upstream;
  };
  std::array<Minute, static_cast<std::size_t>(minutes)> ring_{};
};

}  // namespace podfence::rules
