// Head syntax: fields, line ends, start line, limits (RFC 9112 sections 2 to 5). What a lenient parser repairs is
// refused here, because upstream's parser might repair it in another way.

#include <doctest/doctest.h>

#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;

namespace {

std::string with(const std::string& field_lines) { return get_request("/v1.41/containers/json", field_lines); }

/// A request whose head is written out in full.
std::string head(const std::string& lines) { return lines + "\r\n\r\n"; }

}  // namespace

TEST_CASE("a field that two parsers could read differently is refused") {
  play_refused({
      {"H01 D13 space before colon", with("X-A : b\r\n")},
      {"H01 tab before colon", with("X-A\t: b\r\n")},
      {"H01 space before the colon of a length", create_request("Content-Length : 31\r\n", create_content)},
      {"H02 D12 fold", with("X-A: b\r\n c\r\n")},
      {"H02 fold with tab", with("X-A: b\r\n\tc\r\n")},
      {"H02 fold of nothing", with("X-A: b\r\n \r\n")},
      {"H03 fold on the first field line", head("GET /_ping HTTP/1.1\r\n Host: d\r\nX-A: b")},
      {"H04 bare CR in value", with("X-A: b\rc\r\n")},
      {"H04 bare CR before a field", with("X-A: b\rTransfer-Encoding: chunked\r\n")},
      {"H05 bare LF ends a field", with("X-A: b\nX-B: c\r\n")},
      {"H05 D12 bare LF ends all", "GET /_ping HTTP/1.1\nHost: d\n\n" + smuggled},
      {"H05 bare LF ends the head", "GET /_ping HTTP/1.1\r\nHost: d\r\n\n" + smuggled},
      {"H05 bare LF ends the start line", "GET /_ping HTTP/1.1\nHost: d\r\n\r\n"},
      {"H06 NUL in name", with("X\0A: b\r\n"s)},
      {"H07 NUL in value", with("X-A: b\0c\r\n"s)},
      {"H08 empty name", with(": b\r\n")},
      {"H09 no colon", with("X-A\r\n")},
      {"H10 8-bit in name", with("X-\xc3\xa4: b\r\n")},
      {"H11 DEL in value", with("X-A: b\x7f\r\n")},
      {"H13 over-long fold", with("X-A: b\r\n " + std::string(4096, ' ') + "c\r\n"), 400},
      {"H14 bad Connection list", with("Connection: close, @\r\n")},
      {"H16 D14 no Host", head("GET /_ping HTTP/1.1\r\nX-A: b")},
      {"H16 no field at all", head("GET /_ping HTTP/1.1")},
      {"H17 two Hosts", with("Host: e\r\n")},
      {"H17 two equal Hosts", with("Host: d\r\n")},
      {"H18 Host with a path", head("GET /_ping HTTP/1.1\r\nHost: d/v1.41")},
      {"H18 Host with a space", head("GET /_ping HTTP/1.1\r\nHost: d e")},
      {"H18 Host with user", head("GET /_ping HTTP/1.1\r\nHost: u@d")},
      {"H12 8-bit in Host", head("GET /_ping HTTP/1.1\r\nHost: d\xff")},
      {"H12 8-bit in Expect", with("Expect: 100-continue\xff\r\n"), 417},
      {"H12 8-bit in a transfer coding", create_request("Transfer-Encoding: chunked\xff\r\n", chunked(create_content))},
      {"H12 8-bit in a length", create_request("Content-Length: 31\xff\r\n", create_content)},
      {"H12 8-bit in Connection", with("Connection: close\xff\r\n")},
      {"H12 8-bit in Upgrade", with("Connection: Upgrade\r\nUpgrade: tcp\xff\r\n")},
      {"H12 8-bit in Content-Type",
       create_request("Content-Type: application/json\xff\r\nContent-Length: 2\r\n", "{}")},
      {"H12 8-bit in Content-Encoding",
       create_request("Content-Encoding: identity\xff\r\nContent-Length: 2\r\n", "{}")},
      {"H12 8-bit in X-Registry-Auth", with("X-Registry-Auth: e30=\xff\r\n")},
      {"H15 TAB inside Host", head("GET /_ping HTTP/1.1\r\nHost: d\td")},
      {"H15 TAB in a transfer coding",
       create_request("Transfer-Encoding: chunked,\tchunked\r\n", chunked(create_content))},
      {"H15 TAB in a length", create_request("Content-Length: 3\t1\r\n", create_content)},
      {"H15 TAB in Connection", with("Connection: close\tx\r\n")},
      {"H15 TAB in Upgrade", with("Connection: Upgrade\r\nUpgrade: tcp\t1\r\n")},
      {"H15 TAB in Content-Type", create_request("Content-Type: a/b;\tc=d\r\nContent-Length: 2\r\n", "{}")},
      {"H15 TAB in Expect", create_request("Expect: 100-continue,\t\r\nContent-Length: 2\r\n", "{}"), 417},
      {"H15 TAB in X-Registry-Auth", with("X-Registry-Auth: e30=\te30=\r\n")},
  });
}

TEST_CASE("a field that is not read is dropped, whatever it holds") {
  SteppedProxy proxy;
  play_alike(
      proxy, with(""), "HTTP/1.1 200 ",
      {
          {"H12 8-bit in value", with("X-A: b\xff\xc3\xa4\r\n")},
          {"H15 TAB in value", with("X-A:\tb\tc\t\r\n")},
          {"H24 Connection names another field", with("Connection: x-registry-auth\r\nX-Registry-Auth: e30=\r\n")},
          {"H24 Connection names Host", with("Connection: keep-alive, host, content-length\r\n")},
          {"F23 underscore field", with("Transfer_Encoding: chunked\r\nContent_Length: 5\r\n")},
          {"D03 method override", with("X-HTTP-Method-Override: DELETE\r\nX-Method-Override: POST\r\n")},
          {"D21 settings of HTTP/2 without an upgrade", with("HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n")},
          {"H many",
           with("Cookie: a=b\r\nAuthorization: Basic eDp5\r\nForwarded: for=1.2.3.4\r\nTE: trailers\r\nTrailer: X\r\n"
                "X-Appx-Project: p10\r\nRange: bytes=0-1\r\nIf-Match: x\r\nAccept-Encoding: gzip\r\n")},
      });
}

TEST_CASE("an upgrade that is not Connection: Upgrade to tcp on a streaming endpoint is refused") {
  play_refused({
      {"H25 Upgrade alone", with("Upgrade: tcp\r\n")},
      {"H25 Upgrade alone on attach",
       "POST /v1.41/containers/c1/attach?stream=1 HTTP/1.1\r\nHost: d\r\nUpgrade: tcp\r\n\r\n"},
      {"H25 Connection alone", with("Connection: Upgrade\r\n")},
      {"H26 websocket",
       "POST /v1.41/containers/c1/attach?stream=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
       "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"},
      {"H26 a choice",
       "POST /v1.41/containers/c1/attach?stream=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
       "Upgrade: tcp, h2c\r\n\r\n"},
      {"H26 two",
       "POST /v1.41/containers/c1/attach?stream=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
       "Upgrade: tcp\r\nUpgrade: h2c\r\n\r\n"},
      {"H26 D21 h2c",
       with("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n")},
      {"H26 h2c on attach",
       "POST /v1.41/containers/c1/attach?stream=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
       "Upgrade: h2c\r\n\r\n"},
      {"H26 tcp on a list", with("Connection: Upgrade\r\nUpgrade: tcp\r\n")},
      {"H26 BuildKit session", "POST /v1.41/session HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
       400},
  });
}

TEST_CASE("encodings, expectations and content codings that would need another reader are refused") {
  play_refused({
      {"Expect unknown D02", create_request("Expect: foo\r\nContent-Length: 2\r\n", "{}"), 417},
      {"Expect list", create_request("Expect: 100-continue, foo\r\nContent-Length: 2\r\n", "{}"), 417},
      {"Expect twice", create_request("Expect: 100-continue\r\nExpect: foo\r\nContent-Length: 2\r\n", "{}"), 417},
      {"gzip said of plain content D01", create_request("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), 415},
      {"D01 gzip",
       create_request("Content-Encoding: gzip\r\nContent-Length: 20\r\n",
                      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"s),
       415},
      {"gRPC", create_request("Content-Type: application/grpc\r\nContent-Length: 2\r\n", "{}")},
      {"gRPC of a kind", create_request("Content-Type: application/grpc+proto\r\nContent-Length: 2\r\n", "{}")},
      {"gRPC in capitals", create_request("Content-Type: Application/GRPC\r\nContent-Length: 2\r\n", "{}")},
      {"gRPC in a parameter", create_request("Content-Type: a/b; c=application/grpc\r\nContent-Length: 2\r\n", "{}")},
      {"identity, gzip", create_request("Content-Encoding: identity, gzip\r\nContent-Length: 2\r\n", "{}"), 415},
  });
}

TEST_CASE("a start line that is not three words is refused") {
  play_refused({
      {"S01 leading CRLF", "\r\n" + get_request("/_ping")},
      {"S02 leading LF", "\n" + get_request("/_ping")},
      {"S03 leading space", " " + get_request("/_ping")},
      {"S04 two spaces", head("GET  /_ping HTTP/1.1\r\nHost: d")},
      {"S05 tab", head("GET\t/_ping HTTP/1.1\r\nHost: d")},
      {"S06 two spaces before the version", head("GET /_ping  HTTP/1.1\r\nHost: d"), 505},
      {"S07 space behind the version", head("GET /_ping HTTP/1.1 \r\nHost: d"), 505},
      {"S08 four words", head("GET /_ping x HTTP/1.1\r\nHost: d"), 505},
      {"S09 no target", head("GET HTTP/1.1\r\nHost: d")},
      {"S10 NUL in the target", head("GET /_pi\0ng HTTP/1.1\r\nHost: d"s)},
      {"S11 TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s},
  });
}

TEST_CASE("a method that Podman does not serve is refused and never forwarded") {
  const auto method = [](const std::string& name) {
    return head(name + " /v1.41/containers/json HTTP/1.1\r\nHost: d");
  };
  play_refused({
      {"M01 D05", method("get"), 405},
      {"M02", method("FOO"), 405},
      {"M03", method("G!#$%"), 405},
      {"M07 D05", method("TRACE"), 405},
      {"M OPTIONS D05", method("OPTIONS"), 405},
      {"M PATCH D05", method("PATCH"), 405},
      {"M post D05", method("post"), 405},
      {"T02", head("CONNECT example.org:443 HTTP/1.1\r\nHost: d"), 405},
      {"T03", head("OPTIONS * HTTP/1.1\r\nHost: d"), 405},
      {"M long", method(std::string(300, 'G')), 405},
  });
}

TEST_CASE("the bound of the head does not depend on how it is cut") {
  // H20: start line and fields are counted together, the same for one packet and for many.
  SteppedProxy proxy;
  const auto request = [](std::size_t target, std::size_t field) {
    return get_request("/_ping?" + std::string(target, 'x'), "X-A: " + std::string(field, 'y') + "\r\n");
  };
  CHECK(play_same(proxy, request(2100, 2100)).read.starts_with("HTTP/1.1 431 "));
  CHECK(play_same(proxy, request(1900, 1900)).read.starts_with("HTTP/1.1 400 "));
  CHECK(play_same(proxy, request(10, 5000)).read.starts_with("HTTP/1.1 431 "));
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "a:\r\n";
  CHECK(play_same(proxy, get_request("/_ping", many)).read.starts_with("HTTP/1.1 431 "));
  CHECK(play_same(proxy, std::string(5000, 'A')).read.starts_with("HTTP/1.1 431 "));
  CHECK(play_same(proxy, "GET /" + std::string(5000, 'a')).read.starts_with("HTTP/1.1 414 "));
}
