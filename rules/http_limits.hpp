#pragma once
// What clients may take of the process as a whole: sizes of messages, times, connections, memory. The key `http` of the
// configuration; what containers may have is a policy's (policy.hpp). The defaults are the members' own values, the
// rows say within which bounds they can be set: no setting leaves something without a limit, or serves nobody.
// docs/http-framing.md has the rows as a table.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/json.hpp"
#include "rules/policy.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

struct HttpLimits {
  using Time = std::chrono::milliseconds;

  // A request
  std::size_t head_bytes = 16 * 1024;  ///< start line and fields together, with every line end
  std::size_t fields = 100;
  std::size_t target_bytes = max_target_size;
  std::size_t chunk_extension_bytes = 4 * 1024;  ///< of all chunks of one message together
  std::size_t json_bytes = 1024 * 1024;          ///< content that is judged
  std::size_t json_depth = 32;
  std::size_t json_names = 4096;  ///< of one object
  // An answer of upstream
  std::size_t trailer_bytes = 4 * 1024;         ///< of all trailer fields together. Requests may have none.
  std::size_t answer_bytes = 64 * 1024 * 1024;  ///< a whole answer that is rewritten
  std::size_t line_bytes = 1024 * 1024;         ///< one line of an answer that is judged line by line
  // Memory, disk and connections. A project's part has room for one answer of the largest size and what is asked beside
  // it.
  std::size_t buffered_bytes = 256 * 1024 * 1024;  ///< judged content and whole answers
  std::size_t project_buffered_bytes = 96 * 1024 * 1024;
  /// Uploads that are kept on disk until they are judged, and each of them unpacked. A project may use half of all.
  std::size_t spool_bytes = 32ull * 1024 * 1024 * 1024;
  std::size_t archive_bytes = 16ull * 1024 * 1024 * 1024;
  std::size_t unpacking_bytes = 512 * 1024 * 1024;  ///< memory of what unpacks them; likewise
  std::size_t connections = 4096;
  std::size_t project_connections = 1024;
  std::size_t requests = 2048;  ///< that are at work at a time, streams and tunnels too
  // Times
  Time head_time{30'000};
  Time content_idle_time{300'000};  ///< for each piece of a request's content, and for all of one that is judged
  Time idle_time{240'000};          ///< between requests
  Time send_idle_time{30'000};      ///< for each piece of a whole answer that the client takes
  /// For each piece of an answer that is passed on as it comes, and of a tunnel. Somebody may be reading a page.
  Time stream_send_idle_time{300'000};
  Time lock_time{30'000};   ///< how long an exchange waits for names
  Time turn_time{600'000};  ///< likewise for its project's turn: hundreds may be before it
  Time close_time{30'000};  ///< of a tunnel, after one side ended
  Time drain_time{10'000};  ///< of streams, when podfence ends

  friend bool operator==(const HttpLimits&, const HttpLimits&) = default;
};

struct HttpLimitRow {
  std::string_view key;  ///< in `http`, and the member's name
  Unit unit;             ///< Bytes, Count or Seconds
  std::variant<std::size_t HttpLimits::*, HttpLimits::Time HttpLimits::*> member;
  std::int64_t least;
  std::int64_t most;
  std::string_view meaning;
  std::string_view beyond;  ///< the id of a refusal, or what happens in words

  std::int64_t value(const HttpLimits& limits) const;
};
inline constexpr std::size_t http_limit_count = 27;
extern const std::array<HttpLimitRow, http_limit_count> http_limit_rows;

struct HttpLimitError {
  std::string where;  ///< JSON pointer from the object `http` on
  std::string what;
};

/// The object `http` of a configuration, which has the form that the schema demands. What it does not say keeps its
/// default.
std::variant<HttpLimits, HttpLimitError> read_http_limits(const json::Value& said);

}  // namespace podfence::rules
