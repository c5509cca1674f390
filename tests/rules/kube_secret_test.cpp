// Secrets of Kubernetes YAML: what is made of them, kept and shown.

#include <doctest/doctest.h>

#include "kube_world.hpp"
#include "rules/shown_request.hpp"
#include "rules/tar.hpp"

using namespace podfence::tests;

namespace {

/// The values are `one`, a text that overrides, nothing, and two bytes that are no text.
const std::string secret_object =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {role: db}}\ntype: kubernetes.io/basic-auth\n"
    "data:\n  A: b25l\n  B: Ym9ycm93ZWQ=\n  E: \"\"\n  R: |\n    //\n    4=\nstringData: {B: s3cret-text}\n";
const std::string secret_mount = "    volumeMounts: [{name: v, mountPath: /s}]\n";
const std::string secret_create =
    " POST "
    "/v4.0.0/libpod/secrets/create?name=s&driver=file&labels=%7B%22role%22%3A%22db%22%2C%22appx.project%22%3A%22p1"
    "%22%7D";

}  // namespace

TEST_CASE("Secrets become variables and files as ConfigMaps do, and a secret of the project's own") {
  const auto made = played(
      secret_object + "---\n" +
      pod("    envFrom: [{prefix: X_, secretRef: {name: s}}, {secretRef: {name: none, optional: true}}]\n"
          "    env:\n    - {name: X_A, value: mine}\n"
          "    - {name: K, valueFrom: {secretKeyRef: {name: s, key: B}}}\n"
          "    - {name: O, valueFrom: {secretKeyRef: {name: s, key: none, optional: true}}}\n"
          "    - {name: P, valueFrom: {secretKeyRef: {name: none, key: A, optional: true}}}\n"
          "    volumeMounts: [{name: v, mountPath: /s}, {name: o, mountPath: /o}]\n",
          "  volumes:\n  - {name: v, secret: {secretName: s, defaultMode: 0400, items: [{key: A, path: d/a.txt}, "
          "{key: R, path: r, mode: 0755}]}}\n  - {name: o, secret: {secretName: none, optional: true}}\n"));
  REQUIRE(made.denied == "");
  CHECK(made.requests == Texts{"pod/shop POST /v4.0.0/libpod/pods/create",
                               "own/shop-v-secret POST /v4.0.0/libpod/volumes/create",
                               "container/shop-web POST /v4.0.0/libpod/containers/create",
                               "files//s PUT /v4.0.0/libpod/containers/{id}/archive?path=%2Fs",
                               "start/shop POST /v4.0.0/libpod/pods/{id}/start", "secret/s" + secret_create});
  CHECK(made.at("container/shop-web", "env") == R"({"X_A":"mine","X_B":"s3cret-text","X_E":"","K":"s3cret-text"})");
  CHECK(made.at("container/shop-web", "volumes") == R"([{"Name":"shop-v-secret","Dest":"/s","Options":["ro"]}])");
  const TarFile expected[] = {{"d/a.txt", "one", 0400}, {"r", "\xff\xfe", 0755}};
  CHECK(made.batch.items[3].request.content == write_tar(expected));
  const auto& kept = made.batch.items[5];
  CHECK(kept.request.content ==  // as Podman writes it
        "apiVersion: v1\ndata:\n  A: b25l\n  B: Ym9ycm93ZWQ=\n  E: \"\"\n  R: //4=\nkind: Secret\n"
        "metadata:\n  creationTimestamp: null\n  labels:\n    role: db\n  name: s\n"
        "stringData:\n  B: s3cret-text\ntype: kubernetes.io/basic-auth\n");
  CHECK(kept.on_success.at(0).change == Claim::Change::HoldSecret);
  CHECK(kept.on_success.at(0).what == "{id}");
  CHECK(kept.undo->target == "/v4.0.0/libpod/secrets/{id}");
  CHECK(kept.on_undo.at(0).change == Claim::Change::DropSecret);
  const auto all =
      played(secret_object + "---\n" + pod(secret_mount, "  volumes: [{name: v, secret: {secretName: s}}]\n"));
  const TarFile every[] = {{"A", "one", 0644}, {"B", "s3cret-text", 0644}, {"E", "", 0644}, {"R", "\xff\xfe", 0644}};
  CHECK(all.batch.items.at(3).request.content == write_tar(every));
}

TEST_CASE("a Secret's files stay in their volume, and what is not in the YAML is not looked for") {
  for (const auto* path : {"../x", "/etc/x", "a/../../x", "..", "a//b", "."}) {
    CAPTURE(path);
    const auto quoted = '"' + std::string(path) + '"';
    CHECK(played(secret_object + "---\n" +
                 pod(secret_mount,
                     "  volumes: [{name: v, secret: {secretName: s, items: [{key: A, path: " + quoted + "}]}}]\n"))
              .denied == "field.value");
    CHECK(played("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {" + quoted + ": one}\n---\n" +
                 pod(secret_mount, "  volumes: [{name: v, secret: {secretName: s}}]\n"))
              .denied == "field.value");
  }
  auto world = one_of_every_kind();
  world.secret("mine", std::string(25, '1'), "p1");
  world.secret("theirs", std::string(25, '2'), "p10");
  for (const std::string name : {"mine", "theirs", "none"}) {
    const auto refused =
        played(world, pod("    env: [{name: A, valueFrom: {secretKeyRef: {name: " + name + ", key: k}}}]\n"));
    CHECK(refused.denied == "kube.reference");
    CHECK(refused.subject == "key k of Secret " + name + " (shop)");
  }
  CHECK(played(secret_object + "---\n" + pod("    env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: R}}}]\n"))
            .denied == "kube.reference");  // bytes that no variable can have
}

TEST_CASE("bytes of a Secret are base64 in one form only") {
  const auto data = [](std::string_view text) {
    return played("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: \"" + std::string(text) + "\"}\n")
        .denied;
  };
  for (const auto* text : {"", "Yg==", "YmM=", "YmNk", "+/+/", "Yg=\\n="}) {
    CAPTURE(text);
    CHECK(data(text) == "");
  }
  for (const auto* text : {"Yg", "Yg=", "Yh==", "-_-_", "Y g==", "Yg===", "=", "secret-value!"}) {
    CAPTURE(text);
    CHECK(data(text) == "field.value");
  }
  const auto refused = played("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: secret-value!}\n");
  CHECK(refused.subject == "data{}");
  const auto number = played("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: 987654}\n");
  CHECK(number.denied == "field.type");
  CHECK(number.subject == "stringData{}");
}

TEST_CASE("a Secret takes the place of the project's own secret, and of no other") {
  auto world = one_of_every_kind();
  const std::string own(25, '1');
  world.secret("s", own, "p1");
  const auto replaced = played(world, secret_object);
  CHECK(replaced.requests == Texts{"left/s DELETE /v4.0.0/libpod/secrets/" + own, "secret/s" + secret_create});
  CHECK(replaced.batch.items.at(0).on_success.at(0).change == Claim::Change::DropSecret);
  CHECK(replaced.batch.items.at(0).on_success.at(0).what == own);
  CHECK_FALSE(replaced.batch.items.at(0).undo);
  world.secret("s", std::string(25, '2'), "p10");
  for (const auto* query : {"", "?replace=true"}) {
    const auto taken = played(world, secret_object, play + query);
    CHECK(taken.denied == "name.taken");
    CHECK(taken.subject == "s");
  }
  world.secret("another", "0abcd" + std::string(20, '3'), "p10");  // its id begins so
  auto yaml = secret_object;
  yaml.replace(yaml.find("name: s"), 7, "name: 0abcd");
  CHECK(played(world, yaml).requests.size() == 1);
}

TEST_CASE("a secret that containers read by its name, or that is immutable, is not replaced") {
  auto world = one_of_every_kind();
  world.secret("s", std::string(25, '1'), "p1");
  world.add(Kind::Container, "reader", id('9'), "p1", R"({"Labels":{"appx.project.secrets":"r,t"}})");
  CHECK(played(world, secret_object).denied == "");
  world.add(Kind::Container, "reader", id('9'), "p1", R"({"Labels":{"appx.project.secrets":"r,s"}})");
  CHECK(played(world, secret_object).denied == "secret.in-use");
  const auto immutable = played(secret_object + "immutable: true\n");
  CHECK(immutable.requests.at(0).ends_with(
      "%22appx.project%22%3A%22p1%22%2C%22appx.project.immutable%22%3A%22true%22%7D"));
  CHECK(immutable.batch.items[0].request.content->find("immutable: true\n") != std::string::npos);
}

TEST_CASE("no value of a Secret is shown, and everything else is") {
  const auto made =
      played(secret_object + "---\n" +
             pod("    envFrom: [{secretRef: {name: s}}]\n    env: [{name: OPEN, value: seen}, "
                 "{name: \"a/b~c\", valueFrom: {secretKeyRef: {name: s, key: B}}}, {name: A, value: mine}]\n" +
                     secret_mount,
                 "  volumes: [{name: v, secret: {secretName: s}}]\n"));
  REQUIRE(made.denied == "");
  std::vector<std::string> shown;
  for (const auto& item : made.batch.items) shown.push_back(as_shown(item.request).content.value_or(""));
  for (const auto& content : shown)
    for (const auto* value : {"s3cret-text", "b25l", "Ym9ycm93ZWQ", "//4="}) {
      CAPTURE(content);
      CHECK(content.find(value) == std::string::npos);
    }
  const auto container = std::get<json::Value>(json::parse(shown.at(2)));
  CHECK(json::write(*container.find("env")) ==
        R"x({"A":"mine","B":"(secret)","E":"(secret)","OPEN":"seen","a/b~c":"(secret)"})x");
  CHECK(shown.at(3) == "(secret)");
  CHECK(shown.at(5) == "(secret)");
  CHECK(shown.at(0) == *made.batch.items[0].request.content);
  const UpstreamRequest lost{Method::Post, "/x", {}, R"({"a":"s3cret-text"})", {"/b"}};
  CHECK(as_shown(lost).content == "(secret)");
}

TEST_CASE("Secrets count as secrets") {
  auto world = one_of_every_kind();
  world.project.policy.quota(Resource::Secrets) = 1;
  CHECK(played(world, secret_object).denied == "");
  auto second = secret_object;
  second.replace(second.find("name: s"), 7, "name: t");
  CHECK(played(world, secret_object + "---\n" + second).denied == "quota.exceeded");
  auto full = one_of_every_kind();
  full.project.policy.quota(Resource::Secrets) = 1;
  full.secret("s", std::string(25, '1'), "p1");
  CHECK(played(full, secret_object).denied == "");  // takes its place
  CHECK(played(full, second).denied == "quota.exceeded");
}
