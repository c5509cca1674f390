// Reading of parts: what is not asked about stays as it is, and is JSON for all that.

#include "rules/json_parts.hpp"

#include <doctest/doctest.h>

#include <random>

#include "tests/rules/recorded.hpp"

using namespace podfence::rules;
using namespace podfence::tests;

namespace {

const json::Parts parts{{"Id", "Labels"}, {"Config"}};

std::string back(std::string_view text) {
  const auto read = json::parse_parts(text, parts, "also");
  const auto* value = std::get_if<json::Value>(&read);
  return value ? json::write(*value) : "error: " + std::get<json::Error>(read).what;
}

/// What RapidJSON makes of the whole text, and of what the parts were written as.
void compare(const std::string& text) {
  CAPTURE(text);
  const auto whole = json::parse(text, json::answer_limits);
  const auto some = json::parse_parts(text, parts, "also");
  const auto* value = std::get_if<json::Value>(&some);
  if (const auto* error = std::get_if<json::Error>(&whole)) {
    // RapidJSON would have a number be one of its own, though it is told to keep the text.
    const bool too_big = error->what.find("too big") != std::string::npos;
    CHECK((!value || too_big));
  } else if (value) {
    CHECK(parsed(json::write(*value)) == std::get<json::Value>(whole));
  } else {
    CHECK(std::get<json::Error>(some).what.ends_with("stands twice in one object"));
  }
}

}  // namespace

TEST_CASE("what is read by parts is the same JSON to RapidJSON, however it is spoilt") {
  const std::string all =
      "{\"a\\u0062\\ud83d\\ude00\\udc00\":[ -0.5e+3 ,\t10E-2,true,false,null,{},[ "
      "]],\"Id\":\"\\\"\\/\\b\",\"Labels\":{\"also\":[0]},"
      "\"Config\":[{\"z\":\"\xC3\xA4\",\"Id\":null}], \"long enough for sixteen at once\": \"and some more of that\"}";
  const std::string_view signs = "\"\\{}[]:,.-+eEu0123dDcC8 \n\t\x01\x7fx";
  std::mt19937 random(20261202);
  const auto any = [&](std::size_t below) { return random() % below; };
  compare(all);
  for (int round = 0; round < 100'000; ++round) {
    std::string text = all;
    for (auto changes = 1 + any(3); changes > 0; --changes) {
      const auto at = any(text.size());
      switch (any(4)) {
        case 0:
          text[at] = signs[any(signs.size())];
          break;
        case 1:
          text.insert(at, 1, signs[any(signs.size())]);
          break;
        case 2:
          text.erase(at, 1 + any(4));
          break;
        case 3:
          text.insert(at, text.substr(any(text.size()), 1 + any(12)));
          break;
      }
      if (text.empty()) text = "1";
    }
    compare(text);
  }
}

TEST_CASE("recorded answers that are read by parts are the same JSON") {
  for (const auto* name : {"docker_container.json", "docker_containers.json", "docker_info.json",
                           "docker_network_p1-net.json", "libpod_container.json", "libpod_containers.json"})
    compare(recording(name));
}

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
      R"({"x":{"Id":"inner"},"Id":"1","Config":{"a":1,"Labels":{"k":"v","Config":{"a":2}},"b":2},"y":0})", parts,
      "also");
  const auto& value = std::get<json::Value>(read);
  CHECK(value.text("Id") == "1");
  CHECK(value.find("x") == nullptr);
  CHECK(value.find("Config")->find("Labels")->text("k") == "v");
  CHECK(value.find("Config")->find("Labels")->find("Config")->int64("a") == 2);
  CHECK(value.find("Config")->find("b") == nullptr);
}

TEST_CASE("a whole value ends where it ends: behind a text the next item is read by parts again") {
  const auto read = json::parse_parts(R"([{"Id":"1"},{"a":{"b":1}}])", parts, "also");
  const auto& second = std::get<json::Value>(read).items()->at(1);
  CHECK(second.find("a") == nullptr);
  CHECK(second.members()->at(0).value.run() != nullptr);
}

TEST_CASE("what is not asked about is checked as well") {
  for (const auto* text : {R"({"a":})", R"({"a":[1,]})", R"({"a":"x)", R"({"a":1)", R"({"a":01})", R"({"a":1}x)",
                           "{\"a\":\"\n\"}", R"({"a":tru})", R"({"a":"\x"})", R"({"Id":1,"Id":2})"})
    CHECK(back(text).starts_with("error: "));
  CHECK(back(std::string("{\"a\":\"\0\"}", 9)).starts_with("error: "));
  CHECK(back("{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}").starts_with("error: the nesting"));
  CHECK(back("{\"a\":" + std::string(60, '[') + std::string(60, ']') + "}").starts_with("{\"a\":[["));
}
