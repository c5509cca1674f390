// Paths below a workspace: looked at on the host before each create and each start, and volumes over workspaces.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "proxy/directory.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence;
using namespace podfence::testing;

namespace {

namespace fs = std::filesystem;

/// demo/sub, demo/file, and beside demo what nobody may reach.
struct Host {
  TemporaryDirectory directory;
  std::string root = fs::canonical(directory.path()).string();
  std::string demo = root + "/demo";

  Host() {
    fs::create_directories(demo + "/sub/deep");
    fs::create_directories(root + "/secret");
    std::ofstream(demo + "/file") << "x";
    std::ofstream(root + "/secret/file") << "x";
    fs::create_symlink("../secret", demo + "/out");
    fs::create_symlink("sub", demo + "/in");
    fs::create_symlink("..", demo + "/up");
    ::mkfifo((demo + "/pipe").c_str(), 0600);
  }
  rules::Policy policy(bool bind_subpaths) const {
    rules::Policy policy;
    policy.workspaces = {{"/workspace", demo}};
    policy.bind_subpaths = bind_subpaths;
    return policy;
  }
  /// In the place of demo/sub, and back.
  void swap() const {
    fs::rename(demo + "/sub", demo + "/away");
    fs::create_symlink(root + "/secret", demo + "/sub");
  }
  void swap_back() const {
    fs::remove(demo + "/sub");
    fs::rename(demo + "/away", demo + "/sub");
  }
};

std::string post(const std::string& target, const std::string& content = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         content;
}

std::string create(const std::string& source) {
  return post("/v1.41/containers/create",
              R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":[")" + source + R"(:/x"]}})");
}

bool says(const WireAnswer& answer, std::string_view text) { return answer.content.find(text) != std::string::npos; }

std::size_t heard(RunningProxy& proxy, std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      proxy.podman.lines(), [&](const std::string& each) { return each.find(line) != std::string::npos; }));
}

/// A container of p1 with a bind of demo/sub, in a pod or not, as Podman describes them.
void describe(RunningProxy& proxy, const std::string& id, const std::string& source) {
  const std::string container = R"({"Id":")" + id +
                                R"(","Config":{"Labels":{"appx.project":"p1"}},"Mounts":[{"Type":"bind","Source":")" +
                                source + R"(","Destination":"/x"}]})";
  proxy.podman.on("GET /v4.0.0/libpod/containers/web/json", FakePodman::says(http_answer(200, container)));
  proxy.podman.on("GET /v4.0.0/libpod/containers/" + id + "/json", FakePodman::says(http_answer(200, container)));
  const std::string pod = R"({"Id":")" + proxy.podman.add(rules::Kind::Pod, "group", "p1") +
                          R"(","Labels":{"appx.project":"p1"},"Containers":[{"Id":")" + id + R"("}]})";
  proxy.podman.on("GET /v4.0.0/libpod/pods/group/json", FakePodman::says(http_answer(200, pod)));
}

}  // namespace

TEST_CASE("below a directory are files and directories that no symbolic link leads to") {
  const Host host;
  for (const char* path : {"sub", "sub/deep", "file"}) {
    CAPTURE(std::string(path));
    CHECK(proxy::is_below_directory(host.demo, path));
  }
  for (const char* path : {"out", "out/file", "in", "in/deep", "up", "up/secret", "..", "../secret", "sub/../../secret",
                           "absent", "sub/absent", "file/x", "pipe", ""}) {
    CAPTURE(std::string(path));
    CHECK_FALSE(proxy::is_below_directory(host.demo, path));
  }
  CHECK_FALSE(proxy::is_below_directory(host.demo, host.demo + "/sub"));
  CHECK_FALSE(proxy::is_below_directory(host.demo + "/in", "deep"));
  CHECK_FALSE(proxy::is_below_directory(host.demo + "/absent", "deep"));
}

TEST_CASE(
    "a create with a path that is missing or a link is refused, nothing is made, and upstream hears nothing of it") {
  const Host host;
  RunningProxy proxy(host.policy(true));
  for (const char* path :
       {"/workspace/absent", "/workspace/out", "/workspace/in/deep", "/workspace/up/secret", "/workspace/pipe"}) {
    CAPTURE(std::string(path));
    const auto answer = proxy.ask(create(path));
    CHECK(answer.status == 409);
    CHECK(says(answer, "mount.source-absent"));
    CHECK(says(answer, path));
    CHECK_FALSE(says(answer, host.root));
  }
  CHECK(heard(proxy, "create") == 0);
  CHECK_FALSE(fs::exists(host.demo + "/absent"));
  for (const char* path : {"/workspace/sub", "/workspace/sub/deep", "/workspace/file"})
    CHECK(proxy.ask(create(path)).status == 201);
}

TEST_CASE("what was swapped for a link after the create does not start") {
  const Host host;
  RunningProxy proxy(host.policy(true));
  describe(proxy, proxy.podman.add(rules::Kind::Container, "web", "p1"), host.demo + "/sub");
  for (const std::string target :
       {"/v1.41/containers/web/start", "/v1.41/containers/web/restart", "/v4.3.1/libpod/containers/web/start",
        "/v4.3.1/libpod/containers/web/restart", "/v4.3.1/libpod/containers/web/init",
        "/v4.3.1/libpod/pods/group/start", "/v4.3.1/libpod/pods/group/restart"}) {
    CAPTURE(target);
    const auto verb = target.substr(target.rfind('/'));
    const auto before = heard(proxy, verb);
    host.swap();
    const auto refused = proxy.ask(post(target));
    host.swap_back();
    CHECK(refused.status == 409);
    CHECK(says(refused, "mount.source-absent"));
    CHECK(says(refused, "/workspace/sub"));
    CHECK(heard(proxy, verb) == before);
    CHECK(proxy.ask(post(target)).status < 300);
    CHECK(heard(proxy, verb) == before + 1);
  }
  host.swap();
  CHECK(proxy.ask("GET /v1.41/containers/web/archive?path=/x/file HTTP/1.1\r\nHost: d\r\n\r\n").status == 409);
  CHECK(heard(proxy, "/archive") == 0);
}

TEST_CASE("a volume over the workspace is made before the container, read back, and stays when the create fails") {
  const Host host;
  RunningProxy proxy(host.policy(false));
  proxy.podman.on("GET /_ping",
                  FakePodman::says("HTTP/1.1 200 OK\r\nLibpod-API-Version: 5.4.2\r\nContent-Length: 2\r\n\r\nOK"));
  std::string name, document;
  std::string options = R"({"type":"none","o":"bind,nosuid,nodev,uid=0,gid=0","device":")" + host.demo +
                        R"(","nocopy":"","UID":"0","GID":"0"})";
  proxy.podman.on("POST /v4.0.0/libpod/volumes/create", [&](FakePodman::Connection& connection) {
    const auto content = connection.read_content();
    const auto start = content.find("podfence.");
    name = content.substr(start, content.find('"', start) - start);
    document = R"({"Name":")" + name + R"(","Driver":"local","Labels":{},"Options":)" + options + "}";
    connection.send(http_answer(201, document));
  });
  proxy.podman.on("GET /v4.0.0/libpod/volumes/podfence.", [&](FakePodman::Connection& connection) {
    connection.send(document.empty() ? http_answer(404, error_content(404, "no such volume"))
                                     : http_answer(200, document));
  });
  SUBCASE("as it should be") {
    CHECK(proxy.ask(create("/workspace/sub")).status == 201);
    CHECK(proxy.ask(create("/workspace/file")).status == 201);
    CHECK(heard(proxy, "POST /libpod/volumes/create") + heard(proxy, "POST /v4.0.0/libpod/volumes/create") == 1);
    const auto sent = proxy.podman.requests("POST /v1.41/containers/create");
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].find(R"("Target":"/x,subpath=sub,rw,nosuid,nodev")") != std::string::npos);
    CHECK(sent[0].find(host.demo) == std::string::npos);
  }
  SUBCASE("the create fails") {
    proxy.podman.on("POST /v1.41/containers/create",
                    FakePodman::says(http_answer(500, error_content(500, "no space"))));
    CHECK(proxy.ask(create("/workspace/sub")).status == 500);
    CHECK(heard(proxy, "DELETE") == 0);
  }
  SUBCASE("somebody beside the proxy made another one") {
    options = R"({"type":"none","o":"bind","device":"/etc"})";
    const auto answer = proxy.ask(create("/workspace/sub"));
    CHECK(answer.status == 503);
    CHECK(says(answer, "mount.workspace-volume"));
    CHECK(heard(proxy, "/containers/create") == 0);
  }
  SUBCASE("the path is missing") {
    CHECK(proxy.ask(create("/workspace/absent")).status == 409);
    CHECK(heard(proxy, "create") == 0);
  }
}
