// Compressions are taken off, one layer, within a bound of memory.
#include "proxy/unpacker.hpp"

#include <doctest/doctest.h>

#include "proxy/sha256.hpp"
#include "tests/support/packed.hpp"

using namespace podfence::proxy;
using podfence::testing::packed;

namespace {

std::string unpacked(const std::string& content, std::size_t piece_size = 1000) {
  std::string_view rest = content;
  Unpacker unpacker(compression_of(rest.substr(0, compression_mark_bytes)), [&] {
    const auto piece = rest.substr(0, piece_size);
    rest.remove_prefix(piece.size());
    return piece;
  });
  std::string text;
  for (auto piece = unpacker.read(); !piece.empty(); piece = unpacker.read()) text += piece;
  return text;
}

bool fails(const std::string& content) {
  try {
    unpacked(content);
  } catch (const ArchiveError&) {
    return true;
  }
  return false;
}

std::string some_text() {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += std::to_string(i * 7919 % 10'007) + " ";
  return text;
}

constexpr const char* programs[] = {"gzip -n", "bzip2", "xz", "zstd -q"};

}  // namespace

TEST_CASE("what every program packs is unpacked, in pieces of any size, and what is not packed passes") {
  const auto text = some_text();
  CHECK((unpacked(text) == text));
  CHECK(unpacked("") == "");
  for (const std::string program : programs) {
    CAPTURE(program);
    CHECK((unpacked(packed(text, program)) == text));
    CHECK((unpacked(packed(text, program), 7) == text));
    CHECK(unpacked(packed("", program)) == "");
    CHECK((unpacked(packed(text, program) + packed("more", program)) == text + "more"));
  }
}

TEST_CASE("one layer is taken off and no more, of whatever kinds there are") {
  const auto text = some_text();
  for (const std::string outer : programs)
    for (const std::string inner : programs) {
      CAPTURE(outer);
      CAPTURE(inner);
      const auto once = packed(text, inner);
      CHECK((unpacked(packed(once, outer)) == once));
    }
}

TEST_CASE("data that is cut off or damaged is an error") {
  const auto text = some_text();
  for (const std::string program : programs) {
    CAPTURE(program);
    auto content = packed(text, program);
    CHECK(fails(content.substr(0, content.size() / 2)));
    // libarchive does not look at the check sum of gzip. Whatever it reads, it reads the same both times.
    if (program.starts_with("gzip")) continue;
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 0x55);
    CHECK(fails(content));
  }
}

TEST_CASE("a dictionary or window that wants more memory than the bound is an error") {
  CHECK_FALSE(fails(packed("text", "xz --lzma2=dict=64MiB")));
  CHECK(fails(packed("text", "xz --lzma2=dict=128MiB")));
  CHECK(fails(packed("text", "xz --lzma2=dict=1GiB")));
  // The second stream's dictionary counts as well.
  CHECK(fails(packed("text", "xz --lzma2=dict=1MiB") + packed("more", "xz --lzma2=dict=1GiB")));
  CHECK_FALSE(fails(packed("text", "zstd -q --ultra -22")));
  CHECK(fails(packed(some_text(), "zstd -q --long=30 --ultra -22")));
  CHECK(memory_to_unpack(Compression::Zstandard) > 128 * 1024 * 1024);
  CHECK(memory_to_unpack(Compression::Xz) > 64 * 1024 * 1024);
}

TEST_CASE("data that unpacks to nothing is an error when there is too much of it in a row") {
  for (const std::string program : programs) {
    CAPTURE(program);
    const auto nothing = packed("", program);
    std::string some, many;
    while (some.size() < 1'000'000) some += nothing;
    while (many.size() < 17u << 20) many += some;
    CHECK_FALSE(fails(some + packed("text", program)));
    CHECK(fails(many));
    CHECK_FALSE(fails(packed(some_text(), program) + some));
  }
}

TEST_CASE("a tar archive whose first name looks like a mark is not taken for a packed one") {
  CHECK(compression_of("BZh9.txt\0\0\0") == Compression::None);
  CHECK(compression_of("BZh91AY&SY") == Compression::Bzip2);
  CHECK(compression_of("") == Compression::None);
  CHECK(compression_of("\x1f\x8b") == Compression::None);
}

TEST_CASE("digests are those of FIPS 180-4's examples") {
  Sha256 digest;
  digest.add("a");
  digest.add("bc");
  CHECK(digest.digits() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256().digits() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
