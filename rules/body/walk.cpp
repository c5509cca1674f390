// The walk of a value along the tree of a table: members, items and entries first, then the rule of the row they belong
// to.

#include "rules/body/walk.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "rules/body/tree.hpp"
#include "rules/exchange.hpp"
#include "rules/out_of_bounds.hpp"

namespace podfence::rules {

namespace {

using Judgement = std::optional<Deny>;

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

  /// `said`: by the client; what is let through is put into `kept`, which is null before. `optional`: a member of an
  /// object, which is dropped when it says nothing. Items and entries stay.
  Judgement judge(const Node& node, const json::Value& said, json::Value& kept, std::string* key, bool optional) {
    static constexpr Rule none{};
    const Rule& rule = node.row ? node.row->rule : none;
    const bool is_default = !rule.default_text.empty() && said == *node.usual;
    if (rule.kind == Rule::Kind::Denied && !said.is_zero() && !is_default) return denied(rule.refusal);
    if (rule.kind == Rule::Kind::Denied || rule.kind == Rule::Kind::Dropped || is_default) return std::nullopt;
    if (auto deny = judge_inside(node, said, kept)) return deny;
    if (optional && !keeps_zero(rule) && says_nothing(node.is_leaf() ? said : kept)) {
      kept = {};
      return std::nullopt;
    }
    if (rule.kind == Rule::Kind::Forced)
      kept = *node.usual;
    else if (node.is_leaf())
      kept = said;
    return apply(rule, kept, key);
  }

 private:
  /// Where the walk is, for as long as this lives.
  class Step {
   public:
    Step(std::vector<std::string_view>& steps, std::string_view step) : steps_(steps) { steps.push_back(step); }
    ~Step() { steps_.pop_back(); }
    Step(const Step&) = delete;

   private:
    std::vector<std::string_view>& steps_;
  };

  static constexpr std::string_view items = "[]", entries = "{}";

  /// In Podman's spelling, as in the table.
  std::string path() const {
    std::string text;
    for (const auto step : steps_) {
      const bool member = step.data() != items.data() && step.data() != entries.data();
      text.append(member && !text.empty() ? "." : "").append(step);
    }
    return text;
  }

  static bool keeps_zero(const Rule& rule) { return rule.keeps_zero || rule.kind == Rule::Kind::Forced; }

  /// A leaf has nothing inside, and is kept later.
  Judgement judge_inside(const Node& node, const json::Value& said, json::Value& kept) {
    if (node.is_leaf()) return has_shape(said, node.row->shape) ? std::nullopt : mistyped();
    if (node.item) return said.items() ? judge_items(node, *said.items(), kept.become_array()) : mistyped();
    if (!said.members()) return mistyped();
    const bool is_map = node.entry && node.members.empty();
    return is_map ? judge_entries(node, *said.members(), kept.become_object())
                  : judge_members(node, *said.members(), kept.become_object());
  }

  Judgement denied(const Refusal* rule) const { return Deny{rule, path(), Kind::None}; }
  Judgement mistyped() const { return denied(refusal("field.type")); }

  Judgement repeated(std::string_view member) {
    const Step step(steps_, member);
    return denied(refusal("field.repeated"));
  }

  /// Go reads null as nothing said; where something must stand, that is the empty thing. A text in a list is refused:
  /// Podman reads it as "" and then stumbles.
  static const json::Value& or_empty(const Node& node, const json::Value& said) {
    static const auto list = json::Value::array(), map = json::Value::object();
    if (!said.is_null()) return said;
    if (node.entry || !node.members.empty()) return map;
    return node.item ? list : said;
  }

  /// As well where it is no list and no map.
  static const json::Value& entry_or_empty(const Node& node, const json::Value& said) {
    static const json::Value text(""), map = json::Value::object();
    const auto& value = or_empty(node, said);
    if (!value.is_null()) return value;
    return node.row && node.row->shape == Shape::Text ? text : map;
  }

  Judgement judge_items(const Node& node, const json::Array& said, json::Array& kept) {
    const Step step(steps_, items);
    kept.reserve(said.size());
    for (const json::Value& item : said) {
      json::Value value;
      if (auto deny = judge(*node.item, or_empty(*node.item, item), value, nullptr, false)) return deny;
      if (!value.is_null()) kept.push_back(std::move(value));
    }
    return std::nullopt;
  }

  Judgement judge_entries(const Node& node, const json::Object& said, json::Object& kept) {
    kept.reserve(said.size());
    std::set<std::string_view> names;  // of what is kept, which stays where it is: there is room for all
    bool rewritten = false;            // until then they are as the client said them, which is each once
    for (const json::Member& each : said) {
      json::Member entry{each.name, {}};
      if (auto deny = judge_entry(*node.entry, each.value, entry)) return deny;
      if (entry.value.is_null()) continue;
      const auto& name = kept.emplace_back(std::move(entry)).name;
      if (!rewritten && name == each.name) continue;
      if (!std::exchange(rewritten, true))
        for (const json::Member& one : kept) names.insert(one.name);
      names.insert(name);
      if (names.size() < kept.size()) return repeated(name);
    }
    return std::nullopt;
  }

  Judgement judge_entry(const Node& node, const json::Value& said, json::Member& kept) {
    const Step step(steps_, entries);
    return judge(node, entry_or_empty(node, said), kept.value, &kept.name, false);
  }

  /// A member without a row. `{}` beside rows of members is about all others: dropped, or refused.
  Judgement judge_other(const Node& node, const json::Member& said) {
    const Step step(steps_, said.name);
    json::Value none;
    return node.entry ? judge(*node.entry, said.value, none, nullptr, true) : denied(refusal("field.unknown"));
  }

  Judgement judge_members(const Node& node, const json::Object& said, json::Object& kept) {
    std::vector<bool> seen(node.members.size());
    for (const json::Member& each : said) {
      const Node* child = node.member(each.name);
      if (!child) {
        if (auto deny = judge_other(node, each)) return deny;
        continue;
      }
      const auto index = static_cast<std::size_t>(child - node.members.data());
      if (seen[index]) return repeated(each.name);
      seen[index] = true;
      if (each.value.is_null()) continue;
      json::Value value;
      if (auto deny = judge_member(*child, each.value, value)) return deny;
      if (!value.is_null()) kept.push_back({child->name, std::move(value)});
    }
    for (const Node& child : node.members)
      if (child.row && child.row->rule.kind == Rule::Kind::Forced) force(child, kept);
    return std::nullopt;
  }

  Judgement judge_member(const Node& child, const json::Value& said, json::Value& kept) {
    const Step step(steps_, child.name);
    return judge(child, said, kept, nullptr, true);
  }

  static void force(const Node& child, json::Object& kept) {
    const auto found = std::ranges::find(kept, child.name, &json::Member::name);
    if (found == kept.end())
      kept.push_back({child.name, *child.usual});
    else
      found->value = *child.usual;
  }

  Judgement apply(const Rule& rule, json::Value& value, std::string* key) {
    if (rule.kind == Rule::Kind::Checked) return rule.check(value, {exchange_, judged_, path(), key});
    if (rule.kind == Rule::Kind::Choice && !is_among(*value.string(), rule.value))
      return denied(refusal("field.value"));
    if (rule.kind == Rule::Kind::Bounded) {
      const auto number = value.int64();
      if (number && *number < rule.least)
        return out_of_bounds(path(), json::write(value), "least", std::to_string(rule.least));
      if (!number || *number > rule.most)
        return out_of_bounds(path(), json::write(value), "most", std::to_string(rule.most));
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
  std::vector<std::string_view> steps_;  ///< from the whole content to where the walk is
};

}  // namespace

std::optional<Deny> walk(const Table& table, const json::Value& said, Exchange& exchange, JudgedBody& judged) {
  return Walk(exchange, judged).judge(tree_of(table), said, judged.content, nullptr, false);
}

}  // namespace podfence::rules
