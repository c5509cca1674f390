// What a schema says about a wrong value, in a phrase for people.

#include <algorithm>
#include <array>

#include "rules/json_pointer.hpp"
#include "rules/json_schema.hpp"

namespace podfence::rules::json {
namespace {

/// The node that a reference leads to.
const Value& resolved(const Value& root, const Value& node) {
  const std::string_view reference = node.text("$ref");
  const Value* target = reference.starts_with('#') ? find(root, reference.substr(1)) : nullptr;
  return target ? resolved(root, *target) : node;
}

std::string_view type_phrase(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> phrases[] = {
      {"object", "an object"},      {"array", "a list"},       {"string", "a string"},
      {"boolean", "true or false"}, {"integer", "an integer"}, {"number", "a number"}};
  for (const auto& [name, phrase] : phrases)
    if (name == type) return phrase;
  return type;
}

std::string phrase_of(const Value& node) {
  const std::string_view description = node.text("description");
  return std::string(description.empty() ? type_phrase(node.text("type")) : description);
}

std::string joined(const auto& values, auto text_of) {
  std::string text;
  for (const auto& value : values) text.append(text.empty() ? "" : ", ").append(text_of(value));
  return text;
}

std::string allowed_values(const Value& node) {
  if (const Value* values = node.find("enum"); values && values->items())
    return "; allowed: " + joined(*values->items(), [](const Value& value) { return write(value); });
  const Value* least = node.find("minimum");
  const Value* most = node.find("maximum");
  if (least && most) return "; allowed: " + write(*least) + " to " + write(*most);
  if (least) return "; allowed: " + write(*least) + " and more";
  if (most) return "; allowed: up to " + write(*most);
  return "";
}

std::string known_names(const Value& node) {
  const Value* properties = node.find("properties");
  if (!properties || !properties->members()) return "none";
  return joined(*properties->members(), [](const Member& member) { return member.name; });
}

std::string missing_name(const Value& root, const Value& node, const Value* value) {
  for (const Value& name : *node.find("required")->items()) {
    if (value && value->find(*name.string())) continue;
    const Value* property = find(node, extended("/properties", *name.string()));
    return "must say " + *name.string() + (property ? ": " + phrase_of(resolved(root, *property)) : "");
  }
  return "must say more";
}

}  // namespace

std::string violation_text(const Value& root, const Value& node, std::string_view keyword, const Value* value) {
  if (keyword == "additionalProperties") return "is not a key that is known here; known are: " + known_names(node);
  if (keyword == "required") return missing_name(root, node, value);
  if (keyword == "uniqueItems") return "stands in the list already";
  if (keyword == "not") return std::string(node.text("description"));
  return "must be " + phrase_of(node) + allowed_values(node);
}

}  // namespace podfence::rules::json
