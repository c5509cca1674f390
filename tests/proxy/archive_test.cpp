// Archives are read in every format, and written anew in one form that reads the same.
#include "proxy/archive.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "proxy/spool.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::testing::TemporaryDirectory;
using Type = podfence::rules::ArchiveMember::Type;

namespace {

/// Runs a command of the shell in the directory and reads `out` of it.
std::string shell(const TemporaryDirectory& directory, const std::string& command) {
  REQUIRE(std::system(("cd '" + directory.path("") + "' && " + command).c_str()) == 0);
  const File file(open(directory.path("out").c_str(), O_RDONLY));
  std::string content(1 << 20, '\0');
  content.resize(static_cast<std::size_t>(read(file.descriptor(), content.data(), content.size())));
  return content;
}

Spool spool_of(const TemporaryDirectory& directory, std::string_view content) {
  Spool spool(directory.path(""));
  spool.append(content);
  return spool;
}

/// A line for each member: what it is, its name, and its content or where it points.
std::vector<std::string> listing(const Spool& spool) {
  std::vector<std::string> lines;
  ArchiveReader reader(spool.rewound());
  while (reader.next()) {
    const auto& member = reader.member();
    std::string line = std::string(1, "fdlho"[static_cast<int>(member.type)]) + " " + member.name + " " + member.link;
    for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) line += piece;
    lines.push_back(line);
  }
  return lines;
}

std::string rewritten(const Spool& spool) {
  ArchiveReader reader(spool.rewound());
  ArchiveWriter writer;
  while (reader.next()) {
    writer.begin(reader.entry(), reader.member());
    for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) writer.write(piece);
  }
  writer.finish();
  return writer.written();
}

const std::string make_tree =
    "mkdir -p d/sub && printf hello > d/file && ln -s /etc/passwd d/link && ln d/file d/hard && printf x > "
    "'d/gr\xc3\xb6\xc3\x9f"
    "e' && truncate -s 5000 d/sub/hole && ";

}  // namespace

TEST_CASE("an archive that is given up does no harm, whatever was written") {
  // Its end is written when it is freed; AddressSanitizer tells where that goes.
  for (const std::size_t size : {0u, 100u, 100'000u}) {
    ArchiveWriter writer;
    if (size > 0) writer.add("name", std::string(size, 'x'));
    CHECK(writer.written().size() >= size);
  }
}

TEST_CASE("a tar archive is read alike in every format, by its members in order") {
  const TemporaryDirectory directory;
  const auto plain = listing(spool_of(directory, shell(directory, make_tree + "tar --sort=name -cf out d")));
  REQUIRE(plain.size() == 7);
  CHECK(plain[0] == "d d/ ");
  CHECK(plain[1] == "f d/file hello");
  CHECK(plain[2] == "f d/größe x");
  CHECK(plain[3] == "h d/hard d/file");
  CHECK(plain[4] == "l d/link /etc/passwd");
  CHECK(plain[6] == "f d/sub/hole " + std::string(5000, '\0'));
  for (const std::string format : {"v7", "ustar", "gnu --sparse", "pax --sparse"}) {
    CAPTURE(format);
    const auto packed = shell(directory, "tar --sort=name -cf out --format=" + format + " d");
    CHECK(listing(spool_of(directory, packed)) == plain);
  }
}

TEST_CASE("the map of a sparse file is bounded, since libarchive keeps all of it") {
  const TemporaryDirectory directory;
  const auto header = [](const std::string& name, std::size_t size, char type) {
    std::string block(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
    const auto octal = [](std::size_t number) {
      std::string digits(11, '0');
      for (auto place = digits.rbegin(); number > 0; number /= 8) *place++ = static_cast<char>('0' + number % 8);
      return digits;
    };
    put(0, name);
    put(100, "0000644");
    put(124, octal(size));
    put(136, octal(0));
    put(148, "        ");
    block[156] = type;
    put(257, std::string("ustar\00000", 8));
    std::size_t sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    put(148, octal(sum).substr(5));
    return block;
  };
  const auto padded = [](std::string text) {
    text.resize((text.size() + 511) / 512 * 512, '\0');
    return text;
  };
  // GNU's form 1.0: the map stands before the content, in lines; here of pieces that hold nothing.
  const auto sparse = [&](int pieces) {
    const std::string records =
        "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n24 GNU.sparse.name=hole\n25 GNU.sparse.realsize=9\n";
    std::string map = std::to_string(pieces) + "\n";
    for (int i = 0; i < pieces; ++i) map += "9\n0\n";
    map = padded(map);
    return header("x", records.size(), 'x') + padded(records) + header("GNUSparseFile.0/hole", map.size(), '0') + map +
           std::string(1024, '\0');
  };
  CHECK(listing(spool_of(directory, sparse(1000))) == std::vector<std::string>{"f hole " + std::string(9, '\0')});
  CHECK_THROWS_AS(listing(spool_of(directory, sparse(1'000'000))), ArchiveError);
}

TEST_CASE("what is written anew reads the same, and the second writing writes the same bytes") {
  const TemporaryDirectory directory;
  const auto spool = spool_of(directory, shell(directory, make_tree + "tar --sort=name -cf out d"));
  const auto once = rewritten(spool);
  const auto again = spool_of(directory, once);
  auto expected = listing(spool);
  expected[0] = "d d/ ";
  CHECK(listing(again) == expected);
  CHECK(rewritten(again) == once);
}

TEST_CASE("modes, times, owners and long names survive; ownership by name and what the reader does not know do not") {
  const TemporaryDirectory directory;
  const std::string name(300, 'n');
  const auto packed = shell(directory, "printf x > " + name.substr(0, 200) + " && chmod 6755 " + name.substr(0, 200) +
                                           " && tar --owner=somebody:1234 --group=some:99 --mtime=@1000000.5 "
                                           "--format=pax --pax-option=SCHILY.unknown=1,comment=x -cf out n*");
  const auto spool = spool_of(directory, rewritten(spool_of(directory, packed)));
  ArchiveReader reader(spool.rewound());
  REQUIRE(reader.next());
  auto* const entry = reader.entry();
  CHECK(reader.member().name == name.substr(0, 200));
  CHECK(archive_entry_perm(entry) == 06755);
  CHECK(archive_entry_mtime(entry) == 1000000);
  CHECK(archive_entry_uid(entry) == 1234);
  CHECK(archive_entry_gid(entry) == 99);
  CHECK(std::string(archive_entry_uname(entry) ? archive_entry_uname(entry) : "") == "");
  const auto bytes = rewritten(spool);
  CHECK(bytes.find("somebody") == std::string::npos);
  CHECK(bytes.find("comment") == std::string::npos);
}

TEST_CASE("what is no archive, cut, or damaged is an error") {
  const TemporaryDirectory directory;
  const auto fails = [&](std::string_view content) {
    try {
      listing(spool_of(directory, content));
    } catch (const ArchiveError&) {
      return true;
    }
    return false;
  };
  const auto packed = shell(directory, make_tree + "tar -cf out d");
  CHECK_FALSE(fails(packed));
  CHECK(fails("no archive"));
  CHECK(fails(packed.substr(0, 700)));
  auto damaged = packed;
  damaged[3] = 'x';  // a name; the checksum of the header no longer fits
  CHECK(fails(damaged));
  CHECK(fails(shell(directory, "tar --gzip -cf out d")));  // unpacker.hpp comes first
}
