// What goes and what is told of Kubernetes YAML: down, generate, and the reports.

#include <doctest/doctest.h>

#include <algorithm>

#include "kube_world.hpp"
#include "rules/answer.hpp"
#include "rules/made_object.hpp"

using namespace podfence::tests;

TEST_CASE("down takes own pods away by their ids, and the volumes that were made for them") {
  auto world = one_of_every_kind();
  const auto down = [&](std::string_view yaml, const std::string& query = "") {
    return played(world, yaml, play + query, Method::Delete);
  };
  const std::string claims =
      "kind: PersistentVolumeClaim\nmetadata: {name: data}\n---\nkind: PersistentVolumeClaim\nmetadata: {name: "
      "data10}\n---\n";
  world.volume("pod-a-emptydir", "p1");
  world.volume("pod-b-configmap", "p10");
  world.volume("pod-c-secret", "p1");
  const auto yaml =
      claims + "kind: Pod\nmetadata: {name: pod}\nspec: {volumes: [{name: a}, {name: b}, {name: c}], anything: 1}\n";
  const Texts expected{"stopped/" + id('c') + " POST /v4.0.0/libpod/pods/" + id('c') + "/stop",
                       "removed/" + id('c') + " DELETE /v4.0.0/libpod/pods/" + id('c') + "?force=true",
                       "volume/pod-a-emptydir DELETE /v4.0.0/libpod/volumes/pod-a-emptydir",
                       "volume/pod-c-secret DELETE /v4.0.0/libpod/volumes/pod-c-secret"};
  CHECK(down(yaml).requests == expected);
  auto forced = expected;
  forced.push_back("volume/data DELETE /v4.0.0/libpod/volumes/data");
  CHECK(down(yaml, "?force=true").requests == forced);
  CHECK(down(yaml + "---\nkind: Pod\nmetadata: {name: pod10}\n").requests == expected);
  const auto foreign = down("kind: Pod\nmetadata: {name: pod10}\n"),
             absent = down("kind: Pod\nmetadata: {name: none10}\n");
  CHECK(foreign.denied == "ownership.hidden");
  CHECK(absent.denied == "ownership.hidden");
  CHECK(down("kind: Pod\nMetadata: {name: pod}\n").denied == "kube.name");
  CHECK(down(yaml + "---\nkind: Secret\nmetadata: {name: s}\n").requests == expected);
}

TEST_CASE("down refuses names that are none, and passes over volumes that cannot be there") {
  auto world = one_of_every_kind();
  const auto down = [&](std::string_view yaml) { return played(world, yaml, play, Method::Delete); };
  const std::string longest(255, 'n');
  for (const std::string kind : {"Pod", "Deployment", "PersistentVolumeClaim"})
    for (const auto& name : {longest + "n", std::string("a/b"), std::string("-a")}) {
      CAPTURE(kind);
      CAPTURE(name);
      CHECK(down("kind: " + kind + "\nmetadata: {name: " + name + "}\n").denied == "name.syntax");
    }
  CHECK(down("kind: Pod\nmetadata: {name: " + longest + "}\n").denied == "ownership.hidden");
  world.volume("pod-_a-emptydir", "p1");
  CHECK(
      down("kind: Secret\nmetadata: {name: a/b}\n---\nkind: Pod\nmetadata: {name: pod}\nspec: {volumes: [{name: a/b}, "
           "{name: " +
           std::string(128 * 1024, 'v') + "}, {name: _a}]}\n")
          .requests == Texts{"stopped/" + id('c') + " POST /v4.0.0/libpod/pods/" + id('c') + "/stop",
                             "removed/" + id('c') + " DELETE /v4.0.0/libpod/pods/" + id('c') + "?force=true",
                             "volume/pod-_a-emptydir DELETE /v4.0.0/libpod/volumes/pod-_a-emptydir"});
  CHECK(std::ranges::all_of(world.asked, [](const Question& question) { return question.name.size() <= 255; }));
}

TEST_CASE("down looks at no more volumes than it may ask about, and at each once") {
  auto world = one_of_every_kind();
  const auto down = [&](const std::string& name, const std::string& volumes) {
    return played(world, "kind: Pod\nmetadata: {name: " + name + "}\nspec: {volumes: [" + volumes + "]}\n", play,
                  Method::Delete);
  };
  std::string nameless, named;
  for (int i = 0; i < 40'000; ++i) nameless += "{},";
  for (int i = 0; i < 11'000; ++i) named += "{name: v" + std::to_string(i) + "},";
  // A look-up of such a name for every volume would be felt here.
  CHECK(down(std::string(100 * 1024, 'n'), nameless).denied == "name.syntax");
  CHECK(down("pod", named).denied == "limit.references");
  CHECK(world.asked.empty());
  CHECK(down("pod", nameless).requests.size() == 2);
  CHECK(world.asked.size() == 4);
}

TEST_CASE("what is generated is asked for by ids, and a volume only where nothing else has its name") {
  auto world = one_of_every_kind();
  const auto generate = [&](const std::string& query) {
    return target_of(world.decide(Method::Get, "/v4.3.1/libpod/generate/kube" + query));
  };
  const std::string path = "/v4.3.1/libpod/generate/kube?";
  CHECK(generate("?names=web&names=pod&service=true") == path + "service=true&names=" + id('a') + "&names=" + id('c'));
  CHECK(generate("?names=data") == path + "names=data");
  for (const auto* name : {"web10", "pod10", "data10", "none", "podfence.x"}) {
    CAPTURE(name);
    CHECK(generate("?names=" + std::string(name)) == "ownership.hidden");
  }
  CHECK(generate("") == "query.value");
  world.add(Kind::Container, "data", id('9'), "p10");
  CHECK(generate("?names=data") == "ownership.hidden");
}

TEST_CASE("what an earlier request makes is named by its id") {
  const std::string secret(25, 'a');
  CHECK(made_id("{\"ID\":\"" + secret + "\"}") == secret);
  CHECK(made_id("{\"ID\":\"" + secret + "a\"}") == std::nullopt);
  const std::vector<Claim> claims{{Claim::Change::HoldSecret, "{id}"}, {Claim::Change::DropSecret, "other"}};
  CHECK(with_made_id(claims, "{\"ID\":\"" + secret + "\"}").at(0).what == secret);
  CHECK(with_made_id(claims, "{}").size() == 1);
  CHECK(with_made_id(claims, "{}").at(0).what == "other");
  CHECK(made_id("{\"Id\":\"" + id('a') + "\"}") == id('a'));
  CHECK(made_id(R"({"Id":"short"})") == std::nullopt);
  CHECK(made_id("x") == std::nullopt);
  const UpstreamRequest container{
      Method::Post, "/x/create", {{"Content-Type", "application/json"}}, R"({"env":{"A":"{id}"},"pod":"other"})"};
  CHECK(with_made_id(container, id('a')).content == R"({"env":{"A":"{id}"},"pod":")" + id('a') + "\"}");
  const UpstreamRequest start{Method::Post, "/pods/{id}/start", {}, std::nullopt};
  CHECK(with_made_id(start, id('a')).target == "/pods/" + id('a') + "/start");
  const UpstreamRequest put{Method::Put, "/c/{id}?path=%2Fx", {{"Content-Type", "application/x-tar"}}, "{id}"};
  CHECK(with_made_id(put, id('a')).content == "{id}");
}

namespace {

/// The answer that the client gets when the batch's requests are answered so.
Reply reported(Method method, const std::vector<Outcome>& outcomes) {
  static World world = one_of_every_kind();
  static Request request;
  request.target = std::get<Target>(parse_target(play));
  static Match match;
  match = std::get<Match>(route(method, request.target));
  static Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  return report(exchange, outcomes);
}

std::string made(char digit) { return "{\"Id\":\"" + id(digit) + "\"}"; }

}  // namespace

TEST_CASE("the report of a play is Podman's") {
  CHECK(reported(Method::Post, {{"volume/v", 201, R"({"Name":"v"})"},
                                {"own/x", 201, "{}"},
                                {"pod/p", 201, made('5')},
                                {"init/p-i", 201, made('6')},
                                {"container/p-c", 201, made('7')},
                                {"start/p", 409, R"({"Errs":[{}],"Id":"x"})"},
                                {"left/s", 204, ""},
                                {"secret/s", 200, R"({"ID":")" + std::string(25, '8') + R"("})"}})
            .content ==
        R"({"Pods":[{"ID":")" + id('5') + R"(","Containers":[")" + id('7') + R"("],"InitContainers":[")" + id('6') +
            R"("],"Logs":null,"ContainerErrors":["starting the pod: not all containers could be started"]}],)"
            R"("Volumes":[{"Name":"v"}],"StopReport":null,"RmReport":null,"Secrets":[{"CreateReport":{"ID":")" +
            std::string(25, '8') +
            R"("}}]})"
            "\n");
  const auto failed =
      reported(Method::Post, {{"pod/p", 500, R"({"cause":"c","message":"the name is in use","response":500})"}});
  CHECK(failed.status == 500);
  CHECK(failed.content.find("the name is in use") != std::string::npos);
  CHECK(reported(Method::Delete,
                 {{"stopped/" + id('5'), 304, ""}, {"removed/" + id('5'), 200, "{}"}, {"volume/x", 409, "{}"}})
            .content == R"({"Pods":null,"Volumes":null,"StopReport":[{"Errs":null,"Id":")" + id('5') +
                            R"("}],"RmReport":[{"Err":null,"Id":")" + id('5') +
                            R"("}],"Secrets":null})"
                            "\n");
}

namespace {

/// What the client reads when Podman generates that, or why it reads nothing.
std::string shown_generated(World& world, std::string_view yaml) {
  Request request;
  request.target = std::get<Target>(parse_target("/v4.3.1/libpod/generate/kube?names=web"));
  const auto match = std::get<Match>(route(Method::Get, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  for (int round = 0; round < 4; ++round) {
    auto answer = rewrite_answer(Answer::KubeYaml, exchange, yaml);
    if (auto* ask = std::get_if<Ask>(&answer))
      for (const auto& question : ask->questions) world.answer(facts, question);
    else if (auto* text = std::get_if<std::string>(&answer))
      return *text;
    else
      return std::string(std::get<Deny>(answer).rule->id);
  }
  return "asks without end";
}

}  // namespace

TEST_CASE("what was generated is shown without paths and images of others") {
  auto world = one_of_every_kind();
  world.project.policy.workspaces = {{"/workspace", "/srv/demo", false}};
  const auto shown = [&](std::string_view yaml) { return shown_generated(world, yaml); };
  const auto text = shown(
      "# Created with podman-4.3.1\napiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    bind-mount-options: "
      "/srv/demo:z\n"
      "    io.podman.annotations.init/web: \"FALSE\"\n  name: web\nspec:\n  containers:\n"
      "  - image: docker.io/library/theirs:1\n    name: web\n    volumeMounts:\n    - mountPath: /w\n      name: "
      "srv-demo-host-0\n"
      "    - mountPath: /x\n      name: etc-host-1\n    - mountPath: /d\n      name: data-pvc\n"
      "  volumes:\n  - hostPath:\n      path: /srv/demo\n      type: Directory\n    name: srv-demo-host-0\n"
      "  - hostPath:\n      path: /etc\n    name: etc-host-1\n  - name: data-pvc\n    persistentVolumeClaim:\n      "
      "claimName: data\nstatus: {}\n");
  CAPTURE(text);
  CHECK(text.find("/srv") == std::string::npos);
  CHECK(text.find("srv-demo") == std::string::npos);
  CHECK(text.find("etc") == std::string::npos);
  CHECK(text.find("theirs") == std::string::npos);
  CHECK(text.find("bind-mount-options") == std::string::npos);
  CHECK(text.find("    io.podman.annotations.init/web: \"FALSE\"\n") != std::string::npos);
  CHECK(text.find("- hostPath:\n      path: /workspace\n    name: workspace-host-0\n") != std::string::npos);
  CHECK(text.find("- mountPath: /w\n      name: workspace-host-0\n") != std::string::npos);
  CHECK(text.find("claimName: data\n") != std::string::npos);
  CHECK(shown("a: &x 1\n") == "upstream.answer");
  CHECK(shown("- 1\n") == "upstream.answer");
}

TEST_CASE("every mount of what was generated is called as its volume is") {
  auto world = one_of_every_kind();
  world.project.policy.workspaces = {{"/workspace", "/srv/demo", false}};
  constexpr int many = 10'000;
  std::string mounts, volumes;
  for (int i = 0; i < many; ++i) {
    const auto number = std::to_string(i);
    mounts += "    - mountPath: /m" + number + "\n      name: srv-demo-host-" + number + "\n";
    volumes += "  - hostPath:\n      path: /srv/demo\n    name: srv-demo-host-" + number + "\n";
  }
  // A pass over the mounts for every volume would be felt here.
  const auto text = shown_generated(
      world, "kind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    volumeMounts:\n" + mounts +
                 "  volumes:\n" + volumes);
  CHECK(text.find("srv-demo") == std::string::npos);
  CHECK(text.find("- mountPath: /m0\n      name: workspace-host-0\n") != std::string::npos);
  CHECK(text.find("- mountPath: /m9999\n      name: workspace-host-9999\n") != std::string::npos);
}
