// Replayed requests are decided as the proxy decides them, twice, and as they stand: also those that are no requests.
#include "proxy/replay.hpp"

#include <doctest/doctest.h>

#include "rules/json.hpp"
#include "rules/offline_judge.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using namespace podfence;
using rules::Kind;
using rules::Verdict;

namespace {

constexpr const char* world = R"({
  "containers": [{"name": "web", "project": "p1"}, {"name": "db", "project": "p10"}],
  "volumes": [{"name": "data", "project": "p1"}],
  "images": [{"id": "1111111111111111111111111111111111111111111111111111111111111111",
              "tags": {"localhost/bb:latest": []}}]})";

rules::Project p1() {
  rules::Project project;
  project.id = "p1";
  project.policy.shared_images = {"localhost/*"};
  return project;
}

struct Player {
  rules::Project project = p1();
  rules::StatedObjects facts = std::get<rules::StatedObjects>(rules::StatedObjects::read("f", world, "appx.project"));
  proxy::Replay replay{project, facts};

  std::vector<Verdict> decide(const std::string& bytes) {
    const auto result = replay.decide(bytes);
    CHECK(result.differs == "");
    return result.verdicts;
  }
  Verdict decide_one(const std::string& bytes) {
    const auto verdicts = decide(bytes);
    REQUIRE(verdicts.size() == 1);
    return verdicts.front();
  }
};

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: d\r\n\r\n"; }
std::string post(const std::string& target, const std::string& content) {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         content;
}

}  // namespace

TEST_CASE("a decision has its status, its rule and what would be sent") {
  Player player;
  const auto own = player.decide_one(get("/v1.41/containers/web/json"));
  CHECK(own.decision == "rewrite");
  CHECK(own.status == 0);
  REQUIRE(own.sent.size() == 1);
  CHECK(own.sent[0].starts_with("GET /v1.41/containers/776562"));
  CHECK(own.sent[0].ends_with("/json HTTP/1.1\r\nHost: d\r\n\r\n"));

  const auto foreign = player.decide_one(get("/v1.41/containers/db/json"));
  CHECK(foreign.decision == "hide");
  CHECK(foreign.status == 404);
  CHECK(foreign.rule == "ownership.hidden");
  CHECK(foreign.sent.empty());

  const auto refused = player.decide_one(
      post("/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Privileged":true}})"));
  CHECK(refused.decision == "refuse");
  CHECK(refused.status == 403);
  CHECK(refused.sent.empty());
}

TEST_CASE("what is made before a request stands before it") {
  Player player;
  const auto verdict = player.decide_one(
      post("/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Binds":["fresh:/data"]}})"));
  REQUIRE(verdict.sent.size() == 2);
  CHECK(verdict.sent[0].find("/volumes/create") != std::string::npos);
  CHECK(verdict.sent[0].find("fresh") != std::string::npos);
  CHECK(verdict.sent[1].starts_with("POST /v1.41/containers/create HTTP/1.1\r\n"));
}

TEST_CASE("what is no request is refused as the proxy refuses it") {
  const struct {
    std::string bytes, rule;
    int status;
  } rows[] = {
      {"nonsense\r\n\r\n", "http.syntax", 400},
      {"\x16\x03\x01", "http.syntax", 400},
      {"GET /_ping HTTP/1.1\nHost: d\n\n", "http.syntax", 400},
      {"GET /_ping HTTP/1.1\r\nHo", "http.timeout", 408},
      {"G", "http.timeout", 408},
      {"TRACE / HTTP/1.1\r\nHost: d\r\n\r\n", "http.method", 405},
      {"POST /v1.41/volumes/create HTTP/1.1\r\nHost: d\r\nContent-Length: 5\r\n\r\n{}", "http.framing", 400},
      {post("/v1.41/volumes/create", "{"), "content.json", 400},
      {std::string("\0", 1), "http.syntax", 400},
  };
  Player player;
  for (const auto& row : rows) {
    CAPTURE(row.bytes);
    const auto verdict = player.decide_one(row.bytes);
    CHECK(verdict.decision == "refuse");
    CHECK(verdict.rule == row.rule);
    CHECK(verdict.status == row.status);
  }
  CHECK(player.decide("").empty());
  CHECK(player.decide("\r\n\n").empty());
}

TEST_CASE("several requests are one connection, to where the proxy would end it") {
  Player player;
  const auto served = get("/_ping") + get("/v1.41/containers/web/json") + "\n";
  CHECK(player.decide(served).size() == 2);
  CHECK_FALSE(player.replay.decide(served).closed);
  const auto ended = player.replay.decide(get("/_ping") + "bad\r\n\r\n" + get("/_ping"));
  CHECK(ended.verdicts.size() == 2);
  CHECK(ended.verdicts[1].rule == "http.syntax");
  CHECK(ended.closed);
}

TEST_CASE("content larger than a connection's buffer is read to its end") {
  Player player;
  const std::string word(4 * proxy::Connection::buffer_size, 'x');
  const auto verdicts = player.decide(
      post("/v1.41/containers/create", R"({"Image":"localhost/bb","Cmd":[")" + word + R"(","seen"]})") + get("/_ping"));
  REQUIRE(verdicts.size() == 2);
  REQUIRE(verdicts[0].sent.size() == 1);
  CHECK(verdicts[0].sent[0].find(word + R"(","seen")") != std::string::npos);
}

TEST_CASE("what is sent is what a running proxy sends, to the byte") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  const auto facts = rules::StatedObjects::read(
      "f", R"({"containers": [{"name": "c1", "project": "p1", "id": ")" + c1 + R"("}]})", "appx.project");
  const auto project = p1();
  proxy::Replay replay(project, std::get<rules::StatedObjects>(facts));
  const std::string requests[] = {
      get("/v1.41/containers/c1/json"),
      get("/containers/json?all=1&filters=%7B%22label%22:%5B%22a=b%22%5D%7D"),
      post("/v1.41/containers/c1/stop?t=3", ""),
      post("/v1.41/containers/c1/exec", R"({"cmd":["true"],"AttachStdout":true})"),
      "PUT /v1.41/containers/c1/archive?path=/ HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  };
  for (const auto& request : requests) {
    CAPTURE(request);
    const auto before = proxy.podman.requests().size();
    proxy.ask(request);
    const auto seen = proxy.podman.requests();
    REQUIRE(seen.size() > before);
    const auto result = replay.decide(request);
    REQUIRE(result.verdicts.size() == 1);
    REQUIRE(result.verdicts[0].sent.size() == 1);
    CHECK(seen.back().starts_with(result.verdicts[0].sent[0]));  // behind it stands what is streamed
  }
}

TEST_CASE("the judge that others link decides as the proxy does") {
  Player player;
  const rules::OfflineJudge judge(R"({"projects": {"p1": {"images": {"shared": ["localhost/*"]}}, "p10": {}}})", "p1",
                                  world);
  const struct {
    std::string method, target, content;
  } rows[] = {
      {"GET", "/v1.41/containers/web/json", ""},
      {"GET", "/v1.41/containers/db/json", ""},
      {"GET", "/v1.41/containers/../json", ""},
      {"GET", "/v1.41/nothing", ""},
      {"get", "/_ping", ""},
      {"GET", "/_ping", "{}"},
      {"POST", "/v1.41/containers/web/stop", "null"},
      {"POST", "/v1.41/containers/web/stop", "[1]"},
      {"POST", "/v1.41/volumes/create", ""},
      {"POST", "/v1.41/volumes/create", "{"},
      {"POST", "/v1.41/volumes/create", R"({"Name":"v","labels":{"a":"b"}})"},
      {"POST", "/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Privileged":true}})"},
      {"POST", "/v1.41/containers/create", R"({"Image":"localhost/bb","HostConfig":{"Binds":["data:/d"]}})"},
      {"POST", "/v4.3.1/libpod/containers/prune", ""},
      {"DELETE", "/v1.41/containers/web?force=true", ""},
      {"POST", "/v1.41/images/create?fromImage=localhost/bb", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    CAPTURE(row.content);
    const auto request = row.method + " " + row.target + " HTTP/1.1\r\nHost: d\r\n" +
                         (row.content.empty() ? "" : "Content-Length: " + std::to_string(row.content.size()) + "\r\n") +
                         "\r\n" + row.content;
    const auto verdict = player.decide_one(request);
    const auto decision = judge.decide(row.method, row.target, row.content);
    const auto* deny = std::get_if<rules::Deny>(&decision);
    CHECK((deny ? std::string(deny->rule->id) : "") == verdict.rule);
    if (deny) CHECK(deny->subject == verdict.subject);
    if (const auto* forward = std::get_if<rules::Forward>(&decision)) {
      REQUIRE_FALSE(verdict.sent.empty());
      CHECK(verdict.sent.back().find(" " + forward->request.target + " HTTP/1.1\r\n") != std::string::npos);
      CHECK(verdict.sent.back().ends_with("\r\n\r\n" + forward->request.content.value_or("")));
    }
    if (const auto* reply = std::get_if<rules::Reply>(&decision)) CHECK(reply->content == verdict.answer);
  }
}

TEST_CASE("the judge that others link says what is wrong with what it is given") {
  using rules::OfflineJudge;
  CHECK_THROWS_WITH_AS(OfflineJudge("{}", "p1", ""), doctest::Contains("must name a project"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(OfflineJudge(R"({"projects":{"p1":{}}})", "p2", ""), "the configuration has no project p2",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(OfflineJudge(R"({"projects":{"p1":{}}})", "p1", R"({"container":[]})"),
                       doctest::Contains("facts:1: /container"), std::invalid_argument);
}

TEST_CASE("values of secrets are not printed") {
  Player player;
  const auto play = player.decide_one(post(
      "/v4.3.1/libpod/play/kube",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: hidden-value}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
      "  - {name: c, image: localhost/bb, envFrom: [{secretRef: {name: s}}], env: [{name: E, value: open-value}]}\n"));
  const auto docker = player.decide_one(post("/v1.41/secrets/create", R"({"Name":"d","Data":"aGlkZGVu"})"));
  const auto libpod = player.decide_one(post("/v4.3.1/libpod/secrets/create?name=l", "hidden-value"));
  std::string all;
  for (const auto* verdict : {&play, &docker, &libpod})
    for (const auto& message : verdict->sent) all += message;
  CHECK(all.find("hidden-value") == std::string::npos);
  CHECK(all.find("aGlkZGVu") == std::string::npos);
  CHECK(all.find("open-value") != std::string::npos);
  CHECK(all.find(R"x("Data":"(secret)")x") != std::string::npos);
}
