// What a Dockerfile may ask for. Rows that say "4.3.1" were effects on a real Podman before they were refused.

#include <doctest/doctest.h>

#include "dockerfile.hpp"

using namespace podfence::tests::dockerfile;

namespace {

struct Row {
  std::string_view lines, expected;  ///< the text that is written, or the rule
};

template <std::size_t count>
void check(const Row (&rows)[count], const Options& options) {
  for (const auto& row : rows) {
    CAPTURE(row.lines);
    const auto answer = below(row.lines, options);
    CHECK((row.expected.starts_with("dockerfile.") ? rule_of(answer) : answer) == row.expected);
  }
}

}  // namespace

TEST_CASE("flags that are not known for the instruction, or not plain, are refused") {
  const Row rows[] = {
      {"RUN --security=insecure a", "dockerfile.security"},
      {"RUN --security=sandbox a", "dockerfile.security"},
      {"RUN --network=host a", "dockerfile.network"},
      {"RUN --network=x a", "dockerfile.network"},
      {"RUN --network=default a", "RUN a\n"},
      {"RUN --network=none a", "RUN --network=none a\n"},
      {"ARG N=host\nRUN --network=$N a", "dockerfile.network"},
      {"RUN --device=/dev/x a", "dockerfile.flag"},
      {"RUN --mount a", "dockerfile.flag"},
      {"COPY --link a b", "dockerfile.flag"},
      {"COPY --parents a b", "dockerfile.flag"},
      {"COPY --From=x a b", "dockerfile.flag"},
      {"COPY --exclude=*.o --exclude=x a b", "COPY --exclude=*.o --exclude=x a b\n"},
      {"ADD --keep-git-dir=true a b", "dockerfile.flag"},
      {"ADD --from=x a b", "dockerfile.flag"},
      {"ADD --checksum=sha256:1 a b", "ADD --checksum=sha256:1 a b\n"},
      {"CMD --x y", "dockerfile.flag"},
      {"ENV --x a=b", "dockerfile.flag"},
      {"LABEL --x=y a=b", "dockerfile.flag"},
      {"ONBUILD --x RUN a", "dockerfile.flag"},
      {"HEALTHCHECK --interval=1s --start-interval=2s CMD x", "HEALTHCHECK --interval=1s --start-interval=2s CMD x\n"},
      {"COPY --from=a --from=b / /", "dockerfile.flag-value"},
      {"COPY --chown=1 --chown=2 a b", "dockerfile.flag-value"},
      {"COPY --chown= a b", "dockerfile.flag-value"},
      {"COPY --chown=--from=x a b", "dockerfile.flag-value"},
      {"COPY --chown=\"a b\" a b", "dockerfile.flag-value"},
      {"COPY --chown=a\\\\b a b", "dockerfile.flag-value"},
      {"COPY --chown=$USER a b", "COPY --chown=$USER a b\n"},
      {"ARG F=a=b\nCOPY --from=$F / /", "dockerfile.image"},
  };
  check(rows, options());
  const Row old[] = {
      {"RUN --network=none a", "dockerfile.flag"},
      {"RUN --network=host a", "dockerfile.network"},
      {"RUN --network=default a", "RUN a\n"},
      {"COPY --exclude=x a b", "dockerfile.flag"},
      {"ADD --checksum=sha256:1 a b", "dockerfile.flag"},
      {"HEALTHCHECK --start-interval=2s CMD x", "dockerfile.flag"},
  };
  check(old, options(podman_4));
}

TEST_CASE("a cache belongs to the project, whatever its id says") {
  const Row rows[] = {
      {"RUN --mount=type=cache,target=/root/.cache a",
       "RUN --mount=type=cache,id=podfence.p1._2froot_2f.cache,target=/root/.cache a\n"},
      {"RUN --mount=type=cache,id=x,dst=/c,readonly a", "RUN --mount=type=cache,id=podfence.p1.x,target=/c,ro a\n"},
      // 4.3.1: a directory of the host (CVE-2024-9675).
      {"RUN --mount=type=cache,id=../../../home/x,target=/c a",
       "RUN --mount=type=cache,id=podfence.p1..._2f.._2f.._2fhome_2fx,target=/c a\n"},
      {"RUN --mount=type=cache,id=podfence.p10.x,target=/c a",
       "RUN --mount=type=cache,id=podfence.p1.podfence.p10.x,target=/c a\n"},
      {"RUN --mount=type=cache,id=podfence.p1.x,target=/c a", "RUN --mount=type=cache,id=podfence.p1.x,target=/c a\n"},
      {"RUN --mount=type=cache,id=podfence.p1./../x,target=/c a",
       "RUN --mount=type=cache,id=podfence.p1.podfence.p1._2f.._2fx,target=/c a\n"},
      {"ARG ID=x\nRUN --mount=type=cache,id=$ID,target=/c a",
       "ARG ID=x\nRUN --mount=type=cache,id=podfence.p1.x,target=/c a\n"},
      {"RUN --mount=type=cache,target=$GOPATH a", "dockerfile.variable"},
      {"RUN --mount=type=cache,target=/c,mode=0755,uid=1,gid=2,sharing=shared a",
       "RUN --mount=type=cache,id=podfence.p1._2fc,target=/c,mode=0755,uid=1,gid=2 a\n"},
      {"RUN --mount=type=cache,target=/c,from=x,source=/y a", "dockerfile.mount"},
      {"RUN --mount=type=cache,target=/c,source=/y a", "dockerfile.mount"},
      {"RUN --mount=type=cache,target=/c,sharing=private a", "dockerfile.mount"},
      {"RUN --mount=type=cache,target=/c,mode=999 a", "dockerfile.mount"},
      {"RUN --mount=type=cache,target=/c,uid=x a", "dockerfile.mount"},
      {"RUN --mount=type=cache,target=/c,id= a", "dockerfile.mount"},
      // 4.3.1: the end of the engine.
      {"RUN --mount=type=cache,target=/c,sharing a", "dockerfile.mount"},
  };
  check(rows, options());
  check(rows, options(podman_4));
  const std::string_view locked = "RUN --mount=type=cache,target=/c,sharing=locked a";
  CHECK(below(locked) == "RUN --mount=type=cache,id=podfence.p1._2fc,target=/c,sharing=locked a\n");
  CHECK(below(locked, podman_4) == "RUN --mount=type=cache,id=podfence.p1._2fc,target=/c a\n");
  CHECK(rule_of(below("RUN --mount=type=cache,target=/c,id=" + std::string(200, 'x') + " a")) == "dockerfile.mount");
}

TEST_CASE("a bind has its source within the context, the stage or the image") {
  const Row both[] = {
      {"RUN --mount=target=/m a", "RUN --mount=type=bind,target=/m a\n"},
      {"RUN --mount=type=bind,src=/,dst=/m,rw=true a", "RUN --mount=type=bind,target=/m,rw a\n"},
      {"RUN --mount=type=bind,source=./.,target=/m,ro a", "RUN --mount=type=bind,target=/m a\n"},
      {"RUN --mount=type=bind,source=a/..,target=/m a", "RUN --mount=type=bind,target=/m a\n"},
      {"RUN --mount=type=bind,source=../x,target=/m a", "dockerfile.path"},
      {"RUN --mount=type=bind,source=a/../../x,target=/m a", "dockerfile.path"},
      {"RUN --mount=type=bind,target=m a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m/../n a", "dockerfile.mount"},
      {"RUN --mount=type=bind a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,src=/,source=/ a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,type=cache a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,ro,rw a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,rw=false a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,bind-propagation=shared a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,shared a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,U a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m,from= a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m, a", "dockerfile.mount"},
      {"RUN --mount=type=bind,target=/m\\,x a", "dockerfile.mount"},
      {"RUN --mount=type=Bind,target=/m a", "dockerfile.mount"},
      {"RUN --mount=type=devpts,target=/m a", "dockerfile.mount"},
      {"RUN --mount=type=image,target=/m a", "dockerfile.mount"},
  };
  check(both, options());
  check(both, options(podman_4));
  // 4.3.1: through a symbolic link to any file of the host (CVE-2024-1753).
  CHECK(below("RUN --mount=type=bind,source=a//b/./c,target=/m a") ==
        "RUN --mount=type=bind,source=/a/b/c,target=/m a\n");
  CHECK(rule_of(below("RUN --mount=type=bind,source=a,target=/m a", podman_4)) == "dockerfile.mount-link");
  CHECK(rule_of(below("RUN --mount=type=bind,from=x,source=/a,target=/m a", podman_4)) == "dockerfile.mount-link");
  CHECK(rule_of(below("RUN --mount=type=bind,source=a,target=/m a", options(EngineVersion{}))) ==
        "dockerfile.mount-link");
}

TEST_CASE("other mounts follow policy") {
  const Row refused[] = {
      {"RUN --mount=type=secret,id=a b", "dockerfile.secret"},
      {"RUN --mount=type=ssh b", "dockerfile.secret"},
      {"RUN --mount=type=tmpfs,target=/t b", "RUN --mount=type=tmpfs,target=/t b\n"},
      {"RUN --mount=type=tmpfs,target=/t,size=1m b", "RUN --mount=type=tmpfs,target=/t,tmpfs-size=1048576 b\n"},
      {"RUN --mount=type=tmpfs,target=/t,source=/x b", "dockerfile.mount"},
      {"RUN --mount=type=tmpfs,target=/t,size=50% b", "dockerfile.mount"},
  };
  check(refused, options());
  auto open = options();
  open.secrets = open.ssh = true;
  open.tmpfs_bytes = 1 << 20;
  const Row allowed[] = {
      {"RUN --mount=type=secret,id=a,required,mode=0400 b", "RUN --mount=type=secret,id=a,required=true,mode=0400 b\n"},
      {"RUN --mount=type=secret,id=a,target=/s,required=false b",
       "RUN --mount=type=secret,id=a,target=/s,required=false b\n"},
      {"RUN --mount=type=secret,target=/s b", "dockerfile.mount"},
      {"RUN --mount=type=secret,id=a,env=X b", "dockerfile.mount"},
      {"RUN --mount=type=secret,id=a,mode b", "dockerfile.mount"},
      {"RUN --mount=type=ssh b", "RUN --mount=type=ssh b\n"},
      {"RUN --mount=type=tmpfs,target=/t b", "RUN --mount=type=tmpfs,target=/t,tmpfs-size=1048576 b\n"},
      {"RUN --mount=type=tmpfs,target=/t,tmpfs-size=2m b", "dockerfile.mount"},
  };
  check(allowed, open);
}

TEST_CASE("the project's label has the project's value in every spelling") {
  const Row rows[] = {
      {"LABEL appx.project=p1", "LABEL appx.project=p1\n"},
      {"LABEL appx.project p1", "LABEL appx.project p1\n"},
      {"LABEL \"appx.project\"='p1'", "LABEL \"appx.project\"='p1'\n"},
      {"LABEL Appx.Project=p10 appx.projects=x", "LABEL Appx.Project=p10 appx.projects=x\n"},
      {"LABEL appx.project=p10", "dockerfile.label"},
      {"LABEL appx.project p10", "dockerfile.label"},
      {"LABEL a=b appx.project=p10", "dockerfile.label"},
      {"LABEL a=b \\\n  appx.project=p10", "dockerfile.label"},
      {"LABEL appx.project=", "dockerfile.label"},
      {"LABEL \"appx.project\"=p10", "dockerfile.label"},
      {"LABEL appx\\.project=p10", "dockerfile.label"},
      {"LABEL 'appx'.\"project\"=p10", "dockerfile.label"},
      {"LABEL appx.project=$X", "dockerfile.label"},
      {"ARG X=appx.project\nLABEL ${X}=p10", "dockerfile.variable"},
      {"LABEL appx.${X}=p10", "dockerfile.variable"},
      {"LABEL $X p10", "dockerfile.variable"},
      {"LABEL \"a=b\"", "dockerfile.variable"},
      {"LABEL a=$X", "LABEL a=$X\n"},
      {"ONBUILD LABEL appx.project=p10", "dockerfile.label"},
  };
  check(rows, options());
  check(rows, options(podman_4));
}

TEST_CASE("ADD fetches nothing unless it may, whatever hides the URL") {
  const Row rows[] = {
      {"ADD http://x/y /z", "dockerfile.url"},
      {"ADD a https://x/y /z", "dockerfile.url"},
      {"ADD HTTP://x/y /z", "dockerfile.url"},
      {"ADD ftp://x/y /z", "dockerfile.url"},
      {"ADD git@x:y.git /z", "dockerfile.url"},
      {"ADD [\"http://x/y\", \"/z\"]", "dockerfile.url"},
      {"ADD [\"\\u0068ttp://x/y\", \"/z\"]", "dockerfile.url"},
      {"ADD \"http\"://x/y /z", "dockerfile.url"},
      {"ADD h\\ttp://x/y /z", "dockerfile.url"},
      {"ADD $X /z", "dockerfile.url"},
      {"ARG X=y\nADD $X /z", "dockerfile.url"},
      {"ADD http${X} /z", "dockerfile.url"},
      {"ADD http:${X} /z", "dockerfile.url"},
      {"ADD \"$X\" /z", "dockerfile.url"},
      {"ADD 'h'${X} /z", "dockerfile.url"},
      {"ADD ./$X /z", "ADD ./$X /z\n"},
      {"ADD app-$X.tar.gz /z", "ADD app-$X.tar.gz /z\n"},
      {"ADD x http://y", "ADD x http://y\n"},
      {"COPY $X /z", "COPY $X /z\n"},
      {"ONBUILD ADD http://x/y /z", "dockerfile.url"},
  };
  check(rows, options());
  auto open = options();
  open.urls = true;
  CHECK(below("ADD http://x/y $X /z", open) == "ADD http://x/y $X /z\n");
}

TEST_CASE("sources stay within the context or the image") {
  const Row rows[] = {
      {"COPY ../x /y", "dockerfile.path"},           {"COPY a/../../x /y", "dockerfile.path"},
      {"ADD [\"..\", \"/y\"]", "dockerfile.path"},   {"COPY \"..\"/x /y", "dockerfile.path"},
      {"COPY --from=x /../x /y", "dockerfile.path"}, {"COPY .\\./x /y", "dockerfile.path"},
      {"COPY a/../b /../y", "COPY a/../b /../y\n"},  {"COPY ..a /y", "COPY ..a /y\n"},
  };
  check(rows, options());
}

TEST_CASE("a volume is behind the last RUN where Podman would preserve it by a path of the host") {
  // 4.3.1: a symbolic link in its place shows a directory of the host to the next RUN.
  const std::string_view lines = "VOLUME /a\nRUN 1\nCOPY a b\nVOLUME [\"/b\"]\nENV A=b\nRUN 2\nVOLUME /c\nCMD x\n";
  CHECK(below(lines) == lines);
  CHECK(below(lines, podman_4) == "RUN 1\nCOPY a b\nENV A=b\nRUN 2\nVOLUME /a\nVOLUME [\"/b\"]\nVOLUME /c\nCMD x\n");
  CHECK(below("VOLUME /a\nCOPY a b\n", podman_4) == "VOLUME /a\nCOPY a b\n");
  CHECK(below("VOLUME $A\nRUN x\n", podman_4) == "dockerfile.volume: VOLUME $A");
  CHECK(below("RUN x\nVOLUME $A\n", podman_4) == "RUN x\nVOLUME $A\n");
  CHECK(rule_of(below("ONBUILD VOLUME /a", podman_4)) == "dockerfile.onbuild");
  CHECK(below("ONBUILD VOLUME /a") == "ONBUILD VOLUME /a\n");
}

TEST_CASE("ONBUILD may name no image, mount nothing and fetch nothing, in the file and in a base image") {
  const std::string_view refused[] = {"COPY --from=x / /",
                                      "COPY --from=0 / /",
                                      "copy  --from=x / /",
                                      "RUN --mount=type=cache,target=/c x",
                                      "RUN --mount=from=x,target=/c x",
                                      "RUN --network=host x",
                                      "RUN --security=insecure x",
                                      "ADD http://x/y /z",
                                      "ADD $X /z",
                                      "ONBUILD RUN x",
                                      "FROM x",
                                      "MAINTAINER x",
                                      "FOO x",
                                      "RUN",
                                      "LABEL appx.project=p10",
                                      "LABEL $X=y",
                                      "COPY ../x /y"};
  for (const auto trigger : refused) {
    CAPTURE(trigger);
    CHECK(below("ONBUILD " + std::string(trigger)).starts_with("dockerfile."));
    const std::string list[] = {std::string(trigger)};
    CHECK(check_onbuild(list, options()).has_value());
  }
  const std::string allowed[] = {"RUN echo x", "COPY a b", "ENV A=b", "# comment", "ADD ./a /b", "LABEL a=b", "CMD x"};
  CHECK_FALSE(check_onbuild(allowed, options()).has_value());
  CHECK(below("ONBUILD RUN echo x") == "ONBUILD RUN echo x\n");
  // Podman reads them as one text: one may go on in the next, or hide it.
  const std::string joined[] = {"RUN a \\", "COPY --from=x / /"};
  CHECK_FALSE(check_onbuild(joined, options()).has_value());
  const std::string escaped[] = {"# escape=`", "RUN a \\", "COPY --from=x / /"};
  CHECK(check_onbuild(escaped, options()).has_value());
  const std::string two[] = {"RUN a\nCOPY --from=x / /"};
  CHECK(check_onbuild(two, options()).has_value());
  const std::string heredoc[] = {"RUN <<EOF", "COPY --from=x / /", "EOF"};
  CHECK(check_onbuild(heredoc, options()).has_value());
}

TEST_CASE("what describes the image passes as it is") {
  const std::string_view lines =
      "MAINTAINER a b <c@d>\nSTOPSIGNAL SIGKILL\nHEALTHCHECK NONE\nSHELL [\"/bin/sh\", \"-c\"]\nUSER $U\n"
      "WORKDIR /a b\nEXPOSE 80 $P\nENTRYPOINT [ \"a\" ]\nCMD a 'b' \"c\"\nENV A=$B C=\"d e\"\nARG X=$Y Z\nLABEL a=b\n";
  CHECK(below(lines) == lines);
  CHECK(below(lines, podman_4) == lines);
}
