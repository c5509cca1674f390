#include "rules/shown_path.hpp"

namespace podfence::rules {

std::string shown_path(const Target& target) {
  std::string path;
  for (const auto& segment : target.segments) path.append("/").append(segment);
  return path.empty() ? "/" : path;
}

}  // namespace podfence::rules
