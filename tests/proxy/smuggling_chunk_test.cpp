// Chunked content (RFC 9112 section 7.1) and what stands behind a message. Accepted forms come to upstream as the very
// bytes that the same content with a plain Content-Length gives.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/running_proxy.hpp"
#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using namespace std::string_literals;
using podfence::rules::Kind;

namespace {

const std::string length = std::to_string(create_content.size());

std::string chunked_create(const std::string& content) {
  return create_request("Transfer-Encoding: chunked\r\n", content);
}

/// The create content in one chunk, with its size line and the end as given.
std::string one_chunk(const std::string& size_line, const std::string& end = "0\r\n\r\n") {
  return chunked_create(size_line + "\r\n" + create_content + "\r\n" + end);
}

const std::string size = "1f";  // of create_content

}  // namespace

TEST_CASE("field case 3: chunked content is read, judged and sent on with a fresh Content-Length") {
  REQUIRE(create_content.size() == 0x1f);
  const auto plain = create_request("Content-Length: " + length + "\r\n", create_content);
  SteppedProxy proxy;
  play_alike(
      proxy, plain, "HTTP/1.1 201 ",
      {
          {"small chunks", chunked_create(chunked(create_content))},
          {"one chunk", one_chunk(size)},
          {"field value in upper case", create_request("Transfer-Encoding: CHUNKED\r\n", chunked(create_content))},
          {"upper-case hex", one_chunk("1F")},
          {"C04 leading zeros", one_chunk("00001f")},
          {"C04 several zeros at the end", one_chunk(size, "000\r\n\r\n")},
          {"C07 D10 extension", one_chunk(size + ";a=b")},
          {"C07 quoted extension", one_chunk(size + ";a=\"b\"")},
          {"C07 extension of the last chunk", one_chunk(size, "0;x\r\n\r\n")},
          {"F23 underscore field",
           create_request("Transfer_Encoding: chunked\r\nContent-Length: " + length + "\r\n", create_content)},
      });
}

TEST_CASE("a chunk that two parsers could cut differently is refused") {
  play_refused({
      {"C01 overflow", one_chunk("1000000000000001f")},
      {"C02 0x", one_chunk("0x1f")},
      {"C03 plus", one_chunk("+1f")},
      {"C03 minus", one_chunk("-1f")},
      {"C05 space before", one_chunk(" 1f")},
      {"C05 space behind", one_chunk("1f ")},
      {"C06 bare LF behind the size", chunked_create("1f\n" + create_content + "\r\n0\r\n\r\n")},
      {"C08 no line end behind the data", chunked_create("1f\r\n" + create_content + "0\r\n\r\n" + smuggled)},
      {"C08 bare LF behind the data", chunked_create("1f\r\n" + create_content + "\n0\r\n\r\n" + smuggled)},
      {"C10 line end inside a quoted extension", one_chunk("1f;a=\"\r\nb\"")},
      {"C11 no size", one_chunk("")},
      {"C11 no size but an extension", one_chunk(";a=b")},
      {"C11 no size at the end", one_chunk(size, "\r\n\r\n" + smuggled)},
      {"C11 no size but an extension at the end", one_chunk(size, ";a\r\n\r\n" + smuggled)},
      {"C12 word", one_chunk("abcx")},
      {"C12 NUL", one_chunk("1f\0"s)},
      {"C18 long extension", one_chunk(size + ";" + std::string(65536, 'x')), 413},
  });
}

TEST_CASE("a trailer on a request is refused") {
  const auto trailer = [](const std::string& lines) { return one_chunk(size, "0\r\n" + lines + "\r\n"); };
  play_refused({
      {"C13 D10", trailer("Host: e\r\n")},
      {"C14", trailer("X-Registry-Auth: eyJhIjoiYiJ9\r\n")},
      {"C15", trailer("Content-Length: 5\r\n")},
      {"C15 coding", trailer("Transfer-Encoding: chunked\r\n")},
      {"C16", trailer("Connection: Upgrade\r\nUpgrade: tcp\r\n")},
      {"C17", trailer("A: " + std::string(65536, 'x') + "\r\n")},
      {"harmless", trailer("X-Checksum: 1\r\n")},
  });
}

TEST_CASE("C09: a bare LF in a quoted chunk extension is refused") {
  play_refused({{"C09", one_chunk(size + ";a=\"\nGET / HTTP/1.1\"")}});
}

TEST_CASE("an empty chunked body, split inside its last line, is read and ends no process") {
  SteppedProxy proxy;
  proxy.objects.add(Kind::Container, "c1", "p1");
  const std::string head = "POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n";
  play_alike(proxy, head + "\r\n", "HTTP/1.1 204 ",
             {{"D11 no length", head + "\r\n"},
              {"D11 no content", head + "Content-Length: 0\r\n\r\n"},
              {"C chunked and empty", head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}});
}

TEST_CASE("requests sent at once are answered one after the other, in their order") {
  SteppedProxy proxy;
  proxy.objects.add(Kind::Container, "c1", "p1");
  const auto one = play_same(proxy, get_request("/_ping"));
  const auto other = play_same(proxy, get_request("/v1.41/containers/c1/json"));
  REQUIRE(one.read.ends_with("OK"));
  REQUIRE(other.read.find(R"("Name":"c1")") != std::string::npos);
  const auto both = play_same(proxy, get_request("/_ping") + get_request("/v1.41/containers/c1/json"));  // P01 D20
  CHECK(both.read == one.read + other.read);
  auto expected = one.requests;
  expected.insert(expected.end(), other.requests.begin(), other.requests.end());
  CHECK(both.requests == expected);
}

TEST_CASE("bytes behind a message are a request of their own, good or bad") {
  SteppedProxy proxy;
  proxy.objects.add(Kind::Container, "c1", "p1");
  const auto create = create_request("Content-Length: " + length + "\r\n", create_content);
  const auto alone = play_same(proxy, create);
  REQUIRE(alone.read.starts_with("HTTP/1.1 201 "));
  const struct {
    std::string id, behind, status;
  } rows[] = {
      {"L18", "xyz\r\n\r\n", "400"},
      {"P02", get_request("/_ping", "Transfer-Encoding: chunked, identity\r\n"), "400"},
      {"P02 stray line end", "\r\n" + get_request("/_ping"), "400"},
      {"P02 good", "DELETE /v1.41/containers/absent HTTP/1.1\r\nHost: d\r\n\r\n", "404"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.id);
    const auto both = play_same(proxy, create + row.behind);
    CHECK(both.read.starts_with(alone.read + "HTTP/1.1 " + row.status));
    CHECK(both.refused == (row.status == "400"));
    REQUIRE(both.requests.size() >= alone.requests.size());
    CHECK(std::equal(alone.requests.begin(), alone.requests.end(), both.requests.begin()));
    for (std::size_t i = alone.requests.size(); i < both.requests.size(); ++i)
      CHECK(both.requests[i].starts_with("GET "));  // who owns it
  }
}

TEST_CASE("an upload with broken chunks or a trailer never comes to its end upstream") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "c1", "p1");
  const std::string head =
      "PUT /v1.41/containers/c1/archive?path=%2Ftmp HTTP/1.1\r\nHost: d\r\nContent-Type: application/x-tar\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      chunk(std::string(512, 'x') + "hello");
  for (const auto* end : {"0x3\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "0\r\nX-Registry-Auth: eyJh\r\n\r\n"}) {
    CAPTURE(end);
    auto client = proxy.client();
    client.send(head + end);
    const auto answer = client.read_answer();
    CHECK((answer.status == 0 || answer.status == 400));
    CHECK(client.ended());
    CHECK(proxy.podman.ended("hello"));
    for (const auto& request : proxy.podman.requests("PUT")) {
      CHECK(request.find("\r\n0\r\n") == std::string::npos);
      CHECK(request.find("Registry") == std::string::npos);
    }
  }
  CHECK(proxy.alive());
}
