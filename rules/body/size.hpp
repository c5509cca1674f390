#pragma once
// Sizes as people write them: `64m`.

#include <cstdint>
#include <optional>
#include <string_view>

namespace podfence::rules {

/// Digits, then nothing, b, k, m or g, with or without a b behind it, in either case; in bytes, at most 2^50.
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace podfence::rules
