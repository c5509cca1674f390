#include "fuzz/fuzz.hpp"
#include "rules/target.hpp"

using namespace podfence;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = rules::parse_target(fuzz::text_of(data, size));
  const auto* target = std::get_if<rules::Target>(&parsed);
  if (!target) return 0;
  std::string path = target->version.empty() ? "" : "/" + target->version;
  for (const auto& segment : target->segments) {
    fuzz::claim(segment != "." && segment != ".." && !segment.empty(), "no dot or empty segment");
    fuzz::claim(segment.find('\0') == std::string::npos, "no NUL");
    path += "/" + rules::encode(segment);
  }
  const auto again = rules::parse_target(rules::write_target(path, target->query));
  if (rules::write_target(path, target->query).size() > rules::max_target_size) return 0;
  const auto* same = std::get_if<rules::Target>(&again);
  fuzz::claim(same, "what was written is accepted");
  fuzz::claim(same->version == target->version && same->segments == target->segments, "the same path");
  fuzz::claim(same->query.size() == target->query.size(), "the same query");
  for (std::size_t i = 0; i < same->query.size(); ++i)
    fuzz::claim(same->query[i].name == target->query[i].name && same->query[i].value == target->query[i].value,
                "the same pairs");
  return 0;
}
