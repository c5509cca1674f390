// Which images and stages a file names, and with what they are replaced (buildah: imagebuildah/executor.go and
// stage_executor.go, each row tried on Podman 4.3.1).

#include <doctest/doctest.h>

#include "dockerfile.hpp"

using namespace podfence::tests::dockerfile;

using Images = std::vector<std::string>;

TEST_CASE("every image is named once, in order, wherever it stands") {
  const std::string_view text =
      "FROM one:1 AS a\n"
      "COPY --from=two /x /y\n"
      "FROM a\n"
      "RUN --mount=type=bind,from=three/x,target=/m --mount=from=two,target=/n true\n"
      "COPY --from=one:1 /x /y\n"
      "COPY --from=a /x /y\n"
      "FROM scratch AS s\n"
      "COPY --from=1 / /\n"
      "COPY --from=a / /\n";
  CHECK(names(text, options()) == Images{"one:1", "two", "three/x"});
  const auto one = id("one"), two = id("two");
  CHECK(canonical(text, options()) ==
        "FROM " + one + " AS a\nCOPY --from=" + two + " /x /y\nFROM a\n" + "RUN --mount=type=bind,target=/m,from=" +
            two + " --mount=type=bind,target=/n,from=" + two + " true\nCOPY --from=" + one +
            " /x /y\nCOPY --from=a /x /y\nFROM scratch AS s\nCOPY --from=1 / /\n" + "COPY --from=a / /\n");
}

TEST_CASE("a stage is told from an image as the builder tells it") {
  struct Row {
    std::string_view text;
    Images expected;
  };
  const Row rows[] = {
      // Its own name and a later one's are images.
      {"FROM base AS base", {"base"}},
      {"FROM x AS a\nCOPY --from=a /x /y", {"x", "a"}},
      {"FROM b AS a\nFROM scratch AS b\nCOPY --from=a / /", {"b"}},
      // Images are compared as they are.
      {"FROM x AS Build\nFROM scratch\nCOPY --from=build /x /y", {"build"}},
      {"FROM x AS Build\nFROM scratch\nCOPY --from=Build /x /y", {"x"}},
      // A number is a stage; in FROM only of one that has no name.
      {"FROM x\nFROM 0", {"x"}},
      {"FROM x AS a\nFROM scratch\nCOPY --from=0 / /", {"x"}},
      {"FROM x AS a\nFROM 0", {"dockerfile.stage"}},
      {"FROM x\nCOPY --from=0 / /", {"dockerfile.stage"}},
      {"FROM x\nCOPY --from=7 / /", {"dockerfile.stage"}},
      {"FROM x\nFROM scratch\nCOPY --from=-1 / /", {"dockerfile.stage"}},
      {"FROM x\nFROM scratch\nCOPY --from=+0 / /", {"dockerfile.stage"}},
      {"FROM x\nFROM scratch\nCOPY --from=00 / /", {"dockerfile.stage"}},
      {"FROM x\nFROM scratch\nCOPY --from=99999999999999999999 / /", {"dockerfile.stage"}},
      {"FROM x\nRUN --mount=from=1,target=/m true", {"dockerfile.stage"}},
      {"FROM 7", {"dockerfile.stage"}},
      // Images that are no names.
      {"FROM x AS 1", {"dockerfile.stage"}},
      {"FROM x AS $A", {"dockerfile.stage"}},
      {"FROM x AS scratch", {"dockerfile.stage"}},
      {"FROM x AS abcdef012345", {"dockerfile.stage"}},
      {"FROM x AS a/b", {"dockerfile.stage"}},
      {"FROM x AS a\nFROM x AS a", {"dockerfile.stage"}},
      {"FROM scratch\nCOPY --from=scratch / /", {"dockerfile.image"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(names(row.text, options()) == row.expected);
    CHECK(names(row.text, options(podman_4)) == row.expected);
  }
}

TEST_CASE("what names no image of a registry is refused") {
  const std::string full(64, 'a');
  CHECK(names("FROM " + full, options()) == Images{full});
  CHECK(names("FROM sha256:" + full, options()) == Images{"sha256:" + full});
  CHECK(names("FROM docker:24-dind", options()) == Images{"docker:24-dind"});
  CHECK(names("FROM localhost:5000/a/b:c", options()) == Images{"localhost:5000/a/b:c"});
  for (const std::string_view name :
       {"docker-archive:/etc/passwd", "docker-archive:x", "dir:/", "dir:x", "oci:x", "oci-archive:x", "sif:x",
        "containers-storage:x", "docker-daemon:x:y", "docker://x", "ostree:x", "tarball:x", "atomic:x", "Upper", "../x",
        "/etc", "a//b", "x@sha256:1"})
    for (const std::string_view form :
         {"FROM {}", "FROM x\nCOPY --from={} / /", "FROM x\nRUN --mount=from={},target=/m true"}) {
      std::string text(form);
      text.replace(text.find("{}"), 2, name);
      CAPTURE(text);
      CHECK(names(text, options()) == Images{"dockerfile.image"});
    }
}

TEST_CASE("variables in names are put in, where they are known") {
  auto with = options();
  with.build_args = {{"GIVEN", "given"}, {"NOT_DECLARED", "x"}};
  with.platform = "linux/arm64/v8";
  struct Row {
    std::string_view text;
    Images expected;
  };
  const Row rows[] = {
      {"ARG A=one\nFROM $A", {"one"}},
      {"ARG A=one\nARG B=${A}/two\nFROM ${B}:${C:-3}", {"one/two:3"}},
      {"ARG GIVEN=default\nFROM $GIVEN", {"given"}},
      {"ARG GIVEN\nFROM ${GIVEN:+other}", {"other"}},
      {"FROM x${NOT_DECLARED}", {"x"}},
      {"FROM a-$TARGETOS-$TARGETARCH-$TARGETVARIANT-$BUILDARCH", {"a-linux-arm64-v8-amd64"}},
      {"FROM $NOTHING", {"dockerfile.image"}},
      {"ARG A=one\nFROM x\nCOPY --from=$A / /", {"dockerfile.variable"}},
      {"ARG A=one\nFROM x\nARG A\nCOPY --from=$A / /", {"x", "one"}},
      {"ARG A=one\nFROM x\nARG A=two\nCOPY --from=$A / /", {"x", "two"}},
      {"FROM x\nENV A=one\nCOPY --from=${A}/b / /", {"x", "one/b"}},
      {"FROM x\nARG A=one\nENV A=two\nCOPY --from=$A / /", {"x", "two"}},
      {"FROM x\nENV A=$PATH\nCOPY --from=$A / /", {"dockerfile.variable"}},
      {"FROM x\nENV A=one\nFROM y\nCOPY --from=$A / /", {"dockerfile.variable"}},
      {"FROM x AS one\nFROM y\nARG S=one\nCOPY --from=$S / /", {"x", "y"}},
      {"FROM x\nARG A=one,type=bind\nRUN --mount=from=$A,target=/m true", {"x", "one"}},
      {"FROM x\nARG A=/m,source=../x\nRUN --mount=target=$A true", {"dockerfile.path"}},
      {"ARG A='$B'\nARG B=two\nFROM $A", {"dockerfile.image"}},
      {"FROM x\nARG $A=b", {"dockerfile.variable"}},
      {"FROM x\nENV $A=b", {"dockerfile.variable"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(names(row.text, with) == row.expected);
  }
  const auto file = std::get<File>(parse("FROM --platform=$BUILDPLATFORM x", with));
  CHECK(images(file) == std::vector<Image>{{"x", "linux/amd64"}});
  CHECK(names("FROM --platform=a,b x", with) == Images{"dockerfile.flag-value"});
  CHECK(names("FROM --platform=linux/../x/y x", with) == Images{"dockerfile.flag-value"});
}

TEST_CASE("--from of the build replaces the first image alone") {
  auto with = options();
  with.from = "other";
  CHECK(names("FROM x AS a\nFROM x", with) == Images{"x"});
  with.all_stages = true;
  CHECK(names("FROM x AS a\nFROM x", with) == Images{"other", "x"});
  with.from = "dir:/";
  CHECK(names("FROM x", with) == Images{"dockerfile.image"});
}

TEST_CASE("the file ends with its target, and what that does not need is not built") {
  const std::string_view text =
      "FROM x AS one\nRUN 1\nFROM y\nRUN 2\nFROM z AS three\nCOPY --from=one / /\nFROM w AS four\n";
  auto with = options();
  with.target = "three";
  const auto x = id("x"), y = id("y"), z = id("z");
  CHECK(canonical(text, with, {"LABEL a=b"}) == "FROM " + x + " AS one\nLABEL a=b\nRUN 1\nFROM scratch\nFROM " + z +
                                                    " AS three\nLABEL a=b\nCOPY --from=one / /\n");
  CHECK(names(text, with) == Images{"x", "z"});
  with.target = "1";
  CHECK(canonical(text, with) == "FROM scratch AS one\nFROM " + y + "\nRUN 2\n");
  with.target = "";
  CHECK(names(text, with) == Images{"w"});
  with.all_stages = true;
  CHECK(names(text, with) == Images{"x", "y", "z", "w"});
  with.target = "five";
  CHECK(canonical(text, with) == "dockerfile.target: five");
  with.target = "Three";
  CHECK(canonical(text, with) == "dockerfile.target: Three");
}

TEST_CASE("several files are one") {
  const std::string_view texts[] = {"# escape=`\nARG A=x\nFROM $A AS one\nRUN a `\n b", "ENV C=d \\\n e=f\nFROM one\n"};
  const auto file = parse(std::span(texts), options());
  REQUIRE(std::holds_alternative<File>(file));
  const auto written = write(std::get<File>(file), {{{"x", ""}, id("x")}}, {});
  CHECK(std::get<std::string>(written) == "ARG A=x\nFROM " + id("x") + " AS one\nRUN a  b\nENV C=d  e=f\nFROM one\n");
}

TEST_CASE("several files are bounded together as one is") {
  const std::string first = "FROM scratch\n", second(max_text - first.size(), '\n');
  const auto read = [](const std::vector<std::string_view>& texts) {
    const auto file = parse(texts, options());
    const auto* denied = std::get_if<Deny>(&file);
    return denied ? std::string(denied->rule->id) + ": " + denied->subject : "";
  };
  CHECK(read({first, second}) == "");
  CHECK(read({first, second, "\n"}) == "dockerfile.too-large: more than 1048576 bytes");
  CHECK(read({first + second + "\n"}) == "dockerfile.too-large: more than 1048576 bytes");
  CHECK(read({"WRONG\n", first + second}) == "dockerfile.instruction: line 1: WRONG");
  // Reading all of it would take minutes here.
  CHECK(read(std::vector<std::string_view>(20'000, second)) == "dockerfile.too-large: more than 1048576 bytes");
}

TEST_CASE("a file without FROM, or with something else in front of it, is none") {
  CHECK(canonical("", options()) == "dockerfile.syntax: it has no FROM");
  CHECK(canonical("ARG A", options()) == "dockerfile.syntax: it has no FROM");
  CHECK(canonical("LABEL a=b\nFROM x", options()) ==
        "dockerfile.syntax: line 1: LABEL stands in front of the first FROM");
  CHECK(rule_of(canonical("FROM x y", options())) == "dockerfile.syntax");
  CHECK(rule_of(canonical("FROM x AS", options())) == "dockerfile.syntax");
  CHECK(rule_of(canonical("FROM x like y", options())) == "dockerfile.syntax");
}

TEST_CASE("nothing is written without the id of every image") {
  const auto file = std::get<File>(parse("FROM x", options()));
  for (const std::string_view bad : {"", "x", "sha256:1"}) {
    const auto written = write(file, {{{"x", ""}, std::string(bad)}}, {});
    REQUIRE(std::holds_alternative<Deny>(written));
    CHECK(std::get<Deny>(written).rule->id == "dockerfile.image");
  }
  CHECK(std::holds_alternative<Deny>(write(file, {{{"x", "linux/arm64"}, id("x")}}, {})));
}
