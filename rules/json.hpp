#pragma once
// JSON as this project understands it: strict on the way in, canonical on the way out. The files rules/json*.cpp are
// the only includers of RapidJSON. A number keeps its text, so that what was not judged is written as it was read.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace podfence::rules::json {

class Value;
struct Member;
using Array = std::vector<Value>;
using Object = std::vector<Member>;  ///< in the order of the text; names are unique

struct Number {
  std::string text;
};

/// Members of an object that nobody asks about, as they stand in the text that was read (json_parts.hpp). Lasts no
/// longer than that text.
struct Run {
  std::string_view text;
};

class Value {
 public:
  Value() = default;
  Value(bool value);
  Value(std::string value);
  Value(std::string_view value);
  Value(const char* value);
  Value(Number value);
  Value(Array value);
  Value(Object value);
  Value(Run value);
  static Value integer(std::int64_t value);
  static Value array();
  static Value object();

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const std::string* string() const { return std::get_if<std::string>(&data_); }
  std::string* string() { return std::get_if<std::string>(&data_); }
  const Number* number() const { return std::get_if<Number>(&data_); }
  const Array* items() const { return std::get_if<Array>(&data_); }
  Array* items() { return std::get_if<Array>(&data_); }
  const Object* members() const { return std::get_if<Object>(&data_); }
  Object* members() { return std::get_if<Object>(&data_); }
  /// Of a member without a name.
  const Run* run() const { return std::get_if<Run>(&data_); }

  // What it was before is gone.
  void become(std::string_view string);
  Array& become_array();
  Object& become_object();

  /// A number that is a plain integer (`-?digits`, no fraction, no exponent) within range.
  std::optional<std::int64_t> int64() const;
  std::optional<std::uint64_t> uint64() const;

  /// The member of exactly that name, or nullptr (also when this is no object).
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);
  /// Text of the string member of that name, or "".
  std::string_view text(std::string_view name) const;
  /// Of the boolean member of that name, or false.
  bool flag(std::string_view name) const;
  /// Of the member of that name, where int64() has a value.
  std::optional<std::int64_t> int64(std::string_view name) const;
  /// Items of the list of that name, or none.
  const Array& list(std::string_view name) const;
  /// Replaces or appends a member; this becomes an object when it is null.
  void set(std::string_view name, Value value);
  void erase(std::string_view name);
  void push(Value value);

  /// null, false, 0, "", [] and {}: what clients send for "not said" (Go's zero values). A container of zero values
  /// only is zero as well.
  bool is_zero() const;

  friend bool operator==(const Value&, const Value&);

 private:
  std::variant<std::monostate, bool, Number, std::string, Array, Object, Run> data_;
};

struct Member {
  std::string name;
  Value value;
};

// Here, and not in the class: they need Member to be complete.
inline Value::Value(bool value) : data_(value) {}
inline Value::Value(std::string value) : data_(std::move(value)) {}
inline Value::Value(std::string_view value) : data_(std::string(value)) {}
inline Value::Value(const char* value) : data_(std::string(value)) {}
inline Value::Value(Number value) : data_(std::move(value)) {}
inline Value::Value(Run value) : data_(value) {}
inline Value Value::array() { return Array{}; }
inline void Value::become(std::string_view string) { data_.emplace<std::string>(string); }
inline Array& Value::become_array() { return data_.emplace<Array>(); }
inline Object& Value::become_object() { return data_.emplace<Object>(); }

struct Limits {
  std::size_t depth = 32;    ///< nesting of arrays and objects
  std::size_t names = 4096;  ///< members of one object
  bool trusted = false;      ///< an answer of upstream: bad UTF-8 and repeated names are let through
};
inline constexpr Limits answer_limits{64, 1u << 20, true};

struct Error {
  std::string what;           ///< a phrase for people: "the name \"a\" stands twice in one object"
  std::size_t at = 0;         ///< the byte, from 0
  bool beyond_limit = false;  ///< the text may be fine; it is more than the limits let through

  /// With the byte: "... (byte 17)".
  std::string text() const { return what + " (byte " + std::to_string(at) + ")"; }
};

/// One JSON value and nothing behind it. Refuses NUL, BOM, comments, invalid UTF-8, lone surrogates, NaN, repeated
/// names (exact; field tables compare without case), and whatever exceeds the limits.
std::variant<Value, Error> parse(std::string_view text, const Limits& limits = {});

/// About how many bytes of memory it takes. A text of many short items takes twenty times its own size.
std::size_t footprint(const Value& value);

/// Compact text. The value of a `parse` always gives the same text. `usual_size`: of it, as far as that is known.
std::string write(const Value& value, std::size_t usual_size = 0);

/// The same value in printable ASCII only.
std::string write_printable(const Value& value);

}  // namespace podfence::rules::json
