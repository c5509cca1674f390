#pragma once
// The language of the field tables (tables/*.cpp). A row says of one field which JSON it must be and what becomes of
// it; a field without a row does not exist. walk.cpp reads the tables, markdown.cpp makes docs/fields.md of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/body.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {

/// JSON of a value. Lists and maps are not shapes: `[]` and `{}` in the path say so, and the row is about their items.
enum class Shape {
  Text,
  Boolean,
  Integer,
  Unsigned,
  TextOrNumber,
  TextOrList,  ///< Docker's StrSlice: a text, or a list of texts
  Object,      ///< its members have rows of their own; this one is judged when they are
  Any,         ///< for subtrees that are dropped or refused as a whole
};

/// Where in a body a check finds itself.
struct Place {
  Exchange& exchange;
  JudgedBody& judged;       ///< volumes are noted here; its content is not complete yet
  const std::string& path;  ///< in Podman's spelling, as in the table: "HostConfig.Binds[]"
  std::string* key;         ///< of a map entry: may be written anew; nullptr elsewhere
};

/// Judges a value and may write it anew; null drops it. Values that are zero do not get here unless they are items of
/// lists or entries of maps, or the rule keeps them.
using Check = std::optional<Deny>(json::Value& value, const Place& place);

struct Rule {
  enum class Kind { Passed, Dropped, Denied, Forced, Choice, Bounded, Checked };
  Kind kind = Kind::Passed;
  std::string_view says = "";          ///< Checked: what it does, for docs/fields.md
  const Refusal* refusal = nullptr;    ///< Denied
  std::string_view value = "";         ///< Forced: JSON text; Choice: the texts, separated by one space
  std::int64_t least = 0, most = 0;    ///< Bounded
  Check* check = nullptr;              ///< Checked
  std::string_view default_text = "";  ///< JSON text that clients send for "the default": dropped like a zero value
  bool keeps_zero = false;             ///< zero says something that absence does not
  bool confidential = false;           ///< no log may have the value (redacted.hpp)
};

inline constexpr Rule pass{};
inline constexpr Rule drop{.kind = Rule::Kind::Dropped};

/// Refused unless zero. The whole subtree: no rows are needed below.
constexpr Rule deny(const Refusal* refusal) { return {.kind = Rule::Kind::Denied, .refusal = refusal}; }
inline constexpr Rule deny_field = deny(refusal("field.refused"));

/// Written whether the client named it or not, and whatever it said.
constexpr Rule force(std::string_view json_text) { return {.kind = Rule::Kind::Forced, .value = json_text}; }
constexpr Rule choice(std::string_view texts) { return {.kind = Rule::Kind::Choice, .value = texts}; }
constexpr Rule checked(Check* function, std::string_view says) {
  return {.kind = Rule::Kind::Checked, .says = says, .check = function};
}

constexpr Rule keep_zero(Rule rule) {
  rule.keeps_zero = true;
  return rule;
}
constexpr Rule confidential(Rule rule) {
  rule.confidential = true;
  return rule;
}
constexpr Rule default_is(std::string_view json_text, Rule rule) {
  rule.default_text = json_text;
  return rule;
}

struct Row {
  /// `HostConfig.Binds[]`, `labels{}`, `Networks{}.aliases[]`; "" is the whole content. `{}` beside named members is
  /// about all others, and may only drop or deny.
  std::string_view path;
  Shape shape;
  Rule rule;
};

/// Rows that several bodies have in common stand in one table and are put under a prefix.
struct Part {
  std::string_view prefix;  ///< "" or with its dot: "HostConfig."
  std::span<const Row> rows;
};

struct Table {
  Body body;
  std::string_view title;  ///< for docs/fields.md
  std::span<const Part> parts;
};

std::span<const Table> tables();
const Table* table_of(Body body);

/// The first step of a row's path, which is taken off: `Networks{}.aliases[]` has Networks, {}, aliases, [].
std::string_view take_step(std::string_view& path);

/// The row that a place in a content belongs to, its own or the nearest above it; nullptr: none. `names` are those of a
/// JSON pointer.
const Row* row_at(const Table& table, std::span<const std::string> names);

/// What comes of a value by that rule, for people.
std::string what_becomes(const Rule& rule);

/// The text of docs/fields.md.
std::string fields_markdown();

}  // namespace podfence::rules
