// Names, spellings, types and zero values, whatever the field.

#include <doctest/doctest.h>

#include <functional>

#include "rules/ascii.hpp"
#include "rules/body/table.hpp"
#include "rules/body/tree.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

const std::string forced = R"("LogConfig":{"Config":{"max-size":"104857600"}},"SecurityOpt":["no-new-privileges"],)";
const std::string least_compat = R"({"Image":")" + id('e') + R"(","HostConfig":{)" + forced +
                                 R"("NetworkMode":"private"},"Labels":{"appx.project":"p1"}})";

}  // namespace

TEST_CASE("the least that a container create can say is labelled and put on a private network") {
  CHECK(compat("") == least_compat);
  CHECK(sends(libpod(""), R"("netns":{"nsmode":"private"})"));
  CHECK(sends(libpod(""), R"("labels":{"appx.project":"p1"})"));
  CHECK(sends(libpod(""), R"("httpproxy":false)"));
  CHECK(sends(libpod(""), R"("sdnotifyMode":"ignore")"));
}

TEST_CASE("names are matched without regard to case and written in Podman's spelling") {
  CHECK(judged(Body::ContainerCreateCompat, R"({"IMAGE":"localhost/shared","hostconfig":{"READONLYROOTFS":true}})") ==
        R"({"Image":")" + id('e') + R"(","HostConfig":{"ReadonlyRootfs":true,)" + forced +
            R"("NetworkMode":"private"},"Labels":{"appx.project":"p1"}})");
  CHECK(host_config(R"("bINDS":["/etc:/x"])") == "mount.host-path");
  CHECK(libpod(R"("PRIVILEGED":true)") == "privilege.privileged");
  CHECK(compat(R"("\u0048ostConfig":{"Privileged":true})") == "privilege.privileged");
}

TEST_CASE("every member of every table is found by its name in any case, and by no other") {
  std::size_t count = 0;
  const std::function<void(const Node&)> look_into = [&](const Node& node) {
    for (const Node& member : node.members) {
      CAPTURE(member.name);
      CHECK(node.member(member.name) == &member);
      CHECK(node.member(ascii::lower(member.name)) == &member);
      std::string upper = member.name;
      for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      CHECK(node.member(upper) == &member);
      CHECK(node.member(member.name + "x") == nullptr);
      CHECK(node.member(member.name.substr(1)) != &member);
      ++count;
      look_into(member);
    }
    CHECK(node.member("") == nullptr);
    for (const auto& child : {&node.item, &node.entry})
      if (*child) look_into(**child);
  };
  for (const Table& table : tables()) look_into(tree_of(table));
  CHECK(count > 300);
}

TEST_CASE("a field in two spellings is refused at every depth") {
  CHECK(compat(R"("HostConfig":{},"hostconfig":{"Privileged":true})") == "field.repeated");
  CHECK(compat(R"("image":"x")") == "field.repeated");
  CHECK(host_config(R"("Binds":[],"binds":["/etc:/x"])") == "field.repeated");
  CHECK(host_config(R"("Mounts":[{"Type":"volume","type":"bind","Target":"/x"}])") == "field.repeated");
  CHECK(compat(R"("Labels":{"a":"1"},"labels":{"appx.project":"p2"})") == "field.repeated");
  CHECK(compat(R"("Labels":{"a":"1","A":"2"})").starts_with("{"));
}

TEST_CASE("an unknown name is refused, so are names that only look like known ones to Go") {
  for (const char* field :
       {R"("Evil":1)", R"("Evil":null)", R"("":1)", R"("HostConfig":{"Resources":{"Memory":1}})", R"("Config":{})",
        R"("Image ":"x")", "\"Ho\xC5\xBFtConfig\":{}", "\"HostConfig\":{\"Networ\xE2\x84\xAAMode\":\"host\"}",
        "\"\xC4\xB0mage\":\"x\"", R"("Ho\u017ftConfig":{"Privileged":true})"}) {
    CAPTURE(std::string(field));
    CHECK(compat(field) == "field.unknown");
  }
  CHECK(libpod(R"("Image":"x")") == "field.repeated");
  CHECK(libpod(R"("HostConfig":{})") == "field.unknown");
}

TEST_CASE("what client libraries send beside Podman's fields is dropped where it says nothing") {
  const std::string of_docker_py = compat(R"("NetworkingConfig":{"net":null})");
  CHECK_FALSE(sends(of_docker_py, R"("net")"));
  CHECK(of_docker_py == compat(""));
  CHECK(compat(R"("NetworkingConfig":{"net":{"Aliases":["x"]}})") == "field.refused");
  CHECK(compat(R"("VolumesFrom":[])") == compat(""));
  CHECK(compat(R"("VolumesFrom":["web"])") == "field.refused");
  CHECK(judged(Body::ExecCreateCompat, R"({"Container":"web","Cmd":["a"]})") == R"({"Cmd":["a"]})");
  CHECK(judged(Body::ExecStart, R"({"hijack":true,"stdin":true,"Tty":true})") == R"({"Tty":true})");
  CHECK(judged(Body::NetworkConnectLibpod, R"({"container":"web","EndpointConfig":{"Aliases":["x"]}})") ==
        R"({"container":")" + id('c') + R"("})");
}

TEST_CASE("a field of the wrong type is refused") {
  for (const char* field : {R"("User":1)",
                            R"("Tty":"true")",
                            R"("Tty":1)",
                            R"("Env":"A=b")",
                            R"("Env":[1])",
                            R"("Env":[null])",
                            R"("HostConfig":[])",
                            R"("HostConfig":"x")",
                            R"("StopTimeout":"3")",
                            R"("StopTimeout":1.5)",
                            R"("StopTimeout":1e2)",
                            R"("StopTimeout":99999999999999999999)",
                            R"("Cmd":{"a":1})",
                            R"("Cmd":["a",1])",
                            R"("Volumes":["/x"])",
                            R"("Volumes":{"/x":1})",
                            R"("Volumes":{"/x":{"evil":true}})",
                            R"("Labels":["a=b"])",
                            R"("Labels":{"a":1})",
                            R"("HostConfig":{"Mounts":[1]})",
                            R"("HostConfig":{"PortBindings":{"80/tcp":{}}})",
                            R"("Image":7)",
                            R"("HostConfig":{"ConsoleSize":[-1,0]})"}) {
    CAPTURE(std::string(field));
    const std::string text = std::string(field).starts_with(R"("Image")")
                                 ? judged(Body::ContainerCreateCompat, "{" + std::string(field) + "}")
                                 : compat(field);
    CHECK(text == "field.type");
  }
}

TEST_CASE("zero values count as absent, also of fields that are refused otherwise") {
  CHECK(compat(R"("User":"","Tty":false,"Env":null,"Cmd":[],"Labels":{},"Healthcheck":{},"NetworkingConfig":null)") ==
        least_compat);
  const std::string zeros = R"("Privileged":false,"CapAdd":null,"Devices":[],"ContainerIDFile":"","Runtime":"",
      "Sysctls":{},"MaskedPaths":null,"CgroupParent":"","Links":null,"PidsLimit":0,"OomKillDisable":null,
      "MemorySwappiness":-1,"LogConfig":{"Type":"","Config":{}},"StorageOpt":{},"Annotations":{},
      "RestartPolicy":{"Name":"","MaximumRetryCount":0},"Mounts":null,"Binds":[])";
  CHECK(host_config(zeros) == least_compat);
}

TEST_CASE("what Docker's clients say of logs and Podman has no use for is dropped") {
  const std::string docker =
      R"("compress":"true","max-file":"3","mode":"non-blocking","max-buffer-size":"4m","tag":"t")";
  CHECK(sends(host_config(R"("LogConfig":{"Type":"json-file","Config":{)" + docker + "}}"),
              R"("LogConfig":{"Type":"json-file","Config":{"tag":"t","max-size":"104857600"}})"));
  CHECK(sends(libpod(R"("log_configuration":{"driver":"json-file","options":{)" + docker + "}}"),
              R"("options":{"tag":"t"})"));
  CHECK(host_config(R"("LogConfig":{"Config":{"Compress":"true"}})") == "field.refused");
  CHECK(host_config(R"("LogConfig":{"Config":{"labels":"a"}})") == "field.refused");
}

TEST_CASE("a zero that says something stays") {
  CHECK(sends(compat(R"("StopTimeout":0)"), R"("StopTimeout":0)"));
  CHECK(sends(host_config(R"("MemorySwappiness":0)"), R"("MemorySwappiness":0)"));
  CHECK(sends(host_config(R"("Init":false)"), R"("Init":false)"));
  CHECK(sends(libpod(R"("oom_score_adj":0)"), R"("oom_score_adj":0)"));
  CHECK(sends(libpod(R"("stop_timeout":0)"), R"("stop_timeout":0)"));
  CHECK(sends(compat(R"("Cmd":[""])"), R"("Cmd":[""])"));
  CHECK(sends(compat(R"("Entrypoint":[""])"), R"("Entrypoint":[""])"));
  CHECK(sends(compat(R"("Volumes":{"/x":{}})"), R"("Volumes":{"/x":{}})"));
  CHECK(sends(compat(R"("Volumes":{"/x":null})"), R"("Volumes":{"/x":{}})"));
  CHECK(sends(compat(R"("Labels":{"a":""})"), R"("a":"")"));
  CHECK(sends(compat(R"("Labels":{"a":null})"), R"("a":"")"));
}

TEST_CASE("fields that are forced say what they must, whatever the client said") {
  CHECK(sends(libpod(R"("httpproxy":true)"), R"("httpproxy":false)"));
  CHECK(sends(libpod(R"("sdnotifyMode":"container")"), R"("sdnotifyMode":"ignore")"));
  CHECK(libpod(R"("httpproxy":"yes")") == "field.type");
  CHECK(sends(judged(Body::NetworkCreateCompat, R"({"Name":"n","CheckDuplicate":false})"), R"("CheckDuplicate":true)"));
}

TEST_CASE("a content that is no object is refused, an endpoint without content takes an empty one") {
  World world = two_projects();
  for (const char* text : {"[]", "null", "\"x\"", "1"})
    CHECK(judge(Body::ContainerCreateCompat, text, world).denied == "content.missing");
  CHECK(judge(Body::None, "{}", world).text == "null");
  CHECK(judge(Body::None, "null", world).text == "null");
  CHECK(judge(Body::None, R"({"a":1})", world).denied == "content.unexpected");
}

TEST_CASE("the subject of a refusal names the field with its path") {
  World world = two_projects();
  CHECK(judge(Body::ContainerCreateCompat, R"({"HostConfig":{"Evil":1}})", world).subject == "HostConfig.Evil");
  CHECK(judge(Body::ContainerCreateCompat, R"({"HostConfig":{"privileged":true}})", world).subject ==
        "HostConfig.Privileged");
  CHECK(judge(Body::ContainerCreateLibpod, R"({"mounts":[{"type":1}]})", world).subject == "mounts[].type");
}

TEST_CASE("a row's value is its default or what it is forced to be, never both") {
  int values = 0;
  for (const auto& table : podfence::rules::tables())
    for (const auto& part : table.parts)
      for (const auto& row : part.rows) {
        const bool forced = row.rule.kind == podfence::rules::Rule::Kind::Forced,
                   has_default = !row.rule.default_text.empty();
        values += forced || has_default;
        CHECK_FALSE((forced && has_default));
      }
  CHECK(values > 10);
}

TEST_CASE("an entry that comes to the name of one before it is refused with its path, among however many") {
  auto world = two_projects();
  const auto subject = [&](const std::string& networks) {
    return judge(Body::ContainerCreateLibpod, R"({"netns":{"nsmode":"bridge"},"Networks":{)" + networks + "}}", world)
        .subject;
  };
  CHECK(subject(R"("net":{},"net2":{},")" + id('9') + R"(":{},")" + id('b') + R"(":{})") == "Networks." + id('9'));
  CHECK(subject(R"("net":{},"net2":{},")" + id('b') + R"(":{},")" + id('9') + R"(":{})") == "Networks." + id('b'));

  json::Object variables;
  for (int i = 0; i < 200'000; ++i) variables.push_back({std::to_string(i), "x"});
  json::Value content;
  content.set("env", std::move(variables));
  // Quadratic work would take minutes here.
  const auto result = world.judge_alone(Body::ContainerCreateLibpod, content);
  REQUIRE(std::holds_alternative<JudgedBody>(result));
  CHECK(*std::get<JudgedBody>(result).content.find("env") == *content.find("env"));
}
