// The audit log of a running proxy: one line of JSON for each exchange, with what was decided and why, and none of the
// client's secrets.

#include <doctest/doctest.h>

#include <sstream>

#include "rules/json.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;
namespace json = podfence::rules::json;

namespace {

std::vector<json::Value> records(const std::string& log) {
  std::vector<json::Value> all;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    auto parsed = json::parse(line);
    REQUIRE(std::holds_alternative<json::Value>(parsed));
    all.push_back(std::get<json::Value>(parsed));
  }
  return all;
}

std::int64_t number(const json::Value& record, std::string_view name) {
  const auto* value = record.find(name);
  return value == nullptr ? -1 : value->int64().value_or(-1);
}

std::string post(const std::string& target, const std::string& fields, const std::string& content) {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\n" + fields + "Content-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

}  // namespace

TEST_CASE("every exchange has one line with its decision, rule, status and request id") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  proxy.podman.add(Kind::Container, "c10", "p10");
  const struct {
    std::string request;
    int status;
    std::string decision, rule;
  } rows[] = {
      {"GET /v1.41/containers/c1/json HTTP/1.1\r\nHost: d\r\n\r\n", 200, "allow", ""},
      {"GET /v1.41/containers/c10/json HTTP/1.1\r\nHost: d\r\n\r\n", 404, "hide", "ownership.hidden"},
      {"GET /v1.41/containers/absent/json HTTP/1.1\r\nHost: d\r\n\r\n", 404, "hide", "ownership.hidden"},
      {"GET /v1.41/containers/json?zz=1 HTTP/1.1\r\nHost: d\r\n\r\n", 400, "refuse", "query.unknown"},
      {"GET /v1.41/nothing HTTP/1.1\r\nHost: d\r\n\r\n", 404, "refuse", "endpoint.unknown"},
      {"GET /v1.41/../x HTTP/1.1\r\nHost: d\r\n\r\n", 400, "refuse", "target.path"},
      {"GET /_ping HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 400, "refuse", "http.framing"},
      {"FOO /_ping HTTP/1.1\r\nHost: d\r\n\r\n", 405, "refuse", "http.method"},
      {"GET /_ping HTTP/1.0\r\nHost: d\r\n\r\n", 505, "refuse", "http.version"},
  };
  std::vector<WireAnswer> answers;
  for (const auto& row : rows) answers.push_back(proxy.ask(row.request));
  const auto lines = records(proxy.audit(std::size(rows)));
  REQUIRE(lines.size() == std::size(rows));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(rows[i].request);
    CAPTURE(json::write(lines[i]));
    CHECK(answers[i].status == rows[i].status);
    CHECK(number(lines[i], "status") == rows[i].status);
    if (rows[i].decision != "allow") CHECK(lines[i].text("decision") == rows[i].decision);
    CHECK(lines[i].text("rule") == rows[i].rule);
    CHECK(lines[i].text("project") == "p1");
    CHECK(lines[i].text("request_id") != "");
    CHECK(lines[i].text("request_id") == answers[i].field("X-Podfence-Request-Id"));
    CHECK(lines[i].text("listener") == proxy.socket());
    CHECK(number(lines[i], "peer_uid") >= 0);
    CHECK(number(lines[i], "peer_pid") > 0);
    CHECK(lines[i].text("time").ends_with("Z"));
  }
  CHECK(lines[0].text("method") == "GET");
  CHECK(lines[0].text("endpoint") == "/containers/{name}/json");
  CHECK(json::write(lines[0]).find(c1) != std::string::npos);
}

TEST_CASE("no credential, environment value or query value comes into the log") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "c1", "p1");
  const std::string auth = "X-Registry-Auth: eyJ1c2VybmFtZSI6InMzY3JldCIsInBhc3N3b3JkIjoiczNjcmV0In0=\r\n";
  auto client = proxy.client();
  client.request(post("/v1.41/images/create?fromImage=registry.example/x&tag=s3cret", auth, ""));
  client.request(post("/v1.41/containers/create?name=ok", "Authorization: Basic s3cret\r\nCookie: s3cret\r\n",
                      R"({"Image":"localhost/bb:latest","Env":["PASSWORD=s3cret"],"Labels":{"a":"s3cret"}})"));
  client.request(
      post("/v1.41/containers/create", "", R"({"Image":"localhost/bb:latest","Env":["NAME"],"Zz":"s3cret"})"));
  client.request(post("/v1.41/containers/c1/exec", "", R"({"Cmd":["echo","s3cret"],"Env":["A=s3cret"]})"));
  client.request("GET /v1.41/containers/c1/json?size=s3cret HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto log = proxy.audit(5);
  CHECK(records(log).size() == 5);
  CHECK(log.find("eyJ1c2Vy") == std::string::npos);
  CHECK(log.find("PASSWORD=") == std::string::npos);
  CAPTURE(log);
  CHECK(log.find("s3cret") == std::string::npos);
}

TEST_CASE("no secret comes into the log by way of a refusal") {
  RunningProxy proxy;
  const auto get = [](const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: d\r\n\r\n"; };
  const std::string create = "/v1.41/containers/create";
  const std::vector<std::string> requests{
      get("/v1.41/containers/json?password=SECRET1%00"),
      get("/v1.41/containers/json?a=SECRET2%zz"),
      post("/v1.41/images/create?fromImage=user:SECRET3@reg/x", "", ""),
      post(create, "", R"({"Env":["SECRET4value"],"Image":"localhost/bb:latest"})"),
      post(create, "", R"({"Image":"user:SECRET5@reg/x"})"),
      post(create, "",
           R"({"Image":"localhost/bb:latest","HostConfig":{"Mounts":[{"Type":"bind","Target":"/x",)"
           R"("Source":"//u:SECRET6@h/s"}]}})"),
      get("http://user:SECRET8@d/v1.41/info"),
      "GET /_ping HTTP/1.1\r\nHost: d\r\nExpect: SECRET9\r\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: d\r\nSECRET10 : x\r\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: SECRET11@d\r\n\r\n",
      post(create, "", R"({"SECRET12":1,"SECRET12":2})"),
      post(create, "", R"({"Image":"localhost/bb:latest","HostConfig":{"Binds":["//u:SECRET13@h/s:/x"]}})"),
      post(create, "", R"({"Image":"localhost/bb:latest","HostConfig":{"Tmpfs":{"/x":"password=SECRET18"}}})"),
      get("user:SECRET19@d:80"),
  };
  for (const auto& request : requests) CHECK(proxy.ask(request).status >= 400);
  const auto log = proxy.audit(requests.size());
  CHECK(records(log).size() == requests.size());
  CAPTURE(log);
  CHECK(log.find("SECRET") == std::string::npos);
}

TEST_CASE("a client's bytes cannot forge a line") {
  RunningProxy proxy;
  auto client = proxy.client();
  client.send("GET /v1.41/a%0a{\"rule\":\"x\"} HTTP/1.1\r\nHost: d\r\n\r\n");
  client.read_answer();
  proxy.ask("G\x1b[31m /\xff\" HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto log = proxy.audit(2);
  CHECK(records(log).size() == 2);
  for (const char c : log) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
}

TEST_CASE("the bytes of a stream and its duration are counted when it is over") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  proxy.podman.on("GET /v1.41/containers/" + c1 + "/logs", [](FakePodman::Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    connection.pause(Milliseconds(50));
    connection.send("6\r\n world\r\n0\r\n\r\n");
  });
  CHECK(proxy.ask("GET /v1.41/containers/c1/logs?stdout=true HTTP/1.1\r\nHost: d\r\n\r\n").content == "hello world");
  const auto lines = records(proxy.audit(1));
  REQUIRE(lines.size() == 1);
  CHECK(number(lines[0], "bytes_out") == 11);
  CHECK(number(lines[0], "duration_us") >= 50'000);
}

TEST_CASE("with bodies a line has what was judged, without what is secret, and is the schema's") {
  RunningProxy proxy(short_limits(), {}, true);
  proxy.podman.add(Kind::Container, "c1", "p1");
  const std::string auth = "X-Registry-Auth: eyJ1c2VybmFtZSI6InMzY3JldCIsInBhc3N3b3JkIjoiczNjcmV0In0=\r\n";
  const std::string requests[] = {
      "GET /v1.41/containers/json?all=1&zz=s3cret HTTP/1.1\r\nHost: d\r\n\r\n",
      post("/v1.41/images/create?fromImage=user:s3cret@registry.example/x", auth, ""),
      post("/v1.41/containers/create?name=ok", "Cookie: s3cret\r\n",
           R"({"Image":"localhost/bb:latest","Env":["PASSWORD=s3cret"],"Zz":"s3cret","Cmd":["\u00e9\u007f"]})"),
      post("/v1.41/containers/create", "", R"({"Image":"localhost/bb:latest","s3cret":1,"s3cret":2})"),
      post("/v1.41/auth", "", R"({"username":"u","password":"s3cret","serveraddress":"quay.io"})"),
      post("/v4.3.1/libpod/secrets/create?name=word", "", "s3cret"),
      post("/v1.41/secrets/create", "", R"({"Name":"word","Data":"czNjcmV0"})"),
      post("/v1.41/containers/c1/exec", "", R"({"Cmd":[")" + std::string(20'000, 'x') + R"("],"Env":["A=s3cret"]})"),
      "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n",
      "FOO /s3cret?s3cret HTTP/1.1\r\nHost: d\r\n\r\n",
      "GET /v1.41/info?s3cret=%zz HTTP/1.1\r\nHost: d\r\n\r\n",
  };
  for (const auto& request : requests) proxy.ask(request);
  const auto log = proxy.audit(std::size(requests));
  const auto lines = records(log);
  REQUIRE(lines.size() == std::size(requests));
  std::istringstream texts(log);
  for (std::string line; std::getline(texts, line);) {
    const auto read = podfence::rules::read_audit_line(line);
    const auto* wrong = std::get_if<std::string>(&read);
    CHECK_MESSAGE(!wrong, *wrong << ": " << line);
  }
  CAPTURE(log);
  CHECK(log.find("czNjcmV0") == std::string::npos);
  CHECK(log.find("eyJ1c2Vy") == std::string::npos);
  // Of one the path is recorded, as ever; a name that stands for a value is its subject.
  CHECK(log.find("s3cret") == log.rfind("s3cret"));
  CHECK(lines[0].text("query") == "all=1&zz=REDACTED");
  CHECK(lines[1].text("query") == "fromImage=REDACTED");
  CHECK(lines[2].text("query") == "name=ok");
  CHECK(json::write_printable(*lines[2].find("content")) ==
        R"({"Image":"localhost/bb:latest","Env":["PASSWORD=REDACTED"],"Zz":"REDACTED","Cmd":["\u00E9\u007f"]})");
  for (const std::size_t without : {3, 4, 5, 6, 8}) CHECK(lines[without].find("content") == nullptr);
  CHECK(lines[7].find("content") == nullptr);
  CHECK(lines[7].text("content_start") == R"({"Cmd":[")" + std::string(16 * 1024 - 9, 'x'));
  CHECK(lines[8].find("query") != nullptr);
  for (const std::size_t unread : {9, 10}) CHECK(lines[unread].find("query") == nullptr);
}
