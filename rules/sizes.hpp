#pragma once
// The limits of one container that quotas add up, by the several names that they have.

#include <cstdint>

#include "rules/json.hpp"

namespace podfence::rules {

/// 0 where there is no limit.
struct Sizes {
  std::int64_t memory = 0;  ///< bytes
  std::int64_t cpus = 0;    ///< billionths of a processor
};

/// Reads a judged create or update of either family, or an inspect answer. One after the other: what the second does
/// not say stays as the first said it.
class SizeFields {
 public:
  explicit SizeFields(const json::Value& document) { read(document); }
  void read(const json::Value& document);
  Sizes sizes() const;

 private:
  void read_docker(const json::Value& object);
  void read_runtime(const json::Value& object);

  std::int64_t memory_ = 0, nano_cpus_ = 0, cpu_quota_ = 0, cpu_period_ = 0;
};

}  // namespace podfence::rules
