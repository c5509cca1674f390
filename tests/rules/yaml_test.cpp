#include "rules/yaml.hpp"

#include <doctest/doctest.h>

#include "rules/kube/quantity.hpp"

using namespace podfence::rules;

namespace {

/// The documents as JSON, one behind the other, or what was refused.
std::string read(std::string_view text, const yaml::Limits& limits = {}) {
  const auto parsed = yaml::parse(text, limits);
  if (const auto* error = std::get_if<yaml::Error>(&parsed))
    return (error->beyond_limit ? "limit: " : "") + error->text();
  std::string result;
  for (const auto& document : std::get<json::Array>(parsed)) result += json::write(document) + ' ';
  if (!result.empty()) result.pop_back();
  return result;
}

std::string scalar(std::string_view text) { return read("a: " + std::string(text)); }

}  // namespace

TEST_CASE("documents of YAML are read into JSON") {
  CHECK(read("a: 1\nb:\n- x\n- {c: d}\n") == R"({"a":1,"b":["x",{"c":"d"}]})");
  CHECK(read("a: 1\n---\nb: 2\n...\n---\n---\n# nothing\n---\nc: |\n  two\n  lines\n") ==
        R"({"a":1} {"b":2} {"c":"two\nlines\n"})");
  CHECK(read("") == "");
  CHECK(read("# only a comment\n") == "");
  CHECK(read(R"({"kind":"Pod","x":[1,true,null,"\u00e9"]})") == R"({"kind":"Pod","x":[1,true,null,"é"]})");
  CHECK(read("a: 'it''s'\nb: >-\n  folded\n  text\nc:\n") == R"({"a":"it's","b":"folded text","c":null})");
}

TEST_CASE("scalars without quotes are what the reader of Kubernetes takes them for") {
  const std::pair<const char*, const char*> rows[] = {
      {"yes", "true"},
      {"No", "false"},
      {"on", "true"},
      {"OFF", "false"},
      {"y", R"("y")"},
      {"N", R"("N")"},
      {"True", "true"},
      {"~", "null"},
      {"Null", "null"},
      {"0644", "420"},
      {"0o644", "420"},
      {"0x1F", "31"},
      {"0b101", "5"},
      {"-7", "-7"},
      {"+7", "7"},
      {"1.50", "1.50"},
      {".5", "0.5"},
      {"5.", "5.0"},
      {"1e3", "1e3"},
      {"-0", "0"},
      {"'yes'", R"("yes")"},
      {"\"1\"", R"("1")"},
      {"1Gi", R"("1Gi")"},
      {"500m", R"("500m")"},
      {"1:30", R"("1:30")"},
      {"yES", R"("yES")"},
      {"0x", R"("0x")"},
      {"1.2.3", R"("1.2.3")"},
      {"18446744073709551615", "18446744073709551615"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(scalar(text) == "{\"a\":" + std::string(expected) + "}");
  }
  for (const auto* text : {"1_000", "08", "0_7", ".inf", "-.Inf", ".nan", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(scalar(text).starts_with("a number that is read in more than one way"));
  }
}

TEST_CASE("what two readers could take for two things is refused") {
  const std::pair<const char*, const char*> rows[] = {
      {"a: 1\na: 2\n", "a key that stands twice in one map (line 2)"},
      {"a: {b: 1, \"b\": 2}\n", "a key that stands twice in one map (line 1)"},
      {"a: &x 1\nb: *x\n", "an anchor (line 1)"},
      {"base: {x: 1}\na:\n  <<: {y: 2}\n", "a merge key (line 3)"},
      {"a: !!str 1\n", "a tag (line 1)"},
      {"a: !!python/object:os.system x\n", "a tag (line 1)"},
      {"a: !mine {b: 1}\n", "a tag (line 1)"},
      {"!!map {a: 1}\n", "a tag (line 1)"},
      {"a: &x [1]\n", "an anchor (line 1)"},
      {"%YAML 1.1\n---\na: 1\n", "a directive (line 1)"},
      {"- a\nb: 1\n", "a document without --- in front of it (line 2)"},
      {"{a: 1} b\n", "a document without --- in front of it (line 1)"},
      {"a: [1\n", "a key that is no text: write it in quotes (line 1)"},
      {"a: 1\n---\n%TAG ! tag:x,2000:\n---\nb: 1\n", "a directive (line 3)"},
      {"1: a\n", "a key that is no text: write it in quotes (line 1)"},
      {"yes: a\n", "a key that is no text: write it in quotes (line 1)"},
      {"? [a]\n: b\n", "a key that is no text (line 1)"},
      {"? {a: b}\n: b\n", "a key that is no text (line 1)"},
      {"~: a\n", "a key that is no text (line 1)"},
      {"a: \"\\0\"\n", "a character that is none (line 1)"},
      {"a: \x01\n", "a control character (line 1)"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       "a byte order mark (line 1)"},
      {"\xFE\xFF\0a", "text that is not UTF-8 (line 1)"},
      {"a: \xC3\x28\n", "text that is not UTF-8 (line 1)"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(read(text) == expected);
  }
  for (const auto* text :
       {"a: *x\n", "\ta: 1\n", "a: b: c\n", "x\ny: 1\n", "a: \"\\ud800\"\n", "{a: 1}}\n", "a: @x\n", "a: `x\n"}) {
    CAPTURE(text);
    CHECK(read(text).starts_with("text that is not well formed"));
  }
}

TEST_CASE("a text that would take much to read is refused before it does") {
  CHECK(read(std::string(33, '[') + std::string(33, ']')) == "limit: deeper nesting than is read (line 1)");
  CHECK(read(std::string(200'000, '[')).find("line 1") != std::string::npos);
  CHECK(read(std::string(200'000, '{')).find("line 1") != std::string::npos);
  CHECK(read(std::string(256 * 1024 + 1, 'x')) == "limit: a longer text than is read (line 1)");
  std::string flat = "a:\n";
  for (int i = 0; i < 65'530; ++i) flat += "-\n";
  flat += "- [x, x, x, x, x, x, x]\n";
  CHECK(read(flat).starts_with("limit: more values than are read"));
  std::string keys;
  for (int i = 0; i < 5'000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(read(keys).starts_with("limit: a map with more keys than are read"));
  std::string documents;
  for (int i = 0; i < 300; ++i) documents += "a: 1\n---\n";
  CHECK(read(documents).starts_with("limit: more documents than are read"));
  // Nine times nine to the power of nine, where aliases are followed.
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  CHECK(read(bomb) == "an anchor (line 1)");
}

TEST_CASE("what is written is read as the same value") {
  for (const auto* text :
       {R"({"kind":"Pod","metadata":{"annotations":{"a/b":"FALSE"},"name":"web"}})",
        R"({"a":[{"b":"1","c":[1,2.5,true,null]},["x",[]],{}],"d":""})",
        R"({"a":"yes","b":"0644","c":"- x","d":"k: v","e":"#c","f":"line\nline\n","g":"é\u0001\"\\"})",
        R"({"a: b":1,"yes":2,"1":3,"":4,"-":5,"x":"%","y":"<<","<<":"z"})", R"("text")", "[]",
        R"({"a":"x:","b":"::1","c":"2001-01-01","d":" x ","e":"~","f":"[","g":"null"})"}) {
    CAPTURE(text);
    const auto value = std::get<json::Value>(json::parse(text));
    const auto written = yaml::write(value);
    CAPTURE(written);
    CHECK(read(written) == text);
  }
  CHECK(yaml::write(std::get<json::Value>(json::parse(R"({"a":[{"b":1,"c":"x"}],"d":{"e":"FALSE","f":"1000"}})"))) ==
        "a:\n- b: 1\n  c: x\nd:\n  e: \"FALSE\"\n  f: \"1000\"\n");
}

TEST_CASE("amounts of Kubernetes") {
  const auto parse = [](std::string_view text, std::int64_t unit = 1) {
    return kube::parse_quantity(std::get<json::Value>(json::parse(text)), unit).value_or(-1);
  };
  CHECK(parse("128") == 128);
  CHECK(parse(R"("64Mi")") == 64 * 1024 * 1024);
  CHECK(parse(R"("1.5Gi")") == 1610612736);
  CHECK(parse(R"("1k")") == 1000);
  CHECK(parse(R"("1e3")") == 1000);
  CHECK(parse(R"("100m")") == 1);
  CHECK(parse(R"("500m")", 1'000'000'000) == 500'000'000);
  CHECK(parse("0.1", 1'000'000'000) == 100'000'000);
  CHECK(parse(R"("2")", 1'000'000'000) == 2'000'000'000);
  for (const auto* text : {R"("-1")", R"("")", R"("Mi")", R"("1 Mi")", R"("1mi")", R"("9999999999P")", R"("1e99")",
                           R"("9223372036854775807")", R"("1..2")", "true", R"("1e3Mi")"}) {
    CAPTURE(text);
    CHECK(parse(text) == -1);
  }
}
