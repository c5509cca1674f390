// docs/fields.md, from the tables.

#include <algorithm>

#include "rules/body/table.hpp"

namespace podfence::rules {

namespace {

std::string_view text(Shape shape) {
  switch (shape) {
    case Shape::Text:
      return "text";
    case Shape::Boolean:
      return "boolean";
    case Shape::Integer:
      return "integer";
    case Shape::Unsigned:
      return "unsigned integer";
    case Shape::TextOrNumber:
      return "text or number";
    case Shape::TextOrList:
      return "text or list of texts";
    case Shape::Object:
      return "object";
    case Shape::Any:
      break;
  }
  return "any";
}

std::string line(std::string_view prefix, const Row& row) {
  std::string result = "| ";
  const bool whole = prefix.empty() && row.path.empty();
  result += whole ? "(the whole content)" : "`" + std::string(prefix) + std::string(row.path) + "`";
  result += " | " + std::string(text(row.shape)) + " | " + what_becomes(row.rule);
  if (!row.rule.default_text.empty()) result += "; `" + std::string(row.rule.default_text) + "` counts as absent";
  return result + " |\n";
}

}  // namespace

std::string what_becomes(const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::Passed:
      return "passes";
    case Rule::Kind::Dropped:
      return "dropped";
    case Rule::Kind::Denied:
      return "refused (`" + std::string(rule.refusal->id) + "`)";
    case Rule::Kind::Forced:
      return "always `" + std::string(rule.value) + "`";
    case Rule::Kind::Choice: {
      std::string words = "`" + std::string(rule.value) + "`";
      for (std::size_t at = words.find(' '); at != std::string::npos; at = words.find(' ', at + 4))
        words.replace(at, 1, "`, `");
      return "one of " + words;
    }
    case Rule::Kind::Bounded:
      return "from " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
    case Rule::Kind::Checked:
      break;
  }
  return std::string(rule.says);
}

std::string fields_markdown() {
  std::string page =
      "# Fields of request contents\n\n"
      "Generated from the tables in `rules/body/tables/`; the test of the rules says when this page is stale.\n\n"
      "A field that is not here is refused (`field.unknown`), and so is one that is given twice or in two spellings\n"
      "(`field.repeated`). Names are matched without regard to case. A zero value (`null`, `false`, `0`, `\"\"`, "
      "`[]`,\n"
      "`{}`) counts as absent, also of a field that is refused otherwise. `[]` stands for each item of a list, `{}` "
      "for\n"
      "each entry of a map.\n";
  for (const Table& table : tables()) {
    page += "\n## " + std::string(table.title) + "\n\n| field | JSON | what becomes of it |\n|---|---|---|\n";
    for (const Part& part : table.parts)
      for (const Row& row : part.rows) page += line(part.prefix, row);
  }
  return page;
}

}  // namespace podfence::rules
