// JSON pointers, and on which line of a text they lead to.
#include "rules/json_pointer.hpp"

#include <doctest/doctest.h>

using namespace podfence::rules;

TEST_CASE("a pointer names a member or an item, whatever their names hold") {
  const auto root =
      std::get<json::Value>(json::parse(R"({"a": [10, {"b/c": 1, "~1": 2, "": 3, "é": 4}], "0": {"1": 5}})"));
  const auto number = [&](std::string_view pointer) {
    const json::Value* value = json::find(root, pointer);
    return value && value->int64() ? *value->int64() : 0;
  };
  CHECK(json::find(root, "") == &root);
  CHECK(number("/a/0") == 10);
  CHECK(number("/a/1/b~1c") == 1);
  CHECK(number("/a/1/~01") == 2);
  CHECK(number("/a/1/") == 3);
  CHECK(number("/a/1/é") == 4);
  CHECK(number("/0/1") == 5);
  for (const auto* absent : {"/a/2", "/a/01x", "/a/-1", "/a/1x", "/a/0/0", "/b", "/a/1/b/c", "/a/1/~1", "/"}) {
    CAPTURE(std::string(absent));
    CHECK(json::find(root, absent) == nullptr);
  }
  for (const auto* name : {"plain", "a/b", "~", "~1", "/", ""}) {
    const auto names = json::names_of_pointer(json::extended("/x", name));
    CHECK(names == std::vector<std::string>{"x", name});
  }
}

TEST_CASE("the line of a pointer is the one of the name or of the item, else of what is nearest") {
  const std::string text = R"({
  "a": 1,
  "list": [
    "x", {
      "deep":
        "value"
    },
    [],
    []
  ],
  "p1": {}, "p10": {
    "a/b": {
      "~": 2 } }
}

)";
  struct Row {
    const char* pointer;
    std::size_t line;
  };
  const Row rows[] = {
      {"", 1},        {"/a", 2},      {"/list", 3},          {"/list/0", 4},
      {"/list/1", 4}, {"/list/2", 8}, {"/list/3", 9},        {"/list/1/deep", 5},
      {"/p1", 11},    {"/p10", 11},   {"/p10/a~1b", 12},     {"/p10/a~1b/~0", 13},
      {"/absent", 1}, {"/list/9", 3}, {"/list/1/deep/x", 5}, {"/p1/a~1b", 11},
      {"/p", 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pointer);
    CHECK(json::line_of(text, row.pointer) == row.line);
  }
}

TEST_CASE("the end of a text is on the line of what stands last") {
  CHECK(json::line_at("", 0) == 1);
  CHECK(json::line_at("\n\n", 2) == 1);
  CHECK(json::line_at("{\n", 2) == 1);
  CHECK(json::line_at("{\n}\n\n", 5) == 2);
  CHECK(json::line_at("\n{", 1) == 2);
  CHECK(json::line_at("a\nb\nc", 3) == 2);
  CHECK(json::line_at("a\nb\nc", 4) == 3);
}
