#include "rules/json_schema.hpp"

#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <charconv>
#include <stdexcept>

#include "rules/json_pointer.hpp"

namespace podfence::rules::json {
namespace {

using Validator = rapidjson::GenericSchemaValidator<rapidjson::SchemaDocument>;

bool feed_number(const Value& value, Validator& validator) {
  if (const auto number = value.int64()) return validator.Int64(*number);
  if (const auto number = value.uint64()) return validator.Uint64(*number);
  const std::string& text = value.number()->text;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return validator.Double(number);
}

rapidjson::SizeType size_of(const auto& container) { return static_cast<rapidjson::SizeType>(container.size()); }

/// The events of a value, until the validator says no.
bool feed(const Value& value, Validator& validator) {
  if (const bool* boolean = value.boolean()) return validator.Bool(*boolean);
  if (value.number()) return feed_number(value, validator);
  if (const std::string* text = value.string()) return validator.String(text->data(), size_of(*text), true);
  if (const Array* items = value.items()) {
    if (!validator.StartArray()) return false;
    for (const Value& item : *items)
      if (!feed(item, validator)) return false;
    return validator.EndArray(size_of(*items));
  }
  if (const Object* members = value.members()) {
    if (!validator.StartObject()) return false;
    for (const auto& [name, member] : *members)
      if (!validator.Key(name.data(), size_of(name), true) || !feed(member, validator)) return false;
    return validator.EndObject(size_of(*members));
  }
  return validator.Null();
}

std::string text_of(const Validator::PointerType& pointer) {
  rapidjson::StringBuffer buffer;
  pointer.Stringify(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

rapidjson::Document document_of(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  if (document.HasParseError()) throw std::logic_error("the schema is no JSON");
  return document;
}

}  // namespace

struct Schema::Compiled {
  explicit Compiled(std::string_view text) : source(document_of(text)), schema(source) {}
  rapidjson::Document source;
  rapidjson::SchemaDocument schema;
};

Schema::Schema(std::string_view text, std::string_view definition) {
  auto parsed = parse(text);
  if (const auto* error = std::get_if<Error>(&parsed)) throw std::logic_error("the schema: " + error->text());
  text_ = std::get<Value>(std::move(parsed));
  if (!definition.empty()) {
    const Value* definitions = text_.find("definitions");
    if (!definitions || !definitions->find(definition)) throw std::logic_error("the schema has no such definition");
    Value root = Value::object();
    root.set("$ref", "#/definitions/" + std::string(definition));
    root.set("definitions", *definitions);
    text_ = std::move(root);
  }
  compiled_ = std::make_unique<Compiled>(write(text_));
}

Schema::~Schema() = default;

std::optional<Violation> Schema::check(const Value& value) const {
  Validator validator(compiled_->schema);
  if (feed(value, validator)) return std::nullopt;
  const std::string where = text_of(validator.GetInvalidDocumentPointer());
  const Value* node = find(text_, text_of(validator.GetInvalidSchemaPointer()));
  const char* keyword = validator.GetInvalidSchemaKeyword();
  if (!node || !keyword) throw std::logic_error("the schema's validator does not say what is wrong at " + where);
  return Violation{where, violation_text(text_, *node, keyword, find(value, where))};
}

}  // namespace podfence::rules::json
