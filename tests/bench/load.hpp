#pragma once
// What the parts of bench_load share.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podfence::bench {

struct LoadOptions {
  std::string socket;
  std::string kind;
  std::size_t connections = 1;
  double seconds = 1;
  std::int64_t rate = 0;  ///< a second; 0: a closed loop
  bool fresh = false;     ///< a connection for each request
  std::size_t count = 0;  ///< requests, in place of the seconds
};

/// Nanoseconds of the monotonic clock, which the engine has as well.
std::int64_t now();
/// Spins where the socket takes nothing.
void send_whole(int file, std::string_view text);

struct Times {
  std::vector<std::int64_t> all = {};  ///< nanoseconds
  void tell(double seconds, std::uint64_t bytes);
};

/// Loads that are no requests one after the other (streams.cpp). False: it is none of them.
bool run_stream(const LoadOptions& options);

}  // namespace podfence::bench
