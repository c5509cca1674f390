#include "rules/sizes.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "rules/usage.hpp"
#include "tests/rules/parsed.hpp"

using namespace podfence::rules;
using podfence::tests::parsed;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("limits are read by all their names") {
  struct Row {
    std::string document;
    std::int64_t memory, cpus;
  };
  const Row rows[] = {
      {R"({"HostConfig":{"Memory":1024,"NanoCpus":1500000000}})", 1024, 1'500'000'000},
      {R"({"HostConfig":{"CpuQuota":50000}})", 0, 500'000'000},
      {R"({"HostConfig":{"CpuQuota":50000,"CpuPeriod":25000}})", 0, 2'000'000'000},
      {R"({"HostConfig":{"NanoCpus":500000000,"CpuQuota":50000,"CpuPeriod":100000}})", 0, 500'000'000},
      {R"({"resource_limits":{"memory":{"limit":2048},"cpu":{"quota":200000,"period":100000}}})", 2048, 2'000'000'000},
      {R"({"cpu_quota":20000,"cpu_period":10000})", 0, 2'000'000'000},
      {R"({"memory":{"limit":2048},"cpu":{"quota":100000}})", 2048, 1'000'000'000},
      {R"({"Resources":{"memory":{"limit":2048},"cpu":{"quota":100000}}})", 2048, 1'000'000'000},
      {R"({"Memory":4096,"NanoCpus":1})", 4096, 1},
      {R"({"HostConfig":{"Memory":-1,"CpuQuota":-1}})", 0, 0},
      {R"({"HostConfig":{"CpuQuota":9223372036854775807}})", 0, most},
      {"{}", 0, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.document);
    const auto sizes = SizeFields(parsed(row.document)).sizes();
    CHECK(sizes.memory == row.memory);
    CHECK(sizes.cpus == row.cpus);
  }
}

TEST_CASE("an update's limits take the place of those that were") {
  const auto container =
      parsed(R"({"HostConfig":{"Memory":1024,"NanoCpus":500000000,"CpuQuota":50000,"CpuPeriod":100000}})");
  const auto updated = [&](const std::string& content) {
    SizeFields fields(container);
    fields.read(parsed(content));
    return std::pair(fields.sizes().memory, fields.sizes().cpus);
  };
  CHECK(updated(R"({"Memory":10})") == std::pair<std::int64_t, std::int64_t>(10, 500'000'000));
  CHECK(updated(R"({"NanoCpus":100000000})") == std::pair<std::int64_t, std::int64_t>(1024, 100'000'000));
  CHECK(updated(R"({"cpu":{"quota":10000}})") == std::pair<std::int64_t, std::int64_t>(1024, 100'000'000));
  CHECK(updated(R"({"cpu":{"period":10000}})") == std::pair<std::int64_t, std::int64_t>(1024, 5'000'000'000));
  CHECK(updated(R"({"CpuPeriod":10000})") == std::pair<std::int64_t, std::int64_t>(1024, 5'000'000'000));
}

TEST_CASE("sums cannot wrap around") {
  CHECK(fits(0, 1, 1));
  CHECK_FALSE(fits(1, 1, 1));
  CHECK_FALSE(fits(0, 1, 0));
  CHECK_FALSE(fits(most, most, most));
  CHECK(fits(0, most, most));
  CHECK(sum_of(most, most) == most);
  CHECK(sum_of(most - 1, 1) == most);
  CHECK(sum_of(1, 2) == 3);
}
