#include "rules/operator/history.hpp"

#include <doctest/doctest.h>

#include "rules/json_pointer.hpp"

using namespace podfence::rules;

namespace {

AuditRecord record(const std::string& decision, std::int64_t own, std::int64_t upstream = 0) {
  AuditRecord result;
  result.decision = decision;
  result.own_us = own;
  result.upstream_us = upstream;
  return result;
}

std::string at(const json::Value& document, const std::string& pointer) {
  const auto* found = json::find(document, pointer);
  return found ? json::write(*found) : "nothing";
}

}  // namespace

TEST_CASE("a spread tells every number within an eighth, and never too low") {
  for (std::int64_t number = 0; number < 5'000'000; number += 1 + number / 50) {
    Spread spread;
    spread.add(number);
    const auto told = spread.quantile(0.5);
    REQUIRE(told >= number);
    REQUIRE(told <= number + number / 8);
  }
}

TEST_CASE("quantiles of a spread") {
  Spread spread;
  CHECK(spread.quantile(0.5) == 0);
  for (std::int64_t number = 0; number < 7; ++number) spread.add(number);
  CHECK(spread.quantile(0.5) == 3);
  CHECK(spread.quantile(0.95) == 6);
  spread.add(-5);
  CHECK(spread.quantile(0.01) == 0);
  Spread vast;
  vast.add(std::int64_t{1} << 60);
  CHECK(vast.quantile(1) > 1'000'000'000);
}

TEST_CASE("the last hour has sixty minutes, the oldest first, and forgets what was before") {
  History history;
  history.count(record("allow", 100, 2000), 1000);
  history.count(record("refuse", 300, 0), 1000);
  history.count(record("hide", 300, 0), 1000);
  history.count(record("error", -1), 1000);
  history.count(record("allow", 5), 1059);
  const auto hour = history.document(1059);
  CHECK(hour.list("minutes").size() == 60);
  CHECK(at(hour, "/minutes/0") == R"({"minute":60000,"requests":4,"denied":2,"failed":1,)"
                                  R"("own_us":{"p50":319,"p95":319},"upstream_us":{"p50":0,"p95":2047}})");
  CHECK(at(hour, "/minutes/59/requests") == "1");
  CHECK(at(hour, "/minutes/30/requests") == "0");
  const auto next = history.document(1060);
  CHECK(at(next, "/minutes/0") == R"({"minute":60060,"requests":0,"denied":0,"failed":0,)"
                                  R"("own_us":{"p50":0,"p95":0},"upstream_us":{"p50":0,"p95":0}})");
  history.count(record("allow", 5), 1060);  // takes the place of minute 1000
  CHECK(at(history.document(1060), "/minutes/59/requests") == "1");
}
