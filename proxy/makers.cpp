#include "proxy/makers.hpp"

#include <algorithm>

#include "proxy/departure.hpp"

namespace podfence::proxy {

bool Makers::are_at_work(const std::string& project) const {
  const auto [begin, end] = exchanges_.equal_range(project);
  return std::any_of(begin, end, [](const auto& each) { return each.second.changes; });
}

void Makers::send_away(const std::string& project) {
  const auto [begin, end] = exchanges_.equal_range(project);
  std::for_each(begin, end, [](const auto& each) { each.second.departure->send_away(); });
}

}  // namespace podfence::proxy
