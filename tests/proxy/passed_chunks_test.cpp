// Chunks that are passed on as they came: what leaves is in every byte what podfence would have written itself.

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <string>

#include "proxy/message_io.hpp"
#include "tests/support/connection_pair.hpp"
#include "tests/support/messages.hpp"

using namespace podfence::proxy;
using State = ContentReader::State;

namespace {

namespace asio = boost::asio;

struct Passed {
  std::string bytes;        ///< without the last chunk
  std::size_t content = 0;  ///< as counted
  std::size_t pieces = 0;
  State state = State::Open;
};

/// As ContentWriter does.
std::string written(const ContentPiece& piece) {
  const std::string bytes(piece.bytes);
  return piece.is_framed ? bytes : podfence::testing::chunk(bytes);
}

/// What comes of a content that arrives in two parts.
Passed pass(const std::string& input, std::size_t cut) {
  asio::io_context context(1);
  podfence::testing::ConnectionPair pair(context);
  Passed passed;
  const auto read = [&]() -> Task<void> {
    ContentReader reader(*pair.connection, Framing::chunked(), ChunkDecoder::Trailers::Refuse, {});
    while (true) {
      const auto piece = co_await reader.next_piece();
      if (piece.empty()) break;
      passed.bytes += written(piece);
      passed.content += piece.content;
      ++passed.pieces;
    }
    passed.state = reader.state();
  };
  asio::co_spawn(context, read, asio::detached);
  for (const auto& part : {input.substr(0, cut), input.substr(cut)}) {
    pair.say(part);
    context.poll();
  }
  ::shutdown(pair.peer, SHUT_WR);
  context.run();
  return passed;
}

/// The content of chunks whose sizes are lower-case digits without zeros before them; "!" where they are not.
std::string content_of(std::string_view chunks) {
  std::string content;
  while (!chunks.empty()) {
    const auto line = chunks.substr(0, chunks.find("\r\n"));
    std::size_t size = 0;
    std::from_chars(line.data(), line.data() + line.size(), size, 16);
    std::array<char, 16> again{};
    const auto end = std::to_chars(again.begin(), again.end(), size, 16).ptr;
    if (line != std::string_view(again.data(), static_cast<std::size_t>(end - again.data())) || size == 0) return "!";
    chunks.remove_prefix(line.size() + 2);
    content += chunks.substr(0, size);
    if (chunks.size() < size + 2) return content;  // it was cut
    if (chunks.substr(size, 2) != "\r\n") return "!";
    chunks.remove_prefix(size + 2);
  }
  return content;
}

const std::string large(700, 'x');  // more than a connection's first buffer takes
const std::string large_chunk = "2bc\r\n" + large + "\r\n";

}  // namespace

TEST_CASE("chunks that came as podfence writes them leave as they came, wherever they were cut") {
  for (const auto& chunks : {std::string("5\r\nhello\r\n"), std::string("5\r\nhello\r\n6\r\n world\r\n"), large_chunk,
                             "1\r\na\r\n" + large_chunk + "1\r\nb\r\n"}) {
    const auto input = chunks + "0\r\n\r\n";
    for (std::size_t cut = 1; cut < input.size(); ++cut) {
      CAPTURE(cut);
      const auto passed = pass(input, cut);
      CHECK(passed.bytes == chunks);
      CHECK(passed.state == State::Complete);
      CHECK(passed.content == content_of(chunks).size());
    }
  }
}

TEST_CASE("what came together leaves together") {
  std::string chunks;
  for (int i = 0; i < 100; ++i) chunks += "5\r\nhello\r\n";
  const auto passed = pass(chunks + "0\r\n\r\n", 0);
  CHECK(passed.bytes == chunks);
  CHECK(passed.pieces <= 3);  // the first buffer, and one behind it
}

TEST_CASE("chunks in any other form leave in podfence's own") {
  const struct {
    std::string chunks;
    std::string content;
  } rows[] = {
      {"A\r\n0123456789\r\n", "0123456789"},
      {"05\r\nhello\r\n", "hello"},
      {"5;name=value\r\nhello\r\n", "hello"},
      {"5;a23456789012345678901234567890\r\nhello\r\n", "hello"},
      {"5\r\nhello\r\nA\r\n0123456789\r\n1\r\nz\r\n", "hello0123456789z"},
      {"A\r\n0123456789\r\n5\r\nhello\r\n2BC\r\n" + large + "\r\n", "0123456789hello" + large},
      {"5;x\r\nhello\r\n5;x\r\nworld\r\n", "helloworld"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.chunks);
    const auto input = row.chunks + "0\r\n\r\n";
    for (std::size_t cut = 1; cut < input.size(); ++cut) {
      CAPTURE(cut);
      const auto passed = pass(input, cut);
      CHECK(content_of(passed.bytes) == row.content);
      CHECK(passed.content == row.content.size());
      CHECK(passed.state == State::Complete);
    }
  }
}

TEST_CASE("a chunk of unheard-of size is divided") {
  const auto passed = pass("7fffffffffffffff\r\nhello", 20);
  CHECK(content_of(passed.bytes) == "hello");
  CHECK(passed.bytes.find("7f") == std::string::npos);
  CHECK(passed.state == State::Truncated);
}

TEST_CASE("of chunks that are malformed only what came before is passed on") {
  const struct {
    std::string chunks;
    State state = State::Malformed;
  } rows[] = {
      {"5\r\nhelloX\r\n0\r\n\r\n"},
      {"5\r\nhello\r\nxyz\r\n"},
      {"5\r\nhello\r\n5 \r\nagain\r\n0\r\n\r\n"},
      {"5\r\nhello\n5\r\nagain\r\n0\r\n\r\n"},
      {"5\r\nhello\r\n0\r\nX: y\r\n\r\n"},
      {"5\r\nhello", State::Truncated},
      {"5\r\nhello\r\n0\r\n", State::Truncated},
  };
  for (const auto& row : rows) {
    CAPTURE(row.chunks);
    for (std::size_t cut = 1; cut < row.chunks.size(); ++cut) {
      CAPTURE(cut);
      const auto passed = pass(row.chunks, cut);
      CHECK(content_of(passed.bytes) == "hello");
      CHECK(passed.state == row.state);
    }
  }
}

TEST_CASE("content whose end nobody tells is never complete") {
  asio::io_context context(1);
  podfence::testing::ConnectionPair pair(context);
  pair.say("hello");
  ContentReader reader(*pair.connection, Framing::until_close(), ChunkDecoder::Trailers::Drop, {});
  std::string read;
  asio::co_spawn(
      context, [&]() -> Task<void> { read = co_await reader.next(); }, asio::detached);
  context.run();
  CHECK(reader.state() == State::Truncated);
  CHECK(read == "");
}
