// A request as people write it down becomes the bytes that a client would send; bytes stay bytes.
#include "proxy/raw_request.hpp"

#include <doctest/doctest.h>

using podfence::proxy::raw_request;

TEST_CASE("bytes with CR LF are not touched, however wrong they are") {
  const std::string rows[] = {
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: d\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc",
      "GET / HTTP/1.1\r\nHost: d\nX: bare\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: d\r\n\r\ncontent\n\n",
      "",
  };
  for (const auto& row : rows) {
    CAPTURE(row);
    const auto request = raw_request(row);
    CHECK(request.bytes == row);
    CHECK(request.notes.empty());
  }
}

TEST_CASE("a text with plain line ends is completed, and that is told") {
  struct Row {
    const char* text;
    const char* bytes;
    std::size_t notes;
  };
  const Row rows[] = {
      {"GET / HTTP/1.1\nHost: d\n\n", "GET / HTTP/1.1\r\nHost: d\r\n\r\n", 1},
      {"GET / HTTP/1.1\nHost: d\n", "GET / HTTP/1.1\r\nHost: d\r\n\r\n", 1},
      {"GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: podfence\r\n\r\n", 2},
      {"GET / HTTP/1.1\nhost: d\n\n\n", "GET / HTTP/1.1\r\nhost: d\r\n\r\n", 1},
      {"POST / HTTP/1.1\nHost: d\n\n{\"a\":\n1}\n",
       "POST / HTTP/1.1\r\nHost: d\r\nContent-Length: 8\r\n\r\n{\"a\":\n1}", 2},
      {"POST / HTTP/1.1\nHost: d\ncontent-length: 3\n\nab\n",
       "POST / HTTP/1.1\r\nHost: d\r\ncontent-length: 3\r\n\r\nab\n", 1},
      {"POST / HTTP/1.1\nHost: d\nTransfer-Encoding: chunked\n\n0\r\n\r\n",
       "POST / HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1},
      {"GET / HTTP/1.1\nHostile: d\n\n", "GET / HTTP/1.1\r\nHostile: d\r\nHost: podfence\r\n\r\n", 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto request = raw_request(row.text);
    CHECK(request.bytes == row.bytes);
    CHECK(request.notes.size() == row.notes);
  }
}

TEST_CASE("of what curl -v prints the lines that it sent are taken") {
  const auto request = raw_request("*   Trying /s:0...\n> GET /_ping HTTP/1.1\r\n> Host: d\n>\n< HTTP/1.1 200 OK\n");
  CHECK(request.bytes == "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(request.notes.size() == 1);
  CHECK(raw_request("> GET / HTTP/1.1\n> Host: d\n> \n").bytes == "GET / HTTP/1.1\r\nHost: d\r\n\r\n");
}
