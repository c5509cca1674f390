#pragma once
// Times as Go writes them in JSON (RFC 3339): "2026-11-29T22:35:30.482764044Z", "2026-11-29T23:35:30+01:00".

#include <cstdint>
#include <optional>
#include <string_view>

namespace podfence::rules {

/// Nanoseconds since 1970-01-01T00:00:00Z.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);

}  // namespace podfence::rules
