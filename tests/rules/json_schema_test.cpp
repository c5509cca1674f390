// What RapidJSON's validator says, in the words of the schema.
#include "rules/json_schema.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/rules/parsed.hpp"

using namespace podfence::rules;
using podfence::tests::parsed;

namespace {

/// "pointer: what", "" when nothing is wrong.
std::string wrong(const json::Schema& schema, std::string_view text) {
  const auto violation = schema.check(parsed(text));
  return violation ? violation->where + ": " + violation->what : "";
}

constexpr std::string_view text = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["name"],
  "properties": {
    "name": {"$ref": "#/definitions/name"},
    "mode": {"type": "string", "enum": ["a", "b"], "description": "a mode"},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1, "maximum": 9},
    "least": {"type": "number", "minimum": 0.5, "description": "a share"},
    "most": {"type": "number", "maximum": 2},
    "list": {"type": "array", "uniqueItems": true, "maxItems": 3, "items": {"$ref": "#/definitions/name"}},
    "by/name": {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/definitions/part"}},
    "never": {"not": {}, "description": "must not stand here"}
  },
  "definitions": {
    "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5, "description": "a short name"},
    "part": {"type": "object", "additionalProperties": false, "required": ["x"], "properties": {"x": {"$ref": "#/definitions/name"}}}
  }
})";

}  // namespace

TEST_CASE("a violation says where, what must be there, and what is allowed") {
  struct Row {
    const char* value;
    const char* reason;
  };
  const Row rows[] = {
      {R"({"name": "a"})", ""},
      {R"({"name": "a", "mode": "b", "flag": true, "count": 9, "least": 0.5, "most": -1, "list": ["a", "b"]})", ""},
      {R"({"name": "a", "by/name": {"k~": {"x": "y"}}})", ""},
      {R"([])", ": must be an object"},
      {R"({})", ": must say name: a short name"},
      {R"({"name": 1})", "/name: must be a short name"},
      {R"({"name": null})", "/name: must be a short name"},
      {R"({"name": "A"})", "/name: must be a short name"},
      {R"({"name": "aaaaaa"})", "/name: must be a short name"},
      {R"({"name": "a", "mode": "c"})", "/mode: must be a mode; allowed: \"a\", \"b\""},
      {R"({"name": "a", "mode": 1})", "/mode: must be a mode; allowed: \"a\", \"b\""},
      {R"({"name": "a", "flag": "true"})", "/flag: must be true or false"},
      {R"({"name": "a", "count": 0})", "/count: must be an integer; allowed: 1 to 9"},
      {R"({"name": "a", "count": 10})", "/count: must be an integer; allowed: 1 to 9"},
      {R"({"name": "a", "count": 1.0})", "/count: must be an integer; allowed: 1 to 9"},
      {R"({"name": "a", "count": 18446744073709551616})", "/count: must be an integer; allowed: 1 to 9"},
      {R"({"name": "a", "count": 18446744073709551615})", "/count: must be an integer; allowed: 1 to 9"},
      {R"({"name": "a", "least": 0.4})", "/least: must be a share; allowed: 0.5 and more"},
      {R"({"name": "a", "most": 2.5})", "/most: must be a number; allowed: up to 2"},
      {R"({"name": "a", "list": {}})", "/list: must be a list"},
      {R"({"name": "a", "list": ["a", 2]})", "/list/1: must be a short name"},
      {R"({"name": "a", "list": ["a", "b", "a"]})", "/list/2: stands in the list already"},
      {R"({"name": "a", "list": ["a", "b", "c", "d"]})", "/list: must be a list"},
      {R"({"name": "a", "by/name": {}})", "/by~1name: must be an object"},
      {R"({"name": "a", "by/name": {"k~/": {}}})", "/by~1name/k~0~1: must say x: a short name"},
      {R"({"name": "a", "by/name": {"0": {"y": 1}}})", "/by~1name/0/y: is not a key that is known here; known are: x"},
      {R"({"name": "a", "never": []})", "/never: must not stand here"},
      {R"({"nam": "a"})",
       "/nam: is not a key that is known here; known are: name, mode, flag, count, least, most, list, by/name, never"},
  };
  const json::Schema schema(text);
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(wrong(schema, row.value) == row.reason);
  }
}

TEST_CASE("a value can be held against one definition") {
  const json::Schema schema(text, "part");
  CHECK(wrong(schema, R"({"x": "a"})") == "");
  CHECK(wrong(schema, R"({"x": "A"})") == "/x: must be a short name");
  CHECK(wrong(schema, R"({"name": "a"})") == "/name: is not a key that is known here; known are: x");
  CHECK_THROWS_AS(json::Schema(text, "absent"), std::logic_error);
  CHECK_THROWS_AS(json::Schema("{"), std::logic_error);
}
