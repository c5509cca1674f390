// Reading of parts: what is not asked about stays as it is, and is JSON for all that.

#include "rules/json_parts.hpp"

#include <doctest/doctest.h>

using namespace podfence::rules;

namespace {

const json::Parts parts{{"Id", "Labels"}, {"Config"}};

std::string back(std::string_view text) {
  const auto read = json::parse_parts(text, parts);
  const auto* value = std::get_if<json::Value>(&read);
  return value ? json::write(*value) : "error: " + std::get<json::Error>(read).what;
}

}  // namespace

TEST_CASE("what is read by parts is written as it was") {
  for (
      const auto* text :
      {R"([])", R"({})", R"({"a":1})", R"({"a":1,"Id":"x"})", R"({"Id":"x","a":[{"Id":1}],"b":{}})",
       R"([{"a":"}, \"Id\": {","Id":"x","Config":{"z":[1,[2]],"Labels":{"a":{"b":[]}},"y":null},"c":1e40},{"Id":""},7])",
       R"({"Config":[{"q":1},{"Id":2,"q":3}],"Id":[[]]})", R"({"":0,"Id":1})", R"({"\u0049d":1})"})
    CHECK(back(text) == (std::string_view(text) == R"({"\u0049d":1})" ? R"({"Id":1})" : text));
  CHECK(back("{ \"a\" : 1 ,\n\"Id\" : 2 , \"b\" : [ 1 ] }\n") == R"({"a" : 1,"Id":2,"b" : [ 1 ]})");
}

TEST_CASE("what is asked about is found, wherever it stands") {
  const auto read = json::parse_parts(
      R"({"x":{"Id":"inner"},"Id":"1","Config":{"a":1,"Labels":{"k":"v","Config":{"a":2}},"b":2},"y":0})", parts);
  const auto& value = std::get<json::Value>(read);
  CHECK(value.text("Id") == "1");
  CHECK(value.find("x") == nullptr);
  CHECK(value.find("Config")->find("Labels")->text("k") == "v");
  CHECK(value.find("Config")->find("Labels")->find("Config")->int64("a") == 2);
  CHECK(value.find("Config")->find("b") == nullptr);
}

TEST_CASE("a whole value ends where it ends: behind a text the next item is read by parts again") {
  const auto read = json::parse_parts(R"([{"Id":"1"},{"a":{"b":1}}])", parts);
  const auto& second = std::get<json::Value>(read).items()->at(1);
  CHECK(second.find("a") == nullptr);
  CHECK(json::is_run(second.members()->at(0)));
}

TEST_CASE("what is not asked about is checked as well") {
  for (const auto* text : {R"({"a":})", R"({"a":[1,]})", R"({"a":"x)", R"({"a":1)", R"({"a":01})", R"({"a":1}x)",
                           "{\"a\":\"\n\"}", R"({"a":tru})", R"({"a":"\x"})", R"({"Id":1,"Id":2})"})
    CHECK(back(text).starts_with("error: "));
  CHECK(back(std::string("{\"a\":\"\0\"}", 9)).starts_with("error: "));
  CHECK(back("{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}").starts_with("error: the nesting"));
  CHECK(back("{\"a\":" + std::string(60, '[') + std::string(60, ']') + "}").starts_with("{\"a\":[["));
}
