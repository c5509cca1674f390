// What the proxy looks at on the host before a workspace is believed, at the start and at every create.
#include "proxy/workspaces.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "proxy/directory.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence;
using podfence::testing::TemporaryDirectory;

namespace {

namespace fs = std::filesystem;

/// Below `root`: a home, a run-time directory, and what may be a workspace.
struct Host {
  TemporaryDirectory directory;
  std::string root = fs::canonical(directory.path()).string();
  proxy::Places places{[this](const char* name) {
    const std::string_view asked(name);
    return asked == "HOME" ? root + "/home" : asked == "XDG_RUNTIME_DIR" ? root + "/run" : std::string();
  }};
  rules::Configuration configuration;

  Host() {
    for (const char* path : {"home/.local/state/podfence/sub", "home/.config/containers", "home/work", "run/podman",
                             "run/podfence/p1", "srv/demo", "srv/log"})
      fs::create_directories(root + "/" + path);
    std::ofstream(root + "/srv/file") << "x";
    fs::create_symlink(root + "/srv/demo", root + "/srv/link");
    fs::create_symlink(root + "/srv", root + "/alias");
    configuration.projects.resize(1);
    configuration.projects[0].project.id = "p1";
  }

  /// "where what", without the root; "" when it is fine.
  std::string wrong(const std::string& path) {
    auto& policy = configuration.projects[0].project.policy;
    policy.workspaces = {{"/other", root + "/srv/demo"}, {"/workspace", root + path}};
    const auto error = check_workspaces(configuration, places);
    if (!error) return "";
    std::string text = error->where + " " + error->what;
    for (auto at = text.find(root); at != std::string::npos; at = text.find(root)) text.erase(at, root.size());
    return text;
  }
};

}  // namespace

TEST_CASE("a workspace is a plain directory apart from what podfence and Podman live by") {
  Host host;
  host.configuration.audit.to = host.root + "/srv/log/audit";
  const std::string where = "/projects/p1/workspace/1/host ";
  const struct {
    const char* path;
    std::string wrong;
  } rows[] = {
      {"/srv/demo", ""},
      {"/home/work", ""},
      {"/srv/absent", where + "does not exist"},
      {"/srv/file", where + "must be a directory"},
      {"/srv/link", where + "must have no symbolic link in it"},
      {"/alias/demo", where + "must have no symbolic link in it"},
      {"/srv/log", where + "must not contain the audit log, /srv/log/audit"},
      {"/home", where + "must not contain the state directory, /home/.local/state/podfence"},
      {"/home/.local/state/podfence", where + "must not contain the state directory, /home/.local/state/podfence"},
      {"/home/.local/state/podfence/sub",
       where + "must not lie within the state directory, /home/.local/state/podfence"},
      {"/home/.config/containers", where + "must not lie within the user's settings, /home/.config"},
      {"/run", where + "must not contain the directory of the socket of the project p1, /run/podfence/p1"},
      {"/run/podfence/p1", where + "must not contain the directory of the socket of the project p1, /run/podfence/p1"},
      {"/run/podman", where + "must not contain the directory of Podman's socket, /run/podman"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.path);
    CHECK(host.wrong(row.path) == row.wrong);
  }
}

TEST_CASE("places that are reached through a link are kept as well") {
  Host host;
  host.configuration.state = host.root + "/alias/state";
  host.configuration.upstream = host.root + "/alias/podman/podman.sock";
  host.configuration.projects[0].socket = host.root + "/alias/p1/podman.sock";
  for (const char* path : {"/srv/state", "/srv/podman", "/srv/p1"}) {
    fs::create_directory(host.root + path);
    CAPTURE(path);
    CHECK(host.wrong(path).find("must not contain") != std::string::npos);
  }
}

TEST_CASE("without workspaces nothing is looked up") {
  const proxy::Places nowhere([](const char*) { return std::string(); });
  rules::Configuration configuration;
  configuration.projects.resize(1);
  CHECK_FALSE(check_workspaces(configuration, nowhere).has_value());
}

TEST_CASE("a workspace that is gone, or has become a link, is not mounted, and upstream hears nothing of it") {
  const TemporaryDirectory directory;
  const std::string host = fs::canonical(directory.path()).string() + "/demo";
  rules::Policy policy;
  policy.workspaces = {{"/workspace", host}};
  testing::RunningProxy proxy(policy);
  const std::string content = R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":["new:/n","/workspace:/x"]}})";
  const std::string create =
      "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
      "\r\n\r\n" + content;
  const auto refused = [&] {
    const auto answer = proxy.ask(create);
    CHECK(answer.status == 409);
    CHECK(answer.content.find("mount.workspace-absent") != std::string::npos);
    CHECK(answer.content.find(host) == std::string::npos);
    for (const auto& line : proxy.podman.lines()) CHECK(line.find("create") == std::string::npos);
  };
  refused();
  fs::create_symlink(directory.path(), host);
  refused();
  fs::remove(host);
  std::ofstream(host) << "x";
  refused();
  fs::remove(host);
  fs::create_directory(host);
  CHECK(proxy.ask(create).status == 201);
}
