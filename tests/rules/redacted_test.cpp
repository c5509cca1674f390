// What a log may have of a request: nothing that is a secret, and enough to judge it again.
#include "rules/redacted.hpp"

#include <doctest/doctest.h>

#include "rules/content_text.hpp"
#include "tests/rules/body_samples.hpp"

using namespace podfence::rules;

namespace {

const Endpoint& endpoint(Method method, const std::string& target) {
  auto parsed = parse_target(target);
  REQUIRE(std::holds_alternative<Target>(parsed));
  auto match = route(method, std::get<Target>(parsed));
  REQUIRE(std::holds_alternative<Match>(match));
  return *std::get<Match>(match).endpoint;
}

std::optional<Redacted> redacted(const Endpoint& row, const std::string& text) {
  auto content = read_content(row.body, text, {});
  REQUIRE(std::holds_alternative<json::Value>(content));
  return redacted_content(row, std::get<json::Value>(content));
}

std::string content(const std::string& target, const std::string& text) {
  const auto result = redacted(endpoint(Method::Post, target), text);
  REQUIRE(result);
  CHECK_FALSE(result->cut);
  return result->text;
}

std::string query(const std::string& target, Method method = Method::Post) {
  const auto parsed = parse_target(target);
  const auto result = redacted_query(std::get<Target>(parsed), &endpoint(method, target));
  CHECK_FALSE(result.cut);
  return result.text;
}

const std::string compat = "/v1.41/containers/create", libpod = "/v4.3.1/libpod/containers/create";

}  // namespace

TEST_CASE("what a field that is known says is kept as it stands") {
  const std::string plain =
      R"({"Image":"registry.example:5000/team/auth:latest","Cmd":["sh","-c","echo hi"],"HostConfig":{"Memory":1073741824,)"
      R"("Privileged":true,"Binds":["/workspace/token:/t:ro"],"Devices":[{"PathOnHost":"/dev/sda"}],)"
      R"("PortBindings":{"80/tcp":[{"HostPort":"8080"}]}},"Labels":{"team":"a"}})";
  CHECK(content(compat, plain) == plain);
  const std::string digest = R"({"Image":"docker.io/library/alpine@sha256:0123"})";
  CHECK(content(compat, digest) == digest);
}

TEST_CASE("no value of a variable is kept, and its name is") {
  CHECK(content(compat, R"({"Env":["A=s3cret=s3cret","s3cret","B="]})") ==
        R"({"Env":["A=REDACTED","REDACTED","B=REDACTED"]})");
  CHECK(content(libpod, R"({"env":{"A":"s3cret=="},"secret_env":{"B":"word"},"secrets":[{"Source":"word"}]})") ==
        R"({"env":{"A":"REDACTED"},"secret_env":{"B":"word"},"secrets":[{"Source":"word"}]})");
  CHECK(content("/v1.41/containers/c1/exec", R"({"env":["A=s3cret"],"Cmd":["env"]})") ==
        R"({"env":["A=REDACTED"],"Cmd":["env"]})");
  CHECK(content("/v5.4.2/libpod/containers/c1/update", R"({"Env":["A=s3cret"]})") == R"({"Env":["A=REDACTED"]})");
}

TEST_CASE("nor is it where a value has another form than it should") {
  CHECK(content(compat, R"({"Env":"A=s3cret"})") == R"({"Env":"REDACTED"})");
  CHECK(content(compat, R"({"Env":{"A":"s3cret"}})") == R"({"Env":{"A":"REDACTED"}})");
  CHECK(content(compat, R"({"Env":[["A=s3cret"],{"B":"s3cret"},12345]})") ==
        R"({"Env":[["A=REDACTED"],{"B":"REDACTED"},"REDACTED"]})");
  CHECK(content(compat, R"({"Env":["",{"token":[""]}]})") == R"({"Env":["",{"token":[""]}]})");  // nothing to hide
  CHECK(content(libpod, R"({"env":"s3cret"})") == R"({"env":"REDACTED"})");
  CHECK(content(libpod, R"({"env":["s3cret"]})") == R"({"env":["REDACTED"]})");
  CHECK(content(libpod, R"({"env":{"A":12345,"B":{"C":["s3cret"]},"D":""}})") ==
        R"({"env":{"A":"REDACTED","B":{"C":["REDACTED"]},"D":""}})");
}

TEST_CASE("nothing is kept of a field that no table knows, or that has no effect") {
  CHECK(content(compat, R"({"Zz":"s3cret","Yy":{"a":["s3cret"]},"Xx":null,"Domainname":""})") ==
        R"({"Zz":"REDACTED","Yy":"REDACTED","Xx":null,"Domainname":""})");
  CHECK(content("/v1.41/containers/c1/exec", R"({"Container":"s3cret"})") == R"({"Container":"REDACTED"})");
}

TEST_CASE("texts that look like credentials are not kept, wherever they stand") {
  const struct {
    std::string said, kept;
  } rows[] = {
      {R"(["mysql","--password=s3cret"])", R"(["mysql","REDACTED"])"},
      {R"(["mysql","--password","s3cret","db"])", R"(["mysql","--password","REDACTED","db"])"},
      {R"(["sh","-c","API_TOKEN=s3cret make"])", R"(["sh","-c","REDACTED"])"},
      {R"(["sh","-c","mysql --password s3cret db"])", R"(["sh","-c","REDACTED"])"},
      {R"(["curl","-H","Authorization: Bearer s3cret"])", R"(["curl","-H","REDACTED"])"},
      {R"(["psql","postgres://u:s3cret@db/x"])", R"(["psql","REDACTED"])"},
      {R"(["echo","{\"token\":\"s3cret\"}"])", R"(["echo","REDACTED"])"},
      {R"(["echo","me@example.org","a=b"])", R"(["echo","me@example.org","a=b"])"},
  };
  for (const auto& [said, kept] : rows) CHECK(content(compat, "{\"Cmd\":" + said + "}") == "{\"Cmd\":" + kept + "}");
  CHECK(content(compat, R"({"Labels":{"db-password":"s3cret","a":"b"},"Image":"user:s3cret@registry/x"})") ==
        R"({"Labels":{"db-password":"REDACTED","a":"b"},"Image":"REDACTED"})");
  CHECK(
      content(compat, R"({"HostConfig":{"Tmpfs":{"/x":"password=s3cret"},"Mounts":[{"Source":"//u:s3cret@h/s"}]}})") ==
      R"({"HostConfig":{"Tmpfs":{"/x":"REDACTED"},"Mounts":[{"Source":"REDACTED"}]}})");
}

TEST_CASE("a password stands between the first colon and a host, however many there may be") {
  const auto kept = [](const std::string& said) { return content(compat, R"({"Cmd":[")" + said + "\"]}"); };
  for (const char* plain : {"a@b", "@:", "a@b:c", ":@sha256:0", "a@b:c@sha256:0"})
    CHECK(kept(plain) == R"({"Cmd":[")" + std::string(plain) + "\"]}");
  for (const char* secret : {":@", "a:b@c", "a@b:c@d", "a:b@sha256:0@c", ":@sha256"})
    CHECK(kept(secret) == R"({"Cmd":["REDACTED"]})");
  // Quadratic work would take minutes here.
  const auto& row = endpoint(Method::Post, compat);
  const auto many = redacted(row, R"({"Cmd":[")" + std::string(2'000'000, '@') + "\"]}");
  REQUIRE(many);
  CHECK(many->cut);
  CHECK(many->text == R"({"Cmd":[")" + std::string(max_redacted_content - 9, '@'));
}

TEST_CASE("contents that are about secrets are not recorded") {
  for (const char* target : {"/v1.41/auth", "/v1.41/secrets/create"}) {
    CAPTURE(target);
    CHECK_FALSE(redacted(endpoint(Method::Post, target), R"({"a":"s3cret"})").has_value());
  }
  CHECK_FALSE(redacted_content(endpoint(Method::Post, "/v1.41/containers/c1/start"), json::Value::object()));
}

TEST_CASE("Kubernetes YAML is recorded as its documents, without the values of Secrets and variables") {
  const std::string yaml =
      "kind: Secret\nmetadata: {name: s}\ndata: {a: czNjcmV0}\nstringData: {b: s3cret}\n---\n"
      "kind: ConfigMap\ndata: {c: s3cret}\n---\n"
      "kind: Pod\nspec:\n  containers:\n  - name: web\n    env:\n    - {name: A, value: s3cret}\n---\n"
      "kind: CronJob\nspec: s3cret\n";
  CHECK(content("/v4.3.1/libpod/play/kube", yaml) ==
        R"([{"kind":"Secret","metadata":{"name":"s"},"data":{"a":"REDACTED"},"stringData":{"b":"REDACTED"}},)"
        R"({"kind":"ConfigMap","data":{"c":"REDACTED"}},)"
        R"({"kind":"Pod","spec":{"containers":[{"name":"web","env":[{"name":"A","value":"REDACTED"}]}]}},)"
        R"({"kind":"CronJob"}])");
}

TEST_CASE("a large content is cut, and says so") {
  const auto& row = endpoint(Method::Post, compat);
  const auto whole = redacted(row, R"({"Cmd":[")" + std::string(max_redacted_content - 12, 'a') + "\"]}");
  REQUIRE(whole);
  CHECK(whole->text.size() == max_redacted_content);
  CHECK_FALSE(whole->cut);
  const auto cut = redacted(row, R"({"Cmd":[")" + std::string(max_redacted_content - 11, 'a') + "\"]}");
  REQUIRE(cut);
  CHECK(cut->text.size() == max_redacted_content);
  CHECK(cut->cut);
  const auto many = redacted(row, R"({"Cmd":["\u00E9)" + std::string(1 << 19, 'b') + "\"]}");
  REQUIRE(many);
  CHECK(many->text.starts_with(R"({"Cmd":["\u00E9bbb)"));
  CHECK(many->text.size() == max_redacted_content);
}

TEST_CASE("a query is kept without the values that may be secrets") {
  CHECK(query("/v1.41/containers/json?all=1&filters=%7B%22name%22%3A%5B%22a%22%5D%7D", Method::Get) ==
        "all=1&filters=%7B%22name%22%3A%5B%22a%22%5D%7D");
  CHECK(query("/v1.41/containers/json", Method::Get) == "");
  CHECK(query("/v1.41/containers/json?zz=s3cret&all=", Method::Get) == "zz=REDACTED&all=");
  CHECK(query("/v1.41/build?t=a&buildargs=%7B%22TOKEN%22%3A%22s3cret%22%7D") == "t=a&buildargs=REDACTED");
  CHECK(query("/v1.41/images/create?fromImage=user:s3cret@registry.example/x") == "fromImage=REDACTED");
  CHECK(query("/v4.3.1/libpod/images/x/push?username=s3cret&password=s3cret") == "username=REDACTED&password=REDACTED");
  const auto unknown = parse_target("/v1.41/nothing?a=s3cret");
  CHECK(redacted_query(std::get<Target>(unknown), nullptr) == Redacted{"a=REDACTED", false});
  const auto longest = parse_target("/v1.41/containers/json?filters=" + std::string(5000, 'a'));
  const auto cut = redacted_query(std::get<Target>(longest), &endpoint(Method::Get, "/v1.41/containers/json"));
  CHECK(cut.cut);
  CHECK(cut.text == "filters=" + std::string(max_redacted_query - 8, 'a'));
}

TEST_CASE("what real clients sent is judged the same when it is redacted") {
  podfence::tests::Everything everything;
  std::size_t changed = 0;
  for (const auto& sample : podfence::tests::samples()) {
    CAPTURE(sample.name);
    Endpoint row{};
    row.body = sample.folder->body;
    const auto kept = redacted(row, sample.text);
    REQUIRE(kept);
    REQUIRE_FALSE(kept->cut);
    CAPTURE(kept->text);
    const auto whole = everything.judge(sample), again = everything.judge(row.body, kept->text);
    CHECK(again.denied == whole.denied);
    CHECK(again.subject == whole.subject);
    CHECK(again.volumes == whole.volumes);
    CHECK(again.networks == whole.networks);
    changed += again.text != whole.text;
  }
  CHECK(changed > 20);
}
