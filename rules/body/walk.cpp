// The walk of a value along the tree of a table: members, items and entries first, then the rule of the row they belong
// to.

#include "rules/body/walk.hpp"

#include <algorithm>

#include "rules/body/tree.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

using Judgement = std::optional<Deny>;

Deny denied(const Refusal* rule, const std::string& subject) { return {rule, subject, Kind::None}; }

bool is_text_list(const json::Value& value) {
  return value.items() && std::ranges::all_of(*value.items(), [](const json::Value& item) { return item.string(); });
}

bool has_shape(const json::Value& value, Shape shape) {
  switch (shape) {
    case Shape::Text:
      return value.string();
    case Shape::Boolean:
      return value.boolean();
    case Shape::Integer:
      return value.int64().has_value();
    case Shape::Unsigned:
      return value.uint64().has_value();
    case Shape::TextOrNumber:
      return value.string() || value.number();
    case Shape::TextOrList:
      return value.string() || is_text_list(value);
    case Shape::Object:  // of an object without rows below: Docker's sets are maps to {}
      return value.members() && value.members()->empty();
    case Shape::Any:
      return true;
  }
  return false;
}

/// Empty, where Value::is_zero would also call a list or a map of empty things zero: `Cmd: [""]` and
/// `Volumes: {"/data": {}}` say something.
bool says_nothing(const json::Value& value) {
  if (const auto* items = value.items()) return items->empty();
  if (const auto* members = value.members()) return members->empty();
  return value.is_zero();
}

class Walk {
 public:
  Walk(Exchange& exchange, JudgedBody& judged) : exchange_(exchange), judged_(judged) {}

  /// `optional`: a member of an object, which is dropped when it says nothing. Items and entries stay.
  Judgement judge(const Node& node, json::Value& value, std::string* key, bool optional) {
    static constexpr Rule none{};
    const Rule& rule = node.row ? node.row->rule : none;
    const bool is_default = !rule.default_text.empty() && value == *node.usual;
    if (rule.kind == Rule::Kind::Denied && !value.is_zero() && !is_default) return denied(rule.refusal, path_);
    if (rule.kind == Rule::Kind::Denied || rule.kind == Rule::Kind::Dropped || is_default) {
      value = {};
      return std::nullopt;
    }
    if (auto deny = judge_inside(node, value)) return deny;
    if (rule.kind == Rule::Kind::Forced) value = *node.usual;
    if (optional && !keeps_zero(rule) && says_nothing(value)) {
      value = {};
      return std::nullopt;
    }
    return apply(rule, value, {exchange_, judged_, path_, key});
  }

 private:
  /// Where the walk is, for as long as this lives.
  class Step {
   public:
    Step(std::string& path, std::string_view before, std::string_view name) : path_(path), size_(path.size()) {
      if (size_ != 0) path.append(before);
      path.append(name);
    }
    ~Step() { path_.resize(size_); }
    Step(const Step&) = delete;

   private:
    std::string& path_;
    std::size_t size_;
  };

  Step into_items() { return {path_, "", "[]"}; }
  Step into_entries() { return {path_, "", "{}"}; }
  Step into(std::string_view member) { return {path_, ".", member}; }

  static bool keeps_zero(const Rule& rule) { return rule.keeps_zero || rule.kind == Rule::Kind::Forced; }

  Judgement judge_inside(const Node& node, json::Value& value) {
    if (node.item) return value.items() ? judge_items(node, *value.items()) : mistyped();
    if (node.entry && node.members.empty()) return value.members() ? judge_entries(node, *value.members()) : mistyped();
    if (!node.is_leaf()) return value.members() ? judge_members(node, *value.members()) : mistyped();
    return has_shape(value, node.row->shape) ? std::nullopt : mistyped();
  }

  Judgement mistyped() const { return denied(refusal("field.type"), path_); }

  Judgement repeated(std::string_view member) {
    const auto step = into(member);
    return denied(refusal("field.repeated"), path_);
  }

  /// Go reads null as nothing said; where something must stand, that is the empty thing. A text in a list is refused:
  /// Podman reads it as "" and then stumbles.
  static void fill_null(const Node& node, json::Value& value) {
    if (!value.is_null()) return;
    if (node.item) value = json::Value::array();
    if (node.entry || !node.members.empty()) value = json::Value::object();
  }

  // What is kept moves up to what was kept before it.

  Judgement judge_items(const Node& node, json::Array& items) {
    const auto step = into_items();
    auto kept = items.begin();
    for (json::Value& item : items) {
      fill_null(*node.item, item);
      if (auto deny = judge(*node.item, item, nullptr, false)) return deny;
      if (!item.is_null()) keep(item, kept);
    }
    items.erase(kept, items.end());
    return std::nullopt;
  }

  Judgement judge_entries(const Node& node, json::Object& entries) {
    auto kept = entries.begin();
    for (json::Member& each : entries) {
      if (auto deny = judge_entry(node, each)) return deny;
      if (each.value.is_null()) continue;
      if (std::find_if(entries.begin(), kept, [&](const json::Member& one) { return one.name == each.name; }) != kept)
        return repeated(each.name);
      keep(each, kept);
    }
    entries.erase(kept, entries.end());
    return std::nullopt;
  }

  Judgement judge_entry(const Node& node, json::Member& entry) {
    const auto step = into_entries();
    fill_null(*node.entry, entry.value);
    if (entry.value.is_null() && node.entry->row && node.entry->row->shape == Shape::Text) entry.value = "";
    if (entry.value.is_null()) entry.value = json::Value::object();
    return judge(*node.entry, entry.value, &entry.name, false);
  }

  /// A member without a row. `{}` beside rows of members is about all others: dropped, or refused.
  Judgement judge_other(const Node& node, json::Member& member) {
    const auto step = into(member.name);
    if (!node.entry) return denied(refusal("field.unknown"), path_);
    return judge(*node.entry, member.value, nullptr, true);
  }

  Judgement judge_members(const Node& node, json::Object& members) {
    std::vector<bool> seen(node.members.size());
    auto kept = members.begin();
    for (json::Member& each : members) {
      const Node* child = node.member(each.name);
      if (!child) {
        if (auto deny = judge_other(node, each)) return deny;
        continue;
      }
      const auto index = static_cast<std::size_t>(child - node.members.data());
      if (seen[index]) return repeated(each.name);
      seen[index] = true;
      if (each.value.is_null()) continue;
      if (auto deny = judge_member(*child, each)) return deny;
      if (!each.value.is_null()) keep(each, kept);
    }
    members.erase(kept, members.end());
    for (const Node& child : node.members)
      if (child.row && child.row->rule.kind == Rule::Kind::Forced) force(members, child);
    return std::nullopt;
  }

  Judgement judge_member(const Node& child, json::Member& member) {
    if (member.name != child.name) member.name = child.name;
    const auto step = into(child.name);
    return judge(child, member.value, nullptr, true);
  }

  static void force(json::Object& members, const Node& child) {
    const auto found = std::ranges::find(members, child.name, &json::Member::name);
    if (found == members.end())
      members.push_back({child.name, *child.usual});
    else
      found->value = *child.usual;
  }

  template <typename Item, typename Place>
  static void keep(Item& item, Place& end) {
    if (&item != &*end) *end = std::move(item);
    ++end;
  }

  static Judgement apply(const Rule& rule, json::Value& value, const Place& place) {
    if (rule.kind == Rule::Kind::Checked) return rule.check(value, place);
    if (rule.kind == Rule::Kind::Choice && !is_among(*value.string(), rule.value))
      return denied(refusal("field.value"), place.path);
    if (rule.kind == Rule::Kind::Bounded) {
      const auto number = value.int64();
      if (number && *number < rule.least)
        return out_of_bounds(place.path, json::write(value), "least", std::to_string(rule.least));
      if (!number || *number > rule.most)
        return out_of_bounds(place.path, json::write(value), "most", std::to_string(rule.most));
    }
    return std::nullopt;
  }

  static bool is_among(std::string_view text, std::string_view texts) {
    while (!texts.empty()) {
      const std::size_t end = std::min(texts.find(' '), texts.size());
      if (texts.substr(0, end) == text) return true;
      texts.remove_prefix(std::min(end + 1, texts.size()));
    }
    return false;
  }

  Exchange& exchange_;
  JudgedBody& judged_;
  std::string path_;  ///< in Podman's spelling
};

}  // namespace

std::optional<Deny> walk(const Table& table, json::Value& content, Exchange& exchange, JudgedBody& judged) {
  return Walk(exchange, judged).judge(tree_of(table), content, nullptr, false);
}

}  // namespace podfence::rules
