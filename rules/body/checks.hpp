#pragma once
// The checks that the field tables name. Both API families use the same ones. Each is a Rule: the function (in the
// check_*.cpp that the group's heading says) and the sentence that docs/fields.md prints.

#include "rules/body/bounds.hpp"
#include "rules/body/table.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

// check_reference.cpp: names of other objects, resolved through the facts and written as full ids
Check judge_image, judge_image_volume, judge_container, judge_volumes_from, judge_pod, judge_secret,
    judge_environment_secret;
inline constexpr Rule image = checked(judge_image, "an image of yours or a shared one; sent on as its full id");
/// One that is mounted: what it declares is not the container's.
inline constexpr Rule image_volume = checked(judge_image_volume, image.says);
inline constexpr Rule container = checked(judge_container, "a container of yours; sent on as its full id");
inline constexpr Rule volumes_from = checked(judge_volumes_from,
                                             "a container of yours, sent on with its full id; `:ro` behind it where "
                                             "that one mounts nothing of the host, `:rw` says nothing");
inline constexpr Rule pod = checked(judge_pod, "a pod of yours; sent on as its full id");
inline constexpr Rule secret = checked(judge_secret, "a secret of yours; sent on as its full id");
inline constexpr Rule environment_secret = checked(
    judge_environment_secret, "a secret of yours; sent on as its full id, and kept while the container is there");

// check_registry.cpp
Check judge_registry;
inline constexpr Rule registry = checked(judge_registry, "a registry that the project may use, without a path");

// check_name.cpp: names that are given to new objects
template <Kind kind>
std::optional<Deny> judge_new_name(json::Value& value, const Place& place);
Check judge_network_name;
template <Kind kind>
inline constexpr Rule new_name = checked(judge_new_name<kind>, "a name that could not be taken for an id");
inline constexpr Rule network_name =
    checked(judge_network_name, "a name that could not be taken for an id, and none of Podman's own networks");

// check_label.cpp
Check judge_label, judge_annotation;
inline constexpr Rule label = checked(
    judge_label, "reserved names are refused, but for `PODMAN_SYSTEMD_UNIT`: dropped; your project's label is added");
inline constexpr Rule annotation =
    checked(judge_annotation, "refused, but for those by which podman repeats a field: dropped");
/// Does the host act on labels and annotations of that name?
bool is_reserved_label(std::string_view name);
/// `NAME=value`. Podman fills `NAME`, and every name that fits `PRE*`, from the environment of its service.
bool says_value(std::string_view entry);
/// Puts the project's label into the map of that name, which is made where it is missing. Bounds what all labels say.
std::optional<Deny> add_project_label(json::Value& content, std::string_view labels, const Project& project);

// check_environment.cpp
Check judge_environment, judge_host_entry, judge_group, judge_timezone, judge_umask, judge_duration;
inline constexpr Rule environment =
    confidential(checked(judge_environment, "`NAME=value`; a bare name or `*` would read the host's"));
// check_environment_merge.cpp
Check judge_merged_environment, judge_account_line, judge_directory;
inline constexpr Rule merged_environment = confidential(checked(
    judge_merged_environment, "`NAME=value`, short, with one `$` at most; few, and none where variables are long"));
inline constexpr Rule account_line = checked(judge_account_line, "one short line with few `$`");
inline constexpr Rule directory = checked(judge_directory, "up to 4095 bytes");
/// When all of the content is judged. `merged` and `environment`: names of members.
std::optional<Deny> check_merged_environment(const json::Value& content, std::string_view merged,
                                             std::string_view environment, const Place& place);
inline constexpr Rule host_entry = checked(judge_host_entry, "`name:address`, no host-gateway");
inline constexpr Rule group = checked(judge_group, "a name or number, no keep-groups");
inline constexpr Rule timezone = checked(judge_timezone, "the name of a time zone, no path");
inline constexpr Rule umask = checked(judge_umask, "one to four octal digits");
inline constexpr Rule health_period_text = checked(judge_duration, "a duration of one second or more (`30s`, `1m30s`)");

// check_kube.cpp
Check judge_kube_name, judge_kube_annotation, judge_kube_host_users, judge_kube_host_path_type, judge_kube_resource,
    judge_base64_text, judge_exact_base64_text;
inline constexpr Rule kube_name = checked(judge_kube_name, "a name that could not be taken for an id");
inline constexpr Rule kube_annotation =
    checked(judge_kube_annotation, "never sent; those that Podman acts on are refused");
inline constexpr Rule kube_host_users =
    keep_zero(checked(judge_kube_host_users, "true says nothing, false is refused"));
inline constexpr Rule kube_host_path_type =
    checked(judge_kube_host_path_type, "of a directory, file or socket: nothing is made; no device");
inline constexpr Rule kube_resource =
    checked(judge_kube_resource, "keys: `cpu` and `memory`; `ephemeral-storage` is dropped");
inline constexpr Rule base64_text = checked(judge_base64_text, "base64");
inline constexpr Rule exact_base64_text =
    checked(judge_exact_base64_text, "base64 with `+`, `/` and `=`; ends of lines say nothing");

// check_limit.cpp
Check judge_ulimit, judge_cpu_set;
inline constexpr Rule ulimit = checked(judge_ulimit, "a known limit within its bound, soft not above hard");
inline constexpr Rule cpu_set = checked(judge_cpu_set, "numbers, commas and dashes");

// check_privilege.cpp
Check judge_capability, judge_security_option, judge_sysctl, judge_log_option;
inline constexpr Rule capability =
    checked(judge_capability, "one of those that policy names; Podman's default set, unless it says otherwise");
inline constexpr Rule security_option = checked(judge_security_option, "`no-new-privileges` or `mask=`");
inline constexpr Rule sysctl = checked(judge_sysctl, "one of the safe ones that belong to the container's namespaces");
inline constexpr Rule log_option =
    checked(judge_log_option,
            "`max-size`; `tag`, with `{{.ID}}`, `{{.Name}}` and `{{.ImageName}}` in it; `max-file`, `compress`, `mode` "
            "and `max-buffer-size` are dropped");
inline constexpr Rule deny_privileged = deny(refusal("privilege.privileged"));
inline constexpr Rule deny_device = deny(refusal("privilege.device"));
inline constexpr Rule deny_security = deny(refusal("privilege.security-option"));
inline constexpr Rule deny_path = deny(refusal("mount.host-path"));
inline constexpr Rule deny_limit = deny(refusal("limit.bound"));
inline constexpr Rule deny_infra = deny(refusal("pod.infra"));

// check_namespace.cpp: compat has them as a text (`container:web`), libpod as {nsmode, value}
Check judge_pid_text, judge_ipc_text, judge_uts_text, judge_cgroup_text, judge_user_text, judge_network_text;
Check judge_pid_object, judge_ipc_object, judge_uts_object, judge_cgroup_object, judge_user_object,
    judge_network_object;
inline constexpr std::string_view private_or_joined = "private, or of a container of yours";
inline constexpr Rule pid_text = checked(judge_pid_text, private_or_joined);
inline constexpr Rule ipc_text = checked(judge_ipc_text, "private, shareable, none, or of a container of yours");
inline constexpr Rule uts_text = checked(judge_uts_text, private_or_joined);
inline constexpr Rule cgroup_text = checked(judge_cgroup_text, "private");
inline constexpr Rule user_text = checked(judge_user_text, "the rootless user's own, or keep-id");
inline constexpr Rule network_text =
    checked(judge_network_text, "none, private (the default), of a container of yours, or one network of yours");
inline constexpr Rule pid_object = checked(judge_pid_object, private_or_joined);
inline constexpr Rule ipc_object = checked(judge_ipc_object, ipc_text.says);
inline constexpr Rule uts_object = checked(judge_uts_object, private_or_joined);
inline constexpr Rule cgroup_object = checked(judge_cgroup_object, cgroup_text.says);
inline constexpr Rule user_object = checked(judge_user_object, user_text.says);
inline constexpr Rule network_object = checked(
    judge_network_object, "none, private (the default), of a container of yours, or bridge with networks of yours");

// check_network.cpp
Check judge_network, judge_network_key, judge_network_item, judge_address, judge_hardware_address, judge_interface,
    judge_alias, judge_hostname;
Check finish_connect_compat, finish_connect_libpod;  // short_name.cpp
Check judge_subnet, judge_network_option_compat, judge_network_option_libpod;
inline constexpr Rule network_key =
    checked(judge_network_key, "keys: networks of yours; sent on as full ids; the shared default network is left out");
inline constexpr Rule network_item = checked(judge_network_item, "a network of yours; sent on as its full id");
inline constexpr Rule address = checked(judge_address, "an IP address");
inline constexpr Rule hardware_address = checked(judge_hardware_address, "a hardware address");
inline constexpr Rule interface_name = checked(judge_interface, "up to 15 letters and digits");
inline constexpr Rule alias = checked(judge_alias, "letters, digits, '_', '.' and '-'");
inline constexpr Rule hostname = checked(judge_hostname, "letters, digits, '_', '.' and '-'");
inline constexpr Rule subnet =
    checked(judge_subnet, "a subnet within one of those that policy names, /16 to /30 (v6: /48 to /126)");
inline constexpr Rule network_option_compat =
    checked(judge_network_option_compat, "`com.docker.network.driver.mtu`; `isolate=true` is added");
inline constexpr Rule network_option_libpod = checked(judge_network_option_libpod, "`mtu`; `isolate=true` is added");

/// Without it Podman's bridges route to each other, so to the networks of other projects.
inline constexpr std::string_view isolate_option = "isolate";

// check_port.cpp
Check judge_publish_exposed, judge_port_key, judge_port_binding, judge_port_mapping, judge_expose_key;
inline constexpr Rule publish_exposed =
    checked(judge_publish_exposed, "becomes a published port for each that is exposed, on 127.0.0.1");
inline constexpr Rule port_key = checked(judge_port_key, "keys: `80`, `80/tcp`, `80/udp`");
inline constexpr Rule expose_key = checked(judge_expose_key, "keys: a port; `tcp` or `udp`");
inline constexpr Rule port_binding =
    checked(judge_port_binding, "on 127.0.0.1 only; host port of the project's range, or left to podfence or Podman");
inline constexpr Rule port_mapping = checked(judge_port_mapping, port_binding.says);

// check_mount.cpp, mount.cpp, check_host_mount.cpp
Check judge_bind, judge_mount, judge_volume_key, judge_tmpfs, judge_mount_libpod, judge_volume_libpod, judge_target;
inline constexpr Rule bind = checked(judge_bind,
                                     "`source:target[:options]`; a named volume of yours, made if missing, a "
                                     "workspace, or the engine's socket");
inline constexpr Rule mount = checked(judge_mount,
                                      "a volume of yours (made if missing), an anonymous one, a tmpfs, or a bind of a "
                                      "workspace or of the engine's socket");
inline constexpr Rule volume_key = checked(judge_volume_key, "keys: absolute paths in the container");
inline constexpr Rule tmpfs =
    checked(judge_tmpfs, "keys: absolute paths in the container; harmless options; a size is added");
inline constexpr Rule mount_libpod = checked(judge_mount_libpod,
                                             "a tmpfs with harmless options, a size is added; or a bind of a workspace "
                                             "or of the engine's socket");
inline constexpr Rule volume_libpod =
    checked(judge_volume_libpod, "a named volume of yours, made if missing, or an anonymous one");
inline constexpr Rule target = checked(judge_target, "an absolute, clean path in the container");

// finish.cpp: whole contents
Check finish_container_compat, finish_container_libpod, finish_pod, finish_update_compat, finish_update_libpod;
Check finish_volume_libpod, finish_labels_compat, finish_network_compat, finish_network_libpod, finish_secret,
    finish_manifest;

// check_secret.cpp
Check judge_secret_driver;
inline constexpr Rule secret_driver = checked(judge_secret_driver, "`file`");

}  // namespace podfence::rules
