// What the ledger remembers, over restarts too.
#include "proxy/ledger.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "proxy/database.hpp"
#include "tests/support/ledger_file.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::rules::Claim;
using podfence::testing::contains;
using podfence::testing::refused_ledger;
using podfence::testing::TemporaryDirectory;
using podfence::testing::write_file;

namespace {

constexpr auto HoldImage = Claim::Change::HoldImage;
constexpr auto DropImage = Claim::Change::DropImage;
constexpr auto OwnTag = Claim::Change::OwnTag;
constexpr auto MakeTag = Claim::Change::MakeTag;
constexpr auto DropTag = Claim::Change::DropTag;
constexpr auto HoldSecret = Claim::Change::HoldSecret;
constexpr auto DropSecret = Claim::Change::DropSecret;
constexpr auto RenewCacheKey = Claim::Change::RenewCacheKey;

const std::string image(64, 'a');
const std::string other_image(64, 'b');
const std::string tag = "docker.io/library/alpine:latest";

}  // namespace

TEST_CASE("an empty ledger knows of nobody") {
  const SqliteLedger ledger(":memory:");
  CHECK_FALSE(ledger.holds_image("p1", image));
  CHECK_FALSE(ledger.held_by_others("p1", image));
  CHECK_FALSE(ledger.owns_tag("p1", tag));
  CHECK_FALSE(ledger.tag_owned_by_others("p1", tag));
}

TEST_CASE("two projects hold the same image, each for itself") {
  SqliteLedger ledger(":memory:");
  ledger.apply("p1", {{HoldImage, image}});
  CHECK(ledger.holds_image("p1", image));
  CHECK_FALSE(ledger.held_by_others("p1", image));
  CHECK_FALSE(ledger.holds_image("p2", image));
  CHECK(ledger.held_by_others("p2", image));

  ledger.apply("p2", {{HoldImage, image}});
  CHECK(ledger.held_by_others("p1", image));
  CHECK(ledger.held_by_others("p2", image));

  ledger.apply("p1", {{DropImage, image}});
  CHECK_FALSE(ledger.holds_image("p1", image));
  CHECK(ledger.holds_image("p2", image));
  CHECK_FALSE(ledger.held_by_others("p2", image));
}

TEST_CASE("projects, images and tags are compared whole and with case") {
  SqliteLedger ledger(":memory:");
  ledger.apply("p10", {{HoldImage, image}, {OwnTag, tag}});
  for (const char* project : {"p1", "p100", "P10", "", "p"}) {
    CAPTURE(project);
    CHECK_FALSE(ledger.holds_image(project, image));
    CHECK_FALSE(ledger.owns_tag(project, tag));
    CHECK(ledger.held_by_others(project, image));
    CHECK(ledger.tag_owned_by_others(project, tag));
  }
  CHECK_FALSE(ledger.holds_image("p10", image.substr(0, 12)));
  CHECK_FALSE(ledger.owns_tag("p10", "docker.io/library/alpine"));
  CHECK_FALSE(ledger.owns_tag("p10", "docker.io/library/Alpine:latest"));
}

TEST_CASE("a tag that several projects pulled belongs to each of them") {
  SqliteLedger ledger(":memory:");
  ledger.apply("p1", {{OwnTag, tag}});
  CHECK_FALSE(ledger.tag_owned_by_others("p1", tag));
  ledger.apply("p10", {{OwnTag, tag}});
  CHECK(ledger.owns_tag("p1", tag));
  CHECK(ledger.owns_tag("p10", tag));
  CHECK(ledger.tag_owned_by_others("p1", tag));

  ledger.apply("p1", {{DropTag, tag}});
  CHECK_FALSE(ledger.owns_tag("p1", tag));
  CHECK(ledger.owns_tag("p10", tag));
  CHECK_FALSE(ledger.tag_owned_by_others("p10", tag));
}

TEST_CASE("claims that change nothing are no error") {
  SqliteLedger ledger(":memory:");
  ledger.apply("p1", {});
  ledger.apply("p1", {{DropImage, image}, {DropTag, tag}});
  ledger.apply("p1", {{HoldImage, image}, {HoldImage, image}, {DropImage, image}, {DropImage, image}});
  CHECK_FALSE(ledger.holds_image("p1", image));
}

TEST_CASE("names with quotes, NUL and bytes that are no UTF-8 come back as they were") {
  const TemporaryDirectory directory;
  const std::string strange[] = {"a'; DROP TABLE held_image; --", std::string("a\0b", 3), "\xff\xfe", ""};
  {
    SqliteLedger ledger(directory.path("ledger"));
    for (const auto& name : strange) ledger.apply("p1", {{HoldImage, name}});
  }
  const SqliteLedger ledger(directory.path("ledger"));
  for (const auto& name : strange) CHECK(ledger.holds_image("p1", name));
  CHECK_FALSE(ledger.holds_image("p1", "a"));
}

TEST_CASE("what was applied is there after a restart") {
  const TemporaryDirectory directory;
  {
    SqliteLedger ledger(directory.path("ledger"));
    ledger.apply("p1", {{HoldImage, image}, {HoldImage, other_image}, {OwnTag, tag}});
    ledger.apply("p10", {{HoldImage, image}});
    ledger.apply("p1", {{DropImage, other_image}});
  }
  const SqliteLedger ledger(directory.path("ledger"));
  CHECK(ledger.holds_image("p1", image));
  CHECK(ledger.holds_image("p10", image));
  CHECK(ledger.owns_tag("p1", tag));
  CHECK_FALSE(ledger.holds_image("p1", other_image));
}

TEST_CASE("what was applied is on disk at once, also for a process that dies") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  ledger.apply("p1", {{HoldImage, image}});
  Database reader(directory.path("ledger"));
  Statement held(reader, "SELECT project FROM held_image");
  REQUIRE(held.step());
  CHECK(held.text(0) == "p1");
}

TEST_CASE("claims that cannot all be written are not written at all, nor believed") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  {
    Database saboteur(directory.path("ledger"));
    saboteur.run("CREATE TRIGGER full BEFORE INSERT ON owned_tag BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  }
  CHECK_THROWS_WITH(ledger.apply("p1", {{HoldImage, image}, {OwnTag, tag}}), "disk full");
  CHECK_FALSE(ledger.holds_image("p1", image));
  ledger.apply("p1", {{HoldImage, other_image}});
  CHECK(ledger.holds_image("p1", other_image));
}

TEST_CASE("rows say since when, and by which way it came last") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  CHECK(ledger.empty());
  ledger.apply("p10", {{HoldImage, image}, {OwnTag, tag}}, "pull");
  ledger.apply("p1", {{HoldSecret, "s1"}, {MakeTag, tag}, {HoldImage, other_image}}, "build");
  ledger.apply("p1", {{HoldImage, other_image}}, "load");
  CHECK_FALSE(ledger.empty());
  for (const auto& entries : {ledger.entries(), SqliteLedger::entries_of(directory.path("ledger"))}) {
    std::vector<std::string> rows;
    for (const auto& entry : entries) {
      rows.push_back(entry.project + " " + std::string(text(entry.kind)) + " " + entry.what + " " + entry.way +
                     (entry.made ? " made" : ""));
      CHECK(entry.since.size() == std::string("2026-11-30T20:15:00Z").size());
      REQUIRE(entry.age.has_value());
      CHECK((*entry.age >= 0 && *entry.age < 60));
    }
    CHECK(rows == std::vector<std::string>{"p1 image " + other_image + " load", "p1 tag " + tag + " build made",
                                           "p1 secret s1 build", "p10 image " + image + " pull",
                                           "p10 tag " + tag + " pull"});
  }
}

TEST_CASE("what comes again is as young as what is new") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  ledger.apply("p1", {{HoldImage, image}, {OwnTag, tag}, {HoldSecret, "s1"}}, "pull");
  Database(directory.path("ledger"))
      .run("UPDATE held_image SET since = 1; UPDATE owned_tag SET since = 1; UPDATE held_secret SET since = 1");
  for (const auto& entry : ledger.entries()) CHECK(*entry.age > 1000);
  ledger.apply("p1", {{HoldImage, image}, {OwnTag, tag}, {HoldSecret, "s1"}}, "pull");
  for (const auto& entry : ledger.entries()) CHECK(*entry.age < 60);
}

TEST_CASE("a name that a project gave itself is told from one that it pulled, until it is dropped") {
  SqliteLedger ledger(":memory:");
  ledger.apply("p1", {{OwnTag, tag}});
  CHECK_FALSE(ledger.tag_made_by_others("p10", tag));
  ledger.apply("p1", {{MakeTag, tag}, {OwnTag, tag}});
  CHECK(ledger.tag_made_by_others("p10", tag));
  CHECK_FALSE(ledger.tag_made_by_others("p1", tag));
  ledger.apply("p1", {{DropTag, tag}, {OwnTag, tag}});
  CHECK(ledger.owns_tag("p1", tag));
  CHECK_FALSE(ledger.tag_made_by_others("p10", tag));
}

TEST_CASE("a name that is being pulled is kept from others, and is no name of the project's yet") {
  const TemporaryDirectory directory;
  {
    SqliteLedger ledger(directory.path("ledger"));
    const std::vector<Claim> pull{{OwnTag, tag}};
    ledger.claim("p1", pull, "pull");
    CHECK_FALSE(ledger.owns_tag("p1", tag));
    CHECK(ledger.tag_owned_by_others("p10", tag));
    CHECK_FALSE(ledger.tag_owned_by_others("p1", tag));
    CHECK(ledger.entries().empty());
    ledger.release("p1", pull);
    CHECK_FALSE(ledger.tag_owned_by_others("p10", tag));
    // What was got meanwhile is not released.
    ledger.claim("p1", pull, "pull");
    ledger.apply("p1", pull, "pull");
    ledger.release("p1", pull);
    CHECK(ledger.owns_tag("p1", tag));
    ledger.claim("p1", pull, "pull");
    ledger.release("p1", pull);
    CHECK(ledger.owns_tag("p1", tag));
    // A process that ends leaves no such claim; names that are given are written at once.
    ledger.claim("p10", {{OwnTag, "quay.io/half:1"}, {MakeTag, "quay.io/p10/app:1"}}, "build");
    CHECK(ledger.owns_tag("p10", "quay.io/p10/app:1"));
  }
  const SqliteLedger ledger(directory.path("ledger"));
  CHECK(ledger.owns_tag("p1", tag));
  CHECK_FALSE(ledger.owns_tag("p10", "quay.io/half:1"));
  CHECK_FALSE(ledger.tag_owned_by_others("p1", "quay.io/half:1"));
  CHECK(ledger.owns_tag("p10", "quay.io/p10/app:1"));
}

TEST_CASE("a name that a project pulls several times at once is kept from others until the last of them ends") {
  SqliteLedger ledger(":memory:");
  const std::vector<Claim> pull{{OwnTag, tag}};
  const auto kept = [&] { return ledger.tag_owned_by_others("p10", tag); };
  ledger.claim("p1", pull, "pull");
  ledger.claim("p1", pull, "pull");
  SUBCASE("the first fails") {
    ledger.release("p1", pull);
    CHECK(kept());
    CHECK_FALSE(ledger.tag_owned_by_others("p1", tag));
    ledger.release("p1", pull);
    CHECK_FALSE(kept());
  }
  SUBCASE("the first succeeds, and the name is dropped before the second ends") {
    ledger.apply("p1", pull, "pull");
    ledger.release("p1", pull);
    ledger.apply("p1", {{DropTag, tag}});
    CHECK(kept());
    ledger.release("p1", pull);
    CHECK_FALSE(kept());
  }
  SUBCASE("it is made meanwhile, and dropped") {
    ledger.apply("p1", {{MakeTag, tag}, {DropTag, tag}});
    ledger.release("p1", pull);
    CHECK(kept());
    ledger.release("p1", pull);
    CHECK_FALSE(kept());
  }
  SUBCASE("two projects pull it, each for itself") {
    ledger.claim("p10", pull, "pull");
    ledger.release("p1", pull);
    CHECK(ledger.tag_owned_by_others("p1", tag));
    CHECK(kept());
    ledger.release("p1", pull);
    CHECK_FALSE(kept());
    CHECK(ledger.tag_owned_by_others("p1", tag));
  }
}

TEST_CASE("a name that is its puller's already is kept while it is pulled again, whatever becomes of it") {
  SqliteLedger ledger(":memory:");
  const std::vector<Claim> pull{{OwnTag, tag}};
  ledger.apply("p1", pull, "pull");
  ledger.claim("p1", pull, "pull");
  ledger.apply("p1", {{DropTag, tag}});
  CHECK(ledger.tag_owned_by_others("p10", tag));
  ledger.release("p1", pull);
  CHECK_FALSE(ledger.tag_owned_by_others("p10", tag));
}

TEST_CASE("claims that cannot be written leave no name claimed") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  {
    Database saboteur(directory.path("ledger"));
    saboteur.run("CREATE TRIGGER full BEFORE INSERT ON owned_tag BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  }
  CHECK_THROWS_WITH(ledger.claim("p1", {{OwnTag, tag}, {MakeTag, "quay.io/p1/app:1"}}), "disk full");
  CHECK_FALSE(ledger.tag_owned_by_others("p10", tag));
}

TEST_CASE("secrets are remembered by their ids") {
  const TemporaryDirectory directory;
  SqliteLedger(directory.path("ledger")).apply("p1", {{HoldSecret, "s1"}, {HoldSecret, "s2"}, {DropSecret, "s2"}});
  const SqliteLedger ledger(directory.path("ledger"));
  CHECK(ledger.holds_secret("p1", "s1"));
  CHECK_FALSE(ledger.holds_secret("p1", "s2"));
  CHECK_FALSE(ledger.holds_secret("p10", "s1"));
  CHECK(ledger.secrets("p1") == std::vector<std::string>{"s1"});
  CHECK(ledger.secrets("p10").empty());
}

TEST_CASE("every project has a key of its own for its layer cache, the same until it is renewed") {
  const TemporaryDirectory directory;
  std::string first;
  {
    const SqliteLedger ledger(directory.path("ledger"));
    first = ledger.cache_key("p1");
    CHECK(first.size() == 32);
    CHECK(ledger.cache_key("p1") == first);
    CHECK(ledger.cache_key("p10") != first);
  }
  SqliteLedger ledger(directory.path("ledger"));
  CHECK(ledger.cache_key("p1") == first);
  const auto other = ledger.cache_key("p10");
  ledger.apply("p1", {{RenewCacheKey}});
  CHECK(ledger.cache_key("p1") != first);
  CHECK(ledger.cache_key("p10") == other);
}

TEST_CASE("a second podfence on the same ledger is refused, and served when the first has gone") {
  const TemporaryDirectory directory;
  {
    SqliteLedger first(directory.path("ledger"));
    CHECK(contains(refused_ledger(directory.path("ledger")), "is in use by another podfence"));
  }
  CHECK(refused_ledger(directory.path("ledger")) == "opened");
}

TEST_CASE("a ledger can be read while it is in use, and what is written then is not seen") {
  const TemporaryDirectory directory;
  SqliteLedger ledger(directory.path("ledger"));
  ledger.apply("p1", {{HoldImage, image}, {OwnTag, tag}});
  const auto copy = SqliteLedger::copy_of(directory.path("ledger"));
  ledger.apply("p10", {{HoldImage, image}});
  CHECK(copy.holds_image("p1", image));
  CHECK(copy.owns_tag("p1", tag));
  CHECK_FALSE(copy.held_by_others("p1", image));
}

TEST_CASE("a copy is only made of a ledger that is there and of this version") {
  const TemporaryDirectory directory;
  const auto wrong = [&](const std::string& name) {
    try {
      SqliteLedger::copy_of(directory.path(name));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("copied");
  };
  CHECK(contains(wrong("absent"), "absent cannot be read: unable to open database file"));
  CHECK_FALSE(std::filesystem::exists(directory.path("absent")));
  write_file(directory.path("text"), "no database at all, but long enough to be looked at by SQLite");
  CHECK(contains(wrong("text"), "text cannot be read: "));
  { Database(directory.path("other")).run("CREATE TABLE other (x)"); }
  CHECK(contains(wrong("other"), "other cannot be read: it is a database of another program"));
  write_file(directory.path("empty"), "");
  CHECK(wrong("empty").ends_with("empty cannot be read: it is empty"));
  { SqliteLedger(directory.path("emptied")).apply("p1", {{HoldImage, image}}); }
  std::filesystem::resize_file(directory.path("emptied"), 0);
  CHECK(wrong("emptied").ends_with("emptied cannot be read: it is empty, and was not when podfence left it"));
  CHECK_THROWS(SqliteLedger::entries_of(directory.path("emptied")));
  CHECK(std::filesystem::file_size(directory.path("emptied")) == 0);
  { SqliteLedger(directory.path("odd?name#1%")).apply("p1", {{HoldImage, image}}); }
  CHECK(SqliteLedger::copy_of(directory.path("odd?name#1%")).holds_image("p1", image));
}
