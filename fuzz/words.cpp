#include "fuzz/words.hpp"

#include <set>

#include "rules/body/table.hpp"
#include "rules/configuration_schema.hpp"
#include "rules/endpoint.hpp"
#include "rules/json.hpp"
#include "rules/query_table.hpp"

namespace podfence::fuzz {

namespace {

using Names = std::set<std::string, std::less<>>;

void add_steps(std::string_view path, Names& names) {
  while (!path.empty()) {
    const auto step = rules::take_step(path);
    if (step != "[]" && step != "{}") names.emplace(step);
  }
}

void add_properties(const rules::json::Value& schema, Names& names) {
  if (const auto* items = schema.items())
    for (const auto& item : *items) add_properties(item, names);
  if (!schema.members()) return;
  for (const auto& [name, value] : *schema.members()) {
    if (name == "properties")
      for (const auto& property : *value.members()) names.insert(property.name);
    add_properties(value, names);
  }
}

Names all_names() {
  Names names;
  for (const auto& table : rules::tables())
    for (const auto& part : table.parts)
      for (const auto& row : part.rows) add_steps(std::string(part.prefix).append(row.path), names);
  for (const auto& endpoint : rules::endpoints()) {
    for (const auto& parameter : rules::parameters_of(endpoint.query)) names.emplace(parameter.name);
    for (const auto& key : rules::filters_of(endpoint.query).keys) names.emplace(key.name);
  }
  add_properties(std::get<rules::json::Value>(rules::json::parse(rules::configuration_schema)), names);
  names.insert("appx.project");
  return names;
}

}  // namespace

const std::vector<std::string>& known_names() {
  static const auto names = [] {
    const auto all = all_names();
    return std::vector<std::string>(all.begin(), all.end());
  }();
  return names;
}

const std::vector<std::string_view>& telling_texts() {
  // clang-format off
  static const std::vector<std::string_view> texts{
      // objects of the two projects in world.cpp, and what a name could be taken for
      "web", "web10", "db", "pod", "pod10", "net", "net10", "data", "data10", "fresh", "podman", "bridge", "default",
      "localhost/shared/base", "localhost/shared/base:latest", "mine:1", "docker.io/library/theirs:1", "both:1",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaa",
      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "bbbbbbbbbbbb",
      "9999999999999999999999999999999999999999999999999999999999999999", "podfence.p1", "p1", "p10", "appx.project",
      "appx.project=p1", "appx.project=p10",
      // namespaces and networks
      "host", "private", "none", "shareable", "container", "container:web", "container:web10", "ns:/proc/1/ns/net",
      "path", "pod", "keep-id", "auto", "bridge:ip=10.0.0.2", "slirp4netns:allow_host_loopback=true", "pasta:-t,80",
      // mounts
      "/", "/etc", "/proc/1/root", "/workspace", "/workspace/sub", "/srv/p1/src", "/srv/p1/src/sub/..", "/docs",
      "/run/podman/podman.sock", "/var/run/docker.sock", "data:/x", "data10:/x", "fresh:/x:ro", "/workspace:/x:rw,z",
      "/workspace/sub:/x", "/:/host", "bind", "volume", "tmpfs", "rbind", "rslave", "U", "O", "suid,dev", "size=1g",
      // privileges, limits, environment
      "SYS_ADMIN", "cap_net_bind_service", "ALL", "no-new-privileges", "seccomp=unconfined", "label=disable",
      "unmask=ALL", "nofile", "RLIMIT_NOFILE", "net.ipv4.ip_forward", "kernel.msgmax", "A=b", "A", "*", "PATH*",
      "io.podman.annotations.cid-file", "run.oci.keep_original_groups", "io.containers.autoupdate", "10.1.2.0/24",
      "10.89.200.0/24", "10.1.2.3", "0.0.0.0", "127.0.0.1", "::1", "fd00::/64", "80/tcp", "80-90/tcp", "8080", "tcp", "host-gateway",
      "name:10.0.0.1", "keep-groups", "json-file", "on-failure", "always", "local", "nfs", "30s", "1h", "true",
      "false", "0", "1", "-1", "1e3", "1g", "512m", "1.5",
      // events and states
      "container", "image", "network", "create", "remove", "connect", "died", "running", "Running", "exited", "read",
      "full", "open", "project", "builder", "read-only",
  };
  // clang-format on
  return texts;
}

const std::vector<std::string_view>& telling_numbers() {
  // clang-format off
  static const std::vector<std::string_view> numbers{
      "0", "1", "-1", "-0", "2", "80", "1023", "1024", "65535", "65536", "20000", "1048576", "134217728",
      "1073741824", "8589934592", "2147483647", "2147483648", "4294967296", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
      "18446744073709551616", "1e2", "1.0", "0.5", "1e400", "1E-400", "1000000000", "10000000",
  };
  // clang-format on
  return numbers;
}

}  // namespace podfence::fuzz
