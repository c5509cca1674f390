#pragma once
// Times, counted by how long they are.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace podfence::proxy {

struct Histogram {
  /// Seconds: the longest time of each step. Whatever is longer belongs to one step more.
  static constexpr std::array<double, 14> bounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                    0.025,  0.05,    0.1,    0.5,   1,      5,     30};

  void add(double seconds) {
    const auto place = std::ranges::lower_bound(bounds, seconds) - bounds.begin();
    ++counts[static_cast<std::size_t>(place)];
    ++count;
    sum += seconds;
  }

  std::array<std::uint64_t, bounds.size() + 1> counts{};
  std::uint64_t count = 0;
  double sum = 0;
};

}  // namespace podfence::proxy
