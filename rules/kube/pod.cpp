#include "rules/kube/pod.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/json_path.hpp"
#include "rules/kube/quantity.hpp"
#include "rules/members.hpp"
#include "rules/units.hpp"

namespace podfence::rules::kube {

namespace {

void set_text(json::Value& content, std::string_view path, std::string_view text) {
  if (!text.empty()) json::make(content, path) = text;
}

void set_list(json::Value& content, std::string_view path, const json::Array& items) {
  if (!items.empty()) json::make(content, path) = items;
}

std::optional<std::int64_t> amount(const json::Value& container, std::string_view path, std::int64_t unit) {
  const json::Value* value = json::at(container, path);
  return value ? parse_quantity(*value, unit) : std::nullopt;
}

void add_limits(const json::Value& container, json::Value& content) {
  const auto set = [&](std::string_view path, const std::optional<std::int64_t>& number) {
    if (number && *number > 0) json::make(content, path) = json::Value::integer(*number);
  };
  set("resource_limits.memory.limit", amount(container, "resources.limits.memory", 1));
  set("resource_limits.memory.reservation", amount(container, "resources.requests.memory", 1));
  const auto cpus = amount(container, "resources.limits.cpu", processor);
  if (!cpus || *cpus == 0) return;
  set("resource_limits.cpu.quota", std::max<std::int64_t>(*cpus / (processor / default_period), 1));
  set("resource_limits.cpu.period", default_period);
}

/// The container's own word, else the pod's.
std::optional<std::int64_t> run_as(std::string_view member, const json::Value& container, const json::Value& spec) {
  const auto own = json::part(container, "securityContext").int64(member);
  return own ? own : json::part(spec, "securityContext").int64(member);
}

void add_privileges(const json::Value& container, const json::Value& spec, json::Value& content) {
  const auto& context = json::part(container, "securityContext");
  set_list(content, "cap_add", json::part(context, "capabilities").list("add"));
  set_list(content, "cap_drop", json::part(context, "capabilities").list("drop"));
  if (context.flag("readOnlyRootFilesystem")) content.set("read_only_filesystem", true);
  const json::Value* escalates = context.find("allowPrivilegeEscalation");
  if (escalates && !*escalates->boolean()) content.set("no_new_privileges", true);
  const auto user = run_as("runAsUser", container, spec);
  const auto group = run_as("runAsGroup", container, spec);
  if (user || group)
    content.set("user", std::to_string(user.value_or(0)) + (group ? ":" + std::to_string(*group) : ""));
  json::Value groups = json::Value::array();
  for (const auto& each : json::part(spec, "securityContext").list("supplementalGroups"))
    groups.push(each.number()->text);
  set_list(content, "groups", *groups.items());
}

/// A command in YAML is what an image calls its entrypoint; its arguments are the image's, unless the YAML says some.
void add_command(const json::Value& container, json::Value& content) {
  set_list(content, "entrypoint", container.list("command"));
  set_list(content, "command", container.list("args"));
  set_text(content, "work_dir", container.text("workingDir"));
  if (container.flag("tty")) content.set("terminal", true);
  if (container.flag("stdin")) content.set("stdin", true);
}

std::string_view restart_policy(std::string_view word) {
  if (word == "OnFailure") return "on-failure";
  return word == "Never" ? "no" : "always";
}

/// Null where nothing is said.
json::Value logging_of(const Options& options) {
  json::Value logging;
  set_text(logging, "driver", options.log_driver);
  Members said;
  for (const std::string_view option : options.log_options) {
    const auto equals = std::min(option.find('='), option.size());
    said[std::string(option.substr(0, equals))] = option.substr(std::min(equals + 1, option.size()));
  }
  if (!said.empty()) logging.set("options", std::move(said).take());
  return logging;
}

void add_lifetime(const json::Value& container, const json::Value& spec, bool runs_first, json::Value& content) {
  if (runs_first) {
    content.set("init_container_type", "once");
    return;
  }
  const auto policy = restart_policy(spec.text("restartPolicy"));
  content.set("restart_policy", policy);
  if (const auto seconds = spec.int64("terminationGracePeriodSeconds"))
    content.set("stop_timeout", json::Value::integer(*seconds));
  auto check = health_check_of(container);
  if (check.is_null()) return;
  constexpr std::int64_t restarts = 3;  // libpod/define: HealthCheckOnFailureActionRestart
  content.set("healthconfig", std::move(check));
  if (policy == "always") content.set("health_check_on_failure_action", json::Value::integer(restarts));
}

PullPolicy pull_policy(std::string_view word) {
  if (word == "Always") return PullPolicy::Newer;
  return word == "Never" ? PullPolicy::Never : PullPolicy::Missing;
}

/// What is made of a container that says nothing, about.
constexpr std::size_t bytes_of_container = 4096;

/// What is the same for all containers of a pod, and the pod that they are put into.
struct Making {
  const PodSource& source;
  const Upload& upload;
  json::Value logging;
  Pod& pod;
  Extent& extent;
  Mounts mounts;
};

std::optional<Deny> add_container(const json::Value& yaml, bool runs_first, Making& making) {
  auto& [source, upload, logging, pod, extent, mounts] = making;
  Container made;
  made.name = yaml.text("name");
  made.image = yaml.text("image");
  made.pull = pull_policy(yaml.text("imagePullPolicy"));
  made.runs_first = runs_first;
  const bool known = contains(pod.containers, made.name, &Container::name);
  if (made.name.empty() || known) return Deny{refusal("kube.name"), "container " + made.name, Kind::None};
  if (made.image.empty()) return Deny{refusal("kube.reference"), "image of " + made.name, Kind::None};
  json::Value& content = made.content;
  content.set("name", source.name + "-" + made.name);
  content.set("image", made.image);
  content.set("labels", json::part(source.metadata, "labels"));
  add_command(yaml, content);
  add_limits(yaml, content);
  add_privileges(yaml, source.spec, content);
  add_lifetime(yaml, source.spec, runs_first, content);
  if (!logging.is_null()) content.set("log_configuration", logging);
  if (auto deny = extent.add(bytes_of_container + json::footprint(content))) return deny;
  auto environment = environment_of(yaml, source, upload, extent);
  if (auto* deny = std::get_if<Deny>(&environment)) return std::move(*deny);
  auto& variables = std::get<Environment>(environment);
  content.set("env", std::move(variables.variables));
  made.secrets = std::move(variables.secrets);
  if (auto deny = mounts.add_all(yaml, content)) return deny;
  pod.containers.push_back(std::move(made));
  return std::nullopt;
}

/// Podman 4.3 publishes every port that is named, as later ones do when they are told to publish all.
void add_ports(const json::Value& spec, const Options& options, json::Value& content) {
  for (const auto& container : spec.list("containers"))
    for (const auto& port : container.list("ports")) {
      const auto inside = port.int64("containerPort").value_or(0);
      const auto outside = port.int64("hostPort").value_or(options.publish_all ? inside : 0);
      if (outside == 0) continue;
      json::Value mapping;
      mapping.set("host_ip", port.text("hostIP"));
      mapping.set("host_port", json::Value::integer(outside));
      mapping.set("container_port", json::Value::integer(inside == 0 ? outside : inside));
      mapping.set("protocol", ascii::lower(port.text("protocol")));
      json::make(content, "portmappings").push(std::move(mapping));
    }
}

void add_names(const json::Value& spec, json::Value& content) {
  for (const auto& alias : spec.list("hostAliases"))
    for (const auto& name : alias.list("hostnames"))
      json::make(content, "hostadd").push(*name.string() + ":" + std::string(alias.text("ip")));
  const auto& dns = json::part(spec, "dnsConfig");
  set_list(content, "dns_server", dns.list("nameservers"));
  set_list(content, "dns_search", dns.list("searches"));
  for (const auto& option : dns.list("options")) {
    const auto value = option.text("value");
    json::make(content, "dns_option")
        .push(std::string(option.text("name")) + (value.empty() ? "" : ":" + std::string(value)));
  }
  Members sysctls;
  for (const auto& sysctl : json::part(spec, "securityContext").list("sysctls"))
    sysctls[std::string(sysctl.text("name"))] = sysctl.text("value");
  if (!sysctls.empty()) content.set("sysctl", std::move(sysctls).take());
}

bool is_mode(std::string_view network) {
  constexpr auto modes = std::to_array<std::string_view>({"none", "private", "host", "slirp4netns", "pasta"});
  return contains(modes, network) || network.find(':') != std::string_view::npos;
}

/// One mode, or networks. The bridge that everybody shares is the default, and means nothing more than that.
std::optional<Deny> add_network(const Options& options, std::size_t number, json::Value& content) {
  for (const auto& network : options.networks) {
    if (is_mode(network) && options.networks.size() > 1) return Deny{refusal("network.mode"), network, Kind::None};
    const auto colon = network.find(':');
    if (is_mode(network)) {
      json::make(content, "netns.nsmode") = network.substr(0, colon);
      if (colon != std::string::npos) json::make(content, "netns.value") = network.substr(colon + 1);
    } else if (network != "bridge") {
      json::make(content, "netns.nsmode") = "bridge";
      json::make(content, "Networks").set(network, json::Value::object());
    }
  }
  const bool has_address = options.addresses.size() > number, has_hardware = options.hardware_addresses.size() > number;
  if (!has_address && !has_hardware) return std::nullopt;
  json::Value* networks = content.find("Networks");
  if (!networks || networks->members()->size() != 1)
    return Deny{refusal("query.refused"), "staticIPs and staticMACs without one network", Kind::None};
  json::Value& network = networks->members()->front().value;
  if (has_address) json::make(network, "static_ips").push(options.addresses[number]);
  if (has_hardware) network.set("static_mac", options.hardware_addresses[number]);
  return std::nullopt;
}

std::optional<Deny> add_content(const PodSource& source, const Options& options, std::size_t number,
                                json::Value& content) {
  content.set("name", source.name);
  content.set("labels", json::part(source.metadata, "labels"));
  const auto hostname = source.spec.text("hostname");
  content.set("hostname", hostname.empty() ? std::string_view(source.name) : hostname);
  json::Value shared = json::Value::array();
  for (const auto* space : {"ipc", "net", "uts"}) shared.push(space);
  if (source.spec.flag("shareProcessNamespace")) shared.push("pid");
  content.set("shared_namespaces", std::move(shared));
  content.set("exit_policy", "stop");
  if (options.no_hosts) content.set("no_manage_hosts", true);
  if (options.no_hostname) content.set("no_manage_hostname", true);
  if (!options.user_namespace.empty() && options.user_namespace != "host")
    json::make(content, "userns.nsmode") = options.user_namespace;
  add_ports(source.spec, options, content);
  add_names(source.spec, content);
  return add_network(options, number, content);
}

}  // namespace

std::variant<Pod, Deny> make_pod(const PodSource& source, const Upload& upload, const Options& options,
                                 std::size_t number, Extent& extent) {
  Pod pod;
  pod.name = source.name;
  if (auto deny = add_content(source, options, number, pod.content)) return *std::move(deny);
  if (auto deny = extent.add(json::footprint(pod.content))) return *std::move(deny);
  Making making{source, upload, logging_of(options), pod, extent, Mounts(source, upload, pod, extent)};
  for (const auto* member : {"initContainers", "containers"})
    for (const auto& container : source.spec.list(member))
      if (auto deny = add_container(container, std::string_view(member) == "initContainers", making))
        return *std::move(deny);
  if (source.spec.list("containers").empty())
    return Deny{refusal("kube.nothing"), "the pod " + source.name + " has no containers", Kind::None};
  return pod;
}

}  // namespace podfence::rules::kube
