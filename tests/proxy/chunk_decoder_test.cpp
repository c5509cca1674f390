#include "proxy/chunk_decoder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using podfence::proxy::ChunkDecoder;
using State = ChunkDecoder::State;
using Trailers = ChunkDecoder::Trailers;

namespace {

struct Decoded {
  State state;
  std::string content;
  std::string rest;  ///< bytes behind the end
};

void decode(ChunkDecoder& decoder, std::string_view input, Decoded& decoded) {
  while (!input.empty() && decoder.state() == State::Reading) {
    const auto step = decoder.advance(input);
    decoded.content += step.data;
    input.remove_prefix(step.consumed);
  }
  decoded.rest += input;
}

/// In every two pieces and byte by byte: the result must not depend on the cut.
Decoded decode(const std::string& bytes, ChunkDecoder::Limits limits = {}, Trailers trailers = Trailers::Refuse) {
  ChunkDecoder whole(trailers, limits);
  Decoded expected{};
  decode(whole, bytes, expected);
  expected.state = whole.state();
  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    CAPTURE(cut);
    ChunkDecoder decoder(trailers, limits);
    Decoded decoded{};
    decode(decoder, std::string_view(bytes).substr(0, cut), decoded);
    decode(decoder, std::string_view(bytes).substr(cut), decoded);
    CHECK(decoder.state() == expected.state);
    CHECK(decoded.content == expected.content);
    CHECK(decoded.rest == expected.rest);
  }
  return expected;
}

}  // namespace

TEST_CASE("chunks are taken apart, and what is behind the last one is left") {
  const struct {
    std::string bytes, content, rest;
  } rows[] = {
      {"0\r\n\r\n", "", ""},
      {"5\r\nhello\r\n0\r\n\r\n", "hello", ""},
      {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nGET /", "hello world", "GET /"},
      {"000A\r\n0123456789\r\n000\r\n\r\n", "0123456789", ""},
      {"a;name=value\r\n0123456789\r\n0;x\r\n\r\n", "0123456789", ""},
      {"2\r\n\r\n\r\n0\r\n\r\n", "\r\n", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.bytes);
    const auto decoded = decode(row.bytes);
    CHECK(decoded.state == State::Done);
    CHECK(decoded.content == row.content);
    CHECK(decoded.rest == row.rest);
  }
}

TEST_CASE("a chunk that two readers could see differently is malformed") {
  const std::string rows[] = {
      "\r\n",
      "x\r\n",
      "0x5\r\nhello\r\n",
      "+5\r\nhello\r\n",
      "-1\r\n",
      " 5\r\nhello",
      "5 \r\nhello",
      "5\nhello\r\n",
      "5\r\nhelloX",
      "5\r\nhello\n0\r\n\r\n",
      "5\rXhello\r\n",
      "5;a\nhello",
      "5;\x01\r\nhello",
      "00000000000000005\r\n",
      "10000000000000000\r\n",
      "0\r\nX: y\r\n\r\n",
      "0\n\r\n",
      "0\r\n\n",
      ";a\r\n",
  };
  for (const auto& row : rows) {
    CAPTURE(row);
    CHECK(decode(row).state == State::Malformed);
  }
}

TEST_CASE("a content that is not at its end is never done") {
  const std::string bytes = "5\r\nhello\r\n0\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(decode(bytes.substr(0, size)).state == State::Reading);
}

TEST_CASE("trailers of an answer are dropped, and bounded") {
  const std::string bytes = "2\r\nhi\r\n0\r\nHost: x\r\nA: b\r\n\r\nrest";
  const auto decoded = decode(bytes, {.trailer_bytes = 11}, Trailers::Drop);
  CHECK(decoded.state == State::Done);
  CHECK(decoded.content == "hi");
  CHECK(decoded.rest == "rest");
  CHECK(decode(bytes, {.trailer_bytes = 10}, Trailers::Drop).state == State::TooLarge);
  CHECK(decode("0\r\nA\r\n\r\n", {.trailer_bytes = 0}, Trailers::Drop).state == State::TooLarge);
}

TEST_CASE("extensions are bounded, those of all chunks together") {
  const std::string bytes = "1;ab\r\nx\r\n1;cde\r\ny\r\n0;f\r\n\r\n";
  CHECK(decode(bytes, {.extension_bytes = 6}).state == State::Done);
  CHECK(decode(bytes, {.extension_bytes = 5}).state == State::TooLarge);
  CHECK(decode("1;a\r\nx\r\n0\r\n\r\n", {.extension_bytes = 0}).state == State::TooLarge);
  CHECK(decode("1\r\nx\r\n0\r\n\r\n", {.extension_bytes = 0}).state == State::Done);
}
