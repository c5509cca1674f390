// Sizes, durations, processors and counts as the configuration writes them.
#include "rules/amount.hpp"

#include <doctest/doctest.h>

#include "rules/units.hpp"
#include "tests/rules/parsed.hpp"

using namespace podfence::rules;
using podfence::tests::parsed;

namespace {

constexpr std::optional<std::int64_t> none;

}  // namespace

TEST_CASE("amounts are read exactly, or not at all") {
  struct Row {
    Unit unit;
    std::string text;
    std::optional<std::int64_t> amount;
  };
  const Row rows[] = {
      {Unit::Count, "0", 0},
      {Unit::Count, "100", 100},
      {Unit::Count, "-1", -1},  // the bounds refuse it
      {Unit::Count, "1.0", none},
      {Unit::Count, "1e2", none},
      {Unit::Count, "\"100\"", none},
      {Unit::Count, "9223372036854775808", none},
      {Unit::Bytes, "\"512m\"", 512 * mebi},
      {Unit::Bytes, "\"1g\"", 1024 * mebi},
      {Unit::Bytes, "\"4k\"", 4096},
      {Unit::Bytes, "\"17b\"", 17},
      {Unit::Bytes, "\"17\"", 17},
      {Unit::Bytes, "\"0\"", 0},
      {Unit::Bytes, "\"1048576g\"", mebi * 1024 * mebi},  // 2^50
      {Unit::Bytes, "\"1048577g\"", none},
      {Unit::Bytes, "\"99999999999999999999\"", none},
      {Unit::Bytes, "\"1.5g\"", none},
      {Unit::Bytes, "\"-1m\"", none},
      {Unit::Bytes, "\"1t\"", none},
      {Unit::Bytes, "\"m\"", none},
      {Unit::Bytes, "\"\"", none},
      {Unit::Bytes, "512", none},
      {Unit::Processors, "2", 2 * second},
      {Unit::Processors, "1.5", 3 * second / 2},
      {Unit::Processors, "0.1", second / 10},
      {Unit::Processors, "0.000000001", 1},
      {Unit::Processors, "1.0", second},
      {Unit::Processors, "0.0000000001", none},
      {Unit::Processors, "1e2", none},
      {Unit::Processors, "1.5e3", none},
      {Unit::Processors, "1.5E0", none},
      {Unit::Processors, "-1", none},
      {Unit::Processors, "999999999", 999'999'999 * second},
      {Unit::Processors, "9999999999", none},
      {Unit::Processors, "\"2\"", none},
      {Unit::Seconds, "\"90s\"", 90},
      {Unit::Seconds, "\"1h30m\"", 5400},
      {Unit::Seconds, "\"1h0m1s\"", 3601},
      {Unit::Seconds, "\"1h1s\"", 3601},
      {Unit::Seconds, "\"5m\"", 300},
      {Unit::Seconds, "\"0s\"", 0},
      {Unit::Seconds, "\"30m1h\"", none},
      {Unit::Seconds, "\"1m1m\"", none},
      {Unit::Seconds, "\"1h30\"", none},
      {Unit::Seconds, "\"1.5h\"", none},
      {Unit::Seconds, "\"100ms\"", none},
      {Unit::Seconds, "\"h\"", none},
      {Unit::Seconds, "\"\"", none},
      {Unit::Seconds, "\"-1s\"", none},
      {Unit::Seconds, "90", none},
      {Unit::Nanoseconds, "\"1h30m\"", 5400 * second},
      {Unit::Nanoseconds, "\"2562047h\"", std::int64_t{2'562'047} * 3600 * second},
      {Unit::Nanoseconds, "\"2562048h\"", none},
      {Unit::Nanoseconds, "\"1000000000h\"", none},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_amount(row.unit, parsed(row.text)) == row.amount);
  }
}

TEST_CASE("an amount is written as it can be read") {
  struct Row {
    Unit unit;
    std::int64_t amount;
    const char* text;
  };
  const Row rows[] = {
      {Unit::Count, 17, "17"},
      {Unit::Bytes, 512 * mebi, "512m"},
      {Unit::Bytes, 1024 * mebi, "1g"},
      {Unit::Bytes, 1500, "1500"},
      {Unit::Bytes, 1536, "1536"},
      {Unit::Bytes, 2048, "2k"},
      {Unit::Bytes, 0, "0"},
      {Unit::Processors, 3 * second / 2, "1.5"},
      {Unit::Processors, 2 * second, "2"},
      {Unit::Processors, 1, "0.000000001"},
      {Unit::Seconds, 90, "90s"},
      {Unit::Nanoseconds, 5 * second, "5s"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(amount_text(row.unit, row.amount) == row.text);
    const bool is_text = row.unit == Unit::Bytes || row.unit == Unit::Seconds || row.unit == Unit::Nanoseconds;
    const std::string text = is_text ? '"' + std::string(row.text) + '"' : row.text;
    CHECK(parse_amount(row.unit, parsed(text)) == row.amount);
  }
}
