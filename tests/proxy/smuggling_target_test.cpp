// Request targets that a router, a query parser and a human may read differently. Refused, not repaired; a refusal of
// this kind leaves the framing clear, so the connection may live on.

#include <doctest/doctest.h>

#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;

namespace {

struct TargetRow {
  std::string id;
  std::string target;
  int status = 400;
};

/// In every cut the same refusal, and nothing upstream.
void check_refused(SteppedProxy& proxy, const std::string& id, const std::string& bytes, int status) {
  CAPTURE(id);
  const auto played = play_same(proxy, bytes);
  REQUIRE(played.read.size() > 12);
  CHECK(played.read.substr(9, 3) == std::to_string(status));
  CHECK(played.read.find(R"("response":)" + played.read.substr(9, 3)) != std::string::npos);
  CHECK(played.requests.empty());
}

void play_targets(const std::vector<TargetRow>& rows) {
  SteppedProxy proxy;
  proxy.objects.add(podfence::rules::Kind::Container, "c1", "p1");
  for (const auto& row : rows) check_refused(proxy, row.id, get_request(row.target), row.status);
}

}  // namespace

TEST_CASE("only origin form is accepted") {
  play_targets({
      {"T01 D15", "http://evil/v1.41/containers/json"},
      {"T01 libpod as host", "http://libpod/v1.41/images/create?fromImage=x"},
      {"T01 https", "https://d/_ping"},
      {"T04", "*"},
      {"T09 D16 ping", "//_ping"},
      {"T09", "//v1.41/containers/json"},
      {"T10", "v1.41/containers/json"},
      {"T authority", "d:80"},
  });
}

TEST_CASE("paths that change when they are cleaned or decoded again are refused") {
  play_targets({
      {"T05", "/v1.41/containers/c1/json#x"},
      {"T06 D16", "/v1.41/x/../containers/json"},
      {"T06 dot", "/v1.41/./containers/json"},
      {"T06 end", "/v1.41/containers/c1/json/.."},
      {"T06 D17 encoded", "/v1.41/containers/%2e%2e/json"},
      {"T06 half encoded", "/v1.41/containers/.%2e/json"},
      {"T07 D17 D18 slash", "/v1.41/containers/a%2fb/json", 404},
      {"T07 climbing", "/v1.41/containers/a%2f..%2fb/json"},
      {"T07 NUL", "/v1.41/containers/c1%00/json"},
      {"T07 newline", "/v1.41/containers/c1%0d%0aHost:%20e/json"},
      {"T11 twice encoded", "/v1.41/containers/%252e%252e/json"},
      {"T11 twice encoded slash", "/v1.41/containers/a%252fb/json"},
      {"T12 encoded letter", "/v1.41/%63ontainers/json", 400},
      {"T12 D17 encoded underscore", "/%5fping", 400},
      {"T13 D17 trailing slash", "/v1.41/containers/json/", 400},
      {"T14 empty segment", "/v1.41/containers//json"},
      {"T15 D17 upper case", "/v1.41/Containers/json", 404},
      {"T15 upper-case version", "/V1.41/containers/json", 404},
      {"T16 D17 trailing blank", "/v1.41/containers/json%20", 405},
      {"T17", "/v1.41/containers/%zz/json"},
      {"T17 cut", "/v1.41/containers/c1/json%2"},
      {"T18 D19 version text", "/v9999abc/containers/json"},
      {"T18 version words", "/v1.41foo/containers/json"},
      {"T semicolon", "/v1.41/containers/c1;x/json"},
      {"root", "/", 400},
  });
}

TEST_CASE("characters that have no place in a target are refused") {
  play_targets({
      {"T08 backslash", "/v1.41/containers\\json"},
      {"T08 quote", "/v1.41/containers/\"c1\"/json"},
      {"T08 angle", "/v1.41/containers/<c1>/json"},
      {"T08 8-bit", "/v1.41/containers/\xc3\xa4/json"},
      {"T08 encoded 8-bit that is no UTF-8", "/v1.41/containers/%ff/json"},
      {"T08 caret", "/v1.41/containers/^/json"},
      {"T08 brace", "/v1.41/containers/{c1}/json"},
      {"T08 DEL", "/v1.41/containers/\x7f/json"},
  });
}

TEST_CASE("queries that Go and others cut differently are refused") {
  const auto list = [](const std::string& query) { return "/v1.41/containers/json?" + query; };
  play_targets({
      {"T19", list("a=1;b?c")},
      {"T19 semicolon hides the filter", list("all=true;filters=%7B%7D")},
      {"bad percent code hides the filter", list("filters=%zz")},
      {"unknown key", list("zz=1")},
      {"unknown key that fakes the family", list("zz=/libpod/")},
      {"twice", list("all=true&all=false")},
      {"two spellings", list("all=true&ALL=false")},
      {"long s", list("filter%C5%BF=%7B%7D")},
      {"NUL in the key", list("filters%00=%7B%7D")},
      {"brackets", list("filters[]=%7B%7D")},
      {"filters are no JSON", list("filters=x")},
      {"text behind the filters", list("filters=%7B%7Dx")},
      {"key of the filters twice", list("filters=%7B%22label%22:[%22a%22],%22label%22:[%22b%22]%7D")},
      {"unknown filter", list("filters=%7B%22Label%22:[%22a%22]%7D")},
      {"newline", list("limit=1%0a")},
  });
}

TEST_CASE("%2F within a name is a part of the name") {
  SteppedProxy proxy;
  const auto id = proxy.objects.add(podfence::rules::Kind::Image, "localhost/a/b:latest", "");
  play_alike(proxy, get_request("/v1.41/images/localhost/a/b:latest/json"), "HTTP/1.1 200 ",
             {{"D18", get_request("/v1.41/images/localhost%2Fa%2Fb:latest/json")}});
}

TEST_CASE("D19: a path without a version is served where the API has one, libpod's is not") {
  SteppedProxy proxy;
  CHECK(play_same(proxy, get_request("/containers/json")).read.starts_with("HTTP/1.1 200 "));
  check_refused(proxy, "D19 libpod", get_request("/libpod/containers/json"), 404);
}

TEST_CASE("what is wrong with a request and not with its framing does not end the connection") {
  SteppedProxy proxy;
  proxy.objects.add(podfence::rules::Kind::Container, "c1", "p1");
  const auto pull = [](const std::string& auth) {
    return "POST /v1.41/images/create?fromImage=registry.example/x&tag=1 HTTP/1.1\r\nHost: d\r\nX-Registry-Auth: " +
           auth + "\r\n\r\n";
  };
  for (const auto* auth : {"!!!", "YWJj"}) {  // D04: no base64, no JSON
    CAPTURE(auth);
    const auto played = play_same(proxy, pull(auth));
    CHECK(played.read.starts_with("HTTP/1.1 400 "));
    CHECK(played.read.find("registry.credentials") != std::string::npos);
    CHECK_FALSE(played.refused);
    for (const auto& request : played.requests) CHECK(request.starts_with("GET "));  // whose the image is
  }
}

TEST_CASE("HEAD on a row for GET only is refused as Podman does") {
  SteppedProxy proxy;
  proxy.objects.add(podfence::rules::Kind::Container, "c1", "p1");
  const auto played = play_same(proxy, "HEAD /v1.41/containers/c1/json HTTP/1.1\r\nHost: d\r\n\r\n");  // D05
  CHECK(played.read.starts_with("HTTP/1.1 405 "));
  CHECK(played.read.ends_with("\r\n\r\n"));  // no content
  CHECK(played.requests.empty());
}
