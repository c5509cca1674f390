// Written in the block style. A text stands without quotes only where it cannot be anything else; in quotes it is
// written as in JSON, which YAML contains.

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/yaml.hpp"
#include "rules/yaml_scalar.hpp"

namespace podfence::rules::yaml {

namespace {

constexpr std::size_t step = 2;

bool is_plain_text(std::string_view text) {
  constexpr std::string_view inside = "-_./@:=+";
  if (text.empty() || text.back() == ':' || !(ascii::is_alphanumeric(text.front()) || text.front() == '/'))
    return false;
  const bool harmless = std::ranges::all_of(
      text, [&](char c) { return ascii::is_alphanumeric(c) || inside.find(c) != std::string_view::npos; });
  if (!harmless) return false;
  const auto value = plain_scalar(text);
  return value && value->string();
}

std::string scalar_of(std::string_view text) {
  return is_plain_text(text) ? std::string(text) : json::write(json::Value(text));
}

bool is_inline(const json::Value& value) {
  if (value.items()) return value.items()->empty();
  return !value.members() || value.members()->empty();
}

std::string inline_text(const json::Value& value) {
  return value.string() ? scalar_of(*value.string()) : json::write(value);
}

void write_block(const json::Value& value, std::size_t indent, bool goes_on, std::string& text);

/// Behind a key or a dash.
void write_behind(const json::Value& value, std::size_t indent, bool is_item, std::string& text) {
  if (is_inline(value)) {
    text += ' ' + inline_text(value) + '\n';
    return;
  }
  text += is_item ? " " : "\n";
  write_block(value, indent, is_item, text);
}

/// `goes_on`: the first line has begun already, behind a dash.
void write_block(const json::Value& value, std::size_t indent, bool goes_on, std::string& text) {
  const auto begin_line = [&] {
    if (!std::exchange(goes_on, false)) text.append(indent, ' ');
  };
  if (const auto* items = value.items())
    for (const auto& item : *items) {
      begin_line();
      text += '-';
      write_behind(item, indent + step, true, text);
    }
  if (const auto* members = value.members())
    for (const auto& [name, member] : *members) {
      begin_line();
      text += scalar_of(name) + ':';
      write_behind(member, member.items() ? indent : indent + step, false, text);
    }
}

}  // namespace

std::string write(const json::Value& value) {
  if (is_inline(value)) return inline_text(value) + '\n';
  std::string text;
  write_block(value, 0, false, text);
  return text;
}

}  // namespace podfence::rules::yaml
