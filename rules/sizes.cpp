#include "rules/sizes.hpp"

#include <algorithm>
#include <string_view>

#include "rules/units.hpp"

namespace podfence::rules {

namespace {

/// True when the object says a number there. What is not above zero is no limit, and a client cannot say it.
bool take(std::int64_t& place, const json::Value& object, std::string_view name) {
  const auto* value = object.find(name);
  const auto number = value ? value->int64() : std::nullopt;
  if (!number || *number <= 0) return false;
  place = *number;
  return true;
}

}  // namespace

void SizeFields::read(const json::Value& document) {
  read_docker(document);
  read_runtime(document);
  if (const auto* host = document.find("HostConfig")) read_docker(*host);
  for (const auto* name : {"resource_limits", "Resources"})
    if (const auto* resources = document.find(name)) read_runtime(*resources);
  const bool has_quota = take(cpu_quota_, document, "cpu_quota");
  if (take(cpu_period_, document, "cpu_period") || has_quota) nano_cpus_ = 0;
}

/// Docker's names. Podman keeps quota and period, and shows the processors that they come to; each of the two ways of
/// saying it takes the place of the other.
void SizeFields::read_docker(const json::Value& object) {
  take(memory_, object, "Memory");
  const bool has_quota = take(cpu_quota_, object, "CpuQuota");
  if (take(cpu_period_, object, "CpuPeriod") || has_quota) nano_cpus_ = 0;
  if (take(nano_cpus_, object, "NanoCpus") && !has_quota) cpu_quota_ = 0;
}

/// The names of the runtime's specification, which libpod has.
void SizeFields::read_runtime(const json::Value& object) {
  if (const auto* memory = object.find("memory")) take(memory_, *memory, "limit");
  const auto* cpu = object.find("cpu");
  if (!cpu) return;
  const bool has_quota = take(cpu_quota_, *cpu, "quota");
  if (take(cpu_period_, *cpu, "period") || has_quota) nano_cpus_ = 0;
}

Sizes SizeFields::sizes() const {
  const auto period = cpu_period_ > 0 ? cpu_period_ : default_period;
  return {memory_, std::max(nano_cpus_, cpus_of_quota(cpu_quota_, period))};
}

}  // namespace podfence::rules
