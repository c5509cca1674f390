// Explaining a request: by the code that serves it, with the same outcome, and without any effect.
#include "proxy/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proxy/head_text.hpp"
#include "proxy/ledger.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using namespace podfence;
using proxy::FactSources;
using rules::Kind;
using rules::Trace;

namespace {

struct Folder {
  const char* name;
  const char* target;
};
constexpr auto folders = std::to_array<Folder>({
    {"container-create-compat", "/v1.41/containers/create"},
    {"container-create-libpod", "/v4.3.1/libpod/containers/create"},
    {"container-update-compat", "/v1.41/containers/c1/update"},
    {"container-update-libpod", "/v5.4.2/libpod/containers/c1/update"},
    {"pod-create", "/v4.3.1/libpod/pods/create"},
    {"volume-create-compat", "/v1.41/volumes/create"},
    {"volume-create-libpod", "/v4.3.1/libpod/volumes/create"},
    {"network-create-compat", "/v1.41/networks/create"},
    {"network-create-libpod", "/v4.3.1/libpod/networks/create"},
    {"network-connect-compat", "/v1.41/networks/n1/connect"},
    {"network-connect-libpod", "/v4.3.1/libpod/networks/n1/connect"},
    {"network-disconnect", "/v1.41/networks/n1/disconnect"},
    {"exec-create-compat", "/v1.41/containers/c1/exec"},
    {"exec-create-libpod", "/v4.3.1/libpod/containers/c1/exec"},
    {"exec-start", "/v1.41/exec/e1/start"},
});

/// The project of RunningProxy, with the workspace that the samples mount.
rules::Project p1() {
  static const TemporaryDirectory workspace;
  rules::Project project;
  project.id = "p1";
  project.policy.shared_images = {"localhost/*"};
  project.policy.workspaces = {{"/workspace", workspace.path()}};
  project.policy.bind_subpaths = true;
  project.policy.network.subnets = {"10.0.0.0/8"};
  return project;
}

std::string post(const std::string& target, const std::string& content) {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         content;
}

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: d\r\n\r\n"; }

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<Trace> explained(const std::string& bytes, const FactSources& sources,
                             const rules::Project& project = p1()) {
  return proxy::explain(project, {bytes, {}}, sources);
}

/// Of one request, of which nothing was known before.
Trace explained(const std::string& bytes) {
  const rules::StatedObjects nothing;
  auto traces = explained(bytes, {&nothing, "", ""});
  REQUIRE(traces.size() == 1);
  return std::move(traces.front());
}

std::string rule_of(const Trace& trace) {
  const auto* deny = std::get_if<rules::Deny>(&trace.decision);
  return deny ? std::string(deny->rule->id) : "";
}

/// An engine on which every container, pod, network and exec session that anybody names is p1's.
void make_everything_own(FakePodman& podman) {
  const std::string id(64, 'c');
  podman.on("GET /v4.0.0/libpod/containers/",
            FakePodman::says(http_answer(200, R"({"Id":")" + id + R"(","Labels":{"appx.project":"p1"}})")));
  podman.on("GET /v4.0.0/libpod/networks/",
            FakePodman::says(http_answer(
                200, R"({"id":")" + std::string(64, 'd') + R"(","name":"n","labels":{"appx.project":"p1"}})")));
  podman.on("GET /v4.0.0/libpod/pods/",
            FakePodman::says(http_answer(
                200, R"({"Id":")" + std::string(64, 'e') + R"(","Name":"p","Labels":{"appx.project":"p1"}})")));
  // Nothing that counts against a quota.
  for (const char* kind : {"containers", "pods", "volumes", "networks"})
    podman.on("GET /v4.0.0/libpod/" + std::string(kind) + "/json", FakePodman::says(http_answer(200, "[]")));
  podman.on("GET /v4.0.0/libpod/exec/",
            FakePodman::says(http_answer(200, R"({"ID":"e1","ContainerID":")" + id + R"("})")));
}

/// The bytes that the proxy sends for it.
std::string wire_text(const Trace& trace) {
  const auto& request = std::get<rules::Forward>(trace.decision).request;
  const bool upgrade = rules::relay_of(trace.endpoint->answer) == rules::Relay::Hijack;
  return proxy::write_request_head(request, proxy::Framing::sized(request.content->size()), upgrade) + *request.content;
}

/// The objects that a trace has found, written down.
std::string facts_of(const Trace& trace) {
  std::string containers, pods, networks, images, execs;
  const auto add = [](std::string& list, const std::string& item) { list += (list.empty() ? "" : ",") + item; };
  for (const auto& [kind, name, ownership, project, id] : trace.references) {
    if (id.empty()) continue;
    const std::string object = R"({"name":")" + name + R"(","id":")" + id + R"(","project":"p1"})";
    if (kind == Kind::Container) add(containers, object);
    if (kind == Kind::Pod) add(pods, object);
    if (kind == Kind::Network) add(networks, object);
    if (kind == Kind::Exec) add(execs, R"({"id":")" + id + R"(","container":")" + std::string(64, 'c') + R"("})");
    if (kind == Kind::Image) add(images, R"({"id":")" + id + R"(","tags":{"localhost/bb:latest":[]}})");
  }
  return R"({"containers":[)" + containers + R"(],"pods":[)" + pods + R"(],"networks":[)" + networks +
         R"(],"images":[)" + images + R"(],"execs":[)" + execs + "]}";
}

bool has_note(const Trace& trace, std::string_view part) {
  return std::ranges::any_of(trace.notes, [&](const auto& note) { return note.find(part) != std::string::npos; });
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("what real clients send is explained as it is served, and explaining changes nothing") {
  std::size_t files = 0, sent = 0;
  for (const auto& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PODFENCE_SOURCE_DIR) /
                                                                 "tests/data/bodies" / folder.name)) {
      CAPTURE(entry.path().string());
      ++files;
      RunningProxy proxy(p1().policy);
      make_everything_own(proxy.podman);
      const auto bytes = post(folder.target, file_text(entry.path()));

      const auto live = explained(bytes, {nullptr, proxy.upstream(), ""});
      REQUIRE(live.size() == 1);
      if (const auto rule = rule_of(live[0]); !rule.empty()) {
        CHECK(proxy.ask(bytes).content.find("\"" + rule + "\"") != std::string::npos);
        continue;
      }
      ++sent;
      CHECK(proxy.podman.requests("GET").size() == proxy.podman.requests().size());

      proxy.ask(bytes);
      const auto served = proxy.podman.requests("POST " + std::get<rules::Forward>(live[0].decision).request.target);
      REQUIRE(served.size() == 1);
      CHECK(served[0] == wire_text(live[0]));

      const auto facts = rules::StatedObjects::read("facts", facts_of(live[0]), "appx.project");
      REQUIRE(std::holds_alternative<rules::StatedObjects>(facts));
      const auto stated = explained(bytes, {&std::get<rules::StatedObjects>(facts), "", ""});
      CHECK(rule_of(stated[0]) == "");
      if (rule_of(stated[0]).empty()) CHECK(wire_text(stated[0]) == wire_text(live[0]));
    }
  CHECK(files >= 50);
  CHECK(sent + 10 >= files);  // the others are refused by both
}

TEST_CASE("what the proxy refuses is explained with the same answer") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "theirs", "p10");
  const std::string rows[] = {
      get("/v1.41/containers/theirs/json"),
      get("/v1.41/containers/nothing/json"),
      get("/v4.3.1/libpod/containers/nothing/json"),
      get("/v1.41/nothing"),
      get("/v1.41/containers/json?nothing=1"),
      get("/v1.41//containers/json"),
      post("/v1.41/build", ""),
      post("/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Privileged":true}})"),
      post("/v1.41/containers/create", R"({"Image":)"),
      post("/v1.41/containers/create", ""),
      post("/v1.41/containers/theirs/start", "{\"a\":1}"),
      "GET / HTTP/1.0\r\nHost: d\r\n\r\n",
      "GET /v1.41/info HTTP/1.1\r\nHost: d\r\nHost: e\r\n\r\n",
      "GET /v1.41/info HTTP/1.1\nHost: d\r\n\r\n",
      "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "GET /v1.41/info HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n",
  };
  for (const auto& bytes : rows) {
    CAPTURE(bytes);
    const auto traces = explained(bytes, {nullptr, proxy.upstream(), ""});
    REQUIRE(traces.size() == 1);
    const auto line = rules::trace_json(traces[0], "");
    const auto answer = proxy.ask(bytes);
    auto content = std::get<rules::json::Value>(rules::json::parse(answer.content));
    CHECK(rules::is_refused(traces[0]));
    const auto told = std::get<rules::json::Value>(rules::json::parse(line));
    CHECK(told.find("answer")->find("status")->int64() == answer.status);
    CHECK(*told.find("answer")->find("content") == content);
  }
}

TEST_CASE("a connection's requests are explained one after the other, to its end") {
  const rules::StatedObjects nothing;
  const auto traces_of = [&](const std::string& bytes) { return explained(bytes, {&nothing, "", ""}); };
  const auto ping = get("/_ping");
  CHECK(traces_of(ping + ping + ping).size() == 3);
  CHECK(traces_of(ping + "\r\n\n").size() == 1);
  CHECK(traces_of(post("/v1.41/containers/create", R"({"Image":"x"})") + ping).size() == 2);

  const auto broken = traces_of(ping + "GET /_ping HTTP/1.1\r\n");
  REQUIRE(broken.size() == 1);
  CHECK(has_note(broken[0], "ends before its head does"));
  const auto last = traces_of("GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n" + ping);
  REQUIRE(last.size() == 1);
  CHECK(has_note(last[0], "what follows was not read"));
  const auto refused = traces_of("GET /_ping HTTP/1.1\r\n\r\n" + ping);
  REQUIRE(refused.size() == 1);
  CHECK(rule_of(refused[0]) == "http.field");
  CHECK(has_note(refused[0], "what follows was not read"));
}

TEST_CASE("a content that the proxy would not read to its end is not waited for") {
  const std::string large(3 << 20, 'x');
  CHECK(rule_of(explained(post("/v1.41/containers/create", large))) == "content.too-large");
  CHECK(rule_of(explained(post("/v1.41/session", large))) == "endpoint.buildkit");
  const auto archive = explained("PUT /v1.41/containers/web/archive?path=/ HTTP/1.1\r\nHost: d\r\nContent-Length: " +
                                 std::to_string(large.size()) + "\r\n\r\n" + large);
  CHECK(rule_of(archive) == "ownership.hidden");
}

TEST_CASE("what is not a whole request is told so") {
  CHECK_THROWS_WITH_AS(explained(""), "the request ends before its head does", std::runtime_error);
  CHECK_THROWS_WITH_AS(explained("GET / HTTP/1.1\r\n"), "the request ends before its head does", std::runtime_error);
}

TEST_CASE("images are judged by the ledger, while another podfence uses it, and nothing is made beside it") {
  RunningProxy proxy;
  const TemporaryDirectory directory;
  const auto path = directory.path("ledger.sqlite");
  const auto id = proxy.podman.add(Kind::Image, "docker.io/library/mine:1", "");
  const auto bytes = get("/v1.41/images/mine:1/json");
  const FactSources sources{nullptr, proxy.upstream(), path};

  const auto without = explained(bytes, sources);
  CHECK(rule_of(without[0]) == "ownership.hidden");
  CHECK(has_note(without[0], "images are judged as if no project had pulled any"));
  CHECK(names_in(directory.path()).empty());
  {
    proxy::SqliteLedger in_use(path);
    in_use.apply("p1",
                 {{rules::Claim::Change::HoldImage, id}, {rules::Claim::Change::OwnTag, "docker.io/library/mine:1"}});
    const auto before = names_in(directory.path());
    const auto with = explained(bytes, sources);
    CHECK(rule_of(with[0]) == "");
    CHECK(with[0].notes.empty());
    CHECK(names_in(directory.path()) == before);
    CHECK(rule_of(explained(bytes, sources, [] {
            auto other = p1();
            other.id = "p10";
            return other;
          }())[0]) == "ownership.hidden");
  }
  const auto before = names_in(directory.path());
  CHECK(rule_of(explained(bytes, sources)[0]) == "");
  CHECK(names_in(directory.path()) == before);
}

TEST_CASE("a workspace that is gone is told where the host is asked, and not where facts are stated") {
  RunningProxy proxy;
  auto project = p1();
  project.policy.workspaces = {{"/workspace", "/nowhere/at/all"}};
  const auto bytes =
      post("/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Binds":["/workspace:/src"]}})");
  CHECK(rule_of(explained(bytes, {nullptr, proxy.upstream(), ""}, project)[0]) == "mount.workspace-absent");
  const auto facts = rules::StatedObjects::read(
      "facts", R"({"images":[{"id":")" + std::string(64, '1') + R"(","tags":{"localhost/bb:latest":[]}}]})",
      "appx.project");
  CHECK(rule_of(explained(bytes, {&std::get<rules::StatedObjects>(facts), "", ""}, project)[0]) == "");
}
