// Kubernetes YAML: several creates that go together. What the earlier ones make is named by its id in the later ones,
// and taken back when one of them fails.

#include <doctest/doctest.h>

#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::rules::Kind;

namespace {

const std::string yaml =
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: claim}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: shop}\nspec:\n"
    "  volumes: [{name: own, emptyDir: {}}, {name: old, persistentVolumeClaim: {claimName: other}}]\n"
    "  containers:\n"
    "  - {name: one, image: localhost/bb, volumeMounts: [{name: own, mountPath: /own}, {name: old, mountPath: /old}]}\n"
    "  - {name: two, image: localhost/bb}\n";

std::string play(const std::string& content, const std::string& method = "POST") {
  return method + " /v4.3.1/libpod/play/kube HTTP/1.1\r\nHost: d\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

const FakePodman::Script failing = FakePodman::says(http_answer(500, error_content(500, "no space left on device")));

/// Nothing of the YAML is there.
void check_nothing_left(RunningProxy& proxy) {
  CHECK_FALSE(proxy.podman.has(Kind::Pod, "shop"));
  for (const auto* volume : {"claim", "other", "shop-own-emptydir"}) {
    CAPTURE(volume);
    CHECK_FALSE(proxy.podman.has(Kind::Volume, volume));
  }
}

}  // namespace

TEST_CASE("a pod is made of creates with the label, and its containers and its start name it by its id") {
  RunningProxy proxy;
  const auto answer = proxy.ask(play(yaml));
  CHECK(answer.status == 200);
  CHECK(proxy.podman.project_of(Kind::Pod, "shop") == "p1");
  for (const auto* volume : {"claim", "other", "shop-own-emptydir"})
    CHECK(proxy.podman.project_of(Kind::Volume, volume) == "p1");
  const auto at = answer.content.find(R"("Pods":[{"ID":")");
  REQUIRE(at != std::string::npos);
  const auto id = answer.content.substr(at + 15, 64);
  const auto containers = proxy.podman.requests("POST /v4.0.0/libpod/containers/create");
  REQUIRE(containers.size() == 2);
  for (const auto& container : containers) CHECK(container.find("\"pod\":\"" + id + "\"") != std::string::npos);
  CHECK(proxy.podman.requests("POST /v4.0.0/libpod/pods/" + id + "/start").size() == 1);
  CHECK_FALSE(proxy.podman.saw("apiVersion", Milliseconds(0)));
}

TEST_CASE("what was made is taken back when a later request fails") {
  RunningProxy proxy;
  const std::string create = "POST /v4.0.0/libpod/containers/create";
  SUBCASE("refused by upstream") { proxy.podman.on(create, failing); }
  SUBCASE("upstream dies") { proxy.podman.on(create, FakePodman::says_and_closes("")); }
  SUBCASE("upstream answers without an id") {
    proxy.podman.on("POST /v4.0.0/libpod/pods/create", FakePodman::says(http_answer(201, "{}")));
  }
  SUBCASE("the first one fails") { proxy.podman.on("POST /v4.0.0/libpod/volumes/create", failing); }
  CHECK(proxy.ask(play(yaml)).status >= 500);
  check_nothing_left(proxy);
}

TEST_CASE("what was there before is not taken back") {
  RunningProxy proxy;
  for (const auto* volume : {"claim", "other"}) proxy.podman.add(Kind::Volume, volume, "p1");
  proxy.podman.on("POST /v4.0.0/libpod/containers/create", failing);
  CHECK(proxy.ask(play(yaml)).status == 500);
  for (const auto* volume : {"claim", "other"}) CHECK(proxy.podman.has(Kind::Volume, volume));
  CHECK_FALSE(proxy.podman.has(Kind::Pod, "shop"));
}

TEST_CASE("a secret that was made is held, and taken back when a later request fails") {
  RunningProxy proxy;
  const std::string id(25, 'a'), secrets = "/v4.0.0/libpod/secrets/", list = "GET /v4.3.1/libpod/secrets/json";
  const auto says = [&](const std::string& start, int status, const std::string& content) {
    proxy.podman.on(start, FakePodman::says(http_answer(status, content)));
  };
  for (const auto* name : {"one", "two"})
    says("GET " + secrets + name + "/json", 404, error_content(404, "no such secret"));
  says("POST " + secrets + "create?name=one", 200, R"({"ID":")" + id + R"("})");
  says("GET " + secrets + "json", 200, "[]");  // to be counted
  says(list, 200, R"([{"ID":")" + id + R"("}])");
  const auto secret = [](const std::string& name) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + "}\nstringData: {k: v}\n---\n";
  };
  const auto is_held = [&] {
    return proxy.ask(list + " HTTP/1.1\r\nHost: d\r\n\r\n").content.find(id) != std::string::npos;
  };
  SUBCASE("it is held") {
    const auto played = proxy.ask(play(secret("one")));
    CHECK(played.content.find(R"("Secrets":[{"CreateReport":{"ID":")" + id + R"("}}])") != std::string::npos);
    CHECK(is_held());
  }
  SUBCASE("it is taken back") {
    proxy.podman.on("POST " + secrets + "create?name=two", failing);
    says("DELETE " + secrets + id, 200, "");
    CHECK(proxy.ask(play(secret("one") + secret("two"))).status == 500);
    CHECK(proxy.podman.requests("DELETE " + secrets + id).size() == 1);
    CHECK_FALSE(is_held());
  }
  SUBCASE("it cannot be taken back, and is the project's still") {
    proxy.podman.on("POST " + secrets + "create?name=two", failing);
    proxy.podman.on("DELETE " + secrets + id, failing);
    CHECK(proxy.ask(play(secret("one") + secret("two"))).status == 500);
    CHECK(is_held());
  }
}

TEST_CASE("pods of another project are neither replaced nor taken down") {
  RunningProxy proxy;
  proxy.podman.add(Kind::Pod, "shop", "p10");
  CHECK(proxy.ask(play(yaml, "DELETE")).status == 404);
  CHECK(proxy.podman.has(Kind::Pod, "shop"));
  CHECK(proxy.podman.requests("DELETE").empty());
  RunningProxy own;
  own.podman.add(Kind::Pod, "shop", "p1");
  CHECK(own.ask(play(yaml, "DELETE")).status == 200);
  CHECK_FALSE(own.podman.has(Kind::Pod, "shop"));
}

TEST_CASE("YAML that cannot be read is refused before anything is asked") {
  RunningProxy proxy;
  const auto before = proxy.podman.bytes();
  CHECK(proxy.ask(play("a: &x 1\nb: *x\n")).content.find("kube.yaml") != std::string::npos);
  CHECK(proxy.ask(play("a: " + std::string(300'000, 'x'))).status == 413);
  CHECK(proxy.podman.bytes() == before);
}
