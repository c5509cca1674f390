// JSON text: what is accepted is written and read again as the same value, and written to the same text.

#include "fuzz/fuzz.hpp"
#include "fuzz/json_mutator.hpp"
#include "rules/json.hpp"

using namespace podfence;
using fuzz::claim;

std::size_t fuzz::json_begins(std::string_view) { return 0; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto parsed = rules::json::parse(text);
  if (const auto* value = std::get_if<rules::json::Value>(&parsed)) {
    const auto written = rules::json::write(*value);
    const auto again = rules::json::parse(written);
    const auto* same = std::get_if<rules::json::Value>(&again);
    claim(same, "what was written is accepted", written);
    claim(*same == *value, "the same value", written);
    claim(rules::json::write(*same) == written, "the same text", written);
  }
  // An answer of upstream may be anything; it must not hurt.
  const auto answer = rules::json::parse(text, rules::json::answer_limits);
  if (const auto* value = std::get_if<rules::json::Value>(&answer)) {
    const auto written = rules::json::write(*value);
    const auto again = rules::json::parse(written, rules::json::answer_limits);
    const auto* same = std::get_if<rules::json::Value>(&again);
    claim(same && *same == *value, "an answer that was written is the same answer", written);
  }
  return 0;
}
