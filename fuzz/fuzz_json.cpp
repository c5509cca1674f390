#include "fuzz/fuzz.hpp"
#include "rules/json.hpp"

using namespace podfence;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto parsed = rules::json::parse(text);
  if (const auto* value = std::get_if<rules::json::Value>(&parsed)) {
    const auto written = rules::json::write(*value);
    const auto again = rules::json::parse(written);
    const auto* same = std::get_if<rules::json::Value>(&again);
    fuzz::claim(same, "what was written is accepted");
    fuzz::claim(*same == *value, "the same value");
    fuzz::claim(rules::json::write(*same) == written, "the same text");
  }
  // An answer of upstream may be anything; it must not hurt.
  (void)rules::json::parse(text, rules::json::answer_limits);
  return 0;
}
