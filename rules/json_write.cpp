// JSON out. Most texts need no escape and are copied; the others are written by RapidJSON.

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "rules/json.hpp"
#include "rules/json_parts.hpp"
#include "rules/json_plain.hpp"

namespace podfence::rules::json {

namespace {

bool is_plain(std::string_view text) {
  const auto steps = plain_steps(text.data(), text.size());
  return std::ranges::all_of(text.substr(steps),
                             [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\'; });
}

/// Escaped by the library, as printable ASCII or not.
template <class Target>
void append_escaped(std::string& text, const std::string& string) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, Target> writer(buffer);
  writer.String(string.data(), static_cast<rapidjson::SizeType>(string.size()));
  text.append(buffer.GetString(), buffer.GetSize());
}

template <class Target>
void append(std::string& text, const std::string& string) {
  if (std::is_same_v<Target, rapidjson::ASCII<>> || !is_plain(string)) return append_escaped<Target>(text, string);
  text += '"';
  text += string;
  text += '"';
}

template <class Target>
void append(std::string& text, const Value& value) {
  if (const bool* boolean = value.boolean()) {
    text += *boolean ? "true" : "false";
  } else if (const Number* number = value.number()) {
    text += number->text;
  } else if (const std::string* string = value.string()) {
    append<Target>(text, *string);
  } else if (const Array* array = value.items()) {
    char before = '[';
    for (const Value& item : *array) {
      text += std::exchange(before, ',');
      append<Target>(text, item);
    }
    text += before == '[' ? "[]" : "]";
  } else if (const Object* object = value.members()) {
    char before = '{';
    for (const Member& each : *object) {
      text += std::exchange(before, ',');
      if (!is_run(each)) {
        append<Target>(text, each.name);
        text += ':';
      }
      append<Target>(text, each.value);
    }
    text += before == '{' ? "{}" : "}";
  } else {
    text += "null";
  }
}

}  // namespace

std::string write(const Value& value, std::size_t usual_size) {
  std::string text;
  text.reserve(usual_size);
  append<rapidjson::UTF8<>>(text, value);
  // Who keeps it counts its size: no more is held than growing would have left.
  if (text.capacity() > 2 * text.size()) text.shrink_to_fit();
  return text;
}

std::string write_printable(const Value& value) {
  std::string text;
  append<rapidjson::ASCII<>>(text, value);
  for (auto at = text.find('\x7f'); at != std::string::npos; at = text.find('\x7f', at)) text.replace(at, 1, "\\u007f");
  return text;
}

}  // namespace podfence::rules::json
