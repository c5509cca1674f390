// What a build context may hold, member by member.
#include "rules/archive.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "rules/refusal.hpp"

using namespace podfence::rules;

namespace {

using Type = ArchiveMember::Type;

ArchiveMember file(std::string name, std::uint64_t size = 1) { return {Type::File, std::move(name), {}, size}; }
ArchiveMember directory(std::string name) { return {Type::Directory, std::move(name)}; }
ArchiveMember symbolic_link(std::string name, std::string to) {
  return {Type::SymbolicLink, std::move(name), std::move(to)};
}
ArchiveMember hard_link(std::string name, std::string to) { return {Type::HardLink, std::move(name), std::move(to)}; }

/// The rule that refuses the first member that is not accepted, "" when all are.
std::string judge(const std::vector<ArchiveMember>& members, ArchiveRules rules = {.is_extracted = true}) {
  ArchiveJudge judge(std::move(rules));
  for (const auto& member : members)
    if (const auto deny = judge.judge(member)) return std::string(deny->rule->id) + " " + deny->subject;
  return "";
}

}  // namespace

TEST_CASE("names of members are clean below the archive's root, or refused") {
  CHECK(clean_member_name("a/b") == "a/b");
  CHECK(clean_member_name("./a//b/") == "a/b");
  CHECK(clean_member_name("./") == "");
  CHECK(clean_member_name("a/...") == "a/...");
  CHECK(clean_member_name("größe") == "größe");
  for (const char* wrong : {"/a", "..", "a/../b", "a/..", "../a", "\xff"}) {
    CAPTURE(wrong);
    CHECK_FALSE(clean_member_name(wrong));
  }
  CHECK_FALSE(clean_member_name(std::string_view("a\0b", 3)));
}

TEST_CASE("a build context is accepted as clients pack it") {
  CHECK(judge({directory("./"), directory("./src"), file("./src/a"), directory("src/"), symbolic_link("src/b", "a"),
               symbolic_link("outside", "/etc/passwd"), hard_link("c", "./src/a"), file("Dockerfile")}) == "");
}

TEST_CASE("members that an extraction could place somewhere else, or read differently, are refused") {
  CHECK(judge({directory("/"), file("Dockerfile")}) == "");
  CHECK(judge({file("/")}) == "archive.name /");
  CHECK(judge({directory("/etc")}) == "archive.name /etc");
  CHECK(judge({file("/etc/passwd")}) == "archive.name /etc/passwd");
  CHECK(judge({file("a/../../b")}) == "archive.name a/../../b");
  CHECK(judge({file("./")}) == "archive.name .");
  CHECK(judge({file("a"), file("./a")}) == "archive.duplicate a");
  CHECK(judge({directory("a"), file("a")}) == "archive.duplicate a");
  CHECK(judge({file("a/b"), symbolic_link("a", "/etc")}) == "archive.duplicate a");
  CHECK(judge({symbolic_link("a", "/etc"), file("a/b")}) == "archive.through a/b");
  CHECK(judge({file("a"), file("a/b")}) == "archive.through a/b");
  CHECK(judge({symbolic_link("a", "/etc/passwd"), hard_link("b", "a")}) == "archive.hard-link b");
  CHECK(judge({hard_link("b", "/etc/passwd")}) == "archive.hard-link b");
  CHECK(judge({hard_link("b", "later"), file("later")}) == "archive.hard-link b");
  CHECK(judge({{Type::Other, "pipe"}}) == "archive.type pipe");
}

TEST_CASE("a build secret's second copy is left out, and nothing that only looks like it") {
  CHECK(judge({file("podman-build-secret12"), file("/home/me/context/podman-build-secret12")}) == "");
  CHECK(judge({file("/etc/podman-build-secretX")}) == "archive.name /etc/podman-build-secretX");
  CHECK(judge({file("/podman-build-secret1/x")}) == "archive.name /podman-build-secret1/x");
}

TEST_CASE("members that are left out count as the others do") {
  for (const auto& left_out : {file("/home/me/podman-build-secret1"), directory("/")}) {
    ArchiveJudge many({.is_extracted = true});
    std::optional<Deny> deny;
    for (int i = 0; i < 600'000 && !deny; ++i) deny = many.judge(left_out);
    REQUIRE(deny);
    CHECK(deny->rule->id == "archive.members");
  }
}

TEST_CASE("a file of an image has no holes, which would be much to read in a few bytes") {
  auto holes = file("blobs/sha256/a");
  holes.has_holes = true;
  CHECK(judge({holes}, {.is_extracted = true, .is_image = true}) == "archive.holes blobs/sha256/a");
  CHECK(judge({holes}) == "");
}

TEST_CASE("a text that is read must be one plain file of bounded size, and podfence's own names are not taken") {
  const ArchiveRules rules{.is_extracted = true, .texts = {"Dockerfile"}, .reserved = "mine", .text_bytes = 10};
  CHECK(judge({file("Dockerfile", 10)}, rules) == "");
  CHECK(judge({file("./Dockerfile", 11)}, rules) == "archive.text-size Dockerfile");
  CHECK(judge({symbolic_link("Dockerfile", "/etc/passwd")}, rules) == "archive.text-type Dockerfile");
  CHECK(judge({file("a"), hard_link("Dockerfile", "a")}, rules) == "archive.text-type Dockerfile");
  CHECK(judge({file("./mine")}, rules) == "archive.reserved mine");
  CHECK(judge({file("mine.more")}, rules) == "archive.reserved mine.more");
  CHECK(judge({directory("mine/x")}, rules) == "archive.reserved mine/x");
  CHECK(judge({file("x/mine")}, rules) == "");

  ArchiveJudge judge(rules);
  CHECK_FALSE(judge.judge(file("./Dockerfile")));
  CHECK(judge.reading(file("./Dockerfile")) == ArchiveJudge::Reading::Text);
  CHECK(judge.reading(file("sub/Dockerfile")) == ArchiveJudge::Reading::Nothing);
  judge.take(file("./Dockerfile"), "FROM scratch");
  CHECK(std::move(judge).finish().texts.at("Dockerfile") == "FROM scratch");
}

TEST_CASE("of an archive that is no build context only the texts have to be there once") {
  const ArchiveRules rules{.texts = {"manifest.json"}};
  CHECK(judge({{Type::Other, "dev/null"}, file("a"), file("a"), hard_link("b", "/x")}, rules) == "");
  CHECK(judge({file("manifest.json"), file("./manifest.json")}, rules) == "archive.duplicate manifest.json");
  CHECK(judge({file("/a")}, rules) == "archive.name /a");
}

TEST_CASE("directories that a name only speaks of take room as well") {
  ArchiveJudge deep({.is_extracted = true});
  std::string name;
  for (int i = 0; i < 500'000; ++i) name += "a/";
  const auto refused = deep.judge(file(name + "b"));
  REQUIRE(refused);
  CHECK(refused->rule->id == "archive.members");

  // Once each: many members far down are nothing special.
  ArchiveJudge many({.is_extracted = true});
  const auto far = name.substr(0, 4000);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(many.judge(file(far + std::to_string(i))));
  CHECK(many.judge(file("a/a"))->rule->id == "archive.duplicate");
  CHECK(many.judge(file(far + "1/x"))->rule->id == "archive.through");
}

TEST_CASE("the number of members and the length of their names are bounded") {
  ArchiveJudge many({.is_extracted = true});
  std::optional<Deny> deny;
  for (int i = 0; i < 600'000 && !deny; ++i) deny = many.judge(directory("same"));
  REQUIRE(deny);
  CHECK(deny->rule->id == "archive.members");

  ArchiveJudge long_names({.is_extracted = true});
  deny.reset();
  for (int i = 0; i < 100 && !deny; ++i) deny = long_names.judge(file(std::to_string(i) + std::string(500'000, 'x')));
  REQUIRE(deny);
  CHECK(deny->rule->id == "archive.members");
}

TEST_CASE("links of an image's archive lead to its own members, and hard links are none of its") {
  const ArchiveRules image{.is_extracted = true, .is_image = true};
  CHECK(judge({file("a/x"), symbolic_link("b/layer.tar", "../a/x"), symbolic_link("c", "./a/./x")}, image) == "");
  for (const char* target : {"/etc/passwd", "../x", "a/../../x", "../../../../etc/hostname"}) {
    CAPTURE(target);
    CHECK(judge({symbolic_link("b", target)}, image) == "archive.link b");
  }
  CHECK(judge({symbolic_link("a/b/c", "../../x")}, image) == "");
  // What is named by its digest stands for itself.
  for (const char* name : {"blobs", "blobs/sha256", "blobs/sha256/x", "./blobs//sha256/x"}) {
    CAPTURE(name);
    CHECK(judge({symbolic_link(name, "m")}, image).starts_with("archive.link blobs"));
  }
  CHECK(judge({symbolic_link("a/b/c", "../../../x")}, image) == "archive.link a/b/c");
  CHECK(judge({file("a"), hard_link("b", "a")}, image) == "archive.link b");

  ArchiveJudge judge(image);
  REQUIRE_FALSE(judge.judge(file("a/x")));
  REQUIRE_FALSE(judge.judge(symbolic_link("b/layer.tar", "../a/x")));
  const auto known = std::move(judge).finish();
  CHECK(known.links == Archive::Text{{"b/layer.tar", "a/x"}});
  CHECK(known.files == std::set<std::string, std::less<>>{"a/x"});
}

TEST_CASE("a blob has the digest that its name says") {
  using Reading = ArchiveJudge::Reading;
  const std::string digits(64, 'a');
  ArchiveJudge judge({.is_extracted = true, .is_image = true, .checks_blobs = true, .layers = {"l.tar"}});
  const auto blob = file("./blobs/sha256/" + digits);
  CHECK(judge.reading(blob) == Reading::Digest);
  CHECK(judge.reading(file("l.tar")) == Reading::UnpackedDigest);
  CHECK(judge.reading(file("other")) == Reading::Nothing);
  CHECK_FALSE(judge.take_digest(blob, digits));
  const auto wrong = judge.take_digest(blob, std::string(64, 'b'));
  REQUIRE(wrong);
  CHECK(wrong->rule->id == "archive.digest");
  CHECK(judge.take_digest(file("blobs/sha256/short"), digits));
  CHECK_FALSE(judge.take_digest(file("l.tar"), digits));
  CHECK(std::move(judge).finish().layer_digests == Archive::Text{{"l.tar", digits}});
}

TEST_CASE("the texts of an archive are bounded together") {
  ArchiveRules rules;
  for (int i = 0; i < 20; ++i) rules.texts.push_back("t" + std::to_string(i));
  ArchiveJudge judge(std::move(rules));
  int accepted = 0;
  for (int i = 0; i < 20; ++i) {
    const auto member = file("t" + std::to_string(i), 1024 * 1024);
    if (judge.judge(member)) break;
    judge.take(member, std::string(1024 * 1024, 'x'));
    ++accepted;
  }
  CHECK(accepted == 8);
}

TEST_CASE("a member is known among many names, in whatever order they stand") {
  constexpr int count = 100'000;
  const auto layer = [](int i) { return "a-layer-with-a-long-name/" + std::to_string(i); };
  ArchiveRules rules{.is_extracted = true, .texts = {"z", "b", "z"}, .reserved = "y"};
  for (int i = count; i > 0; --i) rules.layers.push_back(layer(i));
  ArchiveJudge judge(std::move(rules));
  for (const char* text : {"z", "b"}) CHECK(judge.reading(file(text)) == ArchiveJudge::Reading::Text);
  for (const char* reserved : {"y", "y2"}) {
    const auto deny = judge.judge(file(reserved));
    REQUIRE(deny);
    CHECK(deny->rule->id == "archive.reserved");
  }
  // Quadratic work would take minutes here.
  int layers = 0;
  for (int i = 1; i <= 2 * count; ++i) layers += judge.reading(file(layer(i))) == ArchiveJudge::Reading::UnpackedDigest;
  CHECK(layers == count);
  CHECK_FALSE(judge.take_digest(file(layer(7)), "digits"));
  const auto wrong = judge.take_digest(file(layer(count + 1)), "digits");
  REQUIRE(wrong);
  CHECK(wrong->rule->id == "archive.digest");
  CHECK(std::move(judge).finish().layer_digests.at(layer(7)) == "digits");
}
