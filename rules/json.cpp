// The reader of RapidJSON is used as a stream of events, never its document: its document turns kept
// number texts into strings, keeps repeated names silently, and recurses as deep as the text says.

#include "rules/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>

namespace podfence::rules::json {

namespace {

template <typename Integer>
std::optional<Integer> plain_integer(const Number* number) {
  if (!number) return std::nullopt;
  Integer value{};
  const char* end = number->text.data() + number->text.size();
  const auto [stop, error] = std::from_chars(number->text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

template <typename Members>
auto member(Members* members, std::string_view name) {
  return std::find_if(members->begin(), members->end(), [&](const Member& each) { return each.name == name; });
}

bool is_zero_number(std::string_view text) {
  return text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string_view::npos;
}

}  // namespace

Value::Value(Array value) : data_(std::move(value)) {}
Value::Value(Object value) : data_(std::move(value)) {}

Value Value::integer(std::int64_t value) { return Number{std::to_string(value)}; }
Value Value::object() { return Value(Object{}); }

std::optional<std::int64_t> Value::int64() const { return plain_integer<std::int64_t>(number()); }
std::optional<std::uint64_t> Value::uint64() const { return plain_integer<std::uint64_t>(number()); }

const Value* Value::find(std::string_view name) const {
  const Object* object = members();
  if (!object) return nullptr;
  const auto found = member(object, name);
  return found == object->end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) { return const_cast<Value*>(std::as_const(*this).find(name)); }

std::string_view Value::text(std::string_view name) const {
  const Value* value = find(name);
  const std::string* text = value ? value->string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

bool Value::flag(std::string_view name) const {
  const Value* member = find(name);
  const bool* value = member ? member->boolean() : nullptr;
  return value && *value;
}

std::optional<std::int64_t> Value::int64(std::string_view name) const {
  const Value* member = find(name);
  return member ? member->int64() : std::nullopt;
}

const Array& Value::list(std::string_view name) const {
  static const Array none;
  const Value* member = find(name);
  return member && member->items() ? *member->items() : none;
}

void Value::set(std::string_view name, Value value) {
  if (is_null()) data_ = Object{};
  if (Value* existing = find(name))
    *existing = std::move(value);
  else if (Object* object = members())
    object->push_back({std::string(name), std::move(value)});
}

void Value::erase(std::string_view name) {
  if (Object* object = members()) std::erase_if(*object, [&](const Member& each) { return each.name == name; });
}

void Value::push(Value value) {
  if (is_null()) data_ = Array{};
  if (Array* array = items()) array->push_back(std::move(value));
}

bool Value::is_zero() const {
  if (const bool* value = boolean()) return !*value;
  if (const Number* value = number()) return is_zero_number(value->text);
  if (const std::string* value = string()) return value->empty();
  if (const Array* value = items())
    return std::all_of(value->begin(), value->end(), [](auto& each) { return each.is_zero(); });
  if (const Object* value = members())
    return std::all_of(value->begin(), value->end(), [](const Member& each) { return each.value.is_zero(); });
  return true;
}

bool operator==(const Value& left, const Value& right) {
  if (left.data_.index() != right.data_.index()) return false;
  if (const Number* number = left.number()) return number->text == right.number()->text;
  if (const Array* array = left.items()) return *array == *right.items();
  if (const Object* object = left.members())
    return std::equal(object->begin(), object->end(), right.members()->begin(), right.members()->end(),
                      [](const Member& a, const Member& b) { return a.name == b.name && a.value == b.value; });
  if (const bool* boolean = left.boolean()) return *boolean == *right.boolean();
  if (const std::string* string = left.string()) return *string == *right.string();
  return true;
}

namespace {

/// A name for an error message: short, and never cut inside a character.
std::string quoted(std::string_view name) {
  constexpr std::size_t shown = 64;
  if (name.size() <= shown) return "\"" + std::string(name) + "\"";
  std::size_t end = shown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return "\"" + std::string(name.substr(0, end)) + "...\"";
}

/// The bytes ED A0..BF, which no valid UTF-8 has. Raw ones are refused by the reader; a lone `\udc00` passes the reader
/// of RapidJSON 1.1.0 even when it validates, and comes out as these.
bool holds_surrogate(std::string_view text) {
  for (std::size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1))
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  return false;
}

/// Takes the reader's events and builds the value. Returning false ends the reading; `error` then says why.
class Builder {
 public:
  Builder(const rapidjson::MemoryStream& stream, const Limits& limits) : stream_(stream), limits_(limits) {}

  bool Null() { return add(Value()); }
  bool Bool(bool value) { return add(Value(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return add(Number{std::string(text, size)}); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view view(text, size);
    return check_text(view) && add(Value(view));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    Object& object = *open_.back().members();
    if (object.size() == limits_.names)
      return exceeds("an object has more than " + std::to_string(limits_.names) + " names");
    if (!check_text(name)) return false;
    object.push_back({std::string(name), Value()});
    if (!limits_.trusted) names_at_.back().push_back(stream_.Tell());
    return true;
  }
  bool StartObject() {
    if (!limits_.trusted) names_at_.emplace_back();
    return open(Value::object());
  }
  bool StartArray() { return open(Value::array()); }
  bool EndObject(rapidjson::SizeType) { return settle_repeated(*open_.back().members()) && close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  // Never called: the reader is told to keep number texts. Its template wants them all the same.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  Error error;
  Value root;

 private:
  bool fail(std::string what) { return fail(std::move(what), stream_.Tell()); }
  bool fail(std::string what, std::size_t at) {
    error = {std::move(what), at};
    return false;
  }

  bool exceeds(std::string what) {
    error = {std::move(what), stream_.Tell(), true};
    return false;
  }

  bool check_text(std::string_view text) {
    if (limits_.trusted) return true;
    if (text.find('\0') != std::string_view::npos) return fail("a text holds NUL");
    if (holds_surrogate(text)) return fail("a text holds half of a surrogate pair");
    return true;
  }

  bool add(Value value) {
    if (open_.empty())
      root = std::move(value);
    else if (Array* array = open_.back().items())
      array->push_back(std::move(value));
    else
      open_.back().members()->back().value = std::move(value);
    return true;
  }

  bool open(Value container) {
    if (open_.size() == limits_.depth) return exceeds("the nesting is deeper than " + std::to_string(limits_.depth));
    open_.push_back(std::move(container));
    return true;
  }

  bool close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }

  /// Sorted, not compared pairwise: an object with many names must not cost the square of their number. Of a trusted
  /// text the last one counts, as for Go.
  bool settle_repeated(Object& object) {
    std::vector<std::size_t> order(object.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int names = object[a].name.compare(object[b].name);
      return names != 0 ? names < 0 : a < b;
    });
    std::vector<bool> superseded;
    for (std::size_t place = 1; place < order.size(); ++place) {
      if (object[order[place - 1]].name != object[order[place]].name) continue;
      if (!limits_.trusted)
        return fail("the name " + quoted(object[order[place]].name) + " stands twice in one object",
                    names_at_.back()[order[place]]);
      superseded.resize(object.size());
      superseded[order[place - 1]] = true;
    }
    if (!limits_.trusted) names_at_.pop_back();
    if (superseded.empty()) return true;
    Object kept;
    for (std::size_t index = 0; index < object.size(); ++index)
      if (!superseded[index]) kept.push_back(std::move(object[index]));
    object = std::move(kept);
    return true;
  }

  const rapidjson::MemoryStream& stream_;
  const Limits& limits_;
  std::vector<Value> open_;
  std::vector<std::vector<std::size_t>> names_at_;  ///< of the open objects, unless trusted: behind each name
};

template <unsigned flags>
rapidjson::ParseResult read(rapidjson::MemoryStream& stream, Builder& builder) {
  rapidjson::Reader reader;
  return reader.Parse<flags | rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(stream, builder);
}

std::string syntax_error(const rapidjson::ParseResult& result, std::string_view text) {
  // RapidJSON calls a control character in a string, such as the end of the line, an invalid escape.
  const std::size_t at = result.Offset();
  const bool raw = at < text.size() && static_cast<unsigned char>(text[at]) < ' ';
  if (result.Code() == rapidjson::kParseErrorStringEscapeInvalid && raw)
    return "a string holds a control character, or has no end";
  return rapidjson::GetParseError_En(result.Code());
}

template <typename Writer>
void write_value(Writer& writer, const Value& value) {
  const auto size = [](const std::string& text) { return static_cast<rapidjson::SizeType>(text.size()); };
  if (const bool* boolean = value.boolean()) {
    writer.Bool(*boolean);
  } else if (const Number* number = value.number()) {
    writer.RawValue(number->text.data(), number->text.size(), rapidjson::kNumberType);
  } else if (const std::string* string = value.string()) {
    writer.String(string->data(), size(*string));
  } else if (const Array* array = value.items()) {
    writer.StartArray();
    for (const Value& item : *array) write_value(writer, item);
    writer.EndArray();
  } else if (const Object* object = value.members()) {
    writer.StartObject();
    for (const Member& each : *object) {
      writer.Key(each.name.data(), size(each.name));
      write_value(writer, each.value);
    }
    writer.EndObject();
  } else {
    writer.Null();
  }
}

}  // namespace

std::variant<Value, Error> parse(std::string_view text, const Limits& limits) {
  // RapidJSON takes a NUL for the end of the text, whatever length it was told, and ignores the rest.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) return Error{"the text holds NUL", nul};
  rapidjson::MemoryStream stream(text.data(), text.size());
  Builder builder(stream, limits);
  const rapidjson::ParseResult result = limits.trusted ? read<rapidjson::kParseNoFlags>(stream, builder)
                                                       : read<rapidjson::kParseValidateEncodingFlag>(stream, builder);
  if (!builder.error.what.empty()) return std::move(builder.error);
  if (result.IsError()) return Error{syntax_error(result, text), result.Offset()};
  return std::move(builder.root);
}

std::size_t footprint(const Value& value) {
  // A string of up to 15 characters lies within the value.
  const auto outside = [](const std::string& text) { return text.size() > 15 ? text.capacity() + 1 : 0; };
  std::size_t size = sizeof(Value);
  if (const Number* number = value.number()) size += outside(number->text);
  if (const std::string* string = value.string()) size += outside(*string);
  if (const Array* array = value.items()) {
    size += (array->capacity() - array->size()) * sizeof(Value);
    for (const Value& item : *array) size += footprint(item);
  }
  if (const Object* object = value.members()) {
    size += (object->capacity() - object->size()) * sizeof(Member);
    for (const Member& each : *object) size += sizeof(each.name) + outside(each.name) + footprint(each.value);
  }
  return size;
}

std::string write(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  write_value(writer, value);
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string write_printable(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer(buffer);
  write_value(writer, value);
  std::string text(buffer.GetString(), buffer.GetSize());
  for (auto at = text.find('\x7f'); at != std::string::npos; at = text.find('\x7f', at)) text.replace(at, 1, "\\u007f");
  return text;
}

}  // namespace podfence::rules::json
