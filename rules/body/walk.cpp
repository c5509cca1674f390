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
  Judgement judge(const Node& node, json::Value& value, const std::string& path, std::string* key, bool optional) {
    static constexpr Rule none{};
    const Rule& rule = node.row ? node.row->rule : none;
    const bool is_default = !rule.default_text.empty() && value == *node.usual;
    if (rule.kind == Rule::Kind::Denied && !value.is_zero() && !is_default) return denied(rule.refusal, path);
    if (rule.kind == Rule::Kind::Denied || rule.kind == Rule::Kind::Dropped || is_default) {
      value = {};
      return std::nullopt;
    }
    if (auto deny = judge_inside(node, value, path)) return deny;
    if (rule.kind == Rule::Kind::Forced) value = *node.usual;
    if (optional && !keeps_zero(rule) && says_nothing(value)) {
      value = {};
      return std::nullopt;
    }
    return apply(rule, value, {exchange_, judged_, path, key});
  }

 private:
  static bool keeps_zero(const Rule& rule) { return rule.keeps_zero || rule.kind == Rule::Kind::Forced; }

  Judgement judge_inside(const Node& node, json::Value& value, const std::string& path) {
    if (node.item) return value.items() ? judge_items(node, *value.items(), path) : mistyped(path);
    if (node.entry && node.members.empty())
      return value.members() ? judge_entries(node, *value.members(), path) : mistyped(path);
    if (!node.is_leaf()) return value.members() ? judge_members(node, *value.members(), path) : mistyped(path);
    return has_shape(value, node.row->shape) ? std::nullopt : mistyped(path);
  }

  static Judgement mistyped(const std::string& path) { return denied(refusal("field.type"), path); }

  /// Go reads null as nothing said; where something must stand, that is the empty thing. A text in a list is refused:
  /// Podman reads it as "" and then stumbles.
  static void fill_null(const Node& node, json::Value& value) {
    if (!value.is_null()) return;
    if (node.item) value = json::Value::array();
    if (node.entry || !node.members.empty()) value = json::Value::object();
  }

  Judgement judge_items(const Node& node, json::Array& items, const std::string& path) {
    json::Array kept;
    for (json::Value& item : items) {
      fill_null(*node.item, item);
      if (auto deny = judge(*node.item, item, path + "[]", nullptr, false)) return deny;
      if (!item.is_null()) kept.push_back(std::move(item));
    }
    items = std::move(kept);
    return std::nullopt;
  }

  Judgement judge_entries(const Node& node, json::Object& entries, const std::string& path) {
    json::Object kept;
    for (json::Member& each : entries) {
      fill_null(*node.entry, each.value);
      if (each.value.is_null() && node.entry->row && node.entry->row->shape == Shape::Text) each.value = "";
      if (each.value.is_null()) each.value = json::Value::object();
      if (auto deny = judge(*node.entry, each.value, path + "{}", &each.name, false)) return deny;
      if (each.value.is_null()) continue;
      if (std::ranges::find(kept, each.name, &json::Member::name) != kept.end())
        return denied(refusal("field.repeated"), path + "." + each.name);
      kept.push_back(std::move(each));
    }
    entries = std::move(kept);
    return std::nullopt;
  }

  /// A member without a row. `{}` beside rows of members is about all others: dropped, or refused.
  Judgement judge_other(const Node& node, json::Member& member, const std::string& prefix) {
    if (!node.entry) return denied(refusal("field.unknown"), prefix + member.name);
    return judge(*node.entry, member.value, prefix + member.name, nullptr, true);
  }

  Judgement judge_members(const Node& node, json::Object& members, const std::string& path) {
    const std::string prefix = path.empty() ? path : path + ".";
    std::vector<bool> seen(node.members.size());
    json::Value kept = json::Value::object();
    for (json::Member& each : members) {
      const Node* child = node.member(each.name);
      if (!child) {
        if (auto deny = judge_other(node, each, prefix)) return deny;
        continue;
      }
      const auto index = static_cast<std::size_t>(child - node.members.data());
      if (seen[index]) return denied(refusal("field.repeated"), prefix + each.name);
      seen[index] = true;
      if (each.value.is_null()) continue;
      if (auto deny = judge(*child, each.value, prefix + child->name, nullptr, true)) return deny;
      if (!each.value.is_null()) kept.members()->push_back({child->name, std::move(each.value)});
    }
    for (const Node& child : node.members)
      if (child.row && child.row->rule.kind == Rule::Kind::Forced) kept.set(child.name, *child.usual);
    members = std::move(*kept.members());
    return std::nullopt;
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
};

}  // namespace

std::optional<Deny> walk(const Table& table, json::Value& content, Exchange& exchange, JudgedBody& judged) {
  return Walk(exchange, judged).judge(tree_of(table), content, "", nullptr, false);
}

}  // namespace podfence::rules
