"""Kubernetes YAML: `podman --remote kube play`, `kube down` and `kube generate`, as people use them, and what two projects see of
each other's."""

import json
import socket

from check import check, contains, equal, lacks, skip
from clients import LIBPOD, fails, ok, says, shows
from engine import free_port
from world import IMAGE, LABEL, SLEEP

COMMAND = json.dumps(SLEEP)
SHOP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  COLOUR: blue
  greeting.txt: |
    hello
    there
binaryData: {raw: AAEC}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: store, labels: {role: store}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata:
  name: shop
  labels: {app: shop}
  annotations: {note: "read by the pod only"}
spec:
  restartPolicy: Never
  initContainers:
  - name: first
    image: IMAGE
    command: [sh, -c, "echo made first > /scratch/made"]
    volumeMounts: [{name: scratch, mountPath: /scratch}]
  containers:
  - name: web
    image: IMAGE
    command: COMMAND
    env:
    - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: NOTE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['note']"}}}
    - {name: COLOUR, valueFrom: {configMapKeyRef: {name: settings, key: COLOUR}}}
    ports: [{containerPort: 80, hostPort: PORT}, {containerPort: 81}]
    securityContext: {runAsUser: 0}
    volumeMounts:
    - {name: scratch, mountPath: /scratch}
    - {name: store, mountPath: /store}
    - {name: settings, mountPath: /settings}
    - {name: work, mountPath: /work}
  - name: side
    image: IMAGE
    command: COMMAND
    volumeMounts: [{name: scratch, mountPath: /scratch}]
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: store, persistentVolumeClaim: {claimName: store}}
  - {name: settings, configMap: {name: settings, items: [{key: greeting.txt, path: texts/greeting}, {key: raw, path: raw, mode: 0400}]}}
  - {name: work, hostPath: {path: /workspace}}
"""


def _filled(text, **names):
    for name, value in {"IMAGE": IMAGE, "COMMAND": COMMAND, **names}.items():
        text = text.replace(name, str(value))
    return text


def _pod(name, more="", image=IMAGE):
    return _filled(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n"
                   f"  - {{name: one, image: \"{image}\", command: COMMAND}}\n{more}")


def _play(project, yaml, *options):
    return project.podman("kube", "play", *options, "-", data=yaml)


def _down(project, yaml):
    return project.podman("kube", "down", "-", data=yaml)


def _inspect(world, what, name):
    return world.engine.direct.get(f"{LIBPOD}/{what}/{world.upstream(name)}/json").json()


def test_play(world):
    podman, port = world.p1.podman, free_port()
    yaml = _filled(SHOP, PORT=port)
    played = ok(_play(world.p1, yaml))
    pod = _inspect(world, "pods", "shop")
    contains(played.out, pod["Id"], "play tells the pod's id")
    shows(played, "Volumes:\nstore\n")
    says(podman("exec", "shop-web", "sh", "-c", "echo $POD $COLOUR $NOTE"), "shop blue read by the pod only")
    says(podman("exec", "shop-side", "cat", "/scratch/made"), "made first")
    says(podman("exec", "shop-web", "cat", "/settings/texts/greeting"), "hello\nthere")
    says(podman("exec", "shop-web", "sh", "-c", "od -An -tx1 /settings/raw | tr -d ' '; stat -c %a /settings/raw"), "000102\n400")
    fails(podman("exec", "shop-web", "touch", "/settings/new"), part="Read-only", what="a ConfigMap can only be read")
    ok(podman("exec", "shop-web", "sh", "-c", "echo kept > /store/file; test -d /work"))
    says(podman("exec", "shop-web", "hostname"), "shop")
    says(podman("pod", "ps", "--format", "{{.Name}}"), "shop")
    shows(podman("volume", "ls", "-q", "--filter", "label=role=store"), "store")


def test_everything_has_the_label(world):
    containers = [container["Id"] for container in _inspect(world, "pods", "shop")["Containers"]]
    equal(len(containers), 4 - 1, "the pod's own container, and those that run")  # the first one is gone when it has run
    for identifier in containers:
        equal(_inspect(world, "containers", identifier)["Config"]["Labels"].get(LABEL), "p1", "the label of a container")
    equal(_inspect(world, "pods", "shop")["Labels"], {"app": "shop", LABEL: "p1"}, "the labels of the pod")
    for name in ("store", "shop-scratch-emptydir", "shop-settings-configmap"):
        equal(_inspect(world, "volumes", name)["Labels"].get(LABEL), "p1", f"the label of {name}")
    networks = [network["name"] for network in world.engine.direct.get(f"{LIBPOD}/networks/json").json()]
    check("podman-default-kube-network" not in networks, "no network that everybody is on", networks)


def test_policy_holds(world):
    document = _inspect(world, "containers", "shop-web")
    contains(document["HostConfig"]["SecurityOpt"], "no-new-privileges", "as of every container")
    equal(document["HostConfig"]["LogConfig"]["Size"] != "0B", True, "logs have an end")
    bindings = _inspect(world, "pods", "shop")["InfraConfig"]["PortBindings"]
    equal(sorted(bindings), ["80/tcp"], "ports that name no port of the host are not published")
    equal(bindings["80/tcp"][0]["HostIp"], "127.0.0.1", "on the loopback address only")
    with socket.socket() as probe:
        probe.settimeout(5)
        equal(probe.connect_ex(("127.0.0.1", int(bindings["80/tcp"][0]["HostPort"]))), 0, "the port is open there")


def test_generate_and_play_again(world):
    podman = world.p1.podman
    generated = ok(podman("kube", "generate", "shop")).out
    contains(generated, "path: /workspace\n", "the workspace has its clients' path")
    lacks(generated, str(world.engine.home), "no path of the host")
    lacks(generated, "workspace-p1", "no part of one either")
    contains(generated, f"image: {IMAGE}\n", "the image has its name")
    ok(podman("pod", "rm", "-f", "shop"))
    ok(_play(world.p1, generated))
    says(podman("exec", "shop-shop-web", "cat", "/store/file"), "kept")
    shows(podman("kube", "generate", "store"), "kind: PersistentVolumeClaim\n", "name: store\n")
    shows(podman("kube", "generate", "-s", "shop"), "kind: Service\n")
    ok(_down(world.p1, generated))
    fails(podman("kube", "generate", "absent"), part="absent")


def test_down(world):
    podman, yaml = world.p1.podman, _filled(SHOP, PORT=free_port())
    ok(_play(world.p1, yaml))
    says(podman("exec", "shop-web", "cat", "/store/file"), "kept", "a claim is kept")
    fails(_play(world.p1, yaml), part="shop", what="the pod is there already")
    says(podman("exec", "shop-side", "cat", "/scratch/made"), "made first", "and is left alone by what failed")
    identifier = _inspect(world, "pods", "shop")["Id"]
    ok(_play(world.p1, yaml, "--replace"))
    check(_inspect(world, "pods", "shop")["Id"] != identifier, "--replace makes a new one")
    downed = ok(_down(world.p1, yaml))
    shows(downed, "Pods stopped:", "Pods removed:")
    says(podman("pod", "ps", "-q"), "")
    says(podman("volume", "ls", "-q"), "store", "what was made for the pod is gone, what was claimed is kept")
    fails(_down(world.p1, yaml), part="no such pod")
    answer = world.p1.call("DELETE", f"{LIBPOD}/play/kube?force=true", yaml.encode())
    equal(answer.status, 404, "without a pod there is nothing to take down")
    ok(_play(world.p1, yaml, "--start=false"))
    equal(world.p1.call("DELETE", f"{LIBPOD}/kube/play?force=true", yaml.encode()).status, 200, "by force")
    says(podman("volume", "ls", "-q"), "", "a claim goes as well")


def test_what_fails_leaves_nothing(world):
    podman = world.p1.podman
    ok(podman("create", "--name", "half-two", IMAGE))
    yaml = _pod("half", "  - {name: two, image: IMAGE, volumeMounts: [{name: v, mountPath: /v}]}\n  volumes: [{name: v, emptyDir: {}}]\n")
    yaml = _filled("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: half-claim}\n---\n" + _pod("whole") + "---\n" + yaml)
    fails(_play(world.p1, yaml), part="half-two")
    says(podman("pod", "ps", "-q"), "", "no pod is left, of those before it neither")
    says(podman("volume", "ls", "-q"), "", "no volume is left")
    says(podman("ps", "-a", "--format", "{{.Names}}"), "half-two", "what was there before stays")
    ok(podman("rm", "half-two"))
    broken = _play(world.p1, _filled("apiVersion: v1\nkind: Pod\nmetadata: {name: broken}\nspec:\n  containers:\n"
                                     "  - {name: one, image: IMAGE, command: [/no/such/program]}\n"))
    fails(broken, part="starting the pod")
    says(podman("pod", "ps", "--format", "{{.Name}}"), "broken", "what cannot be started is there to be looked at")
    ok(podman("pod", "rm", "-f", "broken"))


def test_deployment_and_limits(world):
    podman = world.p1.podman
    yaml = _filled("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec:\n  replicas: 2\n  selector: {matchLabels: {a: b}}\n"
                   "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n"
                   "      - {name: one, image: IMAGE, command: COMMAND, resources: {limits: {memory: 64Mi, cpu: 500m}}}\n")
    ok(_play(world.p1, yaml, "--start=false"))
    equal(sorted(podman("pod", "ps", "--format", "{{.Name}}").out.split()), ["many-pod-0", "many-pod-1"], "two pods")
    if world.engine.direct.get(f"{LIBPOD}/info").json()["host"]["cgroupVersion"] == "v2":
        host = _inspect(world, "containers", "many-pod-1-one")["HostConfig"]
        equal((host["Memory"], host["CpuQuota"], host["CpuPeriod"]), (64 << 20, 50_000, 100_000), "limits")
    else:
        skip("limits of a deployment", "a rootless Podman drops them on cgroups v1")
    ok(_down(world.p1, yaml))
    says(podman("pod", "ps", "-q"), "")


def test_networks_and_images(world):
    podman = world.p1.podman
    ok(podman("network", "create", "inner"))
    ok(_play(world.p1, _pod("joined"), "--network", "inner"))
    equal(list(_inspect(world, "pods", "joined")["InfraConfig"]["Networks"]), [_inspect(world, "networks", "inner")["name"]], "--network")
    ok(_down(world.p1, _pod("joined")))
    ok(podman("network", "rm", "inner"))
    name = f"{world.engine.registry_name}/team/mine:latest"
    podman("rmi", name)
    ok(_play(world.p1, _pod("pulled", image=name)))
    says(podman("images", name, "--format", "{{.Repository}}:{{.Tag}}"), name, "the image is pulled, and the project's")
    ok(_down(world.p1, _pod("pulled", image=name)))
    ok(podman("rmi", name))
    fails(_play(world.p1, _pod("absent", image=f"{world.engine.registry_name}/team/absent:latest")), part="absent")


SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: access, labels: {role: db}}
type: Opaque
data:
  password: cGFzc3dvcmQtdmFsdWU=
  raw: AAH/
stringData: {user: user-value}
"""
READER = """---
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec:
  containers:
  - name: one
    image: IMAGE
    command: COMMAND
    envFrom: [{prefix: DB_, secretRef: {name: access}}, {secretRef: {name: absent, optional: true}}]
    env:
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: access, key: password}}}
    - {name: NONE, valueFrom: {secretKeyRef: {name: absent, key: k, optional: true}}}
    volumeMounts: [{name: all, mountPath: /all}, {name: some, mountPath: /some}]
  volumes:
  - {name: all, secret: {secretName: access, defaultMode: 0440}}
  - {name: some, secret: {secretName: access, items: [{key: raw, path: deep/raw, mode: 0400}]}}
"""


def _secret(world, name):
    return world.engine.direct.get(f"{LIBPOD}/secrets/{world.upstream(name)}/json")


def test_secrets(world):
    podman, yaml = world.p1.podman, _filled(SECRET + READER)
    ok(_play(world.p1, yaml))
    kept = _secret(world, "access").json()
    equal(kept["Spec"]["Labels"], {"role": "db", LABEL: "p1"}, "its labels")
    says(podman("exec", "reader-one", "sh", "-c", "echo $DB_password $DB_user $PASSWORD ${NONE-none} ${DB_raw-none}"),
         "password-value user-value password-value none none")
    says(podman("exec", "reader-one", "sh", "-c", "cd /all; cat password user; stat -c %a user"), "password-valueuser-value440")
    says(podman("exec", "reader-one", "sh", "-c", "cd /some/deep; od -An -tx1 raw | tr -d ' '; stat -c %a raw"), "0001ff\n400")
    fails(podman("exec", "reader-one", "touch", "/all/new"), part="Read-only", what="a Secret can only be read")
    says(podman("secret", "ls", "--format", "{{.Name}}"), "access", "the secret is the project's")
    says(world.p10.podman("secret", "ls", "-q"), "", "and no other's")
    says(podman("run", "--rm", "--secret", "access", IMAGE, "grep", "-o", "user: user-value", "/run/secrets/access"), "user: user-value",
         "its value is the Secret as YAML")
    ok(_down(world.p1, yaml))
    says(podman("volume", "ls", "-q"), "", "the volumes of its files are gone")
    equal(_secret(world, "access").json()["ID"], kept["ID"], "kube down leaves the secret, as Podman does")
    ok(_play(world.p1, SECRET))
    equal(_secret(world, kept["ID"]).status, 404, "playing it again replaces it")
    ok(podman("secret", "rm", "access"))


def test_secrets_of_two_projects(world):
    ok(_play(world.p10, SECRET))
    before = _secret(world, "access").json()["ID"]
    for options in ((), ("--replace",)):
        fails(_play(world.p1, _filled(SECRET + READER), *options), part="access", what="the name is taken")
    answer = world.p1.call("POST", f"{LIBPOD}/play/kube", SECRET.encode())
    equal((answer.status, answer.json()["cause"]), (409, "name.taken"), "and says so")
    lacks(answer.text, "user-value", "no value in the refusal")
    fails(_play(world.p1, _filled(READER)), part="Send it in the same YAML", what="another's Secret is not read")
    equal(_secret(world, "access").json()["ID"], before, "p10's secret is the same")
    says(world.p1.podman("pod", "ps", "-q"), "", "nothing of p1's is left")
    says(world.p1.podman("volume", "ls", "-q"), "", "no volume either")
    ok(world.p10.podman("secret", "rm", "access"))


def test_a_secret_stays_where_it_is_needed(world):
    podman, immutable = world.p1.podman, SECRET + "immutable: true\n"
    ok(_play(world.p1, SECRET))
    ok(podman("create", "--name", "needs", "--secret", "access,type=env,target=X", IMAGE))
    fails(_play(world.p1, SECRET), part="in the environment of a container")
    ok(podman("rm", "needs"))
    ok(_play(world.p1, immutable))
    fails(_play(world.p1, SECRET), part="immutable", what="as Podman does")
    ok(podman("secret", "rm", "access"))
    ok(podman("create", "--name", "reader-one", IMAGE))
    fails(_play(world.p1, _filled(SECRET + READER)), part="reader-one")
    says(podman("secret", "ls", "-q"), "", "what fails leaves no secret")
    ok(podman("rm", "reader-one"))


def test_two_projects(world):
    p1, p10 = world.p1, world.p10
    ok(_play(p10, _pod("taken")))
    before = _inspect(world, "pods", "taken")["Id"]
    said = fails(_down(p1, _pod("taken")), part="no such pod")
    absent = fails(_down(p1, _pod("never")), part="no such pod")
    equal(said.err.replace("taken", "X"), absent.err.replace("never", "X"), "another's pod is as absent")
    equal(p1.podman("kube", "generate", "taken").err.replace("taken", "X"), p1.podman("kube", "generate", "never").err.replace("never", "X"),
          "to generate as well")
    fails(_play(p1, _pod("taken")), what="its name is taken")
    fails(_play(p1, _pod("taken"), "--replace"), what="and it is not replaced")
    equal(_inspect(world, "pods", "taken")["Id"], before, "p10's pod is the same")
    equal(_inspect(world, "pods", "taken")["State"], "Running", "and runs")
    says(p1.podman("ps", "-aq"), "", "nothing of p1's is left")
    claim = f"  volumes: [{{name: v, persistentVolumeClaim: {{claimName: {world.neighbour.volume}}}}}]\n"
    yaml = _pod("mounts", claim).replace(f"command: {COMMAND}", "volumeMounts: [{name: v, mountPath: /v}]")
    answer = p1.call("POST", f"{LIBPOD}/play/kube", yaml.encode())
    equal((answer.status, answer.json()["cause"]), (409, "name.taken"), "another's volume is not mounted")
    ok(_down(p10, _pod("taken")))


def test_refusals_say_why(world):
    for yaml, part in ((_pod("x", "  hostNetwork: true\n"), "namespace of the host"),
                       (_pod("x", "  volumes: [{name: v, secret: {secretName: absent}}]\n").replace(
                           f"command: {COMMAND}", "volumeMounts: [{name: v, mountPath: /v}]"), "Send it in the same YAML"),
                       ("kind: Pod\nkind: Pod\n", "read in one way only"),
                       (_pod("x").replace("spec:", "spec: &a"), "read in one way only")):
        fails(_play(world.p1, yaml), part=part)
    answer = world.p1.call("POST", f"{LIBPOD}/play/kube?configMaps=/etc/hostname", _pod("x").encode())
    equal((answer.status, answer.json()["cause"]), (403, "query.refused"), "files of the host are no ConfigMaps")
    says(world.p1.podman("pod", "ps", "-q"), "")
