#pragma once
// Places in answers: `Mounts.*.Source`. `*` stands for every item of an array and every member of an object.

#include <string_view>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules::answer {

/// Calls `use` with every value at that path.
template <class Use>
void for_each_at(json::Value& value, std::string_view path, const Use& use) {
  if (path.empty()) return use(value);
  const auto dot = path.find('.');
  const auto step = path.substr(0, dot);
  const auto rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  if (step != "*") {
    if (auto* member = value.find(step)) for_each_at(*member, rest, use);
    return;
  }
  if (auto* items = value.items())
    for (auto& item : *items) for_each_at(item, rest, use);
  if (auto* members = value.members())
    for (auto& member : *members) for_each_at(member.value, rest, use);
}

/// Adds what has to be read for that: names to be read whole, and those on the way there. A list or map is read whole.
inline void add_parts(std::string_view path, std::vector<std::string_view>& whole,
                      std::vector<std::string_view>& through) {
  if (path.starts_with("*.")) path.remove_prefix(2);
  for (auto dot = path.find('.'); dot != std::string_view::npos && path[dot + 1] != '*'; dot = path.find('.')) {
    through.push_back(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  whole.push_back(path.substr(0, path.find('.')));
}

}  // namespace podfence::rules::answer
