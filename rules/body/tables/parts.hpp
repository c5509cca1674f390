#pragma once
// The tables, and the parts that several of them have in common.

#include <span>

#include "rules/body/table.hpp"

namespace podfence::rules {

extern const std::span<const Row> container_compat_rows, container_libpod_rows, pod_rows;
extern const std::span<const Row> update_compat_rows, update_libpod_rows;
extern const std::span<const Row> volume_compat_rows, volume_libpod_rows;
extern const std::span<const Row> network_compat_rows, network_libpod_rows, network_update_rows;
extern const std::span<const Row> connect_compat_rows, connect_libpod_rows, disconnect_rows;
extern const std::span<const Row> exec_create_rows, exec_start_rows, exec_remove_rows;
extern const std::span<const Row> registry_login_rows, secret_rows, manifest_rows;
extern const std::span<const Row> kube_pod_rows, kube_deployment_rows, kube_configuration_rows, kube_claim_rows,
    kube_secret_rows;
extern const std::span<const Row> kube_metadata_rows, kube_pod_spec_rows, kube_container_rows;  ///< parts of those

extern const std::span<const Row> host_resource_rows;   ///< Docker's Resources: container create and update
extern const std::span<const Row> linux_resource_rows;  ///< the runtime specification's LinuxResources
extern const std::span<const Row> health_rows;          ///< both families: HealthConfig
extern const std::span<const Row> endpoint_rows;        ///< Docker's EndpointSettings
extern const std::span<const Row> network_use_rows;     ///< Podman's PerNetworkOptions
extern const std::span<const Row> namespace_rows;       ///< libpod's namespaces of containers and pods
extern const std::span<const Row> storage_rows;         ///< libpod's mounts of containers and pods

}  // namespace podfence::rules
