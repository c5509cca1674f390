#include "rules/rfc3339.hpp"

#include <doctest/doctest.h>

using podfence::rules::parse_rfc3339;

TEST_CASE("a time is nanoseconds since 1970") {
  const struct {
    const char* text;
    std::int64_t nanoseconds;
  } rows[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:00.000000001Z", 1},
      {"2000-02-29T23:59:59.5Z", 951868799'500000000},
      {"2026-11-29T22:35:30.481977332Z", 1795991730'481977332},
      {"2026-11-29T23:35:30.481977332+01:00", 1795991730'481977332},
      {"2026-11-29T17:05:30.481977332-05:30", 1795991730'481977332},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_rfc3339(row.text) == row.nanoseconds);
  }
}

TEST_CASE("what is not a time is none") {
  for (const auto* text : {"", "0001-01-01T00:00:00Z", "2026-11-29", "2026-11-29T22:35:30", "2026-11-29 22:35:30Z",
                           "2026-11-29T22:35:30Zx", "2026-13-29T22:35:30Z", "9999-01-01T00:00:00Z", "x"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_rfc3339(text));
  }
}
