#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "rules/decision.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules::kube {

/// How much the objects come to when every pod and container is written out: few lines can ask for a lot.
class Extent {
 public:
  /// That there is so much more, in bytes. A Deny: it is more than may be.
  std::optional<Deny> add(std::size_t bytes) {
    if (bytes > most - used_) return Deny{refusal("kube.size"), std::to_string(most), Kind::None};
    used_ += bytes;
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most = 16 * 1024 * 1024;
  std::size_t used_ = 0;
};

}  // namespace podfence::rules::kube
