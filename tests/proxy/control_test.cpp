// A control plane's unix socket: one client for many projects.

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>

#include "rules/json.hpp"
#include "tests/support/running_operator.hpp"

using namespace podfence;
using testing::RunningOperator;
using testing::WireAnswer;

namespace {

std::string configuration(const std::string& projects, uid_t uid = ::geteuid()) {
  return R"({"projects": {"p1": {}, "p10": {}, "x1": {}}, "control": [{"socket": "{DIR}/control.sock",
    "identities": [{"user": )" +
         std::to_string(uid) + R"(, "projects": [)" + projects + "]}]}]}";
}

struct ControlPlane {
  explicit ControlPlane(const std::string& text = configuration(R"("p*")")) : podfence(text) {
    podfence.podman.add(rules::Kind::Image, "localhost/bb:latest", "");
  }

  WireAnswer ask(const std::string& line, const std::string& project = "", const std::string& content = "") {
    return testing::RawClient(podfence.directory() + "/control.sock")
        .request(line + " HTTP/1.1\r\nHost: d\r\n" + (project.empty() ? "" : "X-Appx-Project: " + project + "\r\n") +
                 (content.empty() ? ""
                                  : "Content-Type: application/json\r\nContent-Length: " +
                                        std::to_string(content.size()) + "\r\n") +
                 "\r\n" + content);
  }

  RunningOperator podfence;
};

std::string cause(const WireAnswer& answer) {
  const auto parsed = rules::json::parse(answer.content);
  const auto* document = std::get_if<rules::json::Value>(&parsed);
  return document ? std::string(document->text("cause")) : "no JSON";
}

}  // namespace

TEST_CASE("a request that names its project is judged as that project's own") {
  ControlPlane control;
  const auto p1 = control.podfence.podman.add(rules::Kind::Container, "web", "p1");
  const auto p10 = control.podfence.podman.add(rules::Kind::Container, "other", "p10");
  CHECK(control.ask("GET /v1.41/containers/web/json", "p1").status == 200);
  CHECK(control.ask("GET /v1.41/containers/web/json", "p10").status == 404);
  CHECK(control.ask("GET /v1.41/containers/" + p10 + "/json", "p10").status == 200);
  CHECK(control.ask("GET /v1.41/containers/json", "p1").content.find(p10) == std::string::npos);
  CHECK(control.ask("GET /v1.41/containers/json", "p1").content.find(p1) != std::string::npos);
}

TEST_CASE("who speaks for a project without being entitled is told so, whether there is such a project or not") {
  ControlPlane control;
  CHECK(cause(control.ask("GET /_ping", "x1")) == "control.entitlement");
  CHECK(cause(control.ask("GET /_ping", "x2")) == "control.entitlement");
  CHECK(cause(control.ask("GET /_ping", "p2")) == "control.project-unknown");
  CHECK(cause(control.ask("GET /_ping", "P1")) == "operator.project");
  CHECK(control.ask("GET /_ping", "p1\r\nX-Appx-Project: p10").status == 400);
}

TEST_CASE("a field that names no project does not stand for all of them") {
  ControlPlane control;
  CHECK(cause(control.ask("GET /v1.41/containers/json", " ")) == "http.field");
  CHECK(cause(control.ask("GET /v1.41/containers/json", "p1\r\nConnection: X-Appx-Project")) == "http.field");
  CHECK(control.ask("GET /v1.41/containers/json").status == 200);
}

TEST_CASE("who may speak for one project only means that one") {
  ControlPlane control(configuration(R"("p1")"));
  const auto p1 = control.podfence.podman.add(rules::Kind::Container, "web", "p1");
  control.podfence.podman.add(rules::Kind::Container, "other", "p10");
  CHECK(control.ask("GET /v1.41/containers/web/json").status == 200);
  CHECK(control.ask("GET /v1.41/containers/other/json").status == 404);
  CHECK(cause(control.ask("GET /v1.41/containers/other/json", "p10")) == "control.entitlement");
  CHECK(cause(control.ask("POST /v1.41/networks/prune")) != "control.project-needed");
  CHECK(cause(ControlPlane(configuration(R"("p1*")")).ask("POST /v1.41/networks/prune")) == "control.project-needed");
}

TEST_CASE("somebody else's process is nobody") {
  ControlPlane control(configuration(R"("*")", ::geteuid() + 1));
  const auto answer = control.ask("GET /_ping", "p1");
  CHECK(answer.status == 403);
  CHECK(cause(answer) == "control.identity");
  CHECK(answer.content.find("user:" + std::to_string(::geteuid())) != std::string::npos);
}

TEST_CASE("without a project named, what a request names or labels tells whose it is") {
  ControlPlane control;
  const auto p1 = control.podfence.podman.add(rules::Kind::Container, "web", "p1");
  const auto x1 = control.podfence.podman.add(rules::Kind::Container, "foreign", "x1");
  CHECK(control.ask("GET /v1.41/containers/web/json").status == 200);
  CHECK(control.ask("GET /v1.41/containers/foreign/json").status == 404);
  CHECK(control.ask("GET /v1.41/containers/absent/json").status == 404);
  const auto made = [&](const std::string& labels) {
    return control.ask("POST /v1.41/containers/create?name=made", "", R"({"Image": "x", "Labels": )" + labels + "}");
  };
  CHECK(cause(made("{}")) == "control.label");
  CHECK(cause(made(R"({"appx.project": "x1"})")) == "control.label");
  CHECK(cause(made(R"({"appx.project": "p1"})")).find("image") != std::string::npos);  // as p1's client reads it
  CHECK(cause(control.ask("GET /v1.41/events")) == "control.project-needed");
  CHECK(control.ask("GET /v1.41/version").status == 200);
}

TEST_CASE("what is made by its label is the labelled project's") {
  ControlPlane control;
  const auto answer =
      control.ask("POST /v1.41/volumes/create", "", R"({"Name": "data", "Labels": {"appx.project": "p10"}})");
  CHECK(answer.status == 201);
  CHECK(control.podfence.podman.project_of(rules::Kind::Volume, "data") == "p10");
}

TEST_CASE("references to things of two projects in one request are refused") {
  ControlPlane control;
  control.podfence.podman.add(rules::Kind::Container, "web", "p1");
  control.podfence.podman.add(rules::Kind::Network, "net10", "p10");
  const auto answer = control.ask("POST /v1.41/networks/net10/connect", "", R"({"Container": "web"})");
  CHECK(answer.status == 404);
  CHECK(control.podfence.podman.requests("POST ").empty());
}

TEST_CASE("lists show what is labelled for the projects of the client, and nothing else") {
  ControlPlane control;
  const auto p1 = control.podfence.podman.add(rules::Kind::Container, "web", "p1");
  const auto p10 = control.podfence.podman.add(rules::Kind::Container, "other", "p10");
  const auto x1 = control.podfence.podman.add(rules::Kind::Container, "foreign", "x1");
  const auto nobodys = control.podfence.podman.add(rules::Kind::Container, "nobody", "");
  const auto list = control.ask("GET /v1.41/containers/json?all=true").content;
  for (const auto& id : {p1, p10}) CHECK(list.find(id) != std::string::npos);
  for (const auto& id : {x1, nobodys}) CHECK(list.find(id) == std::string::npos);
}

TEST_CASE("a joined list that fails by others' removals is asked for until it does not") {
  const int removals = 10;
  std::atomic<int> asked = 0;
  ControlPlane control;
  control.podfence.podman.on("GET /v1.41/images/json", [&](testing::FakePodman::Connection& connection) {
    if (++asked > removals) return connection.answer();
    connection.send(
        testing::http_answer(500, R"({"cause":"image not known","message":"of-another: image not known"})"));
  });
  const auto answer = control.ask("GET /v1.41/images/json");
  CHECK_MESSAGE(answer.status == 200, answer.content);
  CHECK(asked == removals + 2);  // two projects
}

TEST_CASE("a joined list that fails by others' removals for too long says so, and does not tell what was removed") {
  ControlPlane control;
  control.podfence.podman.on("GET /v4.0.0/libpod/volumes/json",
                             testing::FakePodman::says(testing::http_answer(
                                 500, R"({"cause":"no such volume","message":"of-another: no such volume"})")));
  const auto answer = control.ask("GET /v4.0.0/libpod/volumes/json");
  CHECK(answer.status == 503);
  CHECK(cause(answer) == "upstream.changing");
  CHECK(answer.content.find("of-another") == std::string::npos);
}

TEST_CASE("what Podman says instead of a joined list is said on, with its status") {
  ControlPlane control;
  for (const int status : {400, 500}) {
    control.podfence.podman.on("GET /v1.41/containers/json",
                               testing::FakePodman::says(testing::http_answer(
                                   status, R"({"cause":"invalid filter","message":"it is no filter","response":1})")));
    const auto answer = control.ask("GET /v1.41/containers/json");
    CHECK(answer.status == status);
    CHECK(cause(answer) == "invalid filter");
    CHECK(answer.content.find("it is no filter") != std::string::npos);
  }
  control.podfence.podman.on("GET /v1.41/containers/json", testing::FakePodman::says(testing::http_answer(204, "")));
  CHECK(cause(control.ask("GET /v1.41/containers/json")) == "upstream.answer");
}

TEST_CASE("the field counts for nothing at a project's own socket") {
  ControlPlane control;
  const auto p10 = control.podfence.podman.add(rules::Kind::Container, "other", "p10");
  const auto answer = control.podfence.ask(
      "p1", "GET /v1.41/containers/" + p10 + "/json HTTP/1.1\r\nHost: d\r\nX-Appx-Project: p10\r\n\r\n");
  CHECK(answer.status == 404);
}
