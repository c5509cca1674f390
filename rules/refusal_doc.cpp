#include "rules/refusal_doc.hpp"

#include "rules/refusal.hpp"

namespace podfence::rules {
namespace {

constexpr const char* introduction = R"(# Refusals

Generated from `rules/refusal.hpp`; do not edit.

Every time podfence says no it names a rule from this list: in the answer that the client reads (Podman's error shape: `cause` holds
the rule's id, `message` the sentence and the way out), and as `rule` in the audit log. Ids stay the same from version to version.
`…` stands for what the request named. The last column is the key of [policy](configuration.md) that could allow it; an answer may name a
key that fits its case better, and `podfence explain` tells the line where it stands ([explain.md](explain.md)).

A *hidden* refusal is answered byte for byte as Podman answers for an object that does not exist, so that nobody learns what other
projects have. The rule's id is then in the audit log only.
)";

/// A cell of a Markdown table.
void append_cell(std::string& row, std::string_view text) {
  row += ' ';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "{}")
      row += "…", ++i;
    else if (text[i] == '|')
      row += "\\|";
    else
      row += text[i];
  }
  row += " |";
}

}  // namespace

std::string refusals_markdown() {
  std::string text = introduction;
  std::string_view family;
  for (const Refusal& refusal : refusal_table) {
    if (family_of(refusal.id) != family) {
      family = family_of(refusal.id);
      text.append("\n## ").append(family).append(
          "\n\n| id | status | what was wrong | the way out | policy |\n| --- | --- | --- | --- | --- |\n");
    }
    text += '|';
    append_cell(text, "`" + std::string(refusal.id) + "`");
    append_cell(text, std::to_string(refusal.status) + (refusal.hidden ? ", hidden" : ""));
    append_cell(text, refusal.sentence);
    append_cell(text, refusal.way_out);
    append_cell(text, refusal.policy.empty() ? "" : "`" + std::string(refusal.policy) + "`");
    text += '\n';
  }
  return text;
}

}  // namespace podfence::rules
