#pragma once
// The bounds of one proxy process.

#include <chrono>
#include <cstddef>

namespace podfence::proxy {

struct Limits {
  std::size_t head_bytes = 16 * 1024;
  std::size_t json_bytes = 1024 * 1024;         ///< content that is judged
  std::size_t answer_bytes = 64 * 1024 * 1024;  ///< a whole answer that is rewritten
  std::size_t line_bytes = 1024 * 1024;         ///< one line of an answer that is judged line by line
  std::size_t connections = 1024;               ///< per listener
  std::chrono::milliseconds head_time{30'000};
  std::chrono::milliseconds idle_time{240'000};  ///< between requests
  std::chrono::milliseconds content_idle_time{300'000};
  std::chrono::milliseconds close_time{30'000};  ///< of a tunnel, after one side ended
  std::chrono::milliseconds drain_time{10'000};  ///< of streams, after stop()
};

}  // namespace podfence::proxy
