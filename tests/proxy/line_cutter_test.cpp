#include "proxy/line_cutter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using podfence::proxy::LineCutter;

namespace {

/// The lines of a text that arrives in pieces of that size; "!" for one that is too long, and what is left at the end.
std::vector<std::string> cut(std::string_view text, std::size_t piece_size, std::size_t limit = 5) {
  std::vector<std::string> lines;
  LineCutter line(limit);
  while (!text.empty()) {
    auto piece = text.substr(0, piece_size);
    text.remove_prefix(piece.size());
    while (line.take(piece)) {
      lines.emplace_back(line.too_long() ? "!" : line.text());
      line.clear();
    }
  }
  if (!line.empty()) lines.emplace_back(line.too_long() ? "!" : line.text());
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lines are the same however they were cut") {
  for (std::size_t size = 1; size < 20; ++size) {
    CAPTURE(size);
    CHECK(cut("one\ntwo\n\nlast", size) == Lines{"one", "two", "", "last"});
    CHECK(cut("\n", size) == Lines{""});
    CHECK(cut("", size).empty());
    CHECK(cut("12345\n123456\n1\n", size) == Lines{"12345", "!", "1"});
    CHECK(cut("ok\n1234567890", size) == Lines{"ok", "!"});
  }
}

TEST_CASE("nothing is kept of a line that is too long") {
  LineCutter line(4);
  std::string_view piece = "12345";
  CHECK_FALSE(line.take(piece));
  CHECK(piece.empty());
  CHECK(line.too_long());
  CHECK(line.text().empty());
  CHECK_FALSE(line.empty());
  line.clear();
  CHECK(line.empty());
  CHECK_FALSE(line.too_long());
}
