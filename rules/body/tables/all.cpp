// The list of tables. A function, because spans of other files are not constants here.

#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

std::span<const Table> tables() {
  static const Part container_compat[] = {{"", container_compat_rows},
                                          {"Healthcheck.", health_rows},
                                          {"HostConfig.", host_resource_rows},
                                          {"NetworkingConfig.EndpointsConfig{}.", endpoint_rows}};
  static const Part container_libpod[] = {{"", container_libpod_rows},
                                          {"", namespace_rows},
                                          {"Networks{}.", network_use_rows},
                                          {"", storage_rows},
                                          {"healthconfig.", health_rows},
                                          {"startupHealthConfig.", health_rows},
                                          {"resource_limits.", linux_resource_rows}};
  static const Part pod[] = {{"", pod_rows},
                             {"", namespace_rows},
                             {"Networks{}.", network_use_rows},
                             {"", storage_rows},
                             {"resource_limits.", linux_resource_rows}};
  static const Part update_compat[] = {{"", update_compat_rows}, {"", host_resource_rows}};
  // Resources: a name in Podman 4.3's description, which reads them at the top like later versions.
  static const Part update_libpod[] = {
      {"", update_libpod_rows}, {"", linux_resource_rows}, {"Resources.", linux_resource_rows}};
  static const Part volume_compat[] = {{"", volume_compat_rows}};
  static const Part volume_libpod[] = {{"", volume_libpod_rows}};
  static const Part network_compat[] = {{"", network_compat_rows}};
  static const Part network_libpod[] = {{"", network_libpod_rows}};
  static const Part network_update[] = {{"", network_update_rows}};
  static const Part connect_compat[] = {{"", connect_compat_rows}, {"EndpointConfig.", endpoint_rows}};
  static const Part connect_libpod[] = {{"", connect_libpod_rows}, {"", network_use_rows}};
  static const Part disconnect[] = {{"", disconnect_rows}};
  static const Part exec_create[] = {{"", exec_create_rows}};
  static const Part exec_start[] = {{"", exec_start_rows}};
  static const Part exec_remove[] = {{"", exec_remove_rows}};
  static const Part registry_login[] = {{"", registry_login_rows}};
  static const Part secret[] = {{"", secret_rows}};
  static const Part kube_pod[] = {{"", kube_pod_rows},
                                  {"metadata.", kube_metadata_rows},
                                  {"spec.", kube_pod_spec_rows},
                                  {"spec.initContainers[].", kube_container_rows},
                                  {"spec.containers[].", kube_container_rows}};
  static const Part kube_deployment[] = {{"", kube_deployment_rows},
                                         {"metadata.", kube_metadata_rows},
                                         {"spec.template.metadata.", kube_metadata_rows},
                                         {"spec.template.spec.", kube_pod_spec_rows},
                                         {"spec.template.spec.initContainers[].", kube_container_rows},
                                         {"spec.template.spec.containers[].", kube_container_rows}};
  static const Part kube_configuration[] = {{"", kube_configuration_rows}, {"metadata.", kube_metadata_rows}};
  static const Part kube_secret[] = {{"", kube_secret_rows}, {"metadata.", kube_metadata_rows}};
  static const Part kube_claim[] = {{"", kube_claim_rows}, {"metadata.", kube_metadata_rows}};
  static const Part manifest[] = {{"", manifest_rows}};
  static const Table all[] = {
      {Body::ContainerCreateCompat, "Container create (Docker API)", container_compat},
      {Body::ContainerCreateLibpod, "Container create (libpod API)", container_libpod},
      {Body::ContainerUpdateCompat, "Container update (Docker API)", update_compat},
      {Body::ContainerUpdateLibpod, "Container update (libpod API)", update_libpod},
      {Body::PodCreate, "Pod create", pod},
      {Body::VolumeCreateCompat, "Volume create (Docker API)", volume_compat},
      {Body::VolumeCreateLibpod, "Volume create (libpod API)", volume_libpod},
      {Body::NetworkCreateCompat, "Network create (Docker API)", network_compat},
      {Body::NetworkCreateLibpod, "Network create (libpod API)", network_libpod},
      {Body::NetworkConnectCompat, "Network connect (Docker API)", connect_compat},
      {Body::NetworkConnectLibpod, "Network connect (libpod API)", connect_libpod},
      {Body::NetworkDisconnect, "Network disconnect (both APIs)", disconnect},
      {Body::NetworkUpdate, "Network update (libpod API)", network_update},
      {Body::ExecCreateCompat, "Exec create (Docker API)", exec_create},
      {Body::ExecCreateLibpod, "Exec create (libpod API)", exec_create},
      {Body::ExecStart, "Exec start (both APIs)", exec_start},
      {Body::RegistryLogin, "Registry login (Docker API)", registry_login},
      {Body::SecretCreate, "Secret create (Docker API)", secret},
      {Body::ManifestModify, "Manifest list: create and change (libpod API)", manifest},
      {Body::ExecRemove, "Exec remove (libpod API)", exec_remove},
      {Body::KubePod, "Kubernetes: Pod", kube_pod},
      {Body::KubeDeployment, "Kubernetes: Deployment", kube_deployment},
      {Body::KubeConfigMap, "Kubernetes: ConfigMap", kube_configuration},
      {Body::KubeSecret, "Kubernetes: Secret", kube_secret},
      {Body::KubeClaim, "Kubernetes: PersistentVolumeClaim", kube_claim},
  };
  return all;
}

}  // namespace podfence::rules
