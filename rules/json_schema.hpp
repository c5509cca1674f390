#pragma once
// JSON Schema (draft 4), by RapidJSON's validator. What is wrong is told in the words of the schema: each of its nodes
// that values can be wrong about has a `description`, a phrase that follows "must be".

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rules/json.hpp"

namespace podfence::rules::json {

struct Violation {
  std::string where;  ///< JSON pointer
  std::string what;   ///< "must be a mode; allowed: \"rw\", \"ro\""
};

class Schema {
 public:
  /// `definition`: the one of its `definitions` that values are held against, "" for the whole. A text that is no
  /// schema is a fault of ours, std::logic_error.
  explicit Schema(std::string_view text, std::string_view definition = "");
  ~Schema();

  /// The first thing that is wrong, in the order of the text.
  std::optional<Violation> check(const Value& value) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  Value text_;
};

/// What is wrong with a value (nullptr: a member that is not known) that the keyword of a schema's node does not let
/// through. `root` is the schema, for its references.
std::string violation_text(const Value& root, const Value& node, std::string_view keyword, const Value* value);

}  // namespace podfence::rules::json
