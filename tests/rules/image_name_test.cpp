#include "rules/image_name.hpp"

#include <doctest/doctest.h>

#include "rules/image_target.hpp"
#include "world.hpp"

using namespace podfence::tests;

TEST_CASE("image names are normalised as Podman stores them") {
  struct Row {
    std::string_view reference, expected;
  };
  const std::string digest = "sha256:" + id('a');
  const std::string with_digest = "docker.io/library/bb@" + digest;
  const std::string tag_and_digest = "bb:1@" + digest;
  const Row rows[] = {
      {"bb", "docker.io/library/bb:latest"},
      {"bb:1.0", "docker.io/library/bb:1.0"},
      {"me/app", "docker.io/me/app:latest"},
      {"docker.io/bb", "docker.io/library/bb:latest"},
      {"index.docker.io/library/bb:2", "docker.io/library/bb:2"},
      {"localhost/bb", "localhost/bb:latest"},
      {"localhost:5000/a/b:t", "localhost:5000/a/b:t"},
      {"quay.io/a/b", "quay.io/a/b:latest"},
      {tag_and_digest, with_digest},
  };
  for (const auto& row : rows) {
    CAPTURE(row.reference);
    CHECK(normalise_image_name(row.reference).value_or("none") == row.expected);
  }
}

TEST_CASE("what is no registry reference has no normal form") {
  const std::string full = id('a');
  const std::string_view rows[] = {"",
                                   "docker-archive:/etc/passwd",
                                   "dir:/tmp",
                                   "oci:/x:y",
                                   "Upper",
                                   "a//b",
                                   "/etc/passwd",
                                   "a/../b",
                                   "a b",
                                   "bb:",
                                   "bb@sha256:1",
                                   "-bb",
                                   "bb:-x",
                                   full,
                                   "host:99999999/x",
                                   "../x",
                                   "a..b/x",
                                   ".a.b/x",
                                   "-a.b/x",
                                   "a-.b/x",
                                   "dir:2024/report",
                                   "oci-archive:2024/report:y",
                                   "docker-archive:2024/report:y",
                                   "oci:2024/x:y",
                                   "docker-daemon:5000/x:y",
                                   "containers-storage:1234/app:1",
                                   "atomic:1/x",
                                   "ostree:1/x",
                                   "sif:1/x",
                                   "tarball:1/x",
                                   "containers-storage:x"};
  for (const auto reference : rows) {
    CAPTURE(reference);
    // "dir:x" alone reads as a tag, as it does for Podman; what has a path behind the transport never does.
    CHECK(normalise_image_name(reference).value_or("none") ==
          (reference == "containers-storage:x" ? "docker.io/library/containers-storage:x" : "none"));
  }
}

TEST_CASE("a name that Podman reads as a transport names no image, whoever writes to it or reads from it") {
  World world;
  world.project.policy.registries = {"*"};
  world.image(id('8'), {"localhost/mine:1"});
  world.ledger.holds.insert({"p1", id('8')});
  world.ledger.tags.insert({"p1", "localhost/mine:1"});
  const auto rule = [&](Method method, const std::string& target) {
    const auto decision = world.decide(method, target);
    const auto* deny = std::get_if<Deny>(&decision);
    return deny ? std::string(deny->rule->id) : "";
  };
  for (const char* name : {"oci-archive:2024/report:y", "dir:2024/d", "docker-archive:2024/new:y", "oci:2024/lay:y"}) {
    CAPTURE(name);
    for (const auto family : {Family::Docker, Family::Libpod})  // of a build's result, of a tag, of an import
      CHECK_FALSE(target_name(family, name, ""));
    CHECK(rule(Method::Post, "/v1.41/images/create?fromImage=" + encode(name)) == "image.reference");
    CHECK(rule(Method::Post, "/v4.0.0/libpod/images/pull?reference=" + encode(name)) == "image.reference");
    CHECK(rule(Method::Post, "/v4.0.0/libpod/images/localhost%2Fmine:1/push?destination=" + encode(name)) ==
          "image.reference");
    CHECK(rule(Method::Post, "/v4.0.0/libpod/images/localhost%2Fmine:1/tag?repo=dir:2024/d&tag=y") ==
          "image.reference");
  }
}

TEST_CASE("patterns match whole names, with or without the tag") {
  Project project{
      "p1", "appx.project", {.shared_images = {"localhost/*", "docker.io/library/alpine", "quay.io/*/base:1"}}};
  CHECK(is_shared_name(project, "localhost/a/b:latest"));
  CHECK(is_shared_name(project, "docker.io/library/alpine:3"));
  CHECK(is_shared_name(project, "quay.io/x/base:1"));
  CHECK_FALSE(is_shared_name(project, "docker.io/library/alpine-evil:3"));
  CHECK_FALSE(is_shared_name(project, "localhost:5000/a:latest"));
  CHECK_FALSE(is_shared_name(project, "xlocalhost/a:latest"));
  CHECK_FALSE(is_shared_name(project, "quay.io/x/base:2"));
}

TEST_CASE("a star is any run of characters, an empty one as well, and no character counts twice") {
  struct Row {
    std::string_view pattern, name;
    bool matches;
  };
  const Row rows[] = {
      {"", "", true},          {"", "a", false},         {"*", "", true},
      {"**", "a/b", true},     {"a", "a", true},         {"a", "ab", false},
      {"a*", "a", true},       {"*a", "ba", true},       {"aa*aa", "aaa", false},
      {"aa*aa", "aaaa", true}, {"a*b*c", "axbyc", true}, {"a*b*c", "acb", false},
      {"a**b", "ab", true},    {"*ab*ab*", "ab", false}, {"*ab*ab*", "aabab", true},
      {"*b*", "aaa", false},   {"a*ba", "aba", true},    {"a*aba*a", "aaba", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.name);
    CHECK(matches_pattern(row.pattern, row.name) == row.matches);
  }
}

TEST_CASE("a digest is seen with the project's names of its repository, in the order of the image's own lists") {
  World world;
  const std::string digest = "@sha256:" + id('a');
  json::Value image, tags = json::Value::array(), digests = json::Value::array();
  std::vector<std::string> expected;
  const int names = 20'000;
  for (int name = 0; name < names; ++name) {
    expected.push_back("docker.io/library/mine" + std::to_string(name) + ":1");
    tags.push(expected.back());
    world.ledger.tags.insert({"p1", expected.back()});
  }
  for (int name = names; name-- > 0;) {
    digests.push("docker.io/library/theirs" + std::to_string(name) + digest);
    expected.push_back("docker.io/library/mine" + std::to_string(name) + digest);
    digests.push(expected.back());
  }
  image.set("Id", id('a'));
  image.set("RepoTags", std::move(tags));
  image.set("RepoDigests", std::move(digests));
  world.ledger.holds.insert({"p1", id('a')});
  // Quadratic work would take minutes here.
  CHECK(visible_names(world.project, world.ledger, image) == expected);
}

TEST_CASE("a name of another project does not lead to an image that both hold") {
  World world;
  world.image(id('a'), {"localhost/mine:latest", "localhost/theirs:latest"});
  world.ledger.holds = {{"p1", id('a')}, {"p10", id('a')}};
  world.ledger.tags = {{"p1", "localhost/mine:latest"}, {"p10", "localhost/theirs:latest"}};
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/localhost/mine/json")) ==
        "/v1.41/images/" + id('a') + "/json");
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/" + id('a') + "/json")) ==
        "/v1.41/images/" + id('a') + "/json");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/localhost/theirs/json")) == "ownership.hidden");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/images/theirs/json")) == "ownership.hidden");
}

TEST_CASE("a foreign image of the short name does not hide an own one") {
  World world;
  world.image(id('a'), {"localhost/app:latest"});
  world.image(id('b'), {"docker.io/library/app:latest"});
  world.ledger.holds = {{"p1", id('b')}};
  world.ledger.tags = {{"p1", "docker.io/library/app:latest"}};
  CHECK(target_of(world.decide(Method::Get, "/v1.41/images/app/json")) == "/v1.41/images/" + id('b') + "/json");
}
