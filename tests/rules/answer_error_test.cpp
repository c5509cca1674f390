#include <doctest/doctest.h>

#include "rules/answer/scrub.hpp"
#include "rules/error_answer.hpp"
#include "tests/rules/recorded.hpp"

using namespace podfence::tests;

namespace {

constexpr const char* docker_web = "/v1.41/containers/p1-web/start";
constexpr const char* libpod_web = "/v4.3.1/libpod/containers/p1-web/start";

std::string message(const Reply& reply) { return std::string(parsed(reply.content).text("message")); }

/// The error's message as p1 reads it after p1-web was resolved.
std::string shown(Method method, std::string_view target, std::string_view content, int status = 500) {
  Recorded world(method, target);
  while (!world.facts.find(Kind::Container, "p1-web")) world.answer({world.facts.take_open()});
  const auto reply = rewrite_error(world.exchange, status, content);
  CHECK(reply.status == status);
  CHECK(parsed(reply.content).find("response")->int64() == status);
  return message(reply);
}

std::string error(std::string_view text) {
  return R"({"cause":"c","message":")" + std::string(text) + R"(","response":500})";
}

}  // namespace

TEST_CASE("an absent object is answered with Podman's own bytes") {
  const struct {
    Kind kind;
    Family family;
    const char* content;
  } rows[] = {
      // Recorded from Podman 4.3.1: inspect of "absent".
      {Kind::Container, Family::Docker,
       R"({"cause":"no such container","message":"no container with name or ID \"absent\" found: no such container","response":404})"},
      {Kind::Container, Family::Libpod,
       R"({"cause":"no such container","message":"no container with name or ID \"absent\" found: no such container","response":404})"},
      {Kind::Exec, Family::Docker,
       R"({"cause":"no such exec session","message":"no exec session with ID absent found: no such exec session","response":404})"},
      {Kind::Exec, Family::Libpod,
       R"({"cause":"no such exec session","message":"no exec session with ID absent found: no such exec session","response":404})"},
      {Kind::Volume, Family::Docker,
       R"({"cause":"no such volume","message":"volume with name absent not found: no such volume","response":404})"},
      {Kind::Volume, Family::Libpod,
       R"({"cause":"no such volume","message":"volume with name absent not found: no such volume","response":404})"},
      {Kind::Network, Family::Docker,
       R"({"cause":"network not found","message":"unable to find network with name or ID absent: network not found","response":404})"},
      {Kind::Pod, Family::Libpod,
       R"({"cause":"no such pod","message":"no pod with name or ID absent found: no such pod","response":404})"},
      {Kind::Image, Family::Docker,
       R"({"cause":"failed to find image absent: docker.io/library/absent: No such image","message":"failed to find image absent: docker.io/library/absent: No such image","response":404})"},
      {Kind::Image, Family::Libpod,
       R"({"cause":"image not known","message":"failed to find image absent: absent: image not known","response":404})"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.content);
    const auto reply = error_answer(hidden(row.kind, "absent"), row.family);
    CHECK(reply.status == 404);
    CHECK(reply.content_type == "application/json");
    CHECK(reply.content == row.content + std::string("\n"));
  }
}

TEST_CASE("a refusal says what was wrong, the way out and its rule") {
  const auto reply =
      error_answer({refusal("privilege.privileged"), "HostConfig.Privileged", Kind::None}, Family::Docker);
  CHECK(reply.status == 403);
  CHECK(
      reply.content ==
      R"({"cause":"privilege.privileged","message":"podfence: privileged mode is not allowed: HostConfig.Privileged. )"
      R"(Run without it. [rule privilege.privileged]","response":403})"
      "\n");
}

TEST_CASE("a client's bytes in a refusal are printable and bounded") {
  const auto text = message(
      error_answer({refusal("query.unknown"), "a\r\nb\x01\xff" + std::string(500, 'x'), Kind::None}, Family::Libpod));
  CHECK(text.find("a??b??xxx") != std::string::npos);
  CHECK(text.find(std::string(195, 'x')) == std::string::npos);
  CHECK(text.find("xxx...") != std::string::npos);
}

TEST_CASE("every refusal can be answered") {
  for (const auto& row : refusal_table) {
    CAPTURE(row.id);
    const auto reply = error_answer({&row, "subject", Kind::None}, Family::Docker);
    CHECK(reply.status == row.status);
    CHECK(message(reply).find("{}") == std::string::npos);
    CHECK(message(reply).find("subject") != std::string::npos);
  }
}

TEST_CASE("recorded errors pass without what others own") {
  const struct {
    Method method;
    const char* target;
    const char* content;
    const char* error;
    const char* keeps;
  } rows[] = {
      {Method::Post, "/v1.41/containers/create?name=p10-web", "{}", "docker_container_name_in_use",
       "is already in use"},
      {Method::Post, "/v4.3.1/libpod/containers/create", R"({"name":"p10-web"})", "libpod_container_name_in_use",
       "is already in use by <hidden>. You have to remove that container"},
      {Method::Delete, "/v1.41/volumes/p10-data", "", "docker_volume_in_use",
       "is being used by the following container(s): <hidden>, <hidden>: volume is being used"},
      {Method::Delete, "/v4.3.1/libpod/volumes/p10-data", "", "libpod_volume_in_use", "volume is being used"},
      {Method::Delete, "/v1.41/images/localhost%2Fbb", "", "docker_image_in_use",
       "image used by <hidden>: image is in use"},
      {Method::Delete, "/v4.3.1/libpod/images/localhost%2Fbb", "", "libpod_image_in_use",
       "image is in use by a container"},
      {Method::Post, "/v1.41/containers/p1-web/rename?name=p10-web", "", "docker_rename_in_use",
       "renaming container 02e8a35d8c50746f25aa294084f63a0a182569560f21b9b0c7ed0b94b9f7cf74: name p10-web already in "
       "use"},
      {Method::Delete, "/v1.41/containers/p1-web", "", "docker_container_running",
       "cannot remove container 02e8a35d8c50746f25aa294084f63a0a182569560f21b9b0c7ed0b94b9f7cf74 as it is running"},
      {Method::Post, docker_web, "", "docker_executable",
       "exec: \"nosuchprogram\": executable file not found in $PATH"},
      {Method::Post, libpod_web, "", "libpod_executable", "executable file not found in $PATH"},
      {Method::Post, "/v1.41/containers/p1-web/exec", "{}", "docker_exec_not_running", "on running containers"},
      {Method::Get, "/v1.41/containers/p1-web/archive?path=/nope", "", "docker_archive_absent",
       "no such file or directory"},
      {Method::Delete, "/v4.3.1/libpod/pods/p1-pod", "", "libpod_pod_in_use",
       "running or paused containers cannot be removed"},
      {Method::Delete, "/v1.41/networks/p10-net", "", "docker_network_in_use", "has associated containers"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.error);
    const auto content = recording("error_" + std::string(row.error) + ".json");
    const auto status = static_cast<int>(parsed(content).find("response")->int64().value());
    const auto text = shown(row.method, row.target, content, status);
    CHECK(text.find(row.keeps) != std::string::npos);
    for (const auto& secret :
         {std::string(foreign_web_id), std::string("1f315001775c9d5efafb0b5851f192bab213281a2ae05f31ed97d07090e3c989")})
      CHECK(text.find(secret) == std::string::npos);
  }
}

TEST_CASE("ids pass when the client said them or they are its own") {
  CHECK(shown(Method::Post, docker_web, error("a " + id('b') + " b")) == "a <hidden> b");
  CHECK(shown(Method::Post, docker_web, error("sha256:" + id('b') + ".")) == "sha256:<hidden>.");
  CHECK(shown(Method::Post, docker_web, error("abcdefabcdef")) == "<hidden>");
  CHECK(shown(Method::Post, docker_web, error("a x" + id('b') + "cy b")) == "a x<hidden>y b");
  CHECK(shown(Method::Post, docker_web, error("abcdefabcde xabcdefabcdef 10.88.0.1")) ==
        "abcdefabcde xabcdefabcdef 10.88.0.1");
  CHECK(shown(Method::Post, docker_web, error(std::string(web_id.substr(0, 12)))) == web_id.substr(0, 12));
  CHECK(shown(Method::Post, "/v1.41/containers/create?name=x", error("no " + id('c'))) == "no <hidden>");
  CHECK(shown(Method::Post, "/v1.41/containers/" + id('c') + "/start", error("no " + id('c'))) == "no " + id('c'));
  Recorded world(Method::Post, "/v1.41/containers/create", R"({"HostConfig":{"VolumesFrom":[")" + id('c') + R"("]}})");
  CHECK(message(rewrite_error(world.exchange, 500, error("no " + id('c')))) == "no " + id('c'));
}

TEST_CASE("paths of the host's storage do not pass, paths in a container do") {
  const struct {
    const char* text;
    const char* shown;
  } rows[] = {
      {"stat /home/user/.local/share/containers/storage/overlay/x/merged: no such file", "stat <path>: no such file"},
      {"open \\\"/run/user/1000/containers/overlay-containers/x/userdata/hosts\\\": denied", "open \"<path>\": denied"},
      {"dial unix:///run/user/1000/podman.sock.", "dial unix:<path>."},
      {"(/home/user/.config/containers/registries.conf)", "(<path>)"},
      {"/var/lib/containers/storage/a, /etc/containers/policy.json", "<path>, <path>"},
      {"exec /usr/bin/app: stat /home/app/run.sh: no such file",
       "exec /usr/bin/app: stat /home/app/run.sh: no such file"},
      {"", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(shown(Method::Post, docker_web, error(row.text)) == row.shown);
  }
}

TEST_CASE("punctuation stays where it stands, however much there is of it") {
  using podfence::rules::answer::without_host_paths;
  for (const char* text : {".", "...", " : ", ".a", "a.", "a.:b", "a. .:", "\".\"", "./a: ."})
    CHECK(without_host_paths(text) == text);
  CHECK(without_host_paths("..::/etc/containers/x..: :") == "..::<path>..: :");
  // Quadratic work would take minutes here.
  const std::string dots(2'000'000, '.');
  CHECK(without_host_paths(dots) == dots);
  CHECK(without_host_paths("a" + dots + " /run/user/1" + dots) == "a" + dots + " <path>" + dots);
}

TEST_CASE("an object that went away meanwhile was never there") {
  const std::string gone =
      R"({"cause":"no such container","message":"no container with ID 02e8a35d8c50 found","response":404})";
  Recorded docker(Method::Post, docker_web);
  const auto hidden_bytes = error_answer(hidden(Kind::Container, "p1-web"), Family::Docker).content;
  CHECK(rewrite_error(docker.exchange, 404, gone).content == hidden_bytes);
  CHECK(rewrite_error(docker.exchange, 404, "").content == hidden_bytes);

  // Absent is something else: a path in the container, another object.
  Recorded archive(Method::Get, "/v1.41/containers/p1-web/archive?path=/nope");
  CHECK(message(rewrite_error(archive.exchange, 404, recording("error_docker_archive_absent.json"))) ==
        "no such file or directory");
  Recorded network(Method::Post, "/v1.41/networks/p1-net/connect");
  CHECK(message(rewrite_error(network.exchange, 404, gone)) !=
        error_answer(hidden(Kind::Network, "p1-net"), Family::Docker).content);
}

TEST_CASE("what is not Podman's error shape is not passed on") {
  Recorded world(Method::Post, docker_web);
  for (const auto* content : {"Not Found\n", "<html>p10</html>", "[1]", "{", "\"p10\""}) {
    CAPTURE(content);
    const auto reply = rewrite_error(world.exchange, 404, content);
    CHECK(reply.status == 404);
    CHECK(parsed(reply.content).text("cause") == "upstream.answer");
    CHECK(reveals(reply.content) == "");
  }
}

TEST_CASE("what a pod's containers could not do is told as Podman tells it") {
  Recorded world(Method::Post, "/v5.4.2/libpod/pods/p1-pod/restart");
  const auto reply = rewrite_error(
      world.exchange, 409,
      R"({"Errs":["listen tcp 127.0.0.1:8080: bind: address already in use","rm /run/user/1000/libpod/x"],"Id":"abc","More":1})");
  CHECK(reply.status == 409);
  CHECK(reply.content ==
        "{\"Errs\":[\"listen tcp 127.0.0.1:8080: bind: address already in use\",\"rm <path>\"],"
        "\"Id\":\"abc\"}\n");
}

TEST_CASE("nobody reads more than the beginning of what Podman repeats") {
  CHECK(shown(Method::Post, docker_web, error(std::string(1'000'000, 'x'))).size() < 8 * 1024);
}

TEST_CASE("what a client says is told to a bounded length, and what podfence says itself whole") {
  const std::string long_text(1000, 'x');
  const auto foreign = reason_of({refusal("endpoint.unknown"), long_text});
  CHECK(foreign.starts_with("podfence knows no such endpoint: " + std::string(200, 'x') + "...."));
  CHECK(reason_of({refusal("operator.invalid"), long_text}).starts_with(long_text + ". See docs/configuration.md"));
}

TEST_CASE("who refuses stands in front of the reason where a client reads it") {
  const Deny deny{refusal("endpoint.unknown"), "/x"};
  CHECK(reason_of(deny).starts_with("podfence knows no such endpoint: /x. See docs/endpoints.md"));
  CHECK(sentence_of(deny) == "podfence: " + reason_of(deny));
}
