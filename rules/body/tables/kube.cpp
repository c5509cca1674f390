// What Kubernetes YAML may say to `podman kube play`. Nothing of it is sent on: what is let through here is made into
// creates of a pod, its containers and volumes (rules/kube/), and those are judged like a client's own. What Podman
// itself pays no attention to is dropped.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row metadata[] = {
    {"name",                       Text,     kube_name},
    {"labels{}",                   Text,     label},
    {"annotations{}",              Text,     kube_annotation},
    {"namespace",                  Any,      drop},
    {"creationTimestamp",          Any,      drop},
    {"deletionTimestamp",          Any,      drop},
    {"deletionGracePeriodSeconds", Any,      drop},
    {"finalizers",                 Any,      drop},
    {"generateName",               Any,      drop},
    {"generation",                 Any,      drop},
    {"managedFields",              Any,      drop},
    {"ownerReferences",            Any,      drop},
    {"resourceVersion",            Any,      drop},
    {"selfLink",                   Any,      drop},
    {"uid",                        Any,      drop},
};

constexpr Row pods[] = {
    {"apiVersion",                 Text,     choice("v1")},
    {"kind",                       Text,     choice("Pod")},
    {"status",                     Any,      drop},
};
constexpr Row deployment[] = {
    {"apiVersion",                 Text,     choice("apps/v1")},
    {"kind",                       Text,     choice("Deployment")},
    {"spec.replicas",              Unsigned, keep_zero(bounds::within(0, 100))},
    {"spec.selector",              Any,      drop},
    {"spec.strategy",              Any,      drop},
    {"spec.minReadySeconds",       Any,      drop},
    {"spec.revisionHistoryLimit",  Any,      drop},
    {"spec.progressDeadlineSeconds", Any,    drop},
    {"spec.paused",                Any,      drop},
    {"status",                     Any,      drop},
};
constexpr Row configuration[] = {
    {"apiVersion",                 Text,     choice("v1")},
    {"kind",                       Text,     choice("ConfigMap")},
    {"data{}",                     Text,     confidential(pass)},
    {"binaryData{}",               Text,     confidential(base64_text)},
    {"immutable",                  Any,      drop},
};
constexpr Row secret_object[] = {
    {"apiVersion",                 Text,     choice("v1")},
    {"kind",                       Text,     choice("Secret")},
    {"type",                       Text,     pass},
    {"data{}",                     Text,     confidential(keep_zero(exact_base64_text))},
    {"stringData{}",               Text,     confidential(keep_zero(pass))},
    {"immutable",                  Boolean,  pass},
};
constexpr Row claim[] = {
    {"apiVersion",                 Text,     choice("v1")},
    {"kind",                       Text,     choice("PersistentVolumeClaim")},
    {"spec",                       Any,      drop},  // Podman has no sizes and classes of volumes
    {"status",                     Any,      drop},
};

constexpr Row pod_spec[] = {
    {"hostname",                   Text,     hostname},
    {"subdomain",                  Any,      drop},
    {"restartPolicy",              Text,     choice("Always OnFailure Never")},
    {"shareProcessNamespace",      Boolean,  pass},
    {"hostNetwork",                Boolean,  deny(refusal("namespace.host"))},
    {"hostPID",                    Boolean,  deny(refusal("namespace.host"))},
    {"hostIPC",                    Boolean,  deny(refusal("namespace.host"))},
    {"hostUsers",                  Any,      kube_host_users},
    {"hostAliases[].ip",           Text,     address},
    {"hostAliases[].hostnames[]",  Text,     pass},
    {"dnsPolicy",                  Any,      drop},
    {"dnsConfig.nameservers[]",    Text,     address},
    {"dnsConfig.searches[]",       Text,     pass},
    {"dnsConfig.options[].name",   Text,     pass},
    {"dnsConfig.options[].value",  Text,     pass},
    {"terminationGracePeriodSeconds", Unsigned, bounds::stop_seconds},
    {"securityContext.runAsUser",  Unsigned, keep_zero(pass)},
    {"securityContext.runAsGroup", Unsigned, keep_zero(pass)},
    {"securityContext.runAsNonRoot", Any,    drop},
    {"securityContext.supplementalGroups[]", Unsigned, pass},
    {"securityContext.fsGroup",    Any,      drop},
    {"securityContext.fsGroupChangePolicy", Any, drop},
    {"securityContext.sysctls[].name",  Text, pass},
    {"securityContext.sysctls[].value", Text, pass},
    {"securityContext.seLinuxOptions",  Any, deny_security},
    {"securityContext.seccompProfile.type", Text, choice("RuntimeDefault")},
    {"securityContext.seccompProfile.localhostProfile", Any, deny_path},
    {"securityContext.appArmorProfile", Any, deny_security},
    {"securityContext.windowsOptions",  Any, deny_security},
    {"volumes[].name",             Text,     pass},
    {"volumes[].hostPath.path",    Text,     pass},
    {"volumes[].hostPath.type",    Text,     kube_host_path_type},
    {"volumes[].persistentVolumeClaim.claimName", Text, pass},
    {"volumes[].persistentVolumeClaim.readOnly",  Boolean, pass},
    {"volumes[].emptyDir",         Object,   keep_zero(pass)},
    {"volumes[].emptyDir.medium",  Any,      drop},
    {"volumes[].emptyDir.sizeLimit", Any,    drop},
    {"volumes[].configMap.name",   Text,     pass},
    {"volumes[].configMap.optional", Boolean, pass},
    {"volumes[].configMap.defaultMode", Unsigned, bounds::within(0, 0777)},
    {"volumes[].configMap.items[].key",  Text, pass},
    {"volumes[].configMap.items[].path", Text, pass},
    {"volumes[].configMap.items[].mode", Unsigned, bounds::within(0, 0777)},
    {"volumes[].secret.secretName",  Text,   pass},
    {"volumes[].secret.optional",  Boolean,  pass},
    {"volumes[].secret.defaultMode", Unsigned, bounds::within(0, 0777)},
    {"volumes[].secret.items[].key",  Text,  pass},
    {"volumes[].secret.items[].path", Text,  pass},
    {"volumes[].secret.items[].mode", Unsigned, bounds::within(0, 0777)},
    {"imagePullSecrets",           Any,      drop},
    {"ephemeralContainers",        Any,      deny_field},
    {"runtimeClassName",           Any,      deny_field},
    {"activeDeadlineSeconds",      Any,      drop},
    {"affinity",                   Any,      drop},
    {"automountServiceAccountToken", Any,    drop},
    {"enableServiceLinks",         Any,      drop},
    {"nodeName",                   Any,      drop},
    {"nodeSelector",               Any,      drop},
    {"preemptionPolicy",           Any,      drop},
    {"priority",                   Any,      drop},
    {"priorityClassName",          Any,      drop},
    {"schedulerName",              Any,      drop},
    {"serviceAccount",             Any,      drop},
    {"serviceAccountName",         Any,      drop},
    {"tolerations",                Any,      drop},
    {"topologySpreadConstraints",  Any,      drop},
};

constexpr Row containers[] = {
    {"name",                       Text,     kube_name},
    {"image",                      Text,     pass},  // looked up when all is read
    {"imagePullPolicy",            Text,     choice("Always IfNotPresent Never")},
    {"command[]",                  Text,     pass},
    {"args[]",                     Text,     pass},
    {"workingDir",                 Text,     pass},
    {"stdin",                      Boolean,  pass},
    {"stdinOnce",                  Any,      drop},
    {"tty",                        Boolean,  pass},
    {"ports[].name",               Text,     pass},
    {"ports[].containerPort",      Unsigned, pass},
    {"ports[].hostPort",           Unsigned, pass},
    {"ports[].hostIP",             Text,     pass},
    {"ports[].protocol",           Text,     choice("TCP UDP")},
    {"env[].name",                 Text,     pass},
    {"env[].value",                Text,     confidential(pass)},
    {"env[].valueFrom.configMapKeyRef.name",     Text,    pass},
    {"env[].valueFrom.configMapKeyRef.key",      Text,    pass},
    {"env[].valueFrom.configMapKeyRef.optional", Boolean, pass},
    {"env[].valueFrom.fieldRef.apiVersion",      Any,     drop},
    {"env[].valueFrom.fieldRef.fieldPath",       Text,    pass},
    {"env[].valueFrom.secretKeyRef.name",        Text,    pass},
    {"env[].valueFrom.secretKeyRef.key",         Text,    pass},
    {"env[].valueFrom.secretKeyRef.optional",    Boolean, pass},
    {"env[].valueFrom.resourceFieldRef",         Any,     deny_field},  // of the host, where the container has no limit
    {"envFrom[].prefix",           Text,     pass},
    {"envFrom[].configMapRef.name",     Text,    pass},
    {"envFrom[].configMapRef.optional", Boolean, pass},
    {"envFrom[].secretRef.name",   Text,     pass},
    {"envFrom[].secretRef.optional", Boolean, pass},
    {"volumeMounts[].name",        Text,     pass},
    {"volumeMounts[].mountPath",   Text,     target},
    {"volumeMounts[].readOnly",    Boolean,  pass},
    {"volumeMounts[].subPath",     Any,      deny_field},
    {"volumeMounts[].subPathExpr", Any,      deny_field},
    {"volumeMounts[].mountPropagation", Text, choice("None")},
    {"volumeDevices",              Any,      deny_device},
    {"resources.limits{}",         TextOrNumber, kube_resource},
    {"resources.requests{}",       TextOrNumber, kube_resource},
    {"resources.claims",           Any,      deny_device},
    {"securityContext.privileged", Boolean,  deny_privileged},
    {"securityContext.allowPrivilegeEscalation", Boolean, keep_zero(pass)},
    {"securityContext.capabilities.add[]",       Text,    pass},
    {"securityContext.capabilities.drop[]",      Text,    pass},
    {"securityContext.readOnlyRootFilesystem",   Boolean, pass},
    {"securityContext.runAsUser",  Unsigned, keep_zero(pass)},
    {"securityContext.runAsGroup", Unsigned, keep_zero(pass)},
    {"securityContext.runAsNonRoot", Any,    drop},
    {"securityContext.procMount",  Text,     default_is("\"Default\"", deny_security)},
    {"securityContext.seLinuxOptions",      Any, deny_security},
    {"securityContext.seccompProfile.type", Text, choice("RuntimeDefault")},
    {"securityContext.seccompProfile.localhostProfile", Any, deny_path},
    {"securityContext.appArmorProfile",     Any, deny_security},
    {"securityContext.windowsOptions",      Any, deny_security},
    {"livenessProbe.exec.command[]",        Text, pass},
    {"livenessProbe.httpGet.host",          Text, pass},
    {"livenessProbe.httpGet.path",          Text, pass},
    {"livenessProbe.httpGet.port",          TextOrNumber, pass},
    {"livenessProbe.httpGet.scheme",        Text, choice("HTTP HTTPS")},
    {"livenessProbe.httpGet.httpHeaders",   Any,  drop},
    {"livenessProbe.tcpSocket.host",        Text, pass},
    {"livenessProbe.tcpSocket.port",        TextOrNumber, pass},
    {"livenessProbe.grpc",                  Any,  deny_field},
    {"livenessProbe.initialDelaySeconds",   Unsigned, bounds::within(0, 24 * 3600)},
    {"livenessProbe.periodSeconds",         Unsigned, bounds::within(0, 24 * 3600)},
    {"livenessProbe.timeoutSeconds",        Unsigned, bounds::within(0, 24 * 3600)},
    {"livenessProbe.failureThreshold",      Unsigned, bounds::health_count},
    {"livenessProbe.successThreshold",      Any,  drop},
    {"livenessProbe.terminationGracePeriodSeconds", Any, drop},
    {"readinessProbe",             Any,      drop},
    {"startupProbe",               Any,      drop},
    {"lifecycle",                  Any,      drop},
    {"terminationMessagePath",     Any,      drop},
    {"terminationMessagePolicy",   Any,      drop},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> kube_metadata_rows = metadata;
constinit const std::span<const Row> kube_pod_rows = pods;
constinit const std::span<const Row> kube_deployment_rows = deployment;
constinit const std::span<const Row> kube_configuration_rows = configuration;
constinit const std::span<const Row> kube_secret_rows = secret_object;
constinit const std::span<const Row> kube_claim_rows = claim;
constinit const std::span<const Row> kube_pod_spec_rows = pod_spec;
constinit const std::span<const Row> kube_container_rows = containers;

}  // namespace podfence::rules
