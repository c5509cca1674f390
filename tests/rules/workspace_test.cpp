// Workspaces and the engine's socket: what a project may mount of the host, in all forms of both families, and what it
// reads of it.

#include <doctest/doctest.h>

#include <array>

#include "rules/answer.hpp"
#include "rules/error_answer.hpp"
#include "rules/host_path.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

constexpr const char* socket = "/run/user/1000/podfence/p1/podman.sock";

/// /workspace is /srv/demo, /data is /srv/data and for reading only.
World with_workspaces() {
  World world = two_projects();
  world.project.policy.workspaces = {{"/workspace", "/srv/demo"}, {"/data", "/srv/data", true}};
  world.project.socket = socket;
  return world;
}

enum class Form { Bind, Mount, LibpodMount, PodMount };
constexpr auto forms = std::to_array({Form::Bind, Form::Mount, Form::LibpodMount, Form::PodMount});

podfence::tests::Outcome mounted(Form form, const std::string& source, const std::string& target = "/x",
                                 bool read_only = false) {
  World world = with_workspaces();
  const std::string places = R"("source":")" + source + R"(","destination":")" + target + '"';
  const std::string libpod_mount = R"("mounts":[{"type":"bind",)" + places + R"(,"options":[)" +
                                   (read_only ? R"("rbind","ro")" : R"("rbind")") + "]}]";
  switch (form) {
    case Form::Bind:
      return judge(Body::ContainerCreateCompat,
                   R"({"HostConfig":{"Binds":[")" + source + ":" + target + (read_only ? ":ro" : "") + R"("]}})",
                   world);
    case Form::Mount:
      return judge(Body::ContainerCreateCompat,
                   R"({"HostConfig":{"Mounts":[{"Type":"bind","Source":")" + source + R"(","Target":")" + target +
                       R"(","ReadOnly":)" + (read_only ? "true" : "false") + "}]}}",
                   world);
    case Form::LibpodMount:
      return judge(Body::ContainerCreateLibpod, "{" + libpod_mount + "}", world);
    case Form::PodMount:
      return judge(Body::PodCreate, "{" + libpod_mount + "}", world);
  }
  return {};
}

/// As that form has it upstream. Docker's mount object becomes a bind, since it has no way to say nosuid and nodev.
std::string written(Form form, const std::string& source, const std::string& target, const std::string& mode) {
  if (form == Form::Bind || form == Form::Mount)
    return R"("Binds":[")" + source + ":" + target + ":" + mode + R"(,nosuid,nodev,rprivate,rbind"])";
  return R"({"type":"bind","source":")" + source + R"(","destination":")" + target + R"(","options":[")" + mode +
         R"(","nosuid","nodev","rprivate","rbind"]})";
}

std::string binds(const std::string& bind) {
  World world = with_workspaces();
  const auto outcome = judge(Body::ContainerCreateCompat, R"({"HostConfig":{"Binds":[")" + bind + "\"]}}", world);
  return outcome.denied.empty() ? outcome.text : outcome.denied;
}

}  // namespace

TEST_CASE("a workspace is mounted from the host's path, with the options that are forced") {
  struct Case {
    const char* source;
    bool read_only;
    const char* host;
    const char* mode;
  };
  constexpr auto rows = std::to_array<Case>({
      {"/workspace", false, "/srv/demo", "rw"},
      {"/workspace", true, "/srv/demo", "ro"},
      {"/workspace/", false, "/srv/demo", "rw"},
      {"/data", false, "/srv/data", "ro"},
      {"/data/", true, "/srv/data", "ro"},
  });
  for (const auto& row : rows)
    for (const auto form : forms) {
      CAPTURE(std::string(row.source));
      CAPTURE(static_cast<int>(form));
      const auto outcome = mounted(form, row.source, "/x/", row.read_only);
      CHECK(outcome.denied == "");
      CHECK_MESSAGE(sends(outcome.text, written(form, row.host, "/x", row.mode)), outcome.text);
    }
}

TEST_CASE("the engine's socket is the project's own, by all names that clients have for it") {
  for (const char* name :
       {"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/var/run/podman/podman.sock",
        "/run/user/1000/podman/podman.sock", "/run/user/0/podman/podman.sock", "/x/podfence/p1/podman.sock", socket})
    for (const auto form : forms) {
      CAPTURE(std::string(name));
      CAPTURE(static_cast<int>(form));
      const auto outcome = mounted(form, name, "/var/run/docker.sock");
      CHECK_MESSAGE(sends(outcome.text, written(form, socket, "/var/run/docker.sock", "rw")), outcome.text);
    }
}

TEST_CASE("without a socket of its own a project has no engine to give") {
  World world = two_projects();
  CHECK(judge(Body::ContainerCreateCompat, R"({"HostConfig":{"Binds":["/var/run/docker.sock:/x"]}})", world).denied ==
        "mount.host-path");
  world.project.socket = "/run/a:b/podman.sock";
  CHECK(judge(Body::ContainerCreateCompat, R"({"HostConfig":{"Binds":["/var/run/docker.sock:/x"]}})", world).denied ==
        "mount.host-path");
}

TEST_CASE("every other path of the host is refused, in every form") {
  struct Case {
    const char* source;
    const char* refusal;
  };
  constexpr auto rows = std::to_array<Case>({
      {"/workspace/sub", "mount.workspace-subpath"},
      {"/workspace/sub/", "mount.workspace-subpath"},
      {"/data/podman/podman.sock", "mount.workspace-subpath"},
      {"/workspace/..", "mount.host-path"},
      {"/workspace/../etc", "mount.host-path"},
      {"/workspace/.", "mount.host-path"},
      {"/workspace//", "mount.host-path"},
      {"//workspace", "mount.host-path"},
      {"/./workspace", "mount.host-path"},
      {"/workspace2", "mount.host-path"},
      {"/Workspace", "mount.host-path"},
      {"/work", "mount.host-path"},
      {"/", "mount.host-path"},
      {"/etc", "mount.host-path"},
      {"workspace/../workspace", "mount.host-path"},
      {"./workspace", "mount.host-path"},
      {"~/workspace", "mount.host-path"},
      {"/srv/demo", "mount.host-path"},
      {"/srv/demo/sub", "mount.host-path"},
      {"/srv", "mount.host-path"},
      {"/x/podfence/p10/podman.sock", "mount.host-path"},
      {"/x/podfence/../podman/podman.sock", "mount.host-path"},
      {"/run/podman", "mount.host-path"},
      {"/var/run/docker.sock/x", "mount.host-path"},
      {"/run/user/1000/podfence/p1", "mount.host-path"},
      {"podman/podman.sock", "mount.host-path"},
  });
  for (const auto& row : rows)
    for (const auto form : forms) {
      const bool names_volume = form == Form::Bind && *row.source != '/' && *row.source != '.' && *row.source != '~';
      CAPTURE(std::string(row.source));
      CAPTURE(static_cast<int>(form));
      CHECK(mounted(form, row.source).denied == (names_volume ? "name.syntax" : row.refusal));
    }
}

TEST_CASE("the target of a workspace is judged as a volume's") {
  for (const char* target : {"x", "/", "/a/../b", "/a//b", "/a,b", "/proc/1", "/sys", "/dev/fuse", ""})
    for (const auto form : forms) {
      CAPTURE(std::string(target));
      CAPTURE(static_cast<int>(form));
      CHECK(mounted(form, "/workspace", target).denied == "mount.target");
    }
}

TEST_CASE("a workspace is not where Podman itself looks up users and groups, through links") {
  for (const char* target : {"/etc", "/etc/", "/etc/passwd", "/etc/group"})
    for (const auto form : forms) {
      CAPTURE(std::string(target));
      CAPTURE(static_cast<int>(form));
      CHECK(mounted(form, "/workspace", target).denied == "mount.accounts");
    }
  for (const char* target : {"/etc/app", "/etc2", "/opt/etc"})
    CHECK(mounted(Form::Bind, "/workspace", target).denied == "");
}

TEST_CASE("options of a workspace are those that make it narrower; what clients add out of habit is dropped") {
  const std::string all = "nosuid,nodev,rprivate,";
  struct Case {
    std::string asked, sent;
  };
  const Case rows[] = {
      {"", "rw," + all + "rbind"},
      {"rw", "rw," + all + "rbind"},
      {"ro", "ro," + all + "rbind"},
      {"ro,cached", "ro," + all + "rbind"},
      {"delegated", "rw," + all + "rbind"},
      {"z", "rw," + all + "rbind"},
      {"Z", "rw," + all + "rbind"},
      {"ro,Z", "ro," + all + "rbind"},
      {"rw,rprivate,nosuid,rbind", "rw," + all + "rbind"},
      {"bind,private", "rw," + all + "bind"},
      {"noexec,nodev", "rw," + all + "rbind,noexec"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.asked);
    CHECK(sends(binds("/workspace:/x:" + row.asked), R"("/srv/demo:/x:)" + row.sent + '"'));
  }
  for (const char* option : {"U", "z,U", "O", "O,upperdir=/h,workdir=/w", "suid", "dev", "exec", "rshared", "shared",
                             "slave", "rslave", "unbindable", "idmap", "ro,rw", "RO", " ro", "upperdir=/h"}) {
    CAPTURE(std::string(option));
    CHECK(binds("/workspace:/x:" + std::string(option)) == "mount.option");
  }
  CHECK(binds("/workspace") == "field.value");
  CHECK(binds("/workspace:/x:ro:more") == "field.value");
}

TEST_CASE("a workspace is not relabelled, in a container or in a pod") {
  World world = with_workspaces();
  for (const auto body : {Body::ContainerCreateLibpod, Body::PodCreate})
    for (const std::string option : {"z", "Z"}) {
      CAPTURE(option);
      const auto outcome = judge(body,
                                 R"({"mounts":[{"type":"bind","source":"/workspace","destination":"/x","options":[")" +
                                     option + R"(","ro"]}]})",
                                 world);
      CHECK(sends(outcome.text, R"("options":["ro","nosuid","nodev","rprivate","rbind"])"));
    }
}

TEST_CASE("what Docker's mount object says of a bind is heard") {
  World world = with_workspaces();
  const auto mount = [&](const std::string& fields) {
    const auto outcome =
        judge(Body::ContainerCreateCompat,
              R"({"HostConfig":{"Binds":["vol:/v"],"Mounts":[{"Type":"tmpfs","Target":"/t"},{"Type":"bind",)" + fields +
                  R"(}]}})",
              world);
    return outcome.denied.empty() ? outcome.text : outcome.denied;
  };
  const std::string place = R"("Source":"/workspace","Target":"/x")";
  const auto text =
      mount(place + R"(,"Consistency":"cached","BindOptions":{"Propagation":"rprivate","NonRecursive":true})");
  CHECK(sends(text, R"("Binds":["vol:/v","/srv/demo:/x:rw,nosuid,nodev,rprivate,bind"])"));
  CHECK(sends(text, R"("Mounts":[{"Type":"tmpfs")"));
  CHECK_FALSE(sends(text, R"("Type":"bind")"));
  CHECK(mount(place + R"(,"BindOptions":{"Propagation":"rshared"})") == "field.value");
  CHECK(mount(place + R"(,"TmpfsOptions":{"SizeBytes":4096})") == "field.value");
  CHECK(mount(R"("Target":"/x")") == "mount.host-path");
}

TEST_CASE("a mounted workspace must be there when the request is sent, the engine's socket is") {
  World world = with_workspaces();
  world.image(id('8'), {"localhost/shared2:latest"});
  const auto decision =
      world.decide(Method::Post, "/v1.41/containers/create",
                   R"({"Image":"localhost/shared2","HostConfig":{"Binds":["/workspace:/x","/workspace:/y",
                                         "/data:/z","/var/run/docker.sock:/s"]}})");
  const auto* forward = std::get_if<Forward>(&decision);
  REQUIRE(forward);
  CHECK(forward->sources == std::set<HostSource>{{"/srv/demo", "", "/workspace"}, {"/srv/data", "", "/data"}});
}

TEST_CASE("whatever makes Podman open the mounts is sent behind a look at them, an attach too") {
  World world = with_workspaces();
  world.add(Kind::Container, "web", id('c'), "p1",
            R"({"Mounts":[{"Type":"bind","Source":"/srv/demo","Destination":"/workspace"}]})");
  for (const char* verb : {"start", "restart", "attach?stream=1&stdout=1"})
    for (const char* family : {"/v1.41", "/v4.0.0/libpod"}) {
      CAPTURE(verb);
      const auto decision = world.decide(Method::Post, std::string(family) + "/containers/web/" + verb);
      const auto* forward = std::get_if<Forward>(&decision);
      REQUIRE(forward);
      CHECK(forward->sources == std::set<HostSource>{{"/srv/demo", "", "/workspace"}});
    }
}

TEST_CASE("the way out names the workspaces that there are") {
  const World world = with_workspaces();
  const auto refused = std::get<Deny>(host_path(world.project, "/etc"));
  CHECK(sends(sentence_of(refused), "/etc. Use a named volume, or mount a workspace: /workspace, /data."));
  const auto without = std::get<Deny>(host_path(two_projects().project, "/etc"));
  CHECK(sends(sentence_of(without), "/etc. Use a named volume."));
}

TEST_CASE("answers say the client's path, and nothing of any other path of the host") {
  struct Case {
    const char* target;
    const char* content;
    const char* shown;
  };
  constexpr auto rows = std::to_array<Case>({
      {"/v1.41/containers/web/json",
       R"({"Mounts":[{"Type":"bind","Source":"/srv/demo"},{"Source":"/srv/demo/a/b"},{"Source":"/srv/demo2"},{"Source":"/etc"}]})",
       R"({"Mounts":[{"Type":"bind","Source":"/workspace"},{"Source":"/workspace/a/b"},{"Source":""},{"Source":""}]})"},
      {"/v1.41/containers/web/json", R"({"Mounts":[{"Source":"/run/user/1000/podfence/p1/podman.sock"}]})",
       R"({"Mounts":[{"Source":"/var/run/docker.sock"}]})"},
      {"/v4.3.1/libpod/containers/web/json",
       R"({"HostConfig":{"Binds":["vol:/v:rw","/srv/data:/d:ro,rbind","/etc:/e:rw","/srv/demo2:/x:rw"]}})",
       R"({"HostConfig":{"Binds":["vol:/v:rw","/data:/d:ro,rbind","",""]}})"},
      {"/v4.3.1/libpod/pods/pod/json", R"({"mounts":[{"Source":"/srv/data"}]})", R"({"mounts":[{"Source":"/data"}]})"},
      {"/v1.41/containers/json", R"([{"Id":"x","Labels":{"appx.project":"p1"},"Mounts":[{"Source":"/srv/demo"}]}])",
       R"([{"Id":"x","Labels":{"appx.project":"p1"},"Mounts":[{"Source":"/workspace"}]}])"},
  });
  World world = with_workspaces();
  for (const auto& row : rows) {
    CAPTURE(std::string(row.content));
    Request request;
    request.target = std::get<Target>(parse_target(row.target));
    const auto match = std::get<Match>(route(Method::Get, request.target));
    Facts facts(world.project, world.ledger, world.memory, world.usage);
    Exchange exchange{world.project, match, request, facts};
    const auto shown = rewrite_answer(match.endpoint->answer, exchange, row.content);
    REQUIRE(std::holds_alternative<std::string>(shown));
    CHECK(std::get<std::string>(shown) == std::string(row.shown) + "\n");
  }
}

TEST_CASE("errors name the client's path as well") {
  const World world = with_workspaces();
  CHECK(with_client_paths(world.project, "statfs /srv/demo: no such file") == "statfs /workspace: no such file");
  CHECK(with_client_paths(world.project, "open \"/srv/data/a\" and /srv/demo") == "open \"/data/a\" and /workspace");
  CHECK(with_client_paths(world.project, "/srv/demo2 /srv/demo-a /srv/demo") == "/srv/demo2 /srv/demo-a /workspace");
  CHECK(with_client_paths(world.project, std::string("dial ") + socket) == "dial /var/run/docker.sock");
}
