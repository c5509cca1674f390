#include "proxy/makers.hpp"

#include "proxy/departure.hpp"

namespace podfence::proxy {

void Makers::send_away(const std::string& project) {
  const auto [begin, end] = places_.equal_range(project);
  for (auto place = begin; place != end; ++place) place->second->send_away();
}

}  // namespace podfence::proxy
