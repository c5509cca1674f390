#pragma once
// Which Podman answers upstream.

#include <compare>
#include <string_view>

namespace podfence::rules {

struct EngineVersion {
  int major = 0, minor = 0;  ///< 0.0: it did not say; older than everything
  friend auto operator<=>(const EngineVersion&, const EngineVersion&) = default;
};

/// "5.4.2", "6.0.0-dev".
EngineVersion parse_engine_version(std::string_view text);

}  // namespace podfence::rules
