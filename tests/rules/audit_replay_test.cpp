// A line of the audit log as a request again, and what is said of then and now.
#include "rules/audit_replay.hpp"

#include <doctest/doctest.h>

#include "rules/refusal.hpp"

using namespace podfence::rules;

namespace {

AuditRecord record(std::string method, std::string target, std::string decision = "allow", std::string rule = "") {
  AuditRecord result;
  result.time = "2026-01-02T03:04:05.678Z";
  result.generation = 3;
  result.method = std::move(method);
  result.target = std::move(target);
  result.decision = std::move(decision);
  result.rule = std::move(rule);
  return result;
}

AuditedRequest request(const AuditRecord& record) {
  auto result = request_of(record);
  const auto* wrong = std::get_if<std::string>(&result);
  REQUIRE_MESSAGE(!wrong, *wrong);
  return std::get<AuditedRequest>(std::move(result));
}

std::string refused(const AuditRecord& record) {
  const auto result = request_of(record);
  const auto* wrong = std::get_if<std::string>(&result);
  return wrong ? *wrong : "made";
}

Trace trace(const AuditRecord& then, std::vector<std::string> missing, Decision now) {
  Trace result;
  const auto target = parse_target(then.target);
  result.endpoint = std::get<Match>(route(*parse_method(then.method), std::get<Target>(target))).endpoint;
  result.decision = std::move(now);
  result.recorded = Recorded{then, std::move(missing)};
  return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a line of default form is a request without query and content, and says which parts that are") {
  const auto get = request(record("GET", "/v1.41/containers/db/json"));
  CHECK(get.bytes == "GET /v1.41/containers/db/json HTTP/1.1\r\nHost: podfence\r\n\r\n");
  CHECK(get.missing == Texts{"the query; it could have said: size"});
  CHECK(request(record("GET", "/_ping")).missing.empty());
  auto login = record("POST", "/v1.41/auth");
  login.bytes_in = 12;
  CHECK(request(login).missing ==
        Texts{"the content of 12 bytes; its fields are in docs/fields.md#registry-login-docker-api"});
  auto start = record("POST", "/v1.41/exec/e1/start");
  CHECK(request(start).missing.empty());
  CHECK(request(record("GET", "/v1.41/nothing")).missing == Texts{"the query"});
}

TEST_CASE("of a refused content the line says which fields the rule refuses") {
  auto create = record("POST", "/v1.41/containers/create", "refuse", "privilege.privileged");
  create.bytes_in = 99;
  create.query = Redacted{"", false};
  CHECK(request(create).missing == Texts{"the content of 99 bytes; refused by that rule are: HostConfig.Privileged"});
}

TEST_CASE("what was recorded of query and content is sent again") {
  auto create = record("POST", "/v1.41/containers/create");
  create.bytes_in = 40;
  create.query = Redacted{"name=a%20b", false};
  create.content = Redacted{R"({"Image":"a","Env":["A=REDACTED"]})", false};
  const auto made = request(create);
  CHECK(made.bytes ==
        "POST /v1.41/containers/create?name=a%20b HTTP/1.1\r\nHost: podfence\r\nContent-Length: 34\r\n\r\n"
        R"({"Image":"a","Env":["A=REDACTED"]})");
  CHECK(made.missing == Texts{"values that may be secrets: REDACTED stands for them"});
  create.content = Redacted{R"({"Image":"a)", true};
  create.query = Redacted{"name=a", true};
  const auto cut = request(create);
  CHECK(cut.bytes == "POST /v1.41/containers/create HTTP/1.1\r\nHost: podfence\r\n\r\n");
  CHECK(cut.missing == Texts{"the end of the query", "the end of the content: the line has its first 16384 bytes"});
}

TEST_CASE("Kubernetes YAML is sent again as documents") {
  auto play = record("POST", "/v4.3.1/libpod/play/kube");
  play.query = Redacted{"", false};
  play.content = Redacted{R"([{"kind":"Pod","spec":{"replicas":1}},{"kind":"Secret","data":{"a":"REDACTED"}}])", false};
  const auto made = request(play).bytes;
  const auto content = made.substr(made.find("\r\n\r\n") + 4);
  CHECK(content.starts_with("---\n"));
  CHECK(content.find("kind: Pod") != std::string::npos);
  CHECK(content.find("\n---\n") != std::string::npos);
  CHECK(made.find("Content-Length: " + std::to_string(content.size()) + "\r\n") != std::string::npos);
}

TEST_CASE("escapes of the path are taken back, and what is no whole path is not explained") {
  CHECK(request(record("GET", R"(/a\x5cx0ab)")).bytes.starts_with("GET /a\\x0ab HTTP/1.1\r\n"));
  CHECK(request(record("GET", R"(/a\xff)")).bytes.starts_with("GET /a\xff HTTP/1.1\r\n"));
  CHECK(refused(record("GET", R"(/a\x0)")) == "the line has no method and path");
  CHECK(refused(record("GET", "")) == "the line has no method and path");
  CHECK(refused(record("", "/a")) == "the line has no method and path");
  CHECK(refused(record("FOO", "/a")) == "the line has no method and path");
  CHECK(refused(record("GET", R"(/a\x0d\x0ab)")) == "its path and query cannot stand in a head");
  CHECK(refused(record("GET", "/" + std::string(510, 'a'))) == "made");
  CHECK(refused(record("GET", "/" + std::string(511, 'a'))) == "the line has only the beginning of the path");
  CHECK(refused(record("GET", "/a", "refuse", "http.framing")) ==
        "it was refused for its head (http.framing), of which the line has the method and the path only");
}

TEST_CASE("the verdicts of then and now are the same, others, or cannot be told apart from what is missing") {
  const auto path = "/v1.41/containers/db/json";
  const Deny hidden_now{refusal("ownership.hidden"), "db", Kind::Container};
  const Forward served{};
  const auto was_hidden = record("GET", path, "hide", "ownership.hidden");
  const auto was_served = record("GET", path);
  CHECK(compared(trace(was_hidden, {"the query"}, hidden_now)) == Comparison::Same);
  CHECK(compared(trace(record("GET", path, "rewrite"), {}, served)) == Comparison::Same);
  CHECK(compared(trace(was_served, {}, hidden_now)) == Comparison::Other);
  CHECK(compared(trace(was_served, {"the query"}, hidden_now)) == Comparison::Unknown);
  CHECK(compared(trace(record("GET", path, "hide", "access.read"), {}, hidden_now)) == Comparison::Other);
  CHECK(compared(trace(record("GET", path, "error", "upstream.unreachable"), {}, served)) == Comparison::Unknown);
  CHECK(comparison_text(trace(was_hidden, {}, hidden_now)) == "the same verdict");
  CHECK(comparison_text(trace(was_served, {}, hidden_now)) ==
        "another verdict: then served; now hide, ownership.hidden; the policy (it was generation 3) or what exists has "
        "changed since");
  CHECK(
      comparison_text(trace(was_hidden, {"x"}, served)) ==
      "cannot be told: then hide, ownership.hidden; now served; it may come of what is missing, or the policy (it was "
      "generation 3) or what exists has changed since");
}
