// Networks that containers and pods name, and what new networks may be.

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/ascii.hpp"
#include "rules/body/address.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/reference.hpp"
#include "rules/body/refuse.hpp"
#include "rules/container/settle.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

namespace {

/// Clients name the default network where the user named none; docker also repeats the mode "none" as a network.
bool is_default_or_none(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>({"default", "bridge", "podman", "none"});
  return contains(names, name);
}

bool is_mtu(std::string_view text) {
  std::int64_t mtu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mtu);
  return error == std::errc{} && end == text.data() + text.size() && mtu >= bounds::least_mtu &&
         mtu <= bounds::most_mtu;
}

std::optional<Deny> judge_option(std::string_view known, const json::Value& value, const Place& place) {
  if (*place.key != known) return refuse(refusal("field.refused"), place.path + "." + *place.key);
  return is_mtu(*value.string()) ? std::nullopt : refuse(refusal("field.value"), *place.key);
}

std::string way_out_of_subnet(const std::vector<std::string>& ranges) {
  std::string text = "leave it to Podman";
  for (const auto& range : ranges) text += (&range == &ranges.front() ? ", or take one within " : " or ") + range;
  return text;
}

}  // namespace

std::optional<Deny> judge_network(json::Value& value, const Place& place) {
  auto resolved = resolve_network(*value.string(), place);
  if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
  value = std::get<std::string>(std::move(resolved));
  return std::nullopt;
}

/// Podman takes full ids as keys everywhere that it takes names (4.3.1: compat and libpod create, seen live).
std::optional<Deny> judge_network_key(json::Value& value, const Place& place) {
  if (is_default_or_none(*place.key)) {
    value = {};
    return std::nullopt;
  }
  auto resolved = resolve_network(*place.key, place);
  if (auto* deny = std::get_if<Deny>(&resolved)) return std::move(*deny);
  *place.key = std::get<std::string>(std::move(resolved));
  return std::nullopt;
}

std::optional<Deny> judge_network_item(json::Value& value, const Place& place) {
  if (!is_default_or_none(*value.string())) return judge_network(value, place);
  value = {};
  return std::nullopt;
}

std::optional<Deny> judge_address(json::Value& value, const Place& place) {
  return parse_address(*value.string()) ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_hardware_address(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const bool clean = text.size() == 17 && text.find_first_not_of("0123456789abcdefABCDEF:-") == std::string::npos;
  return clean ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_interface(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const bool clean = text.size() <= 15 && std::ranges::all_of(text, ascii::is_alphanumeric);
  return clean ? std::nullopt : refuse(refusal("field.value"), place.path);
}

std::optional<Deny> judge_alias(json::Value& value, const Place& place) {
  const std::string& text = *value.string();
  const bool clean = !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char c) {
    return ascii::is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
  });
  return clean ? std::nullopt : refuse(refusal("field.value"), place.path);
}

/// Podman 5.4 hands it to the name server of all networks, which keeps one line for each container and asks nobody
/// what a line holds (netavark: dns/aardvark.rs).
std::optional<Deny> judge_hostname(json::Value& value, const Place& place) {
  return value.string()->empty() ? std::nullopt : judge_alias(value, place);
}

std::optional<Deny> judge_subnet(json::Value& value, const Place& place) {
  const auto parsed = parse_subnet(*value.string());
  if (!parsed) return refuse(refusal("field.value"), place.path);
  const auto& ranges = place.exchange.project.policy.network.subnets;
  if (is_project_subnet(*parsed, ranges)) return std::nullopt;
  return Deny{refusal("network.subnet"), *value.string(), Kind::None, way_out_of_subnet(ranges)};
}

std::optional<Deny> judge_network_option_compat(json::Value& value, const Place& place) {
  if (*place.key == isolate_option && *value.string() == "true") return std::nullopt;
  return judge_option("com.docker.network.driver.mtu", value, place);
}

std::optional<Deny> judge_network_option_libpod(json::Value& value, const Place& place) {
  if (*place.key == isolate_option && *value.string() == "true") return std::nullopt;
  return judge_option("mtu", value, place);
}

}  // namespace podfence::rules
