// Where does a request end? Transfer-Encoding and Content-Length in every form on which two parsers might disagree
// (RFC 9112 section 6). All must be refused before upstream sees a byte, whatever follows them.

#include <doctest/doctest.h>

#include "tests/support/running_proxy.hpp"
#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;

namespace {

/// Read as chunked this is a create; read as "no body" it is a create without content and a smuggled request.
std::string coded(const std::string& value) {
  return create_request("Transfer-Encoding: " + value + "\r\n", chunked(create_content));
}

/// The body is empty if anybody reads it as chunked; then the smuggled request would be next.
std::string coded_empty(const std::string& value) {
  return create_request("Transfer-Encoding: " + value + "\r\n", "0\r\n\r\n" + smuggled);
}

std::string sized(const std::string& value, const std::string& content = create_content + smuggled) {
  return create_request("Content-Length:" + value + "\r\n", content);
}

const std::string length = std::to_string(create_content.size());

}  // namespace

TEST_CASE("a transfer coding that is not exactly chunked, once, is refused") {
  play_refused({
      {"F03", coded_empty("chunked, identity")},
      {"F04", coded_empty("identity")},
      {"F05 D08", coded_empty("xchunked")},
      {"F06", coded("gzip, chunked")},
      {"F09 D08", create_request("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunked(create_content))},
      {"F10", create_request("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n", chunked(create_content))},
      {"F10 identity",
       create_request("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n" + smuggled)},
      {"F10 twice",
       create_request("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunked(create_content))},
      {"F11", coded_empty("chunked, chunked")},
      {"F13", coded("chunked;q=1")},
      {"F14", coded_empty("\"chunked\"")},
      {"F15", coded(",chunked")},
      {"F16", coded("chunked,")},
      {"F17", coded("chunked @bad")},
      {"F18", coded_empty("")},
      {"F20", coded("\vchunked")},
      {"F20 form feed", coded("\fchunked")},
      {"F21", coded("\r\n chunked")},
      {"F21 tab", coded("\r\n\tchunked")},
      {"F gzip alone", coded_empty("gzip")},
      {"F trailing NUL", coded("chunked\0"s)},
  });
}

TEST_CASE("Transfer-Encoding together with Content-Length is refused in either order") {
  const auto both = [](const std::string& first, const std::string& second) {
    return create_request(first + "\r\n" + second + "\r\n", chunked(create_content));
  };
  play_refused({
      {"F01 D07", both("Content-Length: 5", "Transfer-Encoding: chunked")},
      {"F02 D07", both("Transfer-Encoding: chunked", "Content-Length: 5")},
      {"F01 zero", both("Content-Length: 0", "Transfer-Encoding: chunked")},
      {"F02 zero", both("Transfer-Encoding: chunked", "Content-Length: 0")},
      {"F07", both("Transfer-Encoding: gzip", "Content-Length: 5")},
      {"F07 reversed", both("Content-Length: 5", "Transfer-Encoding: gzip")},
      {"F08", both("Transfer-Encoding: xchunked", "Content-Length: 5")},
      {"F identity", both("Transfer-Encoding: identity", "Content-Length: 5")},
  });
}

TEST_CASE("a Content-Length that is not one plain number, once, is refused") {
  play_refused({
      {"L01 D09",
       create_request("Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n", create_content)},
      {"L02 D09", create_request("Content-Length: 5\r\nContent-Length: " + length + "\r\n", create_content)},
      {"L02 zero first", create_request("Content-Length: 0\r\nContent-Length: " + length + "\r\n", create_content)},
      {"L03 D09", sized(" " + length + ", " + length)},
      {"L04", sized(" 5, 6")},
      {"L05 D09", sized(" +5")},
      {"L06", sized(" 0x5")},
      {"L07", sized(" -5")},
      {"L08", sized(" 5 5")},
      {"L09", sized("")},
      {"L09 blank", sized(" ")},
      {"L10", sized(" 5,")},
      {"L11", sized(" 005")},
      {"L11 zeros", sized(" 00")},
      {"L12", sized(" 5;a")},
      {"L13", sized(" 1e1")},
      {"L14 2^64+5", sized(" 18446744073709551621")},
      {"L14 2^64-1", sized(" 18446744073709551615"), 400},
      {"L14 2^63", sized(" 9223372036854775808"), 400},
      {"L19", sized("\r\n 5")},
      {"L19 digits", sized(" 1\r\n 2")},
      {"L NUL", sized(" 5\0"s)},
      {"L vertical tab", sized(" \v5")},
      {"L word", sized(" five")},
  });
}

TEST_CASE("content where none is taken is refused") {
  play_refused({
      {"L17 D06", get_request("/v1.41/containers/json", "Content-Length: 5\r\n") + "hello"},
      {"L17 D06 chunked", get_request("/v1.41/containers/json", "Transfer-Encoding: chunked\r\n") + chunked("hello")},
      {"L17 request", get_request("/_ping", "Content-Length: " + std::to_string(smuggled.size()) + "\r\n") + smuggled},
      {"form body",
       "POST /v1.41/containers/prune HTTP/1.1\r\nHost: d\r\nContent-Type: application/x-www-form-urlencoded\r\n"
       "Content-Length: 9\r\n\r\nfilters=x"},
      {"delete", "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\nContent-Length: 5\r\n\r\nhello"},
  });
}

TEST_CASE("a version other than HTTP/1.1 is refused") {
  const auto version = [](const std::string& text) { return "GET /_ping " + text + "\r\nHost: d\r\n\r\n"; };
  play_refused({
      {"V01 D14", "GET /_ping HTTP/1.0\r\n\r\n", 505},
      {"V01 Host", version("HTTP/1.0"), 505},
      {"V02 0.9", "GET /_ping\r\n\r\n", 400},
      {"V02 0.9 spelled", version("HTTP/0.9"), 505},
      {"V03 1.2", version("HTTP/1.2"), 505},
      {"V03 1.9", version("HTTP/1.9"), 505},
      {"V04 D21 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"V05", version("http/1.1"), 505},
      {"V06", version("HTTP/01.1"), 505},
      {"V07", version("HTTP/1.10"), 505},
      {"V08", version("HTTP/1"), 505},
      {"V09", version("HTTP/1,1"), 505},
      {"F22",
       "POST /v1.41/containers/create HTTP/1.0\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n" +
           chunked(create_content),
       505},
  });
}

TEST_CASE("the content of a request that is refused is not read as the next request") {
  RunningProxy proxy;
  proxy.podman.add(podfence::rules::Kind::Container, "c1", "p1");
  proxy.podman.add(podfence::rules::Kind::Container, "c10", "p10");
  const auto sizes = {"Content-Length: " + std::to_string(smuggled.size()) + "\r\n\r\n" + smuggled,
                      "Transfer-Encoding: chunked\r\n\r\n" + chunked(smuggled, 4096)};
  for (const auto* start : {"POST /v1.41/nothing", "POST /v1.41/build?t=x", "PUT /v1.41/containers/c10/archive?path=/",
                            "PUT /v1.41/containers/absent/archive?path=/", "PUT /v1.41/containers/c1/archive?zz=1",
                            "POST /v1.41/containers/create?zz=1", "POST /v1.41/containers/c10/exec", "POST /v1.41/../x",
                            "POST /v1.41/containers/json", "POST /v1.41/containers/c10/start"})
    for (const auto& size : sizes)
      for (const bool bytewise : {false, true}) {
        const auto bytes = start + " HTTP/1.1\r\nHost: d\r\n"s + size;
        CAPTURE(bytes);
        auto client = proxy.client();
        if (bytewise)
          client.send_bytewise(bytes);
        else
          client.send(bytes);
        const auto answer = client.read_answer();
        CHECK(answer.status >= 400);
        CHECK(answer.status < 500);
        client.send(smuggled.substr(0, 7));  // what follows must not be joined to what was left over
        client.half_close();
        const auto rest = client.read_to_end();
        CHECK((rest.empty() || rest.starts_with("HTTP/1.1 4")));
      }
  CHECK(proxy.podman.requests("DELETE").empty());
  CHECK(proxy.podman.has(podfence::rules::Kind::Container, "c1"));
}

TEST_CASE("a request without length has no content, and what follows it is judged as a request of its own") {
  RunningProxy proxy;
  proxy.podman.add(podfence::rules::Kind::Container, "c1", "p1");
  const auto follows = [&](const std::string& fields) {
    CAPTURE(fields);
    auto client = proxy.client();
    client.send(create_request(fields, R"({"Image":"x","HostConfig":{"Privileged":true}})"));
    const auto first = client.read_answer();
    CHECK(first.complete());
    CHECK(first.status == 400);
    const auto rest = client.read_to_end();
    CHECK((rest.empty() || rest.starts_with("HTTP/1.1 400 ")));
  };
  SUBCASE("field case 1: Content-Length 0 and the real body behind it") { follows("Content-Length: 0\r\n"); }
  SUBCASE("field case 6: no length at all") { follows(""); }
  CHECK(proxy.podman.requests("POST").empty());
  CHECK(proxy.alive());
}

TEST_CASE("field case 2 and 5: content above the limit is refused before the first upstream byte, however it comes") {
  const std::string padding(40 * 1024, 'x');
  const auto big = R"({"Image":"localhost/bb:latest","Labels":{"a":")" + padding + R"("}})";
  play_refused({
      {"sized", create_request("Content-Length: " + std::to_string(big.size()) + "\r\n", big), 413},
      {"chunked", create_request("Transfer-Encoding: chunked\r\n", chunked(big, 4096)), 413},
      {"a length that promises too much", create_request("Content-Length: 99999999\r\n", create_content), 413},
      {"exec", "POST /v1.41/containers/c1/exec HTTP/1.1\r\nHost: d\r\nContent-Length: 99999999\r\n\r\n{}", 413},
  });
}
