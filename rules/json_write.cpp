// JSON out. Most texts need no escape and are copied; the others are written by RapidJSON.

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rules/json.hpp"
#include "rules/json_parts.hpp"
#include "rules/plain_steps.hpp"

namespace podfence::rules::json {

namespace {

bool is_plain(std::string_view text) {
  const auto steps = plain_steps<Plain::InJson>(text.data(), text.size());
  return std::ranges::all_of(text.substr(steps),
                             [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\'; });
}

/// Text that grows at its end. What std::string does for each character is a call, so short pieces are gathered.
class Text {
 public:
  explicit Text(std::size_t usual_size) { text_.reserve(usual_size); }

  void put(char c) {
    if (size_ == pieces_.size()) flush();
    pieces_[size_++] = c;
  }

  void put(std::string_view more) {
    if (more.size() > pieces_.size() - size_) flush();
    if (more.size() > pieces_.size()) {
      text_.append(more);
    } else {
      more.copy(pieces_.data() + size_, more.size());
      size_ += more.size();
    }
  }

  std::string take() && {
    flush();
    return std::move(text_);
  }

 private:
  void flush() { text_.append(pieces_.data(), std::exchange(size_, 0)); }

  std::string text_;
  std::array<char, 512> pieces_;
  std::size_t size_ = 0;
};

/// Escaped by the library, as printable ASCII or not.
template <class Target>
void put_escaped(Text& text, const std::string& string) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, Target> writer(buffer);
  writer.String(string.data(), static_cast<rapidjson::SizeType>(string.size()));
  text.put({buffer.GetString(), buffer.GetSize()});
}

template <class Target>
void put(Text& text, const std::string& string) {
  if (std::is_same_v<Target, rapidjson::ASCII<>> || !is_plain(string)) return put_escaped<Target>(text, string);
  text.put('"');
  text.put(string);
  text.put('"');
}

template <class Target>
void put(Text& text, const Value& value) {
  if (const bool* boolean = value.boolean()) {
    text.put(*boolean ? "true" : "false");
  } else if (const Number* number = value.number()) {
    text.put(number->text);
  } else if (const std::string* string = value.string()) {
    put<Target>(text, *string);
  } else if (const Array* array = value.items()) {
    char before = '[';
    for (const Value& item : *array) {
      text.put(std::exchange(before, ','));
      put<Target>(text, item);
    }
    text.put(before == '[' ? "[]" : "]");
  } else if (const Object* object = value.members()) {
    char before = '{';
    for (const Member& each : *object) {
      text.put(std::exchange(before, ','));
      if (const Run* run = each.value.run()) {
        text.put(run->text);
        continue;
      }
      put<Target>(text, each.name);
      text.put(':');
      put<Target>(text, each.value);
    }
    text.put(before == '{' ? "{}" : "}");
  } else {
    text.put("null");
  }
}

/// The library writes this character as it is.
std::string with_escaped_delete(std::string text) {
  constexpr char character = '\x7f';
  if (text.find(character) == std::string::npos) return text;
  std::string result;
  std::string_view rest = text;
  for (auto at = rest.find(character); at != std::string_view::npos; at = rest.find(character)) {
    result.append(rest.substr(0, at)).append("\\u007f");
    rest.remove_prefix(at + 1);
  }
  result.append(rest);
  return result;
}

}  // namespace

std::string write(const Value& value, std::size_t usual_size) {
  Text whole(usual_size);
  put<rapidjson::UTF8<>>(whole, value);
  auto text = std::move(whole).take();
  // Who keeps it counts its size: no more is held than growing would have left.
  if (text.capacity() > 2 * text.size()) text.shrink_to_fit();
  return text;
}

std::string write_printable(const Value& value) {
  Text whole(0);
  put<rapidjson::ASCII<>>(whole, value);
  return with_escaped_delete(std::move(whole).take());
}

}  // namespace podfence::rules::json
