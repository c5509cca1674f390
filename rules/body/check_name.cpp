// Names that clients give to new objects.

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/checks.hpp"
#include "rules/body/name.hpp"
#include "rules/body/refuse.hpp"
#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/names.hpp"

namespace podfence::rules {

namespace {

constexpr std::size_t longest_name = 255;
constexpr std::size_t shortest_id = 12;

/// Texts that mean something else where a network can be named, and Podman's default network.
constexpr auto network_words = std::to_array<std::string_view>(
    {"default", "bridge", "podman", "none", "host", "private", "container", "ns", "pod", "slirp4netns", "pasta"});

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_name && ascii::is_alphanumeric(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_id_like(std::string_view name) {
  return name.size() >= shortest_id && name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<Deny> check_new_name(std::string_view name, const Project& project) {
  if (!is_name(name) || !is_name(upstream_name(project, name))) return refuse(refusal("name.syntax"), name);
  // Podman looks for a name before it looks for an id: such a name would catch requests for another object.
  if (is_id_like(upstream_name(project, name))) return refuse(refusal("name.id-like"), name);
  if (is_own_name(name) || name.find(name_separator) != std::string_view::npos)
    return refuse(refusal("name.reserved"), name);
  return std::nullopt;
}

template <Kind kind>
std::optional<Deny> judge_new_name(json::Value& value, const Place& place) {
  const std::string name = *value.string();
  if (auto deny = check_new_name(name, place.exchange.project)) return deny;
  value = name_for_new(place.exchange, kind, name);
  return std::nullopt;
}
template std::optional<Deny> judge_new_name<Kind::Container>(json::Value&, const Place&);
template std::optional<Deny> judge_new_name<Kind::Pod>(json::Value&, const Place&);
template std::optional<Deny> judge_new_name<Kind::Volume>(json::Value&, const Place&);
template std::optional<Deny> judge_new_name<Kind::Secret>(json::Value&, const Place&);

std::optional<Deny> judge_network_name(json::Value& value, const Place& place) {
  const std::string& name = *value.string();
  if (contains(network_words, ascii::lower(name))) return refuse(refusal("name.taken"), name);
  return judge_new_name<Kind::Network>(value, place);
}

}  // namespace podfence::rules
