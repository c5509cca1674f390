// Kubernetes YAML: what is made of it, and what is not.

#include <doctest/doctest.h>

#include "kube_world.hpp"
#include "rules/image_name.hpp"
#include "rules/kube/pod.hpp"
#include "rules/tar.hpp"
#include "rules/yaml.hpp"

using namespace podfence::tests;

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

TEST_CASE("what few lines ask for is no more than its bound when it is written out") {
  const std::string big =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {A: " + std::string(50'000, 'x') + "}\n---\n";
  const auto variables = [&](int times) {
    std::string sources;
    for (int i = 0; i < times; ++i) sources += "{prefix: P" + std::to_string(i) + "_, configMapRef: {name: cm}},";
    return played(big + pod("    envFrom: [" + sources + "]\n"));
  };
  CHECK(variables(10).denied == "");
  CHECK(variables(400).denied == "kube.size");
  const auto replicas = [&](int pods, int containers) {
    std::string list;
    for (int i = 0; i < containers; ++i) list += "{name: c" + std::to_string(i) + ", image: localhost/shared/base},";
    return played(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: " + std::to_string(pods) +
        "\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
        "      containers: [" +
        list + "]\n");
  };
  CHECK(replicas(3, 2).denied == "");
  CHECK(replicas(100, 100).denied == "kube.size");
  std::string files;
  for (int i = 0; i < 400; ++i) files += "{key: A, path: f" + std::to_string(i) + "},";
  CHECK(played(big + pod("    volumeMounts: [{name: v, mountPath: /cm}]\n",
                         "  volumes: [{name: v, configMap: {name: cm, items: [" + files + "]}}]\n"))
            .denied == "kube.size");
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

namespace {

/// What is made of a pod with that specification, in JSON, past the limits of what is read.
std::variant<kube::Pod, Deny> made_pod(std::string_view spec, const kube::Upload& upload = {},
                                       const kube::Options& options = {}) {
  kube::Extent extent;
  const kube::PodSource source{"shop", json::Value::object(),
                               std::get<json::Value>(json::parse(spec, json::answer_limits))};
  return kube::make_pod(source, upload, options, 0, extent);
}

/// The source is of all volumes; a volume `v7` is mounted at `/m7`.
std::string mounting(int many, const std::string& source) {
  std::string volumes, mounts;
  for (int i = 0; i < many; ++i) {
    const auto number = std::to_string(i), comma = std::string(i ? "," : "");
    volumes += comma + R"({"name":"v)" + number + "\"," + source + "}";
    mounts += comma + R"({"name":"v)" + number + R"(","mountPath":"/m)" + number + "\"}";
  }
  return R"({"containers":[{"name":"web","image":"i","volumeMounts":[)" + mounts + R"(]}],"volumes":[)" + volumes +
         "]}";
}

Texts paths(const kube::Files& files) {
  Texts paths;
  for (const auto& file : files.files) paths.push_back(file.path);
  return paths;
}

}  // namespace

TEST_CASE("a pod may have many volumes and mount them all") {
  // A look through the volumes for every mount would be felt here.
  constexpr int many = 20'000;
  const auto of_host = std::get<kube::Pod>(made_pod(mounting(many, R"("hostPath":{"path":"/p"})")));
  const auto& mounts = of_host.containers.at(0).content.list("mounts");
  REQUIRE(mounts.size() == many);
  CHECK(mounts.back().text("source") == "/p");
  CHECK(mounts.back().text("destination") == "/m19999");
  CHECK(of_host.volumes.empty());
  const auto own = std::get<kube::Pod>(made_pod(mounting(many, R"("emptyDir":{})")));
  REQUIRE(own.volumes.size() == many);
  CHECK(own.volumes.front() == "shop-v0-emptydir");
  CHECK(own.volumes.back() == "shop-v19999-emptydir");
  CHECK(own.containers.at(0).content.list("volumes").size() == many);
}

TEST_CASE("of two volumes of one name the first is mounted, and a volume is made once") {
  const auto made = std::get<kube::Pod>(made_pod(
      R"({"containers":[{"name":"a","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"},{"name":"e","mountPath":"/e"}]},)"
      R"({"name":"b","image":"i","volumeMounts":[{"name":"e","mountPath":"/f"}]}],)"
      R"("volumes":[{"name":"v","hostPath":{"path":"/1"}},{"name":"v","hostPath":{"path":"/2"}},{"name":"e","emptyDir":{}}]})"));
  CHECK(made.containers.at(0).content.list("mounts").at(0).text("source") == "/1");
  CHECK(made.containers.at(1).content.list("volumes").at(0).text("Name") == "shop-e-emptydir");
  CHECK(made.volumes == Texts{"shop-e-emptydir"});
}

TEST_CASE("many volumes of one big ConfigMap hold what each takes of it") {
  kube::Upload upload;
  upload.configurations["cm"] = {{{"A", "one"}, {"big", std::string(4 << 20, 'x')}}, {{"B", "two"}}};
  // Four megabytes for every volume would be felt here.
  constexpr int many = 5'000;
  const auto made = std::get<kube::Pod>(made_pod(
      mounting(many, R"("configMap":{"name":"cm","items":[{"key":"B","path":"b"},{"key":"A","path":"a"}]})"), upload));
  REQUIRE(made.files.size() == many);
  CHECK(made.files.back().target == "/m4999");
  CHECK(paths(made.files.back()) == Texts{"b", "a"});
  CHECK(made.files.back().files.at(0).content == "two");
  CHECK(made.files.back().files.at(1).content == "one");
  const auto all = std::get<kube::Pod>(made_pod(mounting(1, R"("configMap":{"name":"cm"})"), upload));
  CHECK(paths(all.files.at(0)) == Texts{"A", "B", "big"});
  const auto missing = made_pod(mounting(1, R"("configMap":{"name":"cm","items":[{"key":"C","path":"c"}]})"), upload);
  CHECK(std::get<Deny>(missing).subject == "key C");
}

TEST_CASE("a long source counts for every mount of it") {
  const std::string source(1 << 20, 'x');
  for (const auto& volume :
       {R"("hostPath":{"path":")" + source + "\"}", R"("persistentVolumeClaim":{"claimName":")" + source + "\"}"}) {
    CHECK(std::holds_alternative<kube::Pod>(made_pod(mounting(2, volume))));
    CHECK(std::get<Deny>(made_pod(mounting(20, volume))).rule->id == "kube.size");
  }
}

TEST_CASE("of sysctls and of log options of one name the last counts, in the place of the first") {
  // A look through those before for every one would be felt here.
  constexpr int many = 50'000;
  std::string sysctls;
  kube::Options options;
  for (int i = 0; i < many; ++i) {
    const auto name = "n" + std::to_string(i);
    sysctls += R"({"name":")" + name + R"(","value":"1"},)";
    options.log_options.push_back(name + "=1");
  }
  options.log_options.insert(options.log_options.end(), {"n0=a=b", "n1"});
  const auto made =
      std::get<kube::Pod>(made_pod(R"({"containers":[{"name":"web","image":"i"}],"securityContext":{"sysctls":[)" +
                                       sysctls + R"({"name":"n0","value":"last"}]}})",
                                   {}, options));
  const auto* set = made.content.find("sysctl");
  REQUIRE((set && set->members() && set->members()->size() == many));
  CHECK(set->members()->front().name == "n0");
  CHECK(set->text("n0") == "last");
  CHECK(set->text("n49999") == "1");
  const auto* logging = json::at(made.containers.at(0).content, "log_configuration.options");
  REQUIRE((logging && logging->members() && logging->members()->size() == many));
  CHECK(logging->members()->front().name == "n0");
  CHECK(logging->text("n0") == "a=b");
  CHECK(logging->members()->at(1).value.string()->empty());
  CHECK(logging->text("n2") == "1");
}
