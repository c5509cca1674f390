// What is told of a decision: made from the request and the decision alone.
#include "rules/trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "rules/body/table.hpp"
#include "rules/json_pointer.hpp"
#include "tests/rules/world.hpp"

using namespace podfence::tests;
using Change = json::Difference::Kind;

namespace {

Trace traced(World& world, Method method, std::string_view target, std::string_view content = "",
             std::string registry_auth = "") {
  Request request;
  request.method = method;
  request.target = std::get<Target>(parse_target(target));
  request.registry_auth = std::move(registry_auth);
  if (!content.empty()) request.content = std::get<json::Value>(json::parse(content));
  request.has_content = request.content.has_value();
  request.archive = world.archive;
  const auto match = std::get<Match>(route(method, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  auto decision = world.settle(exchange);
  return trace_of({world.project, text(method), target, &match, &request, &facts}, std::move(decision));
}

/// "+ /Labels/appx.project nothing \"p1\"", one line each.
std::string told(const std::vector<Rewrite>& rewrites) {
  const auto value = [](const std::optional<json::Value>& each) { return each ? json::write(*each) : "nothing"; };
  std::string lines;
  for (const auto& [difference, says] : rewrites) {
    const char* sign = difference.kind == Change::Added     ? "+ "
                       : difference.kind == Change::Removed ? "- "
                       : difference.kind == Change::Changed ? "~ "
                                                            : "= ";
    lines += sign + difference.where + " " + value(difference.before) + " " + value(difference.after) + "\n";
  }
  return lines;
}

std::string sentence_at(const Trace& trace, const std::string& where) {
  const auto found =
      std::ranges::find_if(trace.content, [&](const Rewrite& each) { return each.difference.where == where; });
  return found == trace.content.end() ? "not told" : found->says;
}

const Reference* reference(const Trace& trace, Kind kind, const std::string& name) {
  const auto found = std::ranges::find_if(
      trace.references, [&](const Reference& each) { return each.kind == kind && each.name == name; });
  return found == trace.references.end() ? nullptr : &*found;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::string_view create = "/v1.41/containers/create";

}  // namespace

TEST_CASE("every field that is written anew is told before and after, with the rule's sentence") {
  World world = one_of_every_kind();
  world.project.policy.limit(Amount::Memory).standard = 512 << 20;
  const auto trace = traced(world, Method::Post, create,
                            R"({"image":"localhost/shared/base:latest","Domainname":"x","Tty":true,"StopSignal":"",
                                "HostConfig":{"Binds":["data:/d"],"NetworkMode":"net"}})");
  REQUIRE_FALSE(is_refused(trace));
  const auto lines = told(trace.content);
  CHECK(contains(lines, R"(= /Image "image" "Image")"));
  CHECK(contains(lines, R"(~ /Image "localhost/shared/base:latest" ")" + id('1') + '"'));
  CHECK(contains(lines, R"(- /Domainname "x" nothing)"));
  CHECK(contains(lines, R"(- /StopSignal "" nothing)"));
  CHECK(contains(lines, R"(+ /Labels/appx.project nothing "p1")"));
  CHECK_FALSE(contains(lines, "/Tty"));
  CHECK(sentence_at(trace, "/Domainname") == "dropped");
  CHECK(sentence_at(trace, "/StopSignal") == "says nothing: left out");
  CHECK(contains(sentence_at(trace, "/Labels/appx.project"), "the project's label"));
  CHECK(sentence_at(trace, "/HostConfig/Memory") == "the default of limits.memory");
}

TEST_CASE("what is sent is the decision's own request") {
  World world = one_of_every_kind();
  const auto content = R"({"Image":"localhost/shared/base:latest"})";
  const auto trace = traced(world, Method::Post, create, content);
  const auto decision = world.decide(Method::Post, create, content);
  CHECK(std::get<Forward>(trace.decision).request.content == std::get<Forward>(decision).request.content);
  CHECK(std::get<Forward>(trace.decision).request.target == std::get<Forward>(decision).request.target);
}

TEST_CASE("the path and the query are told where they changed") {
  World world = one_of_every_kind();
  const auto trace = traced(world, Method::Get, "/v1.41/containers/web/logs?Stdout=1&tail=5");
  REQUIRE(trace.path);
  CHECK(told({*trace.path}) == "~  \"/v1.41/containers/web/logs\" \"/v1.41/containers/" + id('a') + "/logs\"\n");
  CHECK(told(trace.query) == "= stdout \"Stdout\" \"stdout\"\n~ stdout \"1\" \"true\"\n");
  const auto list = traced(world, Method::Get, "/v1.41/containers/json?trunc_cmd=0");
  CHECK_FALSE(list.path);
  CHECK(told(list.query) ==
        "+ filters nothing \"{\\\"label\\\":[\\\"appx.project=p1\\\"]}\"\n- trunc_cmd \"0\" nothing\n");
  CHECK(list.query[1].says == "accepted and not sent");
  CHECK(traced(world, Method::Get, "/v1.41/containers/web/json").query.empty());
}

TEST_CASE("the query is told also where it is longer than a client's may be") {
  World world = one_of_every_kind();
  world.engine = "5.4.2";
  std::string ignored;
  while (ignored.size() <= max_target_size) ignored += "node_modules\n";
  world.archive.emplace().texts = {{"Dockerfile", "FROM scratch\n"}, {".dockerignore", ignored}};
  const auto trace = traced(world, Method::Post, "/v1.41/build?t=app:1");
  REQUIRE_FALSE(is_refused(trace));
  CHECK(contains(told(trace.query), "+ excludes nothing"));
}

TEST_CASE("every object that was looked up is told, with its owner") {
  World world = one_of_every_kind();
  const auto trace = traced(world, Method::Post, create,
                            R"({"Image":"localhost/shared/base:latest","HostConfig":{"Binds":["data:/d","fresh:/f"],
                                "NetworkMode":"net","VolumesFrom":["web"]}})");
  struct Row {
    Kind kind;
    const char* name;
    Ownership ownership;
    std::string project;
    std::string object_id;
  };
  const Row rows[] = {
      {Kind::Container, "web", Ownership::Own, "p1", id('a')},
      {Kind::Volume, "data", Ownership::Own, "p1", "data"},
      {Kind::Volume, "fresh", Ownership::Missing, "", ""},
      {Kind::Network, "net", Ownership::Own, "p1", id('e')},
      {Kind::Image, "localhost/shared/base:latest", Ownership::Shared, "", id('1')},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto* found = reference(trace, row.kind, row.name);
    REQUIRE(found);
    CHECK(found->ownership == row.ownership);
    CHECK(found->project == row.project);
    CHECK(found->id == row.object_id);
  }
  CHECK(trace.references.size() == std::size(rows));
  CHECK(contains(trace_text(trace, ""), "the volume fresh is made with the project's label"));
}

TEST_CASE("of what is hidden the operator reads the truth, and the client's answer does not change") {
  World world = one_of_every_kind();
  world.volume("host", "");
  struct Row {
    const char* target;
    const char* truth;
    const char* policy;
  };
  const Row rows[] = {
      {"/v1.41/containers/web10/json", "container web10 exists, and belongs to the project p10", ""},
      {"/v1.41/containers/nothing/json", "container nothing does not exist", ""},
      {"/v1.41/networks/net10", "network net10 exists, and belongs to the project p10", ""},
      {"/v1.41/volumes/host", "volume host exists, and belongs to no project: it carries no label", ""},
      {"/v1.41/images/docker.io/library/theirs:1/json",
       "image docker.io/library/theirs:1 exists, and this project may not see it", "images.shared"},
      {"/v1.41/images/nothing/json", "image nothing does not exist", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const auto trace = traced(world, Method::Get, row.target);
    REQUIRE(is_refused(trace));
    CHECK(trace.truth == row.truth);
    CHECK(trace.policy == row.policy);
    CHECK(contains(trace_text(trace, ""), "decision    hide\n"));
    CHECK_FALSE(contains(trace_text(trace, ""), "[rule "));
  }
}

TEST_CASE("a refusal tells the key of the policy that could change it") {
  World world = one_of_every_kind();
  world.project.policy.limit(Amount::Memory).most = 4LL << 30;
  world.project.policy.privileges.capabilities = {"chown"};
  struct Row {
    const char* content;
    const char* rule;
    const char* policy;
  };
  const Row rows[] = {
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"Binds":["/:/host"]}})", "mount.host-path",
       "workspace"},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"Memory":8589934592}})", "limit.policy",
       "limits.memory.most"},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"CapAdd":["NET_ADMIN"]}})", "privilege.capability",
       "privileges.insecure_capabilities"},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"CapAdd":["CAP_KILL"]}})", "privilege.capability",
       "privileges.capabilities"},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"CapAdd":["SYS_ADMIN"]}})", "privilege.capability", ""},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"Privileged":true}})", "privilege.privileged", ""},
      {R"({"Image":"localhost/shared/base:latest","HostConfig":{"PidMode":"host"}})", "namespace.host", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.rule);
    const auto trace = traced(world, Method::Post, create, row.content);
    CHECK(rule_of(trace.decision) == row.rule);
    CHECK(trace.policy == row.policy);
    CHECK(trace.content.empty());
    CHECK(contains(trace_text(trace, ""), "decision    refuse\n"));
    CHECK(contains(trace_json(trace, ""), R"("decision":"refuse")"));
  }
}

TEST_CASE("the ledger's changes are told, and credentials are not") {
  World world = one_of_every_kind();
  const auto trace = traced(world, Method::Post, "/v1.41/images/create?fromImage=new&tag=1", "",
                            "eyJ1c2VybmFtZSI6ImEiLCJwYXNzd29yZCI6InNlY3JldCJ9");
  const auto text = trace_text(trace, ""), line = trace_json(trace, "");
  CHECK(contains(text, "before it is sent: own tag docker.io/library/new:1"));
  const auto tagging = trace_text(traced(world, Method::Post, "/v1.41/images/mine:1/tag?repo=new&tag=1"), "");
  CHECK(contains(tagging, "before it is sent: make tag docker.io/library/new:1"));
  CHECK(contains(tagging, "when it fails: drop tag docker.io/library/new:1"));
  CHECK(contains(text, "X-Registry-Auth: (not shown)"));
  CHECK(contains(line, "\"X-Registry-Auth\":\"(not shown)\""));
  CHECK_FALSE(contains(text + line, "eyJ"));
}

TEST_CASE("of several requests each is told, of an answer of podfence's own the answer") {
  World world = one_of_every_kind();
  const auto removal = trace_text(traced(world, Method::Delete, "/v1.41/images/both:1"), "");
  CHECK(contains(removal, "none for docker.io/library/both:1: other projects keep it"));
  CHECK(contains(removal, "ledger, when it succeeds: drop image " + id('4')));
  const auto pruned = trace_text(traced(world, Method::Post, "/v1.41/images/prune"), "");
  CHECK(contains(pruned, "requests    none: nothing of the project's is meant"));
  const auto exists = trace_text(traced(world, Method::Get, "/v4.0.0/libpod/volumes/data/exists"), "");
  CHECK(contains(exists, "answer      by podfence itself, 204\n"));
}

TEST_CASE("a request that was refused before it had an endpoint has a trace too") {
  World world;
  const Deny deny{refusal("http.framing"), "two lengths", Kind::None};
  const auto trace = trace_of({world.project, "POST", "/x"}, deny);
  CHECK(contains(trace_text(trace, ""), "http.framing, 400"));
  CHECK(contains(trace_json(trace, ""), R"("rule":"http.framing")"));
  CHECK_FALSE(contains(trace_json(trace, ""), "endpoint"));
}

TEST_CASE("nothing of a client's bytes reaches a terminal as it came") {
  World world;
  const Deny deny{refusal("target.form"), "\x1b[2J\xff", Kind::None};
  const auto trace = trace_of({world.project, "G\x1bT", "/a\x1b[2J\xc2\x9b\nclient   x"}, deny);
  const auto text = trace_text(trace, "");
  CHECK(std::ranges::none_of(text, [](char c) { return (c < ' ' && c != '\n') || c > '~'; }));
  CHECK(std::ranges::count(text, '\n') ==
        std::ranges::count(trace_text(trace_of({world.project, "GET", "/"}, deny), ""), '\n'));
  CHECK(std::ranges::none_of(trace_json(trace, ""), [](char c) { return c >= 0 && c < ' '; }));
}

TEST_CASE("the place of the policy is told with its file and line") {
  World world = one_of_every_kind();
  auto trace = traced(world, Method::Post, create,
                      R"({"Image":"localhost/shared/base:latest","HostConfig":{"Binds":["/:/h"]}})");
  trace.place = PolicyPlace{"", 7, "/projects/p1/workspace", true};
  CHECK(contains(trace_text(trace, "/etc/podfence.json"), "/etc/podfence.json:7: /projects/p1/workspace says it\n"));
  CHECK(contains(
      trace_json(trace, "/etc/podfence.json"),
      R"("policy_place":{"file":"/etc/podfence.json","line":7,"where":"/projects/p1/workspace","stands":true})"));
  trace.place = PolicyPlace{"/policies/ci.json", 3, "/workspace", false};
  CHECK(contains(trace_text(trace, "x"), "/policies/ci.json:3: /workspace is where it would stand\n"));
  trace.place = PolicyPlace{"", 0, "--policy", false};
  CHECK(contains(trace_text(trace, ""), "            --policy is where it would stand\n"));
}

TEST_CASE("the row of a place is its own, or the nearest above it") {
  const auto row_path = [](Body body, std::string_view pointer) {
    const auto* row = row_at(*table_of(body), json::names_of_pointer(pointer));
    return row ? std::string(row->path) : "none";
  };
  CHECK(row_path(Body::ContainerCreateCompat, "/HostConfig/Binds/0") == "HostConfig.Binds[]");
  CHECK(row_path(Body::ContainerCreateCompat, "/hostconfig/binds/0") == "HostConfig.Binds[]");
  CHECK(row_path(Body::ContainerCreateCompat, "/HostConfig/Devices/0/PathOnHost") == "Devices");
  CHECK(row_path(Body::ContainerCreateCompat, "/Labels/a.b") == "Labels{}");
  CHECK(row_path(Body::ContainerCreateCompat, "/Nothing") == "");
  CHECK(row_path(Body::ContainerCreateCompat, "/HostConfig/PortBindings/80~1tcp/0/HostIp") ==
        "HostConfig.PortBindings{}[].HostIp");
  CHECK(row_path(Body::ExecCreateCompat, "/Nothing") == "none");
}
