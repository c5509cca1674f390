// The values themselves.

#include <algorithm>
#include <charconv>

#include "rules/json.hpp"

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

}  // namespace podfence::rules::json
