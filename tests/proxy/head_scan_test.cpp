#include "proxy/head_scan.hpp"

#include <doctest/doctest.h>

#include <string>

using podfence::proxy::HeadScan;
using State = HeadScan::State;
using namespace std::string_literals;

namespace {

constexpr std::size_t limit = 64;

/// Whole and growing byte by byte.
State scan(const std::string& bytes) {
  HeadScan whole(limit);
  const auto state = whole.scan(bytes);
  HeadScan bytewise(limit);
  auto grown = State::Incomplete;
  for (std::size_t size = 1; size <= bytes.size() && grown == State::Incomplete; ++size)
    grown = bytewise.scan(std::string_view(bytes).substr(0, size));
  CHECK(grown == state);
  CHECK(bytewise.size() == whole.size());
  return state;
}

}  // namespace

TEST_CASE("a head ends with its first empty line") {
  HeadScan head(limit);
  CHECK(head.scan("GET / HTTP/1.1\r\nHost: d\r\n\r\nrest") == State::Complete);
  CHECK(head.size() == 27);
  CHECK(scan("GET / HTTP/1.1\r\nHost: d\r\n") == State::Incomplete);
  CHECK(scan("\r\n") == State::Complete);
}

TEST_CASE("what a lenient parser repairs is told apart") {
  CHECK(scan("GET / HTTP/1.1\nHost: d") == State::BareLineEnd);
  CHECK(scan("GET / HTTP/1.1\rHost: d") == State::BareLineEnd);
  CHECK(scan("A: b\r\n\n") == State::BareLineEnd);
  CHECK(scan("A: b\r\r\n") == State::BareLineEnd);
  CHECK(scan("A: b\r\n c\r\n") == State::Folded);
  CHECK(scan("A: b\r\n\tc\r\n") == State::Folded);
  CHECK(scan("A: \0b\r\n"s) == State::Nul);
}

TEST_CASE("the limit counts start line and fields together") {
  const std::string head = "GET / HTTP/1.1\r\n";
  const auto fill = [&](std::size_t size) {
    return head + "A: " + std::string(size - head.size() - 7, 'x') + "\r\n\r\n";
  };
  CHECK(scan(fill(limit)) == State::Complete);
  CHECK(scan(fill(limit + 1)) == State::TooLarge);
}

TEST_CASE("what is too large is told apart: the start line, or what follows it") {
  const auto in_start_line = [](const std::string& bytes) {
    HeadScan head(limit);
    CHECK(head.scan(bytes) == State::TooLarge);
    return head.is_in_start_line();
  };
  CHECK(in_start_line("GET /" + std::string(limit, 'a')));
  CHECK_FALSE(in_start_line("GET / HTTP/1.1\r\nA: " + std::string(limit, 'a')));
}
