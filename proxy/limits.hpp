#pragma once
// The bounds of one proxy process.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace podfence::proxy {

struct Limits {
  std::size_t head_bytes = 16 * 1024;
  std::size_t json_bytes = 1024 * 1024;         ///< content that is judged
  std::size_t answer_bytes = 64 * 1024 * 1024;  ///< a whole answer that is rewritten
  std::size_t line_bytes = 1024 * 1024;         ///< one line of an answer that is judged line by line
  /// Whole answers in memory. A project's part has room for one answer of the largest size and what is asked beside it.
  std::size_t buffered_bytes = 256 * 1024 * 1024;
  std::size_t project_buffered_bytes = 96 * 1024 * 1024;
  /// Uploads that are kept on disk until they are judged, and each of them unpacked. A project may use half of all.
  std::uint64_t spool_bytes = 32ull * 1024 * 1024 * 1024;
  std::uint64_t archive_bytes = 16ull * 1024 * 1024 * 1024;
  std::size_t unpacking_bytes = 512 * 1024 * 1024;  ///< memory of what unpacks them; likewise
  std::size_t connections = 1024;  ///< per listener
  std::chrono::milliseconds head_time{30'000};
  std::chrono::milliseconds idle_time{240'000};  ///< between requests
  std::chrono::milliseconds content_idle_time{300'000};
  std::chrono::milliseconds send_idle_time{30'000};  ///< for each piece of a whole answer that the client takes
  std::chrono::milliseconds lock_time{30'000};       ///< how long an exchange waits for names
  std::chrono::milliseconds turn_time{600'000};      ///< likewise for its project's turn: hundreds may be before it
  std::chrono::milliseconds close_time{30'000};      ///< of a tunnel, after one side ended
  std::chrono::milliseconds drain_time{10'000};      ///< of streams, after stop()
};

}  // namespace podfence::proxy
