#include "rules/json_pointer.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>

namespace podfence::rules::json {
namespace {

std::string unescaped(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape)
      name += token[++i] == '1' ? '/' : '~';
    else
      name += token[i];
  }
  return name;
}

const Value* step(const Value& value, std::string_view name) {
  const Array* items = value.items();
  if (!items) return value.find(name);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  return error == std::errc{} && end == name.data() + name.size() && index < items->size() ? &(*items)[index] : nullptr;
}

/// Takes the reader's events and notes where the last thing on the way to a pointer stands.
class Finder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Finder> {
 public:
  Finder(const rapidjson::MemoryStream& stream, std::string_view pointer) : stream_(stream), pointer_(pointer) {}

  bool Default() { return item(behind_token()); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    come_to({text, size}, behind_token());
    return true;
  }
  bool StartObject() { return open(false); }
  bool StartArray() { return open(true); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  std::size_t found = 0;

 private:
  struct Open {
    std::string pointer;
    bool is_array;
    std::size_t next = 0;
  };

  /// The reader tells of a name or a plain value when it is behind it, of brackets when it is at them.
  std::size_t behind_token() const { return stream_.Tell() - 1; }

  void come_to(std::string_view name, std::size_t at) {
    here_ = extended(open_.back().pointer, name);
    const bool on_the_way =
        pointer_.starts_with(here_) && (pointer_.size() == here_.size() || pointer_[here_.size()] == '/');
    if (on_the_way) found = at;
  }

  bool item(std::size_t at) {
    if (open_.empty())
      found = at;
    else if (open_.back().is_array)
      come_to(std::to_string(open_.back().next++), at);
    return true;
  }

  bool open(bool is_array) {
    item(stream_.Tell());
    open_.push_back({here_, is_array});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const rapidjson::MemoryStream& stream_;
  std::string_view pointer_;
  std::string here_;
  std::vector<Open> open_;
};

}  // namespace

std::string extended(std::string_view pointer, std::string_view name) {
  std::string text(pointer);
  text += '/';
  for (const char c : name) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

std::vector<std::string> names_of_pointer(std::string_view pointer) {
  std::vector<std::string> names;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    names.push_back(unescaped(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return names;
}

const Value* find(const Value& root, std::string_view pointer) {
  const Value* value = &root;
  for (const std::string& name : names_of_pointer(pointer)) {
    value = step(*value, name);
    if (!value) return nullptr;
  }
  return value;
}

std::size_t line_at(std::string_view text, std::size_t byte) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::size_t end = std::min(byte, last == std::string_view::npos ? 0 : last);
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, end), '\n'));
}

std::size_t line_of(std::string_view text, std::string_view pointer) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  Finder finder(stream, pointer);
  rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(stream, finder);
  return line_at(text, finder.found);
}

}  // namespace podfence::rules::json
