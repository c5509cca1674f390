#include "rules/operator/history.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace podfence::rules {

namespace {

using json::Value;

Value count_of(std::uint64_t value) { return Value::integer(static_cast<std::int64_t>(value)); }

Value spread_document(const Spread& spread) {
  auto document = Value::object();
  document.set("p50", Value::integer(spread.quantile(0.5)));
  document.set("p95", Value::integer(spread.quantile(0.95)));
  return document;
}

}  // namespace

/// Below 8 each count_of has a place of its own; above, the three bits behind the leading one tell the step.
std::size_t Spread::place_of(std::uint64_t count_of) {
  if (count_of < steps) return static_cast<std::size_t>(count_of);
  const auto doublings = static_cast<std::size_t>(std::bit_width(count_of)) - 4;
  return (doublings + 1) * steps + static_cast<std::size_t>((count_of >> doublings) - steps);
}

/// The largest count_of of that place.
std::uint64_t Spread::end_of(std::size_t place) {
  if (place < steps) return place;
  const auto doublings = place / steps - 1;
  return ((place % steps + steps + 1) << doublings) - 1;
}

void Spread::add(std::int64_t count_of) {
  const auto place = place_of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count_of)));
  ++counts_[std::min(place, counts_.size() - 1)];
  ++count_;
}

std::int64_t Spread::quantile(double part) const {
  if (count_ == 0) return 0;
  const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  std::size_t place = 0;
  for (; place < counts_.size(); ++place) {
    seen += counts_[place];
    if (seen >= wanted) break;
  }
  return static_cast<std::int64_t>(end_of(place));
}

void History::count(const AuditRecord& record, std::int64_t minute) {
  auto& slot = ring_[static_cast<std::size_t>(minute % minutes)];
  if (slot.minute != minute) {
    slot = Minute();
    slot.minute = minute;
  }
  ++slot.requests;
  if (record.decision == "refuse" || record.decision == "hide") ++slot.denied;
  if (record.decision == "error") ++slot.failed;
  if (record.own_us < 0) return;
  slot.own.add(record.own_us);
  slot.upstream.add(record.upstream_us);
}

Value History::document(std::int64_t now) const {
  auto list = Value::array();
  for (auto minute = std::max<std::int64_t>(0, now - minutes + 1); minute <= now; ++minute) {
    const auto& slot = ring_[static_cast<std::size_t>(minute % minutes)];
    static const Minute nothing;
    const auto& known = slot.minute == minute ? slot : nothing;
    auto one = Value::object();
    one.set("minute", Value::integer(minute * 60));
    one.set("requests", count_of(known.requests));
    one.set("denied", count_of(known.denied));
    one.set("failed", count_of(known.failed));
    one.set("own_us", spread_document(known.own));
    one.set("upstream_us", spread_document(known.upstream));
    list.push(std::move(one));
  }
  auto document = Value::object();
  document.set("minutes", std::move(list));
  return document;
}

}  // namespace podfence::rules
