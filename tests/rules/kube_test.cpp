// Kubernetes YAML: what is made of it, and what is not.

#include <doctest/doctest.h>

#include "rules/answer.hpp"
#include "rules/image_name.hpp"
#include "rules/json_path.hpp"
#include "rules/made_object.hpp"
#include "rules/shown_request.hpp"
#include "rules/tar.hpp"
#include "rules/yaml.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

const std::string play = "/v4.3.1/libpod/play/kube";

/// A pod whose container has these lines, and whose spec these.
std::string pod(std::string_view container, std::string_view spec = "", std::string_view metadata = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\n" + std::string(metadata) + "spec:\n" +
         std::string(spec) + "  containers:\n  - name: web\n    image: localhost/shared/base\n" +
         std::string(container);
}

struct Played {
  std::string denied, subject;
  std::vector<std::string> requests;  ///< "pod/shop POST /v4.0.0/libpod/pods/create"
  std::vector<json::Value> contents;
  Batch batch;

  /// What is created under that name.
  const json::Value& content(std::string_view name) const {
    static const json::Value none;
    for (std::size_t i = 0; i < batch.items.size(); ++i)
      if (batch.items[i].name == name) return contents[i];
    return none;
  }
  std::string at(std::string_view name, std::string_view path) const {
    const auto* value = json::at(content(name), path);
    return value ? json::write(*value) : "";
  }
};

Played played(World& world, std::string_view yaml, const std::string& target = play, Method method = Method::Post) {
  Played result;
  const auto decision = world.decide(method, target, yaml);
  if (const auto* deny = std::get_if<Deny>(&decision)) {
    result.denied = deny->rule->id;
    result.subject = deny->subject;
  }
  if (const auto* fetch = std::get_if<Fetch>(&decision)) result.denied = "fetch " + fetch->reference;
  if (const auto* batch = std::get_if<Batch>(&decision)) result.batch = *batch;
  for (const auto& item : result.batch.items) {
    result.requests.push_back(item.name + " " + std::string(text(item.request.method)) + " " + item.request.target);
    const auto content = json::parse(item.request.content.value_or("null"));
    const auto* value = std::get_if<json::Value>(&content);
    result.contents.push_back(value ? *value : json::Value());
  }
  return result;
}

Played played(std::string_view yaml, const std::string& target = play) {
  auto world = one_of_every_kind();
  return played(world, yaml, target);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a pod is made of creates that carry the project's label, and started") {
  const auto made = played(pod("    command: [sleep, \"9\"]\n    args: [x]\n    workingDir: /w\n    tty: true\n", "",
                               "  labels: {app: shop}\n"));
  REQUIRE(made.denied == "");
  CHECK(made.requests == Texts{"pod/shop POST /v4.0.0/libpod/pods/create",
                               "container/shop-web POST /v4.0.0/libpod/containers/create",
                               "start/shop POST /v4.0.0/libpod/pods/{id}/start"});
  CHECK(made.batch.together);
  CHECK(made.batch.items[0].undo->target == "/v4.0.0/libpod/pods/{id}?force=true");
  CHECK(made.batch.items[1].about == 0);
  CHECK(made.batch.items[2].about == 0);
  CHECK(made.at("pod/shop", "labels") == R"({"app":"shop","appx.project":"p1"})");
  CHECK(made.at("pod/shop", "hostname") == R"("shop")");
  CHECK(made.at("pod/shop", "shared_namespaces") == R"(["ipc","net","uts"])");
  CHECK(made.at("pod/shop", "exit_policy") == R"("stop")");
  CHECK(made.at("container/shop-web", "labels") == R"({"app":"shop","appx.project":"p1"})");
  CHECK(made.at("container/shop-web", "image") == '"' + id('1') + '"');
  CHECK(made.at("container/shop-web", "entrypoint") == R"(["sleep","9"])");
  CHECK(made.at("container/shop-web", "command") == R"(["x"])");
  CHECK(made.at("container/shop-web", "work_dir") == R"("/w")");
  CHECK(made.at("container/shop-web", "terminal") == "true");
  CHECK(made.at("container/shop-web", "restart_policy") == R"("always")");
  CHECK(made.at("container/shop-web", "no_new_privileges") == "true");
  CHECK(made.at("container/shop-web", "log_configuration.size") == "104857600");
  CHECK(made.at("container/shop-web", "netns") == "");  // the pod's
  CHECK(made.at("container/shop-web", "userns") == "");
}

TEST_CASE("what a container says becomes what a client of libpod would say") {
  const auto made =
      played(pod("    resources: {limits: {memory: 64Mi, cpu: 500m}, requests: {memory: 32Mi}}\n"
                 "    securityContext: {runAsUser: 0, runAsGroup: 5, readOnlyRootFilesystem: yes,\n"
                 "      allowPrivilegeEscalation: false, capabilities: {add: [CHOWN], drop: [ALL]}}\n"
                 "    livenessProbe: {exec: {command: [\"true\"]}, periodSeconds: 5, initialDelaySeconds: 3}\n"
                 "    ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081, protocol: UDP}]\n"
                 "    env: [{name: A, value: \"1\"}, {name: E}]\n",
                 "  restartPolicy: OnFailure\n  hostname: h\n  shareProcessNamespace: true\n"
                 "  terminationGracePeriodSeconds: 4\n"
                 "  hostAliases: [{ip: 10.1.2.3, hostnames: [a, b]}]\n"
                 "  dnsConfig: {nameservers: [10.1.1.1], searches: [x.y], options: [{name: ndots, value: \"2\"}]}\n"));
  const std::string web = "container/shop-web", made_pod = "pod/shop";
  REQUIRE(made.denied == "");
  CHECK(made.at(web, "resource_limits") ==
        R"({"memory":{"limit":67108864,"reservation":33554432},"cpu":{"quota":50000,"period":100000}})");
  CHECK(made.at(web, "user") == R"("0:5")");
  CHECK(made.at(web, "read_only_filesystem") == "true");
  CHECK(made.at(web, "cap_add") == R"(["CHOWN"])");
  CHECK(made.at(web, "cap_drop") == R"(["ALL"])");
  CHECK(made.at(web, "healthconfig") ==
        R"({"Test":["CMD","true"],"Interval":5000000000,"Timeout":1000000000,"Retries":3,"StartPeriod":3000000000})");
  CHECK(made.at(web, "health_check_on_failure_action") == "");  // of restartPolicy Always only
  CHECK(made.at(web, "env") == R"({"A":"1","E":""})");
  CHECK(made.at(web, "stop_timeout") == "4");
  CHECK(made.at(web, "restart_policy") == R"("on-failure")");
  CHECK(made.at(made_pod, "portmappings") ==
        R"([{"host_port":8081,"container_port":81,"protocol":"udp","host_ip":"127.0.0.1"}])");
  CHECK(made.at(made_pod, "hostname") == R"("h")");
  CHECK(made.at(made_pod, "shared_namespaces") == R"(["ipc","net","uts","pid"])");
  CHECK(made.at(made_pod, "hostadd") == R"(["a:10.1.2.3","b:10.1.2.3"])");
  CHECK(made.at(made_pod, "dns_server") == R"(["10.1.1.1"])");
  CHECK(made.at(made_pod, "dns_option") == R"(["ndots:2"])");
}

TEST_CASE("what reaches beyond the project is refused by the rule that refuses it to everybody") {
  struct Row {
    std::string container, spec, rule;
    std::string metadata = "";
  };
  const std::string volume = "    volumeMounts: [{name: v, mountPath: /v}]\n";
  const Row rows[] = {
      {"    securityContext: {privileged: true}\n", "", "privilege.privileged"},
      {"    securityContext: {capabilities: {add: [SYS_ADMIN]}}\n", "", "privilege.capability"},
      {"    securityContext: {procMount: Unmasked}\n", "", "privilege.security-option"},
      {"    securityContext: {seLinuxOptions: {type: spc_t}}\n", "", "privilege.security-option"},
      {"    securityContext: {seccompProfile: {type: Unconfined}}\n", "", "field.value"},
      {"    securityContext: {seccompProfile: {type: Localhost, localhostProfile: x}}\n", "", "field.value"},
      {"    securityContext: {appArmorProfile: {type: Unconfined}}\n", "", "privilege.security-option"},
      {"    resources: {limits: {nvidia.com/gpu: 1}}\n", "", "privilege.device"},
      {"    resources: {limits: {memory: 65Gi}}\n", "", "limit.bound"},
      {"    resources: {limits: {memory: lots}}\n", "", "field.value"},
      {"    volumeDevices: [{name: v, devicePath: /dev/x}]\n", "", "privilege.device"},
      {"    ports: [{containerPort: 80, hostPort: 80}]\n", "", "port.range"},
      {"    ports: [{containerPort: 80, hostPort: 8080, hostIP: 192.168.1.1}]\n", "", "port.address"},
      {"    env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n", "", "kube.reference"},
      {"    env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.memory}}}]\n", "", "field.refused"},
      {"    env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]\n", "", "kube.reference"},
      {"    env: [{name: \"A=b\", value: x}]\n", "", "field.value"},
      {"    envFrom: [{secretRef: {name: s}}]\n", "", "kube.reference"},
      {"    envFrom: [{configMapRef: {name: absent}}]\n", "", "kube.reference"},
      {"    lifecycle: {postStart: {exec: {command: [x]}}}\n    new: 1\n", "", "field.unknown"},
      {volume, "  hostNetwork: true\n", "namespace.host"},
      {volume, "  hostPID: true\n", "namespace.host"},
      {volume, "  hostIPC: true\n", "namespace.host"},
      {volume, "  hostUsers: false\n", "namespace.mode"},
      {volume, "  volumes: [{name: v, hostPath: {path: /etc}}]\n", "mount.host-path"},
      {volume, "  volumes: [{name: v, hostPath: {path: /run/x, type: CharDevice}}]\n", "privilege.device"},
      {volume, "  volumes: [{name: v, persistentVolumeClaim: {claimName: data10}}]\n", "name.taken"},
      {volume, "  volumes: [{name: v, persistentVolumeClaim: {claimName: podfence.x}}]\n", "name.reserved"},
      {volume, "  volumes: [{name: v, secret: {secretName: s}}]\n", "kube.reference"},
      {volume, "  volumes: [{name: v, nfs: {server: s, path: /}}]\n", "field.unknown"},
      {volume, "  volumes: [{name: v, configMap: {name: absent}}]\n", "kube.reference"},
      {volume, "  volumes: [{name: v}]\n", "kube.reference"},
      {volume, "", "kube.reference"},
      {"    volumeMounts: [{name: v, mountPath: /v, subPath: x}]\n", "  volumes: [{name: v, emptyDir: {}}]\n",
       "field.refused"},
      {"    volumeMounts: [{name: v, mountPath: /v, mountPropagation: Bidirectional}]\n",
       "  volumes: [{name: v, emptyDir: {}}]\n", "field.value"},
      {"    volumeMounts: [{name: v, mountPath: \"/v:exec\"}]\n", "  volumes: [{name: v, emptyDir: {}}]\n",
       "mount.target"},
      {"", "  securityContext: {sysctls: [{name: kernel.shmmax, value: \"1\"}]}\n", "privilege.sysctl"},
      {"", "  securityContext: {seLinuxOptions: {level: s0}}\n", "privilege.security-option"},
      {"", "  runtimeClassName: kata\n", "field.refused"},
      {"", "", "kube.annotation", "  annotations: {io.podman.annotations.privileged/web: \"TRUE\"}\n"},
      {"", "", "kube.annotation", "  annotations: {IO.podman.annotations.userns: auto}\n"},
      {"", "", "kube.annotation", "  annotations: {io.containers.autoupdate: registry}\n"},
      {"", "", "kube.annotation", "  annotations: {run.oci.hooks.stdout: /x}\n"},
      {"", "", "kube.annotation", "  annotations: {seccomp.security.alpha.kubernetes.io/pod: unconfined}\n"},
      {"", "", "ownership.label", "  labels: {appx.project: p10}\n"},
      {"", "", "label.reserved", "  labels: {io.podman.annotations.cid-file: x}\n"},
      {"    name: again\n", "", "kube.yaml"},
      {"    Name: again\n", "", "field.repeated"},
      {"    image: localhost/shared/base\n", "", "kube.yaml"},
      {"    <<: {image: x}\n", "", "kube.yaml"},
  };
  for (const auto& row : rows) {
    const auto yaml = pod(row.container, row.spec, row.metadata);
    CAPTURE(yaml);
    CHECK(played(yaml).denied == row.rule);
  }
  CHECK(played(pod("    securityContext: {privileged: false}\n", "  hostNetwork: false\n  hostUsers: true\n")).denied ==
        "");
  CHECK(
      played(pod("", "",
                 "  annotations: {io.podman.annotations.privileged/web: \"FALSE\", a: b, bind-mount-options: /x:z}\n"))
          .denied == "");
}

TEST_CASE("only kinds that are known are played, and each by its own name") {
  const std::pair<const char*, const char*> rows[] = {
      {"kind: secret\nmetadata: {name: s}\n", "kube.kind"},
      {"apiVersion: v1\nkind: Secret\ndata: {a: Yg==}\n", "kube.name"},
      {"apiVersion: v2\nkind: Secret\nmetadata: {name: s}\n", "field.value"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: a/b}\n", "name.syntax"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: 0123456789ab}\n", "name.id-like"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {appx.project: p10}}\n", "ownership.label"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {appx.project.immutable: x}}\n", "label.reserved"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nspec: {a: b}\n", "field.unknown"},
      {"kind: DaemonSet\nmetadata: {name: s}\n", "kube.kind"},
      {"kind: pod\nmetadata: {name: s}\n", "kube.kind"},
      {"metadata: {name: s}\n", "kube.kind"},
      {"[1, 2]\n", "kube.nothing"},
      {"text\n", "kube.nothing"},
      {"# nothing\n", "kube.nothing"},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n", "kube.nothing"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec: {containers: []}\n", "kube.nothing"},
      {"apiVersion: v1\nkind: Pod\nspec: {containers: []}\n", "kube.name"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: 0123456789ab}\nspec: {containers: []}\n", "name.id-like"},
      {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 101}\n", "limit.bound"},
      {"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, annotations: {volume.podman.io/device: /}}\n",
       "kube.annotation"},
      {"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data10}\n", "name.taken"},
      {"apiVersion: v1\nkind: Pod\nmetadata: &a {name: c}\n", "kube.yaml"},
  };
  for (const auto& [yaml, rule] : rows) {
    CAPTURE(yaml);
    CHECK(played(yaml).denied == rule);
  }
  CHECK(played(pod("") + "---\n" + pod("")).denied == "kube.name");
  CHECK(played(pod("") + "---\nkind: Service\nmetadata: {name: shop}\nspec: {anything: 1}\n").denied == "");
}

TEST_CASE("volumes of a pod are its own, claims are made with the label or are the project's") {
  const std::string spec =
      "  volumes:\n  - {name: a, emptyDir: {medium: Memory}}\n  - {name: b, persistentVolumeClaim: {claimName: "
      "fresh}}\n"
      "  - {name: c, persistentVolumeClaim: {claimName: data, readOnly: true}}\n  - {name: d, persistentVolumeClaim: "
      "{claimName: other}}\n";
  const std::string mounts =
      "    volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: c, mountPath: /c}, {name: d, "
      "mountPath: /d}]\n";
  const auto made = played(
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: fresh, labels: {x: y}}\nspec: {any: 1}\n---\n" +
      pod(mounts, spec));
  REQUIRE(made.denied == "");
  CHECK(made.requests == Texts{"volume/fresh POST /v4.0.0/libpod/volumes/create",
                               "pod/shop POST /v4.0.0/libpod/pods/create",
                               "own/shop-a-emptydir POST /v4.0.0/libpod/volumes/create",
                               "container/shop-web POST /v4.0.0/libpod/containers/create",
                               "start/shop POST /v4.0.0/libpod/pods/{id}/start"});
  CHECK(made.at("volume/fresh", "Labels") == R"({"x":"y","appx.project":"p1"})");
  CHECK(made.at("own/shop-a-emptydir", "Labels") == R"({"appx.project":"p1"})");
  CHECK(made.batch.items[0].undo->target == "/v4.0.0/libpod/volumes/fresh");
  CHECK(made.at("container/shop-web", "volumes") ==
        R"([{"Name":"shop-a-emptydir","Dest":"/a"},{"Name":"fresh","Dest":"/b"},)"
        R"({"Name":"data","Dest":"/c","Options":["ro"]},{"Name":"other","Dest":"/d"}])");
  REQUIRE(made.batch.needs.volumes.size() == 1);
  CHECK(made.batch.needs.volumes[0].name == "other");

  auto world = one_of_every_kind();
  world.volume("shop-a-emptydir", "p1");
  world.volume("fresh", "p1");
  const auto again = played(world, pod("    volumeMounts: [{name: a, mountPath: /a}]\n", spec));
  CHECK(again.requests[1] == "left/shop-a-emptydir DELETE /v4.0.0/libpod/volumes/shop-a-emptydir");
  world.volume("shop-a-emptydir", "p10");
  CHECK(played(world, pod("    volumeMounts: [{name: a, mountPath: /a}]\n", spec)).denied == "name.taken");
}

TEST_CASE("ConfigMaps become variables and files, never paths of the host") {
  const std::string configuration =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {A: one, B: \"2\"}\nbinaryData: {C: AAE=}\n---\n";
  const auto made =
      played(configuration +
             pod("    envFrom: [{prefix: X_, configMapRef: {name: cm}}, {configMapRef: {name: none, optional: true}}]\n"
                 "    env:\n    - {name: X_A, value: mine}\n    - {name: K, valueFrom: {configMapKeyRef: {name: cm, "
                 "key: B}}}\n"
                 "    - {name: O, valueFrom: {configMapKeyRef: {name: cm, key: none, optional: true}}}\n"
                 "    - {name: N, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n"
                 "    - {name: L, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}}\n"
                 "    volumeMounts: [{name: v, mountPath: /cm}]\n",
                 "  volumes: [{name: v, configMap: {name: cm, defaultMode: 0400, items: [{key: A, path: d/a.txt}, "
                 "{key: C, path: c, mode: 0755}]}}]\n",
                 "  labels: {app: x}\n"));
  REQUIRE(made.denied == "");
  CHECK(made.at("container/shop-web", "env") ==
        std::string("{\"X_A\":\"mine\",\"X_B\":\"2\",\"K\":\"2\",\"N\":\"shop\",\"L\":\"x\"}"));
  CHECK(made.at("container/shop-web", "volumes") == R"([{"Name":"shop-v-configmap","Dest":"/cm","Options":["ro"]}])");
  const auto& files = made.batch.items[3];
  CHECK(files.name == "files//cm");
  CHECK(files.request.target == "/v4.0.0/libpod/containers/{id}/archive?path=%2Fcm");
  CHECK(files.about == 2);
  const TarFile expected[] = {{"d/a.txt", "one", 0400}, {"c", std::string("\0\1", 2), 0755}};
  CHECK(files.request.content == write_tar(expected));
  for (const auto* path : {"../x", "/etc/x", "a/../../x", "..", "a//b", "a/", "."}) {
    CAPTURE(path);
    CHECK(played(configuration + pod("    volumeMounts: [{name: v, mountPath: /cm}]\n",
                                     "  volumes: [{name: v, configMap: {name: cm, items: [{key: A, path: \"" +
                                         std::string(path) + "\"}]}}]\n"))
              .denied == "field.value");
  }
  CHECK(
      played("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {../x: one}\n---\n" +
             pod("    volumeMounts: [{name: v, mountPath: /cm}]\n", "  volumes: [{name: v, configMap: {name: cm}}]\n"))
          .denied == "field.value");
}

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

TEST_CASE("a tar archive has what POSIX says") {
  const TarFile files[] = {{"d/a", "one", 0640}};
  const auto archive = write_tar(files);
  CHECK(archive.size() == 5 * 512);
  CHECK(archive.substr(0, 2) == "d/");
  CHECK(archive.substr(156, 1) == "5");
  CHECK(archive.substr(512, 3) == "d/a");
  CHECK(archive.substr(512 + 100, 7) == "0000640");
  CHECK(archive.substr(512 + 124, 11) == "00000000003");
  CHECK(archive.substr(512 + 257, 8) == std::string("ustar\00000", 8));
  CHECK(archive.substr(1024, 3) == "one");
  unsigned sum = 0;
  auto header = archive.substr(512, 512);
  header.replace(148, 8, "        ");
  for (const char c : header) sum += static_cast<unsigned char>(c);
  CHECK(std::stoul(archive.substr(512 + 148, 6), nullptr, 8) == sum);
}

TEST_CASE("images of a pod must be usable; one that can be pulled is pulled first") {
  auto world = one_of_every_kind();
  const auto with = [](std::string_view image, std::string_view policy = "") {
    auto yaml = pod("");
    yaml.replace(yaml.find("localhost/shared/base"), 21, image);
    return yaml + (policy.empty() ? "" : "    imagePullPolicy: " + std::string(policy) + "\n");
  };
  CHECK(played(world, with("docker.io/library/mine:1")).at("container/shop-web", "image") == '"' + id('2') + '"');
  CHECK(played(world, with("docker.io/library/theirs:1")).denied == "fetch docker.io/library/theirs:1");
  CHECK(played(world, with("docker.io/library/new")).denied == "fetch docker.io/library/new:latest");
  CHECK(played(world, with("docker.io/library/new", "Never")).denied == "ownership.hidden");
  CHECK(played(world, with("docker.io/library/mine:1", "Always")).denied == "fetch docker.io/library/mine:1");
  CHECK(played(world, with("localhost/absent")).denied == "ownership.hidden");
  CHECK(played(world, with('"' + id('3') + '"')).denied == "ownership.hidden");
  world.fetched = {"docker.io/library/new:latest", "docker.io/library/mine:1"};
  CHECK(played(world, with("docker.io/library/new")).denied == "ownership.hidden");
  CHECK(played(world, with("docker.io/library/mine:1", "Always")).denied == "");
}

TEST_CASE("a deployment is as many pods as it says; those that run first come first") {
  const auto made = played(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: 2\n  selector: {matchLabels: {a: "
      "b}}\n"
      "  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
      "      containers: [{name: c, image: localhost/shared/base}]\n"
      "      initContainers: [{name: i, image: localhost/shared/base}]\n",
      play + "?start=false");
  CHECK(made.requests ==
        Texts{"pod/d-pod-0 POST /v4.0.0/libpod/pods/create", "init/d-pod-0-i POST /v4.0.0/libpod/containers/create",
              "container/d-pod-0-c POST /v4.0.0/libpod/containers/create",
              "pod/d-pod-1 POST /v4.0.0/libpod/pods/create", "init/d-pod-1-i POST /v4.0.0/libpod/containers/create",
              "container/d-pod-1-c POST /v4.0.0/libpod/containers/create"});
  CHECK(made.batch.items[4].about == 3);
  CHECK(made.at("init/d-pod-0-i", "init_container_type") == R"("once")");
  CHECK(made.at("pod/d-pod-1", "labels") == R"({"a":"b","appx.project":"p1"})");
}

TEST_CASE("the query is judged as pods are") {
  const std::pair<const char*, const char*> rows[] = {
      {"?network=host", "namespace.host"},
      {"?network=net10", "ownership.hidden"},
      {"?network=ns:/x", "namespace.host"},
      {"?network=slirp4netns:allow_host_loopback=true", "network.mode"},
      {"?network=container:web10", "ownership.hidden"},
      {"?network=none&network=net", "network.mode"},
      {"?userns=host", ""},
      {"?userns=ns:/x", "namespace.mode"},
      {"?staticIPs=10.1.1.1", "query.refused"},
      {"?network=net&staticIPs=10.1.1.1", ""},
      {"?network=net&staticIPs=x", "field.value"},
      {"?logOptions=path%3D/etc/x", "field.refused"},
      {"?logDriver=syslog", "field.value"},
      {"?logOptions=max-size%3D1m", ""},
      {"?build=true", "query.refused"},
      {"?configMaps=/etc/passwd", "query.refused"},
      {"?seccompProfileRoot=/x", "query.refused"},
      {"?annotations=%7B%22a%22%3A%22b%22%7D", "query.refused"},
      {"?serviceContainer=true", "query.refused"},
      {"?tlsVerify=false", "query.refused"},
      {"?start=maybe", "query.value"},
      {"?other=1", "query.unknown"},
      {"?authfile=/root/auth.json&certdir=&configMaps=&quiet=true&username=&password=", ""},
  };
  for (const auto& [query, rule] : rows) {
    CAPTURE(query);
    CHECK(played(pod(""), play + query).denied == rule);
  }
  const auto made = played(pod(""), play + "?network=net&staticIPs=10.9.0.4&staticMACs=aa:bb:cc:dd:ee:ff");
  CHECK(made.at("pod/shop", "Networks") ==
        "{\"" + id('e') + R"(":{"static_ips":["10.9.0.4"],"static_mac":"aa:bb:cc:dd:ee:ff"}})");
}

TEST_CASE("a pod is replaced only when it is the project's own") {
  auto yaml = pod("");
  yaml.replace(yaml.find("name: shop"), 10, "name: pod");
  CHECK(played(yaml, play + "?replace=true").requests[0] ==
        "replaced/pod DELETE /v4.0.0/libpod/pods/" + id('c') + "?force=true");
  yaml.replace(yaml.find("name: pod"), 9, "name: pod10");
  CHECK(played(yaml, play + "?replace=true").requests[0] == "pod/pod10 POST /v4.0.0/libpod/pods/create");
}

TEST_CASE("a play adds up what it makes before it is compared with the quotas") {
  auto world = one_of_every_kind();
  world.project.policy.quota(Resource::Containers) = 3;  // p1 has one
  world.project.policy.quota(Resource::Pods) = 2;
  const auto quota = [&](std::string_view yaml) { return played(world, yaml).denied; };
  CHECK(quota(pod("")) == "");  // its own container and that of the pod
  CHECK(quota(pod("  - {name: b, image: localhost/shared/base}\n")) == "quota.exceeded");
  world.project.policy.quota(Resource::Containers) = 100;
  world.project.policy.quota(Resource::Memory) = 100 << 20;
  CHECK(quota(pod("    resources: {limits: {memory: 60Mi}}\n")) == "");
  CHECK(quota(pod("    resources: {limits: {memory: 60Mi}}\n  - {name: b, image: localhost/shared/base, resources: "
                  "{limits: {memory: 60Mi}}}\n")) == "quota.exceeded");
}

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

TEST_CASE("what was generated is shown without paths and images of others") {
  auto world = one_of_every_kind();
  world.project.policy.workspaces = {{"/workspace", "/srv/demo", false}};
  Request request;
  request.target = std::get<Target>(parse_target("/v4.3.1/libpod/generate/kube?names=web"));
  const auto match = std::get<Match>(route(Method::Get, request.target));
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  const auto shown = [&](std::string_view yaml) {
    for (int round = 0; round < 4; ++round) {
      auto answer = rewrite_answer(Answer::KubeYaml, exchange, yaml);
      if (auto* ask = std::get_if<Ask>(&answer))
        for (const auto& question : ask->questions) world.answer(facts, question);
      else if (auto* text = std::get_if<std::string>(&answer))
        return *text;
      else
        return std::string(std::get<Deny>(answer).rule->id);
    }
    return std::string("asks without end");
  };
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
