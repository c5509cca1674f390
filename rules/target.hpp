#pragma once
// The request target: the only place where paths and queries are decoded and written (RFC 3986, RFC 9112 section 3.2).
// Only origin-form. What Go's router or query parser could read in two ways is refused: dot segments, empty segments,
// needless and double encoding, NUL and other controls, `;`, `#`, backslash, raw 8-bit, bad percent codes.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rules/decision.hpp"

namespace podfence::rules {

struct QueryPair {
  std::string name;   ///< decoded, ASCII
  std::string value;  ///< decoded, valid UTF-8, no NUL
  friend bool operator==(const QueryPair&, const QueryPair&) = default;
};

struct Target {
  std::string version;  ///< "v1.41", "v5.4.2", or "" where the client gave none
  /// Decoded path segments behind the version; "libpod" is the first where it stands there. A '/' in one stood there as
  /// %2F; only a parameter that takes slashes matches it (route).
  std::vector<std::string> segments;
  std::vector<QueryPair> query;  ///< in order of the text
  friend bool operator==(const Target&, const Target&) = default;
};

inline constexpr std::size_t max_target_size = 8 * 1024;

std::variant<Target, Deny> parse_target(std::string_view text);

/// Is the decoded text, in a path, the same under any number of further decodings and path cleanings? Names of things
/// are, whatever a client may write.
bool fits_path(std::string_view text);

/// Percent-encodes everything but unreserved characters, so also '/' (Podman's family test splits the whole URL at
/// slashes; utils/apiutil:IsLibpodRequest).
std::string encode(std::string_view text);

/// Origin-form text of a path of already encoded parts and a query: `/v1.41/containers/ID/json?a=b`.
std::string write_target(std::string_view encoded_path, const std::vector<QueryPair>& query);

}  // namespace podfence::rules
