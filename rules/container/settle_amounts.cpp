#include <algorithm>

#include "rules/container/settle.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

const AmountRow& row_of(Amount amount) { return amount_rows[static_cast<std::size_t>(amount)]; }

/// As beyond a built-in bound, but the bound is policy's.
Deny beyond(const SaidAmount& said, std::string_view end, std::int64_t bound) {
  const AmountRow& row = row_of(said.amount);
  auto deny = out_of_bounds(said.path, amount_text(row.unit, said.value), end, amount_text(row.unit, bound));
  deny.rule = refusal("limit.policy");
  deny.policy = "limits." + std::string(row.key) + "." + std::string(end);
  return deny;
}

std::int64_t clamped(const SaidAmount& said, const Limit& limit) {
  const auto raised = std::max(said.value, limit.least.value_or(said.value));
  return std::min(raised, limit.most.value_or(raised));
}

bool takes_default(const Description& description, Amount amount) {
  const auto has_ulimit = [&](std::string_view name) { return contains(description.ulimits, name); };
  switch (amount) {
    case Amount::OpenFiles:
      return !has_ulimit("nofile");
    case Amount::UserProcesses:
      return !has_ulimit("nproc");
    case Amount::HealthInterval:
      return description.checks_health && !amount_of(description, amount);
    case Amount::Restarts:
      return description.restarts_on_failure && !amount_of(description, amount);
    case Amount::Tmpfs:  // of each tmpfs: mount.cpp
      return false;
    default:
      return !amount_of(description, amount);
  }
}

}  // namespace

Settled settle_amount(const SaidAmount& said, const Policy& policy) {
  const Limit& limit = policy.limit(said.amount);
  if (limit.least && said.value < *limit.least && said.has_least) return beyond(said, "least", *limit.least);
  if (limit.most && said.value > *limit.most * said.share) return beyond(said, "most", *limit.most * said.share);
  return std::nullopt;
}

std::variant<std::int64_t, Deny> settled_amount(const SaidAmount& said, const Policy& policy) {
  auto deny = settle_amount(said, policy);
  if (!deny) return said.value;
  if (!row_of(said.amount).clamped) return *std::move(deny);
  return clamped(said, policy.limit(said.amount));
}

Settled settle_amounts(const Description& description, const Policy& policy, bool writes_defaults, Changes& changes) {
  for (const SaidAmount& said : description.amounts) {
    auto settled = settled_amount(said, policy);
    if (auto* deny = std::get_if<Deny>(&settled)) return std::move(*deny);
    const auto value = std::get<std::int64_t>(settled);
    if (value != said.value) changes.clamped.emplace_back(said.path, value);
  }
  if (!writes_defaults) return std::nullopt;
  for (const AmountRow& row : amount_rows) {
    const auto& standard = policy.limit(row.amount).standard;
    if (standard && takes_default(description, row.amount)) changes.amounts.emplace_back(row.amount, *standard);
  }
  return std::nullopt;
}

}  // namespace podfence::rules
