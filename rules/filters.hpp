#pragma once
// The `filters` parameter of lists, prunes and events: a JSON object of string lists, or of boolean maps. Read in both
// encodings and written in the one it came in: Podman 4.3 treats them differently for images (endpoints.md of the
// upstream findings: list values are glued together, map values joined by OR).

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "rules/decision.hpp"

namespace podfence::rules {

struct Exchange;

/// What a filter's value names. Where Podman looks it up, it could tell a client what others have, so it is looked up
/// here first and goes on as a full id.
enum class FilterValue {
  Text,       ///< compared with the listed objects themselves: nothing to learn
  Name,       ///< a pattern of names; of private ones Podman does not know what clients call them (name_patterns.hpp)
  EventName,  ///< a name or id of what may not be there yet
  Mounted,    ///< the name of a volume, or a path in a container
  Container,  ///< Podman fails where there is none: so do we
  Volume,
  Image,
  PodOfContainer,  ///< matches nothing where there is none
  NetworkOfContainer,
  ImageOfContainer,
};

/// Only an own or shared object's id is sent on then.
constexpr bool is_looked_up(FilterValue value) { return value > FilterValue::Mounted; }

struct FilterKey {
  std::string_view name;  ///< compared exactly, as Podman does
  FilterValue value = FilterValue::Text;
};

/// When our label joins the client's filters. Only an optimisation where it does: every answer is reduced item by item.
enum class OwnLabel {
  Always,        ///< upstream joins filters by AND
  BesideOthers,  ///< as well, and the list without filters shows something that carries no label: the default network
  Never,         ///< some of the objects carry no label of ours: images, anonymous volumes
};

struct FilterTable {
  std::span<const FilterKey> keys;
  OwnLabel own_label = OwnLabel::Never;
};

struct JudgedFilters {
  std::string text;      ///< canonical JSON; "" for none
  bool nothing = false;  ///< something named is not the client's, so nothing matches
};

/// `text` is the parameter's value; nullptr where the client gave none.
std::variant<JudgedFilters, Deny> judge_filters(const FilterTable& table, const std::string* text, Exchange& exchange);

}  // namespace podfence::rules
