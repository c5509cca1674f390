// What comes of a ledger that is held against what Podman has.
#include "rules/repair.hpp"

#include <doctest/doctest.h>

#include "tests/rules/world.hpp"

using namespace podfence::tests;
using EntryKind = LedgerEntry::Kind;
using What = Finding::What;

namespace {

const std::string name = "quay.io/p1/app:1";

LedgerEntry image(const std::string& project, char digit) { return {EntryKind::Image, project, id(digit)}; }
LedgerEntry pulled(const std::string& project, const std::string& tag) { return {EntryKind::Tag, project, tag}; }
LedgerEntry made(const std::string& project, const std::string& tag) { return {EntryKind::Tag, project, tag, true}; }

LedgerEntry aged(LedgerEntry entry, std::int64_t seconds) {
  entry.age = seconds;
  return entry;
}

/// As Podman lists one image.
std::string listed(char digit, const std::string& tag, const std::string& label = "") {
  return R"({"Id":")" + id(digit) + R"(","RepoTags":[)" + (tag.empty() ? "" : "\"" + tag + "\"") + R"(],"Labels":)" +
         (label.empty() ? "null" : R"({"appx.project":")" + label + "\"}") + "}";
}

EngineInventory engine(const std::vector<std::string>& images, const std::string& secrets = "[]") {
  std::string list;
  for (const auto& each : images) list += (list.empty() ? "" : ",") + each;
  EngineInventory inventory("appx.project");
  REQUIRE(inventory.learn_images(200, "[" + list + "]"));
  REQUIRE(inventory.learn_secrets(200, secrets));
  return inventory;
}

std::vector<std::string> texts(const Repair& repair) {
  std::vector<std::string> result;
  for (const auto& finding : repair.findings) result.push_back(text_of(finding));
  return result;
}

std::vector<std::string> found(const LedgerEntries& entries, const EngineInventory& inventory,
                               const RepairRules& rules = {.careful = false}) {
  return texts(find_repair(entries, inventory, rules));
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a ledger that says what is there is left as it is") {
  const auto inventory = engine({listed('a', name), listed('b', "")}, R"([{"ID":"s1"}])");
  CHECK(
      found({image("p1", 'a'), image("p1", 'b'), image("p10", 'a'), made("p1", name), {EntryKind::Secret, "p1", "s1"}},
            inventory) == Texts{});
}

TEST_CASE("a manifest list is held by its name, as long as the name is there") {
  const LedgerEntries list{{EntryKind::Image, "p1", name}, made("p1", name)};
  CHECK(found(list, engine({listed('b', name)})) == Texts{});
  CHECK(found(list, engine({listed('b', "quay.io/other:1")})) ==
        Texts{"p1 loses the image " + name + ": Podman has none", "p1 loses the tag " + name + ": Podman has none"});
}

TEST_CASE("images, names and secrets that are gone are dropped") {
  const auto inventory = engine({listed('b', "quay.io/other:1")});
  const auto repair = find_repair({image("p1", 'a'), pulled("p1", name), {EntryKind::Secret, "p1", "s1"}}, inventory,
                                  {.careful = false});
  CHECK(texts(repair) == Texts{"p1 loses the image " + id('a') + ": Podman has none",
                               "p1 loses the tag " + name + ": Podman has none",
                               "p1 loses the secret s1: Podman has none"});
  REQUIRE(repair.findings.size() == 3);
  CHECK(repair.findings[0].claim.change == Claim::Change::DropImage);
  CHECK(repair.findings[1].claim.change == Claim::Change::DropTag);
  CHECK(repair.findings[2].claim.change == Claim::Change::DropSecret);
  CHECK(repair.findings[1].claim.what == name);
}

TEST_CASE("the name of a pull that did not come to its end is dropped: somebody else's image may have it") {
  const auto inventory = engine({listed('a', name)});
  CHECK(found({pulled("p1", name)}, inventory) ==
        Texts{"p1 loses the tag " + name + ": it stands for an image that the project did not get"});
  CHECK(found({pulled("p1", name), image("p10", 'a'), pulled("p10", name)}, inventory).size() == 1);
  CHECK(found({aged(pulled("p1", name), 1)}, inventory).size() == 1);
  CHECK(found({pulled("p1", name), image("p1", 'a')}, inventory) == Texts{});
}

TEST_CASE("an image that a project made under its own name, and that was not recorded, is recorded") {
  const auto repair = find_repair({made("p1", name)}, engine({listed('a', name, "p1")}), {});
  CHECK(texts(repair) == Texts{"p1 gets the image " + id('a') + ": it made it under the name " + name});
  REQUIRE(repair.findings.size() == 1);
  CHECK(repair.findings[0].project == "p1");
  CHECK(repair.findings[0].claim.change == Claim::Change::HoldImage);
  CHECK(repair.findings[0].claim.what == id('a'));
}

TEST_CASE("a label proves nothing by itself") {
  SUBCASE("on an image without a name") { CHECK(found({}, engine({listed('a', "", "p1")})) == Texts{}); }
  SUBCASE("on an image under a name that the project did not give") {
    CHECK(found({pulled("p1", name)}, engine({listed('a', name, "p1")})) ==
          Texts{"p1 loses the tag " + name + ": it stands for an image that the project did not get"});
  }
  SUBCASE("on an image under a name of nobody's") {
    CHECK(found({made("p1", "quay.io/p1/app:2")}, engine({listed('a', name, "p1"), listed('b', "quay.io/p1/app:2")})) ==
          Texts{});
  }
  SUBCASE("on an image that another project holds") {
    CHECK(found({made("p1", name), image("p10", 'a')}, engine({listed('a', name, "p1")})) == Texts{});
  }
  SUBCASE("where another project has the name as well") {
    CHECK(found({made("p1", name), made("p10", name)}, engine({listed('a', name, "p1")})) == Texts{});
  }
}

TEST_CASE("an image without the project's label stays hidden, and the name the project's") {
  for (const auto* label : {"", "p10", "p", "P1", "p1 "})
    CHECK(found({made("p1", name)}, engine({listed('a', name, label)})) == Texts{});
}

TEST_CASE("the configured label counts") {
  EngineInventory inventory("other.key");
  REQUIRE(inventory.learn_images(200, "[" + listed('a', name, "p1") + "]"));
  CHECK(found({made("p1", name)}, inventory) == Texts{});
}

TEST_CASE("a name that may still be on its way is kept for a while") {
  const auto inventory = engine({listed('b', "quay.io/other:1")});
  CHECK(found({aged(made("p1", name), 599)}, inventory) == Texts{});
  CHECK(found({aged(made("p1", name), 600)}, inventory).size() == 1);
  CHECK(found({aged(pulled("p1", name), 10)}, inventory) == Texts{});
  CHECK(found({aged(made("p1", name), 10)}, inventory, {.grace = 0, .careful = false}).size() == 1);
  CHECK(found({aged(image("p1", 'a'), 10)}, inventory).size() == 1);  // an image is recorded when it is there
}

TEST_CASE("later only rows that nobody has written again are looked at") {
  const auto at = [](LedgerEntry entry, const std::string& since) {
    entry.since = since;
    return entry;
  };
  const auto inventory = engine({listed('b', name)});
  const LedgerEntries left{at(image("p1", 'a'), "1"), pulled("p1", name), at(made("p1", "quay.io/x:1"), "1")};
  const RepairRules later{.grace = 0, .left = &left, .careful = false};
  CHECK(found(left, inventory, later).size() == 3);
  CHECK(found({at(image("p1", 'a'), "2"), at(pulled("p1", name), "2"), at(made("p1", "quay.io/x:1"), "2"),
               at(image("p10", 'a'), "1"), made("p1", "quay.io/y:1")},
              inventory, later) == Texts{});
}

TEST_CASE("when nothing of all is there it may be another Podman, and nothing is dropped for that") {
  const LedgerEntries entries{image("p1", 'a'), image("p10", 'b'), pulled("p1", "quay.io/gone:1")};
  const auto careful = find_repair(entries, engine({listed('c', "quay.io/other:1")}), {});
  CHECK(careful.findings.empty());
  CHECK(careful.held_back == 3);
  const auto asked = find_repair(entries, engine({}), {.careful = false});
  CHECK(asked.findings.size() == 3);
  CHECK(asked.held_back == 0);
  // One that is there is proof enough.
  const auto some = find_repair(entries, engine({listed('b', "")}), {});
  CHECK(some.findings.size() == 2);
  CHECK(some.held_back == 0);
  // The names of others' images are not kept by it.
  const auto name_of_others = find_repair({pulled("p1", name), image("p1", 'a')}, engine({listed('c', name)}), {});
  CHECK(texts(name_of_others).size() == 2);
}

TEST_CASE("digests are names too") {
  const auto digest = "quay.io/p1/app@sha256:" + std::string(64, 'd');
  EngineInventory inventory("appx.project");
  REQUIRE(inventory.learn_images(
      200, R"([{"Id":"sha256:)" + id('a') + R"(","RepoTags":null,"RepoDigests":[")" + digest + R"("]}])"));
  CHECK(found({pulled("p1", digest), image("p1", 'a')}, inventory) == Texts{});
}

TEST_CASE("answers that are no lists are not understood") {
  for (const auto* text : {"", "{}", "[", R"([{"Id":"short"}])", R"([{}])"}) {
    CAPTURE(text);
    CHECK_FALSE(EngineInventory("appx.project").learn_images(200, text));
  }
  CHECK_FALSE(EngineInventory("appx.project").learn_images(500, "[]"));
  CHECK(EngineInventory("appx.project").learn_images(200, "null"));
  CHECK_FALSE(EngineInventory("appx.project").learn_secrets(404, "[]"));
}
