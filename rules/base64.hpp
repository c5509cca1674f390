#pragma once
// Base64 (RFC 4648 sections 4 and 5). Reads both alphabets, padded or not; writes the URL-safe one, padded, as Go's
// base64.URLEncoding wants it.

#include <optional>
#include <string>
#include <string_view>

namespace podfence::rules {

std::optional<std::string> decode_base64(std::string_view text);
/// Section 4 only, padded, with no bits left over: the one way to write the bytes.
std::optional<std::string> decode_exact_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace podfence::rules
