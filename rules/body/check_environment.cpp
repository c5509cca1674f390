// Small texts: environment, /etc/hosts, groups, time zone, umask, durations.

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/ascii.hpp"
#include "rules/body/address.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/name.hpp"
#include "rules/body/refuse.hpp"
#include "rules/container/settle.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

struct DurationUnit {
  std::string_view text;
  std::int64_t nanoseconds;
};
// The longer text first where one begins with the other.
constexpr auto units =
    std::to_array<DurationUnit>({{"ms", 1'000'000}, {"h", 3600 * second}, {"m", 60 * second}, {"s", second}});

/// Go's time.ParseDuration without fractions, signs and units below the millisecond; at most a year.
std::optional<std::int64_t> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || count < 0 || count > 1'000'000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unit =
        std::ranges::find_if(units, [&](const DurationUnit& each) { return text.starts_with(each.text); });
    if (unit == units.end()) return std::nullopt;
    total += count * unit->nanoseconds;
    if (total > 365 * 24 * 3600 * second) return std::nullopt;
    text.remove_prefix(unit->text.size());
  }
  return total;
}

}  // namespace

bool says_value(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  return equals != std::string_view::npos && equals != 0;
}

std::optional<Deny> judge_environment(json::Value& value, const Place&) {
  const std::string& entry = *value.string();
  return says_value(entry) ? std::nullopt : refuse(refusal("env.host"), entry.substr(0, entry.find('=')));
}

/// Podman 5 splits the names at ';' and knows "host-gateway", the address of the host, in place of an address.
std::optional<Deny> check_host_entry(std::string_view entry) {
  const std::size_t separator = std::min(entry.find_first_of(":="), entry.size());
  auto host = entry.substr(std::min(separator + 1, entry.size()));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!is_name(entry.substr(0, separator)) || !parse_address(host)) return refuse(refusal("field.refused"), entry);
  return std::nullopt;
}

std::optional<Deny> judge_host_entry(json::Value& value, const Place&) { return check_host_entry(*value.string()); }

/// keep-groups makes Podman set an annotation by which crun keeps the groups of the host user.
std::optional<Deny> judge_group(json::Value& value, const Place& place) {
  const std::string& name = *value.string();
  if (ascii::equal_caseless(name, "keep-groups")) return refuse(refusal("field.refused"), place.path);
  return is_name(name) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

/// Podman joins it to a directory of the host.
std::optional<Deny> judge_timezone(json::Value& value, const Place& place) {
  const std::string& zone = *value.string();
  const bool clean = ascii::is_alphanumeric(zone.front()) && std::ranges::all_of(zone, [](char c) {
                       return ascii::is_alphanumeric(c) || c == '_' || c == '+' || c == '-' || c == '/';
                     });
  return clean ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_umask(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const bool octal = text.size() <= 4 && text.find_first_not_of("01234567") == std::string::npos;
  return octal ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_duration(json::Value& value, const Place& place) {
  const auto duration = parse_duration(*value.string());
  if (!duration) return refuse(refusal("field.value"), place.path);
  if (*duration < second)
    return out_of_bounds(place.path, *value.string(), "least", amount_text(Unit::Nanoseconds, second));
  if (!place.path.ends_with("interval")) return std::nullopt;
  return settle_amount({Amount::HealthInterval, *duration, place.path, true}, place.exchange.project.policy);
}

}  // namespace podfence::rules
