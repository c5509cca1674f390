// What the reader of JSON refuses, what it keeps, and that it writes what it read.

#include "rules/json.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace podfence::rules;
using namespace std::string_literals;

namespace {

std::string error_of(std::string_view text, const json::Limits& limits = {}) {
  const auto result = json::parse(text, limits);
  const auto* error = std::get_if<json::Error>(&result);
  return error ? error->text() : "";
}

json::Value parsed(std::string_view text, const json::Limits& limits = {}) {
  auto result = json::parse(text, limits);
  if (const auto* error = std::get_if<json::Error>(&result)) FAIL(error->what);
  return std::get<json::Value>(std::move(result));
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t count = 0; count < times; ++count) text += piece;
  return text;
}

}  // namespace

TEST_CASE("a value is written as it was read") {
  for (const char* text :
       {R"({})", R"([])", R"("")", R"(null)", R"(true)", R"(0)", R"({"a":[1,{"b":null},"c",false]})", R"([[],{},[[]]])",
        R"({"b":1,"a":2})", R"("\"\\\n\u0001")", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""}) {
    CAPTURE(text);
    CHECK(json::write(parsed(text)) == text);
  }
}

TEST_CASE("white space around and inside is accepted and not written") {
  CHECK(json::write(parsed(" \r\n\t{ \"a\" : [ 1 , 2 ] }\n")) == R"({"a":[1,2]})");
}

TEST_CASE("what is written to be printed is ASCII without control characters") {
  CHECK(json::write_printable(parsed(R"(["a",1,{"\u00e9\u007f":"\u0001\ud83d\ude00"}])")) ==
        R"(["a",1,{"\u00E9\u007f":"\u0001\uD83D\uDE00"}])");
  CHECK(json::write_printable("\x7f") == R"("\u007f")");
  CHECK(json::write_printable("x\x7f\x7fy") == R"("x\u007f\u007fy")");
  // Quadratic work would take minutes here.
  constexpr std::size_t times = 2'000'000;
  CHECK(json::write_printable(std::string(times, '\x7f')) == "\"" + repeated("\\u007f", times) + "\"");
}

TEST_CASE("a number keeps its text") {
  for (const char* text : {"18446744073709551616", "123456789012345678901234567890", "1e2", "-0", "1e-400", "0.10",
                           "-9223372036854775808", "1E+5"}) {
    CAPTURE(text);
    CHECK(json::write(parsed(text)) == text);
  }
}

TEST_CASE("escapes are decoded") {
  CHECK(*parsed(R"("\u0061\/\ud83d\ude00")").string() == "a/\xF0\x9F\x98\x80");
  CHECK(parsed(R"({"\u0048ost":1})").find("Host") != nullptr);
}

TEST_CASE("what is not strict JSON is refused") {
  const std::string texts[] = {
      "",
      " ",
      "{",
      "[1,",
      "{}x",
      "{} {}",
      "[1,]",
      "{\"a\":1,}",
      "{a:1}",
      "{'a':1}",
      "{null:1}",
      "// c\n1",
      "/**/1",
      "NaN",
      "Infinity",
      "-Infinity",
      "01",
      "+1",
      "1.",
      ".5",
      "0x10",
      "\"a\nb\"",
      "\"\x01\"",
      "\"\\x41\"",
      "tru",
      "1E400",
      "\xEF\xBB\xBF{}",         // BOM
      "{\"a\":1}\0{\"a\":2}"s,  // RapidJSON alone stops at NUL and accepts
      "{}\0"s,
      "\"a\0b\""s,
      "\"\xC0\xAF\"",          // overlong
      "\"\xED\xA0\x80\"",      // surrogate as bytes
      "\"\xF4\x90\x80\x80\"",  // above U+10FFFF
      "\"\xC3\"",
      "\"\xFF\"",
      "{\"\xFF\":1}",
      "\"\\ud800\"",
      "\"\\ud800x\"",
      "\"\\ud800\\u0041\"",
      "\"\\udc00\"",
      "{\"\\udc00\":1}",
      "\"\\udbff\\udbff\"",  // RapidJSON alone accepts the lone low half
      "\"a\\u0000b\"",
      "{\"\\u0000\":1}",
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_FALSE(error_of(text).empty());
  }
}

TEST_CASE("a comma too many is told as such") {
  CHECK(error_of(R"({"a":1,})") ==
        "a name in double quotes is missing (behind the last member of an object stands no comma) (byte 7)");
  CHECK(error_of("[1,]") ==
        "a value is missing, or none of JSON's (behind the last item of an array stands no comma) (byte 3)");
}

TEST_CASE("neighbours of the surrogates are no surrogates") {
  for (const char* text : {"\"\xED\x9F\xBF\"", "\"\xEE\x80\x80\""}) CHECK(json::write(parsed(text)) == text);
}

TEST_CASE("a repeated name is refused however it is escaped") {
  CHECK(error_of(R"({"a":1,"b":2,"a":3})") == "the name \"a\" stands twice in one object (byte 16)");
  CHECK_FALSE(error_of(R"({"a":1,"\u0061":3})").empty());
  CHECK_FALSE(error_of(R"([{"x":{"a":1,"a":null}}])").empty());
  CHECK(error_of(R"({"a":{"a":1},"b":{"a":1}})").empty());
  CHECK(error_of(R"({"a":1,"A":2})").empty());
}

TEST_CASE("names that differ in few characters are told apart, however many there are") {
  // The same length, first, middle and last character.
  const auto name = [](int number) { return "n" + std::to_string(100 + number) + "_middle_" + "xyz"; };
  for (const int count : {2, 79, 80, 81, 300}) {
    CAPTURE(count);
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += "\"" + name(i) + "\":" + std::to_string(i) + ",";
    const auto differing = parsed(text + "\"\":0}");
    CHECK(differing.members()->size() == static_cast<std::size_t>(count) + 1);
    for (int i = 0; i < count; ++i) CHECK(differing.find(name(i))->int64() == i);
    for (const int again : {0, count / 2, count - 1})
      CHECK(error_of(text + "\"" + name(again) + "\":0}").starts_with("the name \"" + name(again) + "\" stands twice"));
    CHECK(error_of(text + "\"\":0,\"\":0}").starts_with("the name \"\" stands twice"));
    const auto last = parsed(text + "\"" + name(0) + "\":7}", json::answer_limits);
    CHECK(last.members()->size() == static_cast<std::size_t>(count));
    CHECK(last.members()->back().value.int64() == 7);
  }
}

TEST_CASE("a value takes no more memory than its parts, however they came") {
  const auto value = parsed(R"({"a":[1,2,3],"b":{"c":{},"d":[[],[{}]],"e":1},"f":[{"g":1},{"h":2},{"i":3}]})");
  CHECK(json::write(value) == R"({"a":[1,2,3],"b":{"c":{},"d":[[],[{}]],"e":1},"f":[{"g":1},{"h":2},{"i":3}]})");
  CHECK(value.members()->capacity() == 3);
  CHECK(value.find("a")->items()->capacity() == 3);
  CHECK(value.find("f")->items()->capacity() == 3);
  CHECK(value.find("b")->members()->capacity() == 3);
}

TEST_CASE("a long name is cut in the message between characters") {
  const std::string name = std::string(63, 'n') + "\xE2\x82\xAC" + "tail";
  CHECK(error_of("{\"" + name + "\":1,\"" + name + "\":1}").find("\"" + std::string(63, 'n') + "...\"") !=
        std::string::npos);
}

TEST_CASE("the depth is limited and no depth overflows the stack") {
  const auto nested = [](std::size_t depth) { return repeated("[", depth) + repeated("]", depth); };
  CHECK(error_of(nested(32)).empty());
  CHECK_FALSE(error_of(nested(33)).empty());
  CHECK_FALSE(error_of(repeated("{\"a\":", 33) + "1" + repeated("}", 33)).empty());
  CHECK_FALSE(error_of(nested(1'000'000)).empty());
  CHECK_FALSE(error_of(repeated("[", 1'000'000)).empty());
  CHECK(error_of(nested(64), json::answer_limits).empty());
  CHECK_FALSE(error_of(nested(65), json::answer_limits).empty());
}

TEST_CASE("the number of names of one object is limited") {
  const auto object = [](int names) {
    std::string text = "{";
    for (int name = 0; name < names; ++name) text += (name ? ",\"" : "\"") + std::to_string(name) + "\":0";
    return text + "}";
  };
  CHECK(error_of(object(4096)).empty());
  CHECK_FALSE(error_of(object(4097)).empty());
  // Quadratic work would take minutes here.
  CHECK(parsed(object(200'000), json::answer_limits).members()->size() == 200'000);
}

TEST_CASE("what exceeds a limit is told apart from what is no JSON") {
  const auto beyond_limit = [](std::string_view text) {
    return std::get<json::Error>(json::parse(text, {2, 2})).beyond_limit;
  };
  CHECK(beyond_limit("[[[]]]"));
  CHECK(beyond_limit(R"({"a":1,"b":2,"c":3})"));
  CHECK_FALSE(beyond_limit("[[}]"));
  CHECK_FALSE(beyond_limit(R"({"a":1,"a":2})"));
}

TEST_CASE("the footprint of a value is at least what its parts take") {
  CHECK(json::footprint(parsed("1")) == sizeof(json::Value));
  CHECK(json::footprint(parsed("\"" + std::string(1000, 'x') + "\"")) > 1000);
  CHECK(json::footprint(parsed("{\"" + std::string(1000, 'x') + "\":1}")) > 1000 + 2 * sizeof(json::Value));
  const auto many = parsed("[1" + repeated(",1", 9999) + "]");
  CHECK(json::footprint(many) >= 10'000 * sizeof(json::Value));
  CHECK(json::footprint(many) <= 2 * 10'000 * sizeof(json::Value) + sizeof(json::Value));
}

TEST_CASE("a trusted text may repeat names, of which the last counts, and hold bad UTF-8") {
  CHECK(json::write(parsed(R"({"a":1,"b":2,"a":3,"c":4,"a":5})", json::answer_limits)) == R"({"b":2,"c":4,"a":5})");
  CHECK(json::write(parsed("\"\xFF\"", json::answer_limits)) == "\"\xFF\"");
  CHECK_FALSE(error_of("{}\0"s, json::answer_limits).empty());
  CHECK_FALSE(error_of("{} x", json::answer_limits).empty());
}

TEST_CASE("only plain integers in range are integers") {
  CHECK(parsed("9223372036854775807").int64() == 9223372036854775807);
  CHECK(parsed("-5").int64() == -5);
  CHECK(parsed("18446744073709551615").uint64() == 18446744073709551615u);
  for (const char* text : {"9223372036854775808", "1e2", "1.0", "-9223372036854775809", "\"1\"", "true", "null"}) {
    CAPTURE(text);
    CHECK_FALSE(parsed(text).int64().has_value());
  }
  for (const char* text : {"18446744073709551616", "-1"}) CHECK_FALSE(parsed(text).uint64().has_value());
}

TEST_CASE("zero values and containers of them are zero") {
  for (const char* text :
       {"null", "false", "0", "-0", "0.0", "0e7", "\"\"", "[]", "{}", "[0,\"\",[]]", R"({"a":{"b":0}})"}) {
    CAPTURE(text);
    CHECK(parsed(text).is_zero());
  }
  for (const char* text : {"true", "1", "-1", "0.1", "\" \"", "[1]", R"({"a":{"b":1}})"}) {
    CAPTURE(text);
    CHECK_FALSE(parsed(text).is_zero());
  }
}

TEST_CASE("members are found, set and erased by their exact name") {
  json::Value value;
  value.set("a", "x");
  value.set("b", json::Value::integer(2));
  value.set("a", "y");
  CHECK(json::write(value) == R"({"a":"y","b":2})");
  CHECK(value.text("a") == "y");
  CHECK(value.text("b") == "");
  CHECK(value.text("A") == "");
  value.erase("a");
  CHECK(value.find("a") == nullptr);
  json::Value list;
  list.push(true);
  list.push(nullptr == value.find("a"));
  CHECK(json::write(list) == "[true,true]");
}

TEST_CASE("equality is of kind, order and text") {
  CHECK(parsed(R"({"a":[1,"x"]})") == parsed(R"({ "a" : [1, "x"] })"));
  CHECK_FALSE(parsed("1") == parsed("1.0"));
  CHECK_FALSE(parsed("\"1\"") == parsed("1"));
  CHECK_FALSE(parsed("[1]") == parsed("[1,2]"));
  CHECK_FALSE(parsed("true") == parsed("false"));
}

TEST_CASE(
    "a character that may not stand in a string as itself is found wherever it stands, and escaped in what is "
    "written") {
  for (std::size_t before = 0; before <= 40; ++before) {
    CAPTURE(before);
    for (int code = 0; code < 128; ++code) {
      CAPTURE(code);
      const auto text = std::string(before, 'a') + static_cast<char>(code) + std::string(20, 'z');
      const bool plain = code >= ' ' && code != '"' && code != '\\';
      for (const auto& limits : {json::Limits(), json::answer_limits})
        CHECK(error_of("[\"" + text + "\"]", limits).empty() == plain);
      const auto written = json::write(json::Value(text));
      CHECK((written == "\"" + text + "\"") == plain);
      if (code != 0) CHECK(*parsed(written).string() == text);
    }
  }
}

TEST_CASE("a text that becomes shorter than was thought holds no more memory for that") {
  const json::Value value(std::string(100, 'a'));
  CHECK(json::write(value, 1'000'000).capacity() <= 2 * json::write(value).size());
}
