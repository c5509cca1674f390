// What a request target may look like, and that nothing has two readings.
#include "rules/target.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace podfence::rules;

namespace {

using Segments = std::vector<std::string>;
using Pairs = std::vector<QueryPair>;

Target parsed(std::string_view text) {
  auto result = parse_target(text);
  REQUIRE_MESSAGE(std::holds_alternative<Target>(result), std::string(text));
  return std::get<Target>(std::move(result));
}

/// Id of the refusal, or "accepted".
std::string refused(std::string_view text) {
  const auto result = parse_target(text);
  const Deny* denied = std::get_if<Deny>(&result);
  return denied ? std::string(denied->rule->id) : "accepted";
}

std::string written(const Target& target) {
  std::string path = target.version.empty() ? "" : "/" + target.version;
  for (const std::string& segment : target.segments) path += "/" + encode(segment);
  return write_target(path, target.query);
}

}  // namespace

TEST_CASE("a path is split from its version and decoded once") {
  struct Row {
    std::string_view text;
    std::string version;
    Segments segments;
  };
  const Row rows[] = {
      {"/_ping", "", {"_ping"}},
      {"/v1.41/containers/json", "v1.41", {"containers", "json"}},
      {"/v4/libpod/info", "v4", {"libpod", "info"}},
      {"/v5.4.2/libpod/info", "v5.4.2", {"libpod", "info"}},
      {"/version", "", {"version"}},
      {"/volumes/v1", "", {"volumes", "v1"}},
      {"/V1.41/info", "", {"V1.41", "info"}},
      {"/v1.41", "v1.41", {}},
      {"/v1.41/images/localhost/bb:latest/json", "v1.41", {"images", "localhost", "bb:latest", "json"}},
      {"/v1.41/images/localhost%2Fbb:latest/json", "v1.41", {"images", "localhost/bb:latest", "json"}},
      {"/v1.41/images/localhost%2fbb%3Alatest/json", "v1.41", {"images", "localhost/bb:latest", "json"}},
      {"/images/a@sha256:0/json", "", {"images", "a@sha256:0", "json"}},
      {"/containers/a%20b+c/json", "", {"containers", "a b+c", "json"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Target target = parsed(row.text);
    CHECK(target.version == row.version);
    CHECK(target.segments == row.segments);
    CHECK(target.query.empty());
  }
}

TEST_CASE("a query is decoded once, in order, with a plus sign for a space") {
  struct Row {
    std::string_view text;
    Pairs pairs;
  };
  const Row rows[] = {
      {"/a?", {}},
      {"/a?all", {{"all", ""}}},
      {"/a?all=", {{"all", ""}}},
      {"/a?b=1&a=2&b=3", {{"b", "1"}, {"a", "2"}, {"b", "3"}}},
      {"/a?Names=x", {{"Names", "x"}}},
      {"/a?n%61me=x", {{"name", "x"}}},
      {"/a?x=a+b%2Bc", {{"x", "a b+c"}}},
      {"/a?x=a=b?c/d", {{"x", "a=b?c/d"}}},
      {"/a?x=%2541", {{"x", "%41"}}},
      {"/a?path=%0A%3B%23%5C", {{"path", "\n;#\\"}}},
      {"/a?x=%C3%A9", {{"x", "\u00e9"}}},
      {"/a?filters=%7B%22label%22%3A%5B%22a%3Db%22%5D%7D", {{"filters", R"({"label":["a=b"]})"}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parsed(row.text).query == row.pairs);
  }
}

TEST_CASE("a target that could be read in two ways is refused") {
  struct Row {
    std::string_view text, id;
  };
  const Row rows[] = {
      {"", "target.form"},
      {"*", "target.form"},
      {"containers/json", "target.form"},
      {"http://evil/containers/json", "target.form"},
      {"http://libpod/v1.41/images/create", "target.form"},
      {"localhost:80", "target.form"},
      {"?a=b", "target.form"},
      {"/", "target.path"},
      {"//containers/json", "target.path"},
      {"/v4.0.0/libpod/images/registry/docker:%2F%2Fa", "target.path"},
      {"/v4.0.0/libpod/manifests/a/docker:%2F%2Fb", "target.path"},
      {"/v4.0.0/libpod/manifests/a/registry/docker:%2F%2F", "target.path"},
      {"/v4.0.0/libpod/manifests/a/registry/docker:%2F%2F..%2Fb", "target.path"},
      {"/v4.0.0/libpod/manifests/a/registry/docker:%2F%2Fdocker:%2F%2Fb", "target.path"},
      {"/v4.0.0/libpod/manifests/a/registry/dir:%2F%2Fb", "target.path"},
      {"/containers//json", "target.path"},
      {"/containers/json/", "target.path"},
      {"/v1.41/", "target.path"},
      {"/./containers/json", "target.path"},
      {"/containers/../json", "target.path"},
      {"/containers/..", "target.path"},
      {"/containers/%2e%2e/json", "target.path"},
      {"/containers/%2E/json", "target.path"},
      {"/containers/%252e%252e/json", "target.path"},
      {"/containers/a%2f..%2fb/json", "target.path"},
      {"/images/a%2F%2Fb/json", "target.path"},
      {"/images/%2Fa/json", "target.path"},
      {"/images/a%2F/json", "target.path"},
      {"/images/a%2F./json", "target.path"},
      {"/images/a%252Fb/json", "target.path"},
      {"/containers/%25/json", "target.path"},
      {"/containers/a%25b/json", "target.path"},
      {"/v1.41/%63ontainers/json", "target.path"},
      {"/%76%31.41/info", "target.path"},
      {"/containers/%5fa/json", "target.path"},
      {"/containers/a%00/json", "target.path"},
      {"/containers/a%0A/json", "target.path"},
      {"/containers/a%7F/json", "target.path"},
      {"/containers/a%5Cb/json", "target.path"},
      {"/containers/%C3%A9/json", "target.path"},
      {"/containers/a%/json", "target.encoding"},
      {"/containers/a%2/json", "target.encoding"},
      {"/containers/a%zz/json", "target.encoding"},
      {"/containers/a%2", "target.encoding"},
      {"/containers/a\\b/json", "target.encoding"},
      {"/containers/a b/json", "target.encoding"},
      {"/containers/a;b/json", "target.encoding"},
      {"/containers/json#x", "target.encoding"},
      {"/containers/json?a=b#x", "target.encoding"},
      {"/containers/\"a\"/json", "target.encoding"},
      {"/containers/<a>/json", "target.encoding"},
      {"/containers/{a}/json", "target.encoding"},
      {"/containers/\xc3\xa9/json", "target.encoding"},
      {"/containers/\x80/json", "target.encoding"},
      {std::string_view("/containers/a\0b/json", 20), "target.encoding"},
      {"/containers/a\tb/json", "target.encoding"},
      {"/v1.41foo/info", "target.version"},
      {"/v9x/info", "target.version"},
      {"/v1.2.3.4/info", "target.version"},
      {"/v1./info", "target.version"},
      {"/v1..2/info", "target.version"},
      {"/v01/info", "target.version"},
      {"/v1.041/info", "target.version"},
      {"/v12345/info", "target.version"},
      {"/v1.41-beta/info", "target.version"},
      {"/v1%2F2/info", "target.version"},
      {"/a?x=1;y=2", "target.encoding"},
      {"/a?x=%zz", "target.encoding"},
      {"/a?x=%", "target.encoding"},
      {"/a?x=\"\"", "target.encoding"},
      {"/a?x=a b", "target.encoding"},
      {"/a?x=\xc5\xbf", "target.encoding"},
      {"/a?x[]=1", "target.encoding"},
      {"/a?=1", "query.syntax"},
      {"/a?&", "query.syntax"},
      {"/a?x=1&", "query.syntax"},
      {"/a?x=1&&y=2", "query.syntax"},
      {"/a?label%C5%BF=1", "query.syntax"},
      {"/a?filters%00=1", "query.syntax"},
      {"/a?a+b=1", "query.syntax"},
      {"/a?x=a%00b", "query.syntax"},
      {"/a?x=%FF", "query.syntax"},
      {"/a?x=%ED%A0%80", "query.syntax"},
      {"/a?x=%C0%AF", "query.syntax"},
      {"/a?x=%F4%90%80%80", "query.syntax"},
      {"/a?x=%E2%82", "query.syntax"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(refused(row.text) == row.id);
  }
}

TEST_CASE("the longest target is accepted and one byte more is refused") {
  const std::string longest = "/a?x=" + std::string(max_target_size - 5, 'y');
  CHECK(refused(longest) == "accepted");
  CHECK(refused(longest + "y") == "target.length");
  CHECK(std::holds_alternative<Target>(parse_target("/a/b", 4)));
  CHECK(std::get<Deny>(parse_target("/a/bc", 4)).subject == "4");
}

TEST_CASE("a refusal never quotes bytes that could not be read") {
  for (const std::string_view text : {"/a\x80", "/a\x1b[31m", "/a?\xff=1"}) {
    const auto result = parse_target(text);
    for (char c : std::get<Deny>(result).subject) CHECK((c >= 0x20 && c < 0x7f));
  }
}

TEST_CASE("everything but unreserved characters is encoded, slashes too") {
  CHECK(encode("a-b_c.d~9") == "a-b_c.d~9");
  CHECK(encode("/a b\n\xc3\xa9&=+%") == "%2Fa%20b%0A%C3%A9%26%3D%2B%25");
  CHECK(write_target("/v1.41/build", {{"remote", "/libpod/"}, {"q", ""}}) == "/v1.41/build?remote=%2Flibpod%2F&q=");
  CHECK(write_target("/_ping", {}) == "/_ping");
}

TEST_CASE("what is accepted is written as a text that reads the same") {
  constexpr std::string_view pieces[] = {"/",   "v1.41",  "v",   "libpod", "a", "..",   ".",  "%2F", "%2f",     "%25",
                                         "%41", "%",      "?",   "&",      "=", ";",    "+",  "#",   " ",       "%20",
                                         "%00", "%C3%A9", "%FF", ":",      "@", "json", "\\", "9",   "\xc3\xa9"};
  std::mt19937 random(20240601);
  std::size_t accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text = "/";
    for (auto count = random() % 12; count > 0; --count) text += pieces[random() % std::size(pieces)];
    const auto result = parse_target(text);
    const Target* target = std::get_if<Target>(&result);
    if (!target) continue;
    ++accepted;
    const std::string canonical = written(*target);
    const auto again = parse_target(canonical);
    if (!std::holds_alternative<Target>(again) || std::get<Target>(again) != *target) FAIL(text << " -> " << canonical);
    if (written(std::get<Target>(again)) != canonical) FAIL(canonical);
  }
  CHECK(accepted > 5000);
}
