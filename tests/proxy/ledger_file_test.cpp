// The ledger's files: whose they are, what is damaged, and what other versions wrote.
#include "tests/support/ledger_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "proxy/database.hpp"
#include "proxy/ledger.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::rules::Claim;
using podfence::testing::contains;
using podfence::testing::read_file;
using podfence::testing::refused_ledger;
using podfence::testing::TemporaryDirectory;
using podfence::testing::write_file;

namespace {

constexpr auto HoldImage = Claim::Change::HoldImage;
constexpr auto MakeTag = Claim::Change::MakeTag;

const std::string image(64, 'a');
const std::string other_image(64, 'b');
const std::string tag = "docker.io/library/alpine:latest";

}  // namespace

TEST_CASE("the file and its companions are for the owner only") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  ledger.apply("p1", {{HoldImage, image}});
  for (const char* name : {"ledger", "ledger-wal", "ledger-shm", "ledger.lock"}) {
    CAPTURE(name);
    struct stat status {};
    REQUIRE(stat(directory.path(name).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
}

TEST_CASE("a file that others may write is refused") {
  const TemporaryDirectory directory;
  write_file(directory.path("ledger"), "");
  for (const mode_t mode : {0620, 0602, 0666}) {
    REQUIRE(chmod(directory.path("ledger").c_str(), mode) == 0);
    CHECK(contains(refused_ledger(directory.path("ledger")), "can be written by others"));
  }
}

TEST_CASE("a file of another owner is refused" * doctest::skip(geteuid() != 0)) {
  const TemporaryDirectory directory;
  write_file(directory.path("ledger"), "");
  REQUIRE(chown(directory.path("ledger").c_str(), 12345, 12345) == 0);
  CHECK(contains(refused_ledger(directory.path("ledger")), "belongs to uid 12345"));
}

TEST_CASE("a link is not followed, and a directory is no ledger") {
  const TemporaryDirectory directory;
  write_file(directory.path("elsewhere"), "");
  std::filesystem::create_symlink(directory.path("elsewhere"), directory.path("ledger"));
  CHECK(contains(refused_ledger(directory.path("ledger")), "cannot open " + directory.path("ledger")));
  std::filesystem::create_directory(directory.path("folder"));
  CHECK(contains(refused_ledger(directory.path("folder")), directory.path("folder")));
  CHECK(contains(refused_ledger(directory.path("absent/ledger")), "No such file or directory"));
}

TEST_CASE("a damaged file gives a clear error and is left as it is") {
  const TemporaryDirectory directory;
  const std::string garbage(4096, 'x');
  write_file(directory.path("ledger"), garbage);
  const std::string reason = refused_ledger(directory.path("ledger"));
  CHECK(contains(reason, "the ledger " + directory.path("ledger") + " cannot be used: file is not a database"));
  CHECK(contains(reason, "move it and the files beside it away (" + directory.path("ledger") + "*) to begin anew"));
  CHECK(std::filesystem::file_size(directory.path("ledger")) == garbage.size());
}

TEST_CASE("damage in the middle of a file is found when it is opened") {
  const TemporaryDirectory directory;
  {
    SqliteLedger ledger(directory.path("ledger"));
    for (int i = 0; i < 500; ++i) ledger.apply("p1", {{HoldImage, std::to_string(i) + image}});
  }
  std::fstream file(directory.path("ledger"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 4096);
  file << std::string(4096, 'x');
  file.close();
  CHECK(contains(refused_ledger(directory.path("ledger")), "cannot be used"));
}

TEST_CASE("a ledger of a newer podfence is refused, and left as it is") {
  const TemporaryDirectory directory;
  const auto path = directory.path("ledger");
  Database(path).run("CREATE TABLE later (x); PRAGMA user_version = 4");
  chmod(path.c_str(), 0600);
  const auto before = read_file(path);
  const auto reason = refused_ledger(path);
  CHECK(contains(reason, "it was written by a newer podfence (schema 4; this one knows 3); bring back a copy"));
  CHECK(read_file(path) == before);
}

TEST_CASE("a database of another program is refused, and left as it is") {
  const TemporaryDirectory directory;
  const auto path = directory.path("ledger");
  Database(path).run("CREATE TABLE other (x)");
  chmod(path.c_str(), 0600);
  const auto before = read_file(path);
  CHECK(contains(refused_ledger(path), "it is a database of another program"));
  CHECK(read_file(path) == before);
}

TEST_CASE("a ledger of every earlier schema is brought up, with all that it says") {
  for (const int version : {1, 2}) {
    CAPTURE(version);
    const TemporaryDirectory directory;
    const auto path = directory.path("ledger");
    write_file(path, read_file(PODFENCE_SOURCE_DIR "/tests/data/ledger/schema-" + std::to_string(version) + ".sqlite"));
    {
      SqliteLedger ledger(path);
      CHECK(ledger.holds_image("p1", image));
      CHECK(ledger.holds_image("p1", other_image));
      CHECK(ledger.holds_image("p10", image));
      CHECK_FALSE(ledger.holds_image("p10", other_image));
      CHECK(ledger.images("p1") == 2);
      CHECK(ledger.owns_tag("p1", tag));
      CHECK(ledger.owns_tag("p10", tag));
      CHECK(ledger.owns_tag("p10", "quay.io/p10/tool:1"));
      CHECK_FALSE(ledger.tag_made_by_others("p10", tag));
      CHECK(ledger.tag_made_by_others("p10", "quay.io/p1/app:1") == (version == 2));
      CHECK(ledger.holds_secret("p1", "5ec12e7000000000000000001") == (version == 2));
      CHECK((ledger.cache_key("p1") == "0123456789abcdef0123456789abcdef") == (version == 2));
      for (const auto& entry : ledger.entries()) {
        CHECK(entry.way.empty());
        CHECK(entry.since.empty());
        CHECK_FALSE(entry.age.has_value());
      }
      ledger.apply("p1", {{MakeTag, tag}}, "tag");
    }
    const SqliteLedger again(path);
    CHECK(again.owns_tag("p1", tag));
    CHECK(again.tag_made_by_others("p10", tag));
    CHECK(again.entries().size() == (version == 2 ? 8 : 6));
  }
}

TEST_CASE("a file that was cut down to nothing is no new ledger") {
  const TemporaryDirectory directory;
  const auto path = directory.path("ledger");
  { SqliteLedger(path).apply("p1", {{HoldImage, image}}); }
  std::filesystem::resize_file(path, 0);
  CHECK(contains(refused_ledger(path), "cannot be used: it is empty, and was not when podfence left it"));
  CHECK(std::filesystem::file_size(path) == 0);
  // The way out that it tells.
  for (const char* name : {"ledger", "ledger.lock"}) std::filesystem::remove(directory.path(name));
  CHECK(refused_ledger(path) == "opened");
}

TEST_CASE("a podfence that was killed before it made its tables begins anew") {
  const TemporaryDirectory directory;
  write_file(directory.path("ledger"), "");
  write_file(directory.path("ledger.lock"), "");
  CHECK(refused_ledger(directory.path("ledger")) == "opened");
}
