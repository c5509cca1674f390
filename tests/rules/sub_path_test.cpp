// Paths below a workspace: by a volume of podfence's own on a Podman that has sub-paths, by a bind where policy says
// so, not at all otherwise. What is looked at before a start, and what answers show.

#include <doctest/doctest.h>

#include <array>

#include "rules/answer.hpp"
#include "rules/error_answer.hpp"
#include "rules/host_path.hpp"
#include "rules/workspace_volume.hpp"
#include "tests/rules/body_judge.hpp"

using namespace podfence::tests;

namespace {

/// /workspace is /srv/demo, /data is /srv/data and for reading only. p1's container web is as it was in the beginning.
World with_workspaces(const std::string& engine, bool bind_subpaths = false) {
  World world = two_projects();
  world.project.policy.workspaces = {{"/workspace", "/srv/demo"}, {"/data", "/srv/data", true}};
  world.project.policy.bind_subpaths = bind_subpaths;
  world.project.socket = "/run/user/1000/podfence/p1/podman.sock";
  world.engine = engine;
  return world;
}

const std::string demo = "podfence.workspace.60f704c1f5e2cc03.rw";
const std::string data = "podfence.workspace.3d446ac1e15e5f54.ro";

std::string volume_document(const std::string& host, const std::string& o, const std::string& more = "") {
  return R"({"Driver":"local","Options":{"type":"none","o":")" + o + R"(","device":")" + host +
         R"(","nocopy":"","UID":"0","GID":"0")" + more + "}}";
}

enum class Form { Bind, Mount, Libpod };
constexpr auto forms = std::to_array({Form::Bind, Form::Mount, Form::Libpod});

std::string content(Form form, const std::string& source, bool read_only = false) {
  switch (form) {
    case Form::Bind:
      return R"({"Image":"localhost/shared","HostConfig":{"Binds":[")" + source + ":/x" + (read_only ? ":ro" : "") +
             "\"]}}";
    case Form::Mount:
      return R"({"Image":"localhost/shared","HostConfig":{"Mounts":[{"Type":"bind","Source":")" + source +
             R"(","Target":"/x","ReadOnly":)" + (read_only ? "true" : "false") + "}]}}";
    case Form::Libpod:
      return R"({"image":"localhost/shared","mounts":[{"type":"bind","source":")" + source +
             R"(","destination":"/x","options":[)" + (read_only ? R"("rbind","ro")" : R"("rbind")") + "]}]}";
  }
  return "";
}

Decision create(World& world, Form form, const std::string& text) {
  return world.decide(Method::Post,
                      form == Form::Libpod ? "/v5.0.0/libpod/containers/create" : "/v1.41/containers/create", text);
}

/// What is sent of the mount on a Podman with sub-paths.
std::string by_volume(Form form, const std::string& volume, const std::string& sub_path, const std::string& mode) {
  if (form == Form::Libpod)
    return R"("volumes":[{"Name":")" + volume + R"(","Dest":"/x","SubPath":")" + sub_path + R"(","Options":[")" + mode +
           R"(","nosuid","nodev","rprivate"]}])";
  return R"("Mounts":[{"Type":"volume","Source":")" + volume + R"(","Target":"/x,subpath=)" + sub_path + "," + mode +
         R"(,nosuid,nodev"}])";
}

}  // namespace

TEST_CASE("versions of Podman are read, and what is none is older than all") {
  CHECK(parse_engine_version("5.4.2") == EngineVersion{5, 4});
  CHECK(parse_engine_version("6.0.0-dev") == EngineVersion{6, 0});
  CHECK(parse_engine_version("10.0") > first_with_sub_paths);
  CHECK(parse_engine_version("5.3.9") < first_with_sub_paths);
  CHECK(parse_engine_version("4.9") < first_with_sub_paths);
  for (const char* text : {"", "5", "x.4", "5.", "5.x", "-5.4", "5.-4", "99999999999.1", "v5.4"}) {
    CAPTURE(std::string(text));
    CHECK(parse_engine_version(text) == EngineVersion{});
  }
}

TEST_CASE(
    "a path below a workspace is refused on a Podman without sub-paths, and on one that does not say what it is") {
  for (const char* engine : {"4.3.1", "5.3.2", "", "new"})
    for (const auto form : forms) {
      CAPTURE(std::string(engine));
      World world = with_workspaces(engine);
      CHECK(rule_of(create(world, form, content(form, "/workspace/sub"))) == "mount.workspace-subpath");
    }
}

TEST_CASE("on Podman 5.4 a path below a workspace is mounted beneath a volume over the workspace") {
  struct Case {
    const char* source;
    bool read_only;
    std::string volume, host, o;
    const char* sub_path;
    const char* mode;
    const char* client;
  };
  const std::string o = "bind,nosuid,nodev,uid=0,gid=0";
  const Case rows[] = {
      {"/workspace/sub", false, demo, "/srv/demo", o, "sub", "rw", "/workspace/sub"},
      {"/workspace/a/b c/", true, demo, "/srv/demo", o, "a/b c", "ro", "/workspace/a/b c"},
      {"/data/conf.d/nginx.conf", false, data, "/srv/data", o + ",ro", "conf.d/nginx.conf", "ro",
       "/data/conf.d/nginx.conf"},
  };
  for (const auto& row : rows)
    for (const auto form : forms) {
      CAPTURE(std::string(row.source));
      CAPTURE(static_cast<int>(form));
      World world = with_workspaces("5.4.2");
      const auto text = content(form, row.source, row.read_only);
      const auto decision = create(world, form, text);
      CHECK(rule_of(decision) == "");
      const auto* forward = std::get_if<Forward>(&decision);
      REQUIRE(forward);
      CHECK_MESSAGE(sends(*forward->request.content, by_volume(form, row.volume, row.sub_path, row.mode)),
                    *forward->request.content);
      CHECK_FALSE(sends(*forward->request.content, row.host));
      CHECK(forward->sources == std::set<HostSource>{{row.host, row.sub_path, row.client}});
      REQUIRE(forward->workspace_volumes.size() == 1);
      const auto claimed = claim(forward->workspace_volumes[0]);
      CHECK(claimed.target == "/v4.0.0/libpod/volumes/create");
      CHECK(*claimed.content == R"({"Name":")" + row.volume + R"(","Driver":"local","Options":{"type":"none","o":")" +
                                    row.o + R"(","device":")" + row.host + R"(","nocopy":""}})");
      // The volume is there already.
      world.add(Kind::Volume, row.volume, row.volume, "", volume_document(row.host, row.o));
      const auto again = create(world, form, text);
      REQUIRE(std::holds_alternative<Forward>(again));
      CHECK(std::get<Forward>(again).workspace_volumes.empty());
      CHECK(*std::get<Forward>(again).request.content == *forward->request.content);
    }
}

TEST_CASE("a volume of that name that is not to the letter what podfence makes is not used") {
  const std::string o = "bind,nosuid,nodev,uid=0,gid=0";
  struct Case {
    std::string document, owner;
  };
  const Case rows[] = {
      {volume_document("/srv/other", o), ""},
      {volume_document("/srv/demo/", o), ""},
      {volume_document("/srv/demo", "bind"), ""},
      {volume_document("/srv/demo", o + ",ro"), ""},
      {volume_document("/srv/demo", o, R"(,"copy":"")"), ""},
      {R"({"Driver":"local","Options":{}})", ""},
      {R"({"Driver":"image","Options":{}})", ""},
      {R"({"Driver":"local"})", ""},
      {volume_document("/srv/demo", o), "p1"},
      {volume_document("/srv/demo", o), "p10"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.document);
    World world = with_workspaces("5.4.2");
    world.add(Kind::Volume, demo, demo, row.owner, row.document);
    for (const auto form : forms)
      CHECK(rule_of(create(world, form, content(form, "/workspace/sub"))) == "mount.workspace-volume");
  }
}

TEST_CASE("where policy says so, a path below a workspace is a bind on every Podman") {
  for (const char* engine : {"4.3.1", "5.4.2"})
    for (const auto form : forms) {
      World world = with_workspaces(engine, true);
      const auto decision = create(world, form, content(form, "/data/a/b"));
      CHECK(rule_of(decision) == "");
      const auto* forward = std::get_if<Forward>(&decision);
      REQUIRE(forward);
      const auto& sent = *forward->request.content;
      CHECK_MESSAGE(sends(sent, form == Form::Libpod ? R"("source":"/srv/data/a/b","destination":"/x","options":["ro",)"
                                                     : R"("/srv/data/a/b:/x:ro,nosuid,nodev,rprivate,rbind")"),
                    sent);
      CHECK(forward->sources == std::set<HostSource>{{"/srv/data", "a/b", "/data/a/b"}});
      CHECK(forward->workspace_volumes.empty());
    }
}

TEST_CASE("no path below a workspace leads out of it, or into another option") {
  for (const char* source : {"/workspace/..", "/workspace/../x", "/workspace/a/..", "/workspace/a/../../x",
                             "/workspace/./a", "/workspace//a", "/workspace/a//", "/workspace/a,ro",
                             "/workspace/a,subpath=b", "/workspace/a\\\\b", "/workspace/a'b"})
    for (const bool bind_subpaths : {false, true})
      for (const auto form : forms) {
        CAPTURE(std::string(source));
        World world = with_workspaces("5.4.2", bind_subpaths);
        CHECK(rule_of(create(world, form, content(form, source))) == "mount.host-path");
      }
  World world = with_workspaces("5.4.2");
  CHECK(rule_of(create(world, Form::Mount, content(Form::Mount, "/workspace/a:b"))) == "mount.host-path");
}

TEST_CASE("clients cannot name podfence's volumes") {
  World world = with_workspaces("5.4.2");
  world.add(Kind::Volume, demo, demo, "", volume_document("/srv/demo", "bind,nosuid,nodev,uid=0,gid=0"));
  const auto image = R"({"Image":"localhost/shared",)";
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/create",
                             image + (R"("HostConfig":{"Binds":[")" + demo + R"(:/x"]}})"))) == "name.reserved");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/volumes/create", R"({"Name":")" + demo + R"("})")) ==
        "name.reserved");
  CHECK(rule_of(world.decide(Method::Get, "/v1.41/volumes/" + demo)) == "ownership.hidden");
  CHECK(rule_of(world.decide(Method::Delete, "/v1.41/volumes/" + demo)) == "ownership.hidden");
}

TEST_CASE("what is mounted of workspaces is bounded in number, and mounting it often costs no more than that") {
  World world = with_workspaces("4.3.1", true);
  const auto create_with = [&](int count, bool differing) {
    std::string binds;
    for (int i = 0; i < count; ++i)
      binds += (i ? ",\"/workspace/" : "\"/workspace/") + std::to_string(differing ? i : 0) + ":/x" +
               std::to_string(i) + "\"";
    return create(world, Form::Bind, R"({"Image":"localhost/shared","HostConfig":{"Binds":[)" + binds + "]}}");
  };
  CHECK(rule_of(create_with(1024, true)) == "");
  for (const int count : {1025, 40'000}) {
    const auto decision = create_with(count, true);
    CHECK(rule_of(decision) == "limit.references");
    CHECK(std::get<Deny>(decision).subject == "1024");
  }
  const auto often = create_with(40'000, false);
  REQUIRE(std::holds_alternative<Forward>(often));
  CHECK(std::get<Forward>(often).sources.size() == 1);
}

TEST_CASE("a pod does not mount a path below a workspace by a volume: its containers would get all of it") {
  World world = with_workspaces("5.4.2");
  const std::string text = R"({"mounts":[{"type":"bind","source":"/workspace/sub","destination":"/x"}]})";
  CHECK(judge(Body::PodCreate, text, world).denied == "mount.handed-on");
  World bound = with_workspaces("5.4.2", true);
  CHECK(sends(judge(Body::PodCreate, text, bound).text, R"("source":"/srv/demo/sub")"));
}

TEST_CASE("a start is sent when all that it mounts of workspaces is in place") {
  World world = with_workspaces("4.3.1", true);
  const auto add = [&](const char* name, char digit, const std::string& members) {
    world.add(Kind::Container, name, id(digit), "p1", members);
  };
  add("both", '5',
      R"({"Mounts":[{"Type":"bind","Source":"/srv/demo/a"},{"Type":"bind","Source":"/srv/data"},{"Type":"bind","Source":
          "/run/user/1000/podfence/p1/podman.sock"},{"Type":"volume","Name":"vol","Source":"/store/vol/_data"}]})");
  add("leaning", '6', R"({"Mounts":[],"Dependencies":[")" + id('5') + "\"]}");
  add("volume", '7', R"({"Mounts":[{"Type":"volume","Name":")" + demo + R"(","SubPath":"a/b","Destination":"/x"}]})");
  world.add(Kind::Pod, "group", id('8'), "p1",
            R"({"Containers":[{"Id":")" + id('7') + R"("},{"Id":")" + id('6') + R"("}]})");
  const HostSource a{"/srv/demo", "a", "/workspace/a"}, whole{"/srv/data", "", "/data"},
      b{"/srv/demo", "a/b", "/workspace/a/b"};
  struct Case {
    const char* target;
    std::set<HostSource> sources;
  };
  const Case rows[] = {
      {"/v1.41/containers/both/start", {a, whole}},
      {"/v1.41/containers/both/restart", {a, whole}},
      {"/v4.3.1/libpod/containers/both/start", {a, whole}},
      {"/v4.3.1/libpod/containers/both/restart", {a, whole}},
      {"/v4.3.1/libpod/containers/both/init", {a, whole}},
      {"/v1.41/containers/leaning/start", {a, whole}},
      {"/v1.41/containers/volume/start", {b}},
      {"/v1.41/containers/web/start", {}},
      {"/v4.3.1/libpod/pods/group/start", {b, a, whole}},
      {"/v4.3.1/libpod/pods/group/restart", {b, a, whole}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.target));
    const auto decision = world.decide(Method::Post, row.target);
    REQUIRE(std::holds_alternative<Forward>(decision));
    CHECK(std::get<Forward>(decision).sources == row.sources);
  }
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/their/start")) == "ownership.hidden");
  world.project.policy.bind_subpaths = false;
  for (const char* target :
       {"/v1.41/containers/both/start", "/v1.41/containers/leaning/restart", "/v4.3.1/libpod/pods/group/start"})
    CHECK(rule_of(world.decide(Method::Post, target)) == "mount.workspace-subpath");
  CHECK(rule_of(world.decide(Method::Post, "/v1.41/containers/volume/start")) == "");
}

TEST_CASE("a copy does not go past the options of a workspace's mount") {
  World world = with_workspaces("5.4.2");
  const auto add = [&](const char* name, char digit, const std::string& mount) {
    world.add(Kind::Container, name, id(digit), "p1", R"({"Mounts":[)" + mount + "]}");
  };
  add("reading", '5', R"({"Type":"bind","Source":"/srv/data"})");
  add("writing", '6', R"({"Type":"bind","Source":"/srv/demo"})");
  add("below", '7', R"({"Type":"volume","Name":")" + demo + R"(","SubPath":"a"})");
  const auto copy = [&](Method method, const std::string& name) {
    return rule_of(world.decide(method, "/v1.41/containers/" + name + "/archive?path=/x"));
  };
  CHECK(copy(Method::Put, "reading") == "mount.copy");
  CHECK(copy(Method::Get, "reading") == "");
  CHECK(copy(Method::Head, "reading") == "");
  CHECK(copy(Method::Put, "writing") == "");
  CHECK(copy(Method::Put, "web") == "");
  for (const auto method : {Method::Get, Method::Head, Method::Put}) CHECK(copy(method, "below") == "mount.copy");
}

TEST_CASE("mounts of another container are inherited as they are") {
  World world = with_workspaces("5.4.2");
  world.add(Kind::Container, "bound", id('5'), "p1", R"({"Mounts":[{"Type":"bind","Source":"/srv/data"}]})");
  world.add(Kind::Container, "below", id('6'), "p1",
            R"({"Mounts":[{"Type":"volume","Name":")" + demo + R"(","SubPath":"a"}]})");
  world.add(Kind::Container, "named", id('7'), "p1", R"({"Mounts":[{"Type":"volume","Name":"vol"}]})");
  const auto from = [&](const std::string& text) {
    const auto outcome =
        judge(Body::ContainerCreateCompat, R"({"HostConfig":{"VolumesFrom":[")" + text + R"("]}})", world);
    return outcome.denied.empty() ? outcome.text : outcome.denied;
  };
  CHECK(sends(from("bound"), R"("VolumesFrom":[")" + id('5') + R"("])"));
  CHECK(sends(from("bound:rw"), R"("VolumesFrom":[")" + id('5') + R"("])"));
  CHECK(from("bound:ro") == "mount.option");
  CHECK(from("below") == "mount.handed-on");
  CHECK(sends(from("named:ro"), R"("VolumesFrom":[")" + id('7') + R"(:ro"])"));
}

TEST_CASE("answers show a path below a workspace as the bind that was asked for") {
  World world = with_workspaces("5.4.2");
  const std::string libpod =
      R"({"Id":")" + id('5') + R"(","Config":{"Labels":{"appx.project":"p1"}},"Mounts":[{"Type":"volume","Name":")" +
      demo +
      R"(","Source":"/store/_data","Destination":"/x","Driver":"local","SubPath":"a/b"}],"HostConfig":{"Binds":[")" +
      demo + R"(:/x:rw,nosuid","vol:/v:rw"]}})";
  const std::string docker = R"({"Type":"volume","Name":")" + demo +
                             R"(","Source":"/store/_data","Destination":"/x","Driver":"local","Mode":"","RW":true})";
  world.add(Kind::Container, "below", id('5'), "p1",
            R"({"Mounts":[{"Type":"volume","Name":")" + demo + R"(","Destination":"/x","SubPath":"a/b"}]})");
  struct Case {
    const char* target;
    std::string content, shown;
  };
  const std::string bind = R"({"Type":"bind","Source":"/workspace/a/b","Destination":"/x")";
  const Case rows[] = {
      {"/v5.0.0/libpod/containers/below/json", libpod, "\"Mounts\":[" + bind + "}]"},
      {"/v5.0.0/libpod/containers/below/json", libpod, R"("Binds":["/workspace/a/b:/x:rw,nosuid","vol:/v:rw"])"},
      {"/v1.41/containers/below/json", R"({"Id":")" + id('5') + R"(","Mounts":[)" + docker + "]}", bind},
      {"/v1.41/containers/json",
       R"([{"Id":")" + id('5') + R"(","Labels":{"appx.project":"p1"},"Mounts":[)" + docker + "]}]", bind},
  };
  for (const auto& row : rows) {
    CAPTURE(row.content);
    Request request;
    request.target = std::get<Target>(parse_target(row.target));
    const auto match = std::get<Match>(route(Method::Get, request.target));
    Facts facts(world.project, world.ledger, world.memory, world.usage);
    Exchange exchange{world.project, match, request, facts};
    auto shown = rewrite_answer(match.endpoint->answer, exchange, row.content);
    while (const auto* ask = std::get_if<Ask>(&shown)) {
      for (const auto& question : ask->questions) world.answer(facts, question);
      shown = rewrite_answer(match.endpoint->answer, exchange, row.content);
    }
    REQUIRE(std::holds_alternative<std::string>(shown));
    const auto& text = std::get<std::string>(shown);
    CHECK_MESSAGE(sends(text, row.shown), text);
    CHECK_FALSE(sends(text, "podfence."));
    CHECK_FALSE(sends(text, "/store"));
    CHECK_FALSE(sends(text, "/srv"));
  }
  CHECK(with_client_paths(world.project, "volume " + demo + " is busy") == "volume /workspace is busy");
}

TEST_CASE("volumes of podfence's own are in no list, also when a container of the project mounts them") {
  World world = with_workspaces("5.4.2");
  world.add(Kind::Container, "below", id('5'), "p1",
            R"({"Mounts":[{"Type":"volume","Name":")" + demo + R"(","Destination":"/x","SubPath":"a/b"}]})");
  world.add(Kind::Volume, demo, demo, "", volume_document("/srv/demo", "bind,nosuid,nodev,uid=0,gid=0"));
  Request request;
  request.target = std::get<Target>(parse_target("/v5.0.0/libpod/volumes/json"));
  const auto match = std::get<Match>(route(Method::Get, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  const std::string list = R"([{"Name":")" + demo + R"(","Labels":{}}])";
  auto shown = rewrite_answer(match.endpoint->answer, exchange, list);
  while (const auto* ask = std::get_if<Ask>(&shown)) {
    for (const auto& question : ask->questions) world.answer(facts, question);
    shown = rewrite_answer(match.endpoint->answer, exchange, list);
  }
  CHECK(std::get<std::string>(shown) == "[]\n");
  const auto prune = world.decide(Method::Post, "/v5.0.0/libpod/volumes/prune");
  REQUIRE(std::holds_alternative<Batch>(prune));
  for (const auto& item : std::get<Batch>(prune).items) CHECK(item.name != demo);
}
