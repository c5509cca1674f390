#include "rules/json_difference.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/json_pointer.hpp"

namespace podfence::rules::json {
namespace {

using Kind = Difference::Kind;

class Comparison {
 public:
  std::vector<Difference> found;

  void compare(const std::string& where, const Value& before, const Value& after) {
    if (before.members() && after.members())
      compare_members(where, *before.members(), *after.members());
    else if (before.items() && after.items())
      compare_items(where, *before.items(), *after.items());
    else if (!(before == after))
      found.push_back({Kind::Changed, where, before, after});
  }

 private:
  /// What the member `name` has become: the one of that name, or of another spelling that was not there before.
  static std::size_t index_of(const Object& before, const Object& after, const std::string& name) {
    const auto has = [](const Object& members, const std::string& wanted) {
      return contains(members, wanted, &Member::name);
    };
    const bool is_there = has(after, name);
    const auto found = std::ranges::find_if(after, [&](const Member& each) {
      return is_there ? each.name == name : ascii::equal_caseless(each.name, name) && !has(before, each.name);
    });
    return static_cast<std::size_t>(found - after.begin());
  }

  void compare_members(const std::string& where, const Object& before, const Object& after) {
    std::vector<bool> seen(after.size());
    for (const Member& each : before) {
      const std::size_t index = index_of(before, after, each.name);
      if (index == after.size() || seen[index]) {
        tell(Kind::Removed, extended(where, each.name), each.value);
        continue;
      }
      seen[index] = true;
      const std::string at = extended(where, after[index].name);
      if (each.name != after[index].name)
        found.push_back({Kind::Respelled, at, Value(each.name), Value(after[index].name)});
      compare(at, each.value, after[index].value);
    }
    for (std::size_t i = 0; i < after.size(); ++i)
      if (!seen[i]) tell(Kind::Added, extended(where, after[i].name), after[i].value);
  }

  /// What is alike at both ends stays; between them the first is compared with the first.
  void compare_items(const std::string& where, const Array& before, const Array& after) {
    std::size_t begin = 0, end_before = before.size(), end_after = after.size();
    while (begin < std::min(end_before, end_after) && before[begin] == after[begin]) ++begin;
    while (begin < std::min(end_before, end_after) && before[end_before - 1] == after[end_after - 1])
      --end_before, --end_after;
    const auto at = [&](std::size_t index) { return extended(where, std::to_string(index)); };
    std::size_t i = begin;
    for (; i < std::min(end_before, end_after); ++i) compare(at(i), before[i], after[i]);
    for (std::size_t gone = i; gone < end_before; ++gone) tell(Kind::Removed, at(gone), before[gone]);
    for (std::size_t added = i; added < end_after; ++added) tell(Kind::Added, at(added), after[added]);
  }

  void tell(Kind kind, const std::string& where, const Value& value) {
    if (value.members() && !value.is_zero()) {
      for (const Member& each : *value.members()) tell(kind, extended(where, each.name), each.value);
      return;
    }
    Difference difference{kind, where, std::nullopt, std::nullopt};
    (kind == Kind::Added ? difference.after : difference.before) = value;
    found.push_back(std::move(difference));
  }
};

}  // namespace

std::vector<Difference> differences(const Value& before, const Value& after) {
  Comparison comparison;
  comparison.compare("", before, after);
  return std::move(comparison.found);
}

}  // namespace podfence::rules::json
