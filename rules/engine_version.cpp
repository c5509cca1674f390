#include "rules/engine_version.hpp"

#include <charconv>

namespace podfence::rules {

EngineVersion parse_engine_version(std::string_view text) {
  EngineVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return {};
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc{} || version.major < 0 || version.minor < 0) return {};
  return version;
}

}  // namespace podfence::rules
