// What is told of a JSON value that was written anew.
#include "rules/json_difference.hpp"

#include <doctest/doctest.h>

using namespace podfence::rules;

namespace {

std::string text(const std::optional<json::Value>& value) { return value ? json::write(*value) : "nothing"; }

/// One line per difference: "~ /a 1 2".
std::string told(std::string_view before, std::string_view after) {
  const auto value = [](std::string_view json) { return std::get<json::Value>(json::parse(json)); };
  std::string lines;
  for (const auto& each : json::differences(value(before), value(after))) {
    const char* sign = each.kind == json::Difference::Kind::Added     ? "+ "
                       : each.kind == json::Difference::Kind::Removed ? "- "
                       : each.kind == json::Difference::Kind::Changed ? "~ "
                                                                      : "= ";
    lines += sign + each.where + " " + text(each.before) + " " + text(each.after) + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("what is the same is not told, in whatever order its members are") {
  CHECK(told("{}", "{}") == "");
  CHECK(told(R"({"a":1,"b":[{"c":null}]})", R"({"b":[{"c":null}],"a":1})") == "");
}

TEST_CASE("every change is told with its place and both values") {
  struct Row {
    const char* before;
    const char* after;
    const char* told;
  };
  const Row rows[] = {
      {R"({"a":1})", R"({"a":2})", "~ /a 1 2\n"},
      {R"({"a":"x"})", R"({"a":["x"]})", "~ /a \"x\" [\"x\"]\n"},
      {R"({"a":1})", R"({})", "- /a 1 nothing\n"},
      {R"({})", R"({"a":1})", "+ /a nothing 1\n"},
      {R"({"a":{"b":{"c":1}}})", R"({"a":{"b":{"c":2}}})", "~ /a/b/c 1 2\n"},
      {R"({"a/b":{"c~d":1}})", R"({"a/b":{}})", "- /a~1b/c~0d 1 nothing\n"},
      // New and lost objects member by member, unless they say nothing.
      {R"({})", R"({"a":{"b":1,"c":{"d":"x"}}})", "+ /a/b nothing 1\n+ /a/c/d nothing \"x\"\n"},
      {R"({"a":{"b":0,"c":""}})", R"({})", "- /a {\"b\":0,\"c\":\"\"} nothing\n"},
      {R"({})", R"({"a":{"80/tcp":{}}})", "+ /a nothing {\"80/tcp\":{}}\n"},
      // Another spelling of the same name.
      {R"({"cmd":["x"]})", R"({"Cmd":["x"]})", "= /Cmd \"cmd\" \"Cmd\"\n"},
      {R"({"hostconfig":{"memory":1}})", R"({"HostConfig":{"Memory":2}})",
       "= /HostConfig \"hostconfig\" \"HostConfig\"\n= /HostConfig/Memory \"memory\" \"Memory\"\n~ /HostConfig/Memory "
       "1 "
       "2\n"},
      {R"({"A":1,"a":2})", R"({"a":2})", "- /A 1 nothing\n"},
      {R"({"a":1,"A":2})", R"({"A":1})", "- /a 1 nothing\n~ /A 2 1\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.before);
    CAPTURE(row.after);
    CHECK(told(row.before, row.after) == row.told);
  }
}

TEST_CASE("items of lists are told by their index: what is alike at both ends stays") {
  CHECK(told("[1,2,3]", "[1,3]") == "- /1 2 nothing\n");
  CHECK(told("[1,3]", "[1,2,3]") == "+ /1 nothing 2\n");
  CHECK(told("[1,2,3]", "[1,9,3]") == "~ /1 2 9\n");
  CHECK(told("[1,2]", "[]") == "- /0 1 nothing\n- /1 2 nothing\n");
  CHECK(told(R"([{"a":1},{"b":2}])", R"([{"a":3},{"b":2}])") == "~ /0/a 1 3\n");
  CHECK(told("[1]", "[1,1]") == "+ /1 nothing 1\n");
}
