// Builds: what Podman is asked for, whose images take part, and which parameters reach beyond the project.
#include <doctest/doctest.h>

#include <map>

#include "tests/rules/world.hpp"

using namespace podfence::tests;

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

World builder(const std::string& engine = "5.4.2") {
  World world = one_of_every_kind();
  world.engine = engine;
  return world;
}

Decision with_archive(World& world, const std::string& target, Texts texts) {
  world.archive.emplace().texts = std::move(texts);
  return world.decide(Method::Post, target);
}

Decision build(World& world, const std::string& query, const std::string& dockerfile = "FROM scratch\n",
               const std::string& path = "/v1.41/build") {
  return with_archive(world, path + query, {{"Dockerfile", dockerfile}});
}

const Forward& forwarded(const Decision& decision) {
  INFO(rule_of(decision));
  REQUIRE(std::holds_alternative<Forward>(decision));
  return std::get<Forward>(decision);
}

/// All values that are sent of a parameter, joined by a space.
std::string sent(const Decision& decision, std::string_view name) {
  const auto parsed = parse_target(forwarded(decision).request.target);
  std::string values;
  for (const auto& value : values_of(std::get<Target>(parsed), name)) values += (values.empty() ? "" : " ") + value;
  return values;
}

/// What is built from.
std::string written(const Decision& decision) {
  return forwarded(decision).members.at(".podfence.Containerfile").value();
}

const std::string own_label = R"(LABEL "appx.project"="p1" "podfence.cache"="key-of-p1")";

}  // namespace

TEST_CASE("a build is written anew, for libpod's endpoint, in whatever family it came") {
  auto world = builder();
  const auto decision =
      build(world, "?t=app:1&labels=%7B%22a%22:%22b%22%7D&version=1&networkmode=default", "from scratch\ncopy . /\n");
  CHECK(forwarded(decision).request.target.starts_with("/v4.0.0/libpod/build?"));
  CHECK(written(decision) == "FROM scratch\n" + own_label + "\nCOPY . /\n");
  CHECK(sent(decision, "dockerfile") == R"([".podfence.Containerfile"])");
  CHECK(sent(decision, "excludes") == R"([".podfence.Containerfile"])");
  CHECK(sent(decision, "labels") == R"(["a=b","appx.project=p1"])");
  CHECK(sent(decision, "t") == "docker.io/library/app:1");
  CHECK(sent(decision, "pullpolicy") == "never");
  CHECK(sent(decision, "isolation") == "rootless");
  CHECK(sent(decision, "nsoptions") == R"([{"Name":"network","Host":false,"Path":""}])");
  CHECK(sent(decision, "networkmode") == "");
  CHECK(sent(decision, "httpproxy") == "false");
  CHECK(sent(decision, "outputformat") == "application/vnd.docker.distribution.manifest.v2+json");
  CHECK(sent(decision, "layers") == "true");
  CHECK(sent(decision, "rm") == "true");
  CHECK(sent(decision, "version") == "");
  const auto& forward = forwarded(decision);
  REQUIRE(forward.before.size() == 1);
  CHECK(forward.before[0].change == Claim::Change::MakeTag);
  CHECK(forward.before[0].what == "docker.io/library/app:1");
  REQUIRE(forward.on_failure.size() == 1);
  CHECK(forward.on_failure[0].change == Claim::Change::DropTag);

  CHECK(sent(build(world, "?t=app:1", "FROM scratch\n", "/v4.3.1/libpod/build"), "t") == "localhost/app:1");
}

TEST_CASE("what podman --remote always sends is accepted") {
  auto world = builder("4.3.1");
  const auto decision = build(
      world,
      "?dockerfile=%5B%22Dockerfile%22%5D&forcerm=1&identitylabel=1&idmappingoptions=%7B%22HostUIDMapping%22%3Atrue%7D"
      "&isolation=1&jobs=1&layers=1&networkmode=0&nsoptions=%5B%7B%22Name%22%3A%22user%22%2C%22Host%22%3Atrue%2C%"
      "22Path%22"
      "%3A%22%22%7D%5D&omithistory=0&output=foo%3A1&outputformat=application%2Fvnd.oci.image.manifest.v1%2Bjson&"
      "platform=%2F"
      "&pullpolicy=missing&rm=1&seccomp=%2Fusr%2Fshare%2Fcontainers%2Fseccomp.json&shmsize=67108864&t=foo%3A1",
      "FROM scratch\n", "/v4.3.1/libpod/build");
  CHECK(sent(decision, "t") == "localhost/foo:1");
  CHECK(sent(decision, "shmsize") == "67108864");
  CHECK(sent(decision, "layers") == "true");
  CHECK(sent(decision, "seccomp") == "");
  CHECK(sent(decision, "platform") == "");
}

TEST_CASE("RUN has a private network, and none where the engine's leads to the host, or policy says so") {
  auto old = builder("4.3.1");
  CHECK(sent(build(old, ""), "networkmode") == "1");
  old.project.policy.build.network = true;
  CHECK(sent(build(old, ""), "networkmode") == "");
  auto world = builder();
  CHECK(sent(build(world, ""), "networkmode") == "");
  CHECK(sent(build(world, "?networkmode=none"), "networkmode") == "1");
  CHECK(sent(build(world, "?networkmode=1"), "networkmode") == "1");
  world.project.policy.network.egress.open = false;
  CHECK(sent(build(world, ""), "networkmode") == "1");
  for (const std::string wrong :
       {"?networkmode=host", "?networkmode=container:web", "?networkmode=ns:/proc/1/ns/net",
        "?nsoptions=%5B%7B%22Name%22%3A%22network%22%2C%22Host%22%3Atrue%7D%5D",
        "?nsoptions=%5B%7B%22Name%22%3A%22network%22%2C%22Path%22%3A%22%2Fproc%2F1%2Fns%2Fnet%22%7D%5D",
        "?nsoptions=%5B%7B%22Name%22%3A%22pid%22%2C%22Host%22%3Atrue%7D%5D"}) {
    CAPTURE(wrong);
    CHECK(rule_of(build(world, wrong)) == "build.network");
  }
}

TEST_CASE("images are named by the ids of what the project may use, and pulled for it when they are missing") {
  auto world = builder();
  CHECK(
      written(build(world, "",
                    "FROM mine:1 AS a\nFROM localhost/shared/base\nCOPY --from=a /x /y\nCOPY --from=mine:2 /x /z\n")) ==
      "FROM " + id('2') + " AS a\n" + own_label + "\nFROM " + id('1') + "\n" + own_label +
          "\nCOPY --from=a /x /y\nCOPY --from=" + id('2') + " /x /z\n");

  const auto missing = build(world, "", "FROM alpine:3\n");
  REQUIRE(std::holds_alternative<Fetch>(missing));
  CHECK(std::get<Fetch>(missing).reference == "docker.io/library/alpine:3");
  CHECK_FALSE(std::get<Fetch>(missing).newer);
  // What others have here is as good as absent: it is fetched from its registry.
  const auto foreign = build(world, "", "FROM theirs:1\n");
  REQUIRE(std::holds_alternative<Fetch>(foreign));
  CHECK(std::get<Fetch>(foreign).reference == "docker.io/library/theirs:1");

  const std::string foreign_id(64, 'e');
  world.image(foreign_id, {"docker.io/library/theirs:2"});
  CHECK(rule_of(build(world, "", "FROM localhost/theirs\n")) == "ownership.hidden");
  CHECK(rule_of(build(world, "", "FROM " + foreign_id + "\n")) == "ownership.hidden");
  CHECK(rule_of(build(world, "", "FROM scratch\nCOPY --from=" + foreign_id + " /x /y\n")) == "ownership.hidden");
  CHECK(rule_of(build(world, "?pullpolicy=never", "FROM alpine:3\n")) == "ownership.hidden");
  world.fetched = {"docker.io/library/alpine:3"};
  CHECK(rule_of(build(world, "", "FROM alpine:3\n")) == "ownership.hidden");
}

TEST_CASE("--pull fetches once more what the project has pulled") {
  auto world = builder();
  const auto decision = build(world, "?pull=1", "FROM mine:1\n");
  REQUIRE(std::holds_alternative<Fetch>(decision));
  CHECK(std::get<Fetch>(decision).newer);
  world.fetched = {"docker.io/library/mine:1"};
  CHECK(written(build(world, "?pull=1", "FROM mine:1\n")) == "FROM " + id('2') + "\n" + own_label + "\n");
  CHECK(written(build(world, "?pull=1", "FROM localhost/shared/base\n")) ==
        "FROM " + id('1') + "\n" + own_label + "\n");
}

TEST_CASE("what a base image runs in every build from it is judged as well") {
  auto world = builder();
  world.image(id('5'), {"docker.io/library/trigger:1"}, R"({"Config":{"OnBuild":["COPY --from=theirs:1 / /"]}})");
  world.ledger.holds.insert({"p1", id('5')});
  world.ledger.tags.insert({"p1", "docker.io/library/trigger:1"});
  CHECK(rule_of(build(world, "", "FROM trigger:1\n")) == "dockerfile.onbuild");
}

TEST_CASE("what a base image runs in front of the project's label is taken from no cache") {
  // Tried on 4.3.1: the layer of such a RUN came from another project's build.
  auto world = builder();
  world.image(id('5'), {"docker.io/library/trigger:1"}, R"({"Config":{"OnBuild":["RUN make"]}})");
  world.ledger.holds.insert({"p1", id('5')});
  world.ledger.tags.insert({"p1", "docker.io/library/trigger:1"});
  CHECK(sent(build(world, "?nocache=false", "FROM trigger:1\n"), "nocache") == "true");
  CHECK(sent(build(world, "?nocache=false", "FROM mine:1\n"), "nocache") == "false");
}

TEST_CASE("a build gives no name that is somebody else's") {
  auto world = builder();
  world.image(id('6'), {"localhost/host:1"});
  world.ledger.tags.insert({"p10", "localhost/promised:1"});
  CHECK(rule_of(build(world, "?t=theirs:1")) == "image.tag-taken");
  CHECK(rule_of(build(world, "?t=mine:3&t=theirs:1")) == "image.tag-taken");
  CHECK(rule_of(build(world, "?t=both:1")) == "image.tag-taken");
  CHECK(rule_of(build(world, "?t=localhost/host:1")) == "image.tag-taken");
  CHECK(rule_of(build(world, "?t=localhost/promised:1")) == "image.tag-taken");
  CHECK(rule_of(build(world, "?t=localhost/shared/base")) == "image.shared");
  CHECK(rule_of(build(world, "?t=" + id('3'))) == "image.reference");
  CHECK(rule_of(build(world, "?t=docker-archive:/tmp/x")) == "image.reference");
  const auto again = build(world, "?t=mine:1");
  CHECK(sent(again, "t") == "docker.io/library/mine:1");
  CHECK(forwarded(again).on_failure.empty());
}

TEST_CASE("the file that is built from is found as Podman finds it") {
  auto world = builder();
  const auto with = [&](const std::string& path, const std::string& query, Texts texts) {
    return with_archive(world, path + query, std::move(texts));
  };
  const Texts both{{"Containerfile", "FROM scratch\nENV A=c\n"}, {"Dockerfile", "FROM scratch\nENV A=d\n"}};
  CHECK(written(with("/v1.41/build", "", both)).ends_with("ENV A=d\n"));
  CHECK(written(with("/v4.0.0/libpod/build", "", both)).ends_with("ENV A=c\n"));
  CHECK(written(with("/v1.41/build", "?dockerfile=./Containerfile", both)).ends_with("ENV A=c\n"));
  CHECK(written(with("/v4.0.0/libpod/build", "?dockerfile=%5B%22Containerfile%22,%22Dockerfile%22%5D",
                     {{"Containerfile", "FROM scratch AS a\n"}, {"Dockerfile", "FROM a\n"}})) ==
        "FROM scratch AS a\n" + own_label + "\nFROM a\n" + own_label + "\n");
  CHECK(rule_of(with("/v1.41/build", "", {{"Containerfile", "FROM scratch\n"}})) == "build.file-absent");
  CHECK(rule_of(with("/v1.41/build", "?dockerfile=other", both)) == "build.file-absent");
  for (const std::string wrong :
       {"../Dockerfile", "/etc/passwd", "a/../../b", "http://x/y", "%5B%22/etc/passwd%22%5D", "."}) {
    CAPTURE(wrong);
    CHECK(rule_of(with("/v1.41/build", "?dockerfile=" + wrong, both)) == "build.file-name");
  }
}

TEST_CASE("each of several files is named once, and they are bounded together") {
  auto world = builder();
  const auto with = [&](const std::string& files, const Texts& texts) {
    return with_archive(world, "/v1.41/build?dockerfile=" + files, texts);
  };
  const Texts both{{"D", "FROM scratch\n"}, {"E", "ENV A=e\n"}};
  CHECK(written(with("%5B%22D%22,%22E%22%5D", both)).ends_with("ENV A=e\n"));
  for (const std::string repeated : {"%5B%22D%22,%22D%22%5D", "%5B%22D%22,%22E%22,%22./D%22%5D"}) {
    CAPTURE(repeated);
    const auto decision = with(repeated, both);
    REQUIRE(rule_of(decision) == "query.value");
    CHECK(std::get<Deny>(decision).subject == "dockerfile");
  }
  CHECK(rule_of(with("%5B%22D%22,%22/D%22,%22D%22%5D", both)) == "build.file-name");
  const std::string large(std::size_t{1} << 20, '\n');
  CHECK(rule_of(with("%5B%22D%22,%22E%22%5D", {{"D", "FROM scratch\n"}, {"E", large}})) == "dockerfile.too-large");
}

TEST_CASE("ignored files stay ignored, and what podfence writes is never copied") {
  auto world = builder();
  const auto excludes = [&](const std::string& query, Texts texts) {
    texts["Dockerfile"] = "FROM scratch\n";
    return sent(with_archive(world, "/v1.41/build" + query, std::move(texts)), "excludes");
  };
  CHECK(excludes("", {{".dockerignore", "# no\n\n a \n!b\r\n"}}) == R"(["a","!b",".podfence.Containerfile"])");
  CHECK(excludes("", {{".dockerignore", "a"}, {".containerignore", "c"}}) == R"(["c",".podfence.Containerfile"])");
  CHECK(excludes("?excludes=%5B%22x%22%5D", {{".dockerignore", "a"}}) == R"(["x",".podfence.Containerfile"])");
}

TEST_CASE("build secrets are files of the context") {
  auto world = builder();
  const auto with = [&](const std::string& secrets) {
    return with_archive(world, "/v1.41/build?secrets=" + encode(secrets),
                        {{"Dockerfile", "FROM scratch\n"}, {"s", "x"}});
  };
  CHECK(sent(with(R"(["id=a,src=./s"])"), "secrets") == R"(["id=a,src=.podfence.secret-0,type=file"])");
  // Podman moves what is named, wherever its name leads: none of them is the client's.
  auto world_of_paths = builder();
  const auto moved = with_archive(
      world_of_paths, "/v1.41/build?secrets=" + encode(R"(["id=a,src=build/d/authorized_keys","id=b,src=s"])"),
      {{"Dockerfile", "FROM scratch\n"}, {"build/d/authorized_keys", "key"}, {"s", "x"}});
  CHECK(sent(moved, "secrets") ==
        R"(["id=a,src=.podfence.secret-0,type=file","id=b,src=.podfence.secret-1,type=file"])");
  CHECK(sent(moved, "excludes") == R"([".podfence.Containerfile",".podfence.secret-0",".podfence.secret-1"])");
  const auto& members = forwarded(moved).members;
  CHECK(members.at(".podfence.secret-0") == "key");
  CHECK(members.at(".podfence.secret-1") == "x");
  CHECK_FALSE(members.at("build/d/authorized_keys").has_value());
  CHECK_FALSE(members.at("s").has_value());
  for (const std::string wrong : {R"(["id=a,src=../s"])", R"(["id=a,src=/etc/passwd"])", R"(["id=a,env=HOME"])",
                                  R"(["id=a,src=absent"])", R"(["src=s"])", R"(["id=a,type=env,src=s"])"}) {
    CAPTURE(wrong);
    CHECK(rule_of(with(wrong)) == "build.secret");
  }
}

TEST_CASE("parameters that reach the host are refused unless they say nothing") {
  auto world = builder();
  for (const std::string name : {"remote",        "volume",       "additionalbuildcontexts",
                                 "devices",       "addcaps",      "securityopt",
                                 "apparmor",      "labelopts",    "cgroupparent",
                                 "groupadd",      "ulimits",      "transientRunMounts",
                                 "rusagelogfile", "sbom-output",  "sbom-scanner-image",
                                 "cacheto",       "outputs",      "registry",
                                 "layerLabel",    "sourcePolicy", "cppflags",
                                 "session",       "manifest"}) {
    CAPTURE(name);
    CHECK(rule_of(build(world, "?" + name + "=x")) == "query.refused");
    CHECK(rule_of(build(world, "?" + name + "=")) == "");
    CHECK(rule_of(build(world, "?" + name + "=%5B%5D")) == "");
  }
  CHECK(rule_of(build(world, "?seccomp=/etc/passwd")) == "privilege.security-option");
  CHECK(rule_of(build(world, "?version=2")) == "build.buildkit");
  CHECK(rule_of(build(world, "?tlsVerify=false")) == "query.refused");
  CHECK(rule_of(build(world, "?allplatforms=1")) == "query.refused");
  CHECK(rule_of(build(world, "?compatvolumes=1")) == "query.refused");
  CHECK(rule_of(build(world, "?compatvolumes=0")) == "");
  CHECK(rule_of(build(world, "?platform=linux/amd64,linux/arm64")) == "query.refused");
  CHECK(rule_of(build(world, "?extrahosts=x:host-gateway")) == "field.refused");
  CHECK(sent(build(world, "?extrahosts=x:10.1.2.3"), "extrahosts") == R"(["x:10.1.2.3"])");
  CHECK(rule_of(build(world, "?setenv=HOME")) == "env.host");
  CHECK(rule_of(build(world, "?new-thing=1")) == "query.unknown");
}

TEST_CASE("labels and amounts of a build are bounded as those of containers are") {
  auto world = builder();
  world.project.policy.limit(Amount::Memory).most = 1000;
  CHECK(rule_of(build(world, "?memory=1001")) == "limit.policy");
  CHECK(sent(build(world, "?memory=1000"), "memory") == "1000");
  CHECK(rule_of(build(world, "?memswap=-1")) == "query.value");
  world.project.policy.limit(Amount::SharedMemory).most = 100;
  CHECK(sent(build(world, "?shmsize=67108864"), "shmsize") == "100");
  world.project.policy.limit(Amount::Cpus).most = 1'000'000'000;
  CHECK(rule_of(build(world, "?cpuperiod=1000&cpuquota=2000")) == "limit.policy");
  CHECK(rule_of(build(world, "?jobs=100")) == "limit.bound");
  CHECK(rule_of(build(world, "?jobs=0")) == "limit.bound");
  CHECK(rule_of(build(world, "?labels=%7B%22appx.project%22:%22p10%22%7D")) == "ownership.label");
  CHECK(rule_of(build(world, "?labels=%5B%22run.oci.x=1%22%5D")) == "label.reserved");
  CHECK(sent(build(world, "?unsetlabel=appx.project&unsetlabel=b"), "unsetlabel") == "b");
}

TEST_CASE("before the context is there, what no context makes right is refused") {
  auto world = builder();
  CHECK(rule_of(with_archive(world, "/v1.41/build?remote=http://x", {})) == "query.refused");
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Request request;
  request.method = Method::Post;
  request.target = std::get<Target>(parse_target("/v1.41/build?volume=/:/host"));
  const auto match = std::get<Match>(route(request.method, request.target));
  Exchange exchange{world.project, match, request, facts};
  CHECK(rule_of(decide(exchange)) == "query.refused");
}
