// What upstream sees of good requests, to the byte: our own request line, our own fields, nothing of the client's as it
// came.

#include <doctest/doctest.h>

#include "rules/json.hpp"
#include "rules/target.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;
namespace json = podfence::rules::json;

namespace {

std::string get(const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: client.example:8080\r\n" + fields + "\r\n";
}

std::string post(const std::string& target, const std::string& content, const std::string& fields = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: d\r\n" + fields + "Content-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

/// A request without content, as upstream must see it.
std::string bare(const std::string& start) { return start + " HTTP/1.1\r\nHost: d\r\n\r\n"; }
std::string bare_post(const std::string& start) { return start + " HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n"; }

std::string with_json(const std::string& start, const std::string& content) {
  return start +
         " HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

std::string filters(const std::string& text) { return "filters=" + podfence::rules::encode(text); }

/// Everything a client might put into a head in the hope that it crosses.
const std::string smuggled_fields =
    "User-Agent: curl/7\r\nAccept: */*\r\nCookie: a=b\r\nAuthorization: Basic eDp5\r\nX-Forwarded-For: 1.2.3.4\r\n"
    "Forwarded: for=1.2.3.4\r\nTransfer_Encoding: chunked\r\nContent_Length: 7\r\nX-HTTP-Method-Override: DELETE\r\n"
    "X-Appx-Project: p10\r\nX-Registry-Config: e30=\r\nX-Reference-Id: 1\r\nTE: trailers\r\nTrailer: X\r\nVia: 1.1 "
    "x\r\n"
    "Keep-Alive: 9\r\nProxy-Connection: keep-alive\r\nAccept-Encoding: gzip\r\nRange: bytes=0-1\r\nIf-Match: x\r\n"
    "Connection: keep-alive, x-registry-auth, host\r\n";

}  // namespace

TEST_CASE("an inspect by name is a question first, and then goes by the full id") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  CHECK(proxy.ask(get("/v1.41/containers/c1/json", smuggled_fields)).status == 200);
  const auto seen = proxy.podman.requests();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0] == bare("GET /v4.0.0/libpod/containers/c1/json"));
  CHECK(seen[1] == bare("GET /v1.41/containers/" + c1 + "/json"));
}

TEST_CASE("a name from the client is encoded anew, and the version is kept") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "a b", "p1");
  proxy.ask(get("/v4.3.1/libpod/containers/a%20b/json"));
  const auto seen = proxy.podman.requests();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0] == bare("GET /v4.0.0/libpod/containers/a%20b/json"));
  CHECK(seen[1] == bare("GET /v4.3.1/libpod/containers/" + c1 + "/json"));
}

TEST_CASE("lists go upstream with the client's filters and ours, in one form") {
  const struct {
    std::string target, upstream;
  } rows[] = {
      {"/v1.41/containers/json", "/v1.41/containers/json?" + filters(R"({"label":["appx.project=p1"]})")},
      {"/containers/json?all=1", "/containers/json?all=true&" + filters(R"({"label":["appx.project=p1"]})")},
      {"/v1.41/containers/json?ALL=TRUE&filters=%7B%22label%22:%5B%22a=b%22%5D%7D",
       "/v1.41/containers/json?all=true&" + filters(R"({"label":["a=b","appx.project=p1"]})")},
      {"/v1.41/containers/json?filters=%7B%22label%22:%7B%22a=b%22:true,%22c=d%22:false%7D%7D",
       "/v1.41/containers/json?" + filters(R"({"label":{"a=b":true,"appx.project=p1":true}})")},
      // Anonymous volumes of own containers and the default network have no label: these two are reduced by us alone.
      {"/v1.41/volumes", "/v1.41/volumes"},
      {"/v1.41/networks", "/v1.41/networks"},
      {"/v4.3.1/libpod/pods/json", "/v4.3.1/libpod/pods/json?" + filters(R"({"label":["appx.project=p1"]})")},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    RunningProxy proxy;
    CHECK(proxy.ask(get(row.target, smuggled_fields)).status == 200);
    const auto seen = proxy.podman.requests();
    REQUIRE_FALSE(seen.empty());
    CHECK(seen.back() == bare("GET " + row.upstream));
  }
}

TEST_CASE("a list answer holds own objects only, though upstream ignored the filter") {
  RunningProxy proxy;
  for (const auto& [name, project] : {std::pair{"mine", "p1"}, {"theirs", "p10"}, {"nobodys", ""}})
    for (const auto kind : {Kind::Container, Kind::Volume, Kind::Network, Kind::Pod})
      proxy.podman.add(kind, name, project);
  for (const auto* target :
       {"/v1.41/containers/json", "/v1.41/volumes", "/v1.41/networks", "/v4.3.1/libpod/containers/json",
        "/v4.3.1/libpod/volumes/json", "/v4.3.1/libpod/networks/json", "/v4.3.1/libpod/pods/json"}) {
    CAPTURE(target);
    const auto answer = proxy.ask(get(target));
    CHECK(answer.complete());
    CHECK(answer.content.find("mine") != std::string::npos);
    CHECK(answer.content.find("theirs") == std::string::npos);
    CHECK(answer.content.find("nobodys") == std::string::npos);
    CHECK(answer.content.find("p10") == std::string::npos);
  }
}

TEST_CASE("a create is written anew: Podman's spelling, our label, a fresh length, our content type") {
  RunningProxy proxy;
  const auto answer = proxy.ask(post(
      "/v1.41/containers/create?NAME=web",
      R"( {"image":"localhost/bb:latest" , "CMD":["true"],"labels":{"a":"b"},"HostConfig":{"Privileged":false,"Binds":null}} )",
      "Content-Type: text/plain\r\n" + smuggled_fields));
  CHECK(answer.status == 201);
  const auto seen = proxy.podman.requests("POST");
  REQUIRE(seen.size() == 1);
  const auto body = seen[0].substr(seen[0].find("\r\n\r\n") + 4);
  CHECK(seen[0] == with_json("POST /v1.41/containers/create?name=web", body));
  auto parsed = json::parse(body);
  REQUIRE(std::holds_alternative<json::Value>(parsed));
  const auto& content = std::get<json::Value>(parsed);
  CHECK(json::write(content) == body);
  REQUIRE(content.find("Labels"));
  CHECK(content.find("Labels")->text("appx.project") == "p1");
  CHECK(content.find("Labels")->text("a") == "b");
  CHECK(content.find("Cmd"));
  CHECK_FALSE(content.find("CMD"));
  CHECK(content.find("Image"));
  CHECK(proxy.podman.project_of(Kind::Container, "web") == "p1");
}

TEST_CASE("a changing request without content says so, and form content never crosses") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  auto client = proxy.client();
  CHECK(client.request("POST /v1.41/containers/c1/start HTTP/1.1\r\nHost: d\r\n" + smuggled_fields + "\r\n").status ==
        204);
  CHECK(client.request(post("/v1.41/containers/c1/stop?t=3", "", "Content-Type: application/x-www-form-urlencoded\r\n"))
            .status == 204);
  CHECK(client.request("DELETE /v1.41/containers/c1?force=1&v=1 HTTP/1.1\r\nHost: d\r\n\r\n").status == 204);
  const auto posts = proxy.podman.requests("POST");
  REQUIRE(posts.size() == 2);
  CHECK(posts[0] == bare_post("POST /v1.41/containers/" + c1 + "/start"));
  CHECK(posts[1] == bare_post("POST /v1.41/containers/" + c1 + "/stop?t=3"));
  const auto deletes = proxy.podman.requests("DELETE");
  REQUIRE(deletes.size() == 1);
  CHECK(deletes[0].starts_with("DELETE /v1.41/containers/" + c1 + "?"));
}

TEST_CASE("content where none is taken is refused, unless it says the query again; it never crosses") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  CHECK(proxy.client().request(post("/v1.41/containers/c1/stop?t=3", R"({"t":3})")).status == 204);
  CHECK(proxy.client().request(post("/v1.41/containers/c1/stop?t=3", R"({"t":4})")).status == 400);
  CHECK(proxy.client().request(post("/v1.41/containers/c1/stop", R"({"t":3})")).status == 400);
  const auto posts = proxy.podman.requests("POST");
  REQUIRE(posts.size() == 1);
  CHECK(posts[0] == bare_post("POST /v1.41/containers/" + c1 + "/stop?t=3"));
}

TEST_CASE("an exec start asks upstream for the upgrade in exactly one form") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  const auto exec = proxy.podman.add(Kind::Exec, c1, "");
  proxy.podman.on("POST /v1.41/exec/", [](FakePodman::Connection& connection) {
    connection.read_content();
    connection.send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    connection.echo();
  });
  for (const auto* fields : {"Connection: Upgrade\r\nUpgrade: tcp\r\n", ""}) {
    CAPTURE(fields);
    auto client = proxy.client();
    client.send(post("/v1.41/exec/" + exec + "/start", R"({"detach":false,"Tty":true})", fields));
    CHECK(client.read_head().status != 0);
    client.half_close();
    CHECK(client.ended());
    const auto seen = proxy.podman.requests("POST").back();
    const std::string content = seen.substr(seen.find("\r\n\r\n") + 4);
    CHECK(content == R"({"Tty":true})");
    CHECK(seen == "POST /v1.41/exec/" + exec + "/start HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\n" +
                      "Content-Length: " + std::to_string(content.size()) +
                      "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n" + content);
  }
}

TEST_CASE("an archive goes chunked and as a tar, whatever the client called it") {
  RunningProxy proxy;
  const auto c1 = proxy.podman.add(Kind::Container, "c1", "p1");
  proxy.podman.on("PUT ", FakePodman::says(http_answer(200, "")));
  CHECK(proxy
            .ask("PUT /v1.41/containers/c1/archive?path=/a/../b HTTP/1.1\r\nHost: d\r\n"
                 "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\n" +
                 smuggled_fields + "\r\nhello")
            .status == 200);
  const auto seen = proxy.podman.requests("PUT");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] == "PUT /v1.41/containers/" + c1 + "/archive?path=%2Fa%2F..%2Fb HTTP/1.1\r\nHost: d\r\n" +
                       "Content-Type: application/x-tar\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
}

TEST_CASE("registry credentials go with a pull, canonically written, and with nothing else") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "c1", "p1");
  const std::string auth = "X-Registry-Auth: eyJ1c2VybmFtZSI6InUiLCJwYXNzd29yZCI6InAifQ==\r\n";
  proxy.ask(get("/v1.41/containers/c1/json", auth));
  CHECK_FALSE(proxy.podman.saw("egistry-", Milliseconds(0)));
  proxy.ask(post("/v1.41/images/create?fromImage=registry.example/x&tag=1", "", auth));
  CHECK(proxy.podman.saw("X-Registry-Auth: ", Milliseconds(0)));
  const auto seen = proxy.podman.requests("POST");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].starts_with("POST /v1.41/images/create?"));
}

TEST_CASE("credentials by registry, as docker build sends them, go with a pull as well, and not beside others") {
  RunningProxy proxy;
  const std::string map = "eyJyZWdpc3RyeS5leGFtcGxlIjp7InVzZXJuYW1lIjoidSIsInBhc3N3b3JkIjoicCJ9fQ==";
  const auto pull = [&](const std::string& fields) {
    return proxy.ask(post("/v1.41/images/create?fromImage=registry.example/x&tag=1", "", fields)).status;
  };
  pull("X-Registry-Config: " + map + "\r\n");
  CHECK(proxy.podman.saw("X-Registry-Auth: " + map + "\r\n", Milliseconds(0)));
  CHECK_FALSE(proxy.podman.saw("X-Registry-Config", Milliseconds(0)));
  CHECK(pull("X-Registry-Config: " + map + "\r\nX-Registry-Auth: " + map + "\r\n") == 400);
}

TEST_CASE("a field that Connection names does not take part in the request") {
  RunningProxy proxy;
  const std::string auth = "X-Registry-Auth: eyJ1c2VybmFtZSI6InUiLCJwYXNzd29yZCI6InAifQ==\r\n";
  proxy.ask(post("/v1.41/images/create?fromImage=registry.example/x&tag=1", "",
                 auth + "Connection: close, x-registry-auth\r\n"));
  CHECK_FALSE(proxy.podman.saw("egistry-Auth", Milliseconds(0)));
}

TEST_CASE("the foreign and the absent object answer the same bytes and make upstream do the same") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Container, "theirs", "p10");
  const auto read = [&](const std::string& name) {
    auto client = proxy.client();
    client.send("DELETE /v1.41/containers/" + name + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    auto bytes = client.read_to_end();
    const auto id = bytes.find("X-Podfence-Request-Id: ");
    bytes.erase(id, bytes.find("\r\n", id) - id);
    for (auto place = bytes.find(name); place != std::string::npos; place = bytes.find(name))
      bytes.replace(place, name.size(), "NAME");
    return bytes;
  };
  CHECK(read("theirs") == read("absent"));
  CHECK(proxy.podman.requests().size() == 2);
}
