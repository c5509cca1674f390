#include "rules/policy.hpp"

#include <algorithm>

#include "rules/contains.hpp"
#include "rules/units.hpp"

namespace podfence::rules {

namespace {

/// Up to nine decimals, none that says nothing.
std::string decimal_text(std::int64_t billionths) {
  std::string text = std::to_string(billionths / processor);
  std::string fraction = std::to_string(processor + billionths % processor).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

std::string size_text(std::int64_t bytes) {
  constexpr std::pair<std::int64_t, const char*> units[] = {{gibi, "g"}, {mebi, "m"}, {kibi, "k"}};
  for (const auto& [size, letter] : units)
    if (bytes != 0 && bytes % size == 0) return std::to_string(bytes / size) + letter;
  return std::to_string(bytes);
}

bool is_beyond_default(const std::string& capability) {
  static const Privileges standard;
  return !contains(standard.capabilities, capability);
}

struct Opening {
  std::string_view name;
  std::string_view meaning;
  bool (*is_on)(const Policy& policy);
};

constexpr Opening opening_table[] = {
    {"insecure_bind_subpaths",
     "paths below workspaces can be mounted, and a client that puts a symbolic link there between two starts reaches "
     "other files of the host",
     [](const Policy& policy) { return policy.bind_subpaths; }},
    {"insecure_manifests",
     "manifest lists can be made on every Podman, and before 5.0 one of them beside an image without layers and name "
     "keeps everybody's images from being listed",
     [](const Policy& policy) { return policy.manifests; }},
    {"insecure_new_privileges", "set-user-id programs of images make their callers root within the container",
     [](const Policy& policy) { return policy.privileges.new_privileges; }},
    {"insecure_network",
     "RUN steps of builds have a network on every Podman, and before 5.0 what listens on the host's loopback addresses "
     "is in it, as 10.0.2.2",
     [](const Policy& policy) { return policy.build.network; }},
    {"insecure_urls",
     "ADD of a Dockerfile fetches what it names in the network of the host, its loopback addresses included",
     [](const Policy& policy) { return policy.build.urls; }},
    {"insecure_capabilities",
     "containers can have capabilities beyond Podman's default set, and more of the kernel is open to them",
     [](const Policy& policy) { return std::ranges::any_of(policy.privileges.capabilities, is_beyond_default); }},
};

}  // namespace

// Only sizes that need no cgroup controller are forced on a client that says nothing: a limit that the host has no
// controller for makes the container fail to start.
// clang-format off
constinit const std::array<AmountRow, amount_count> amount_rows = {{
    {Amount::Memory,         "memory",          Unit::Bytes,       {{}, {}, 64 * gibi}},
    {Amount::Cpus,           "cpus",            Unit::Processors,  {{}, {}, 1024 * processor}},
    {Amount::Processes,      "pids",            Unit::Count,       {{}, {}, 16384}},
    {Amount::SharedMemory,   "shm",             Unit::Bytes,       {{}, {}, gibi}, true},
    {Amount::Tmpfs,          "tmpfs",           Unit::Bytes,       {{}, gibi, 8 * gibi}},
    {Amount::OpenFiles,      "nofile",          Unit::Count,       {{}, {}, 1'048'576}},
    {Amount::UserProcesses,  "nproc",           Unit::Count,       {{}, {}, 65536}},
    {Amount::LogSize,        "log_size",        Unit::Bytes,       {{}, 100 * mebi, gibi}},
    {Amount::HealthInterval, "health_interval", Unit::Nanoseconds, {second, {}, {}}, true},
    {Amount::Restarts,       "restarts",        Unit::Count,       {{}, {}, 1000}},
    {Amount::StopTimeout,    "stop_timeout",    Unit::Seconds,     {{}, {}, 3600}, true},
}};

constinit const std::array<ResourceRow, resource_count> resource_rows = {{
    {Resource::Containers, "containers", Unit::Count,      500},
    {Resource::Pods,       "pods",       Unit::Count,      100},
    {Resource::Volumes,    "volumes",    Unit::Count,      500},
    {Resource::Networks,   "networks",   Unit::Count,      50},
    {Resource::Secrets,    "secrets",    Unit::Count,      500},
    {Resource::Images,     "images",     Unit::Count,      1000},
    {Resource::Execs,      "execs",      Unit::Count,      500},
    {Resource::Streams,    "streams",    Unit::Count,      500},
    {Resource::Builds,     "builds",     Unit::Count,      4},
    {Resource::Memory,     "memory",     Unit::Bytes,      {}},
    {Resource::Cpus,       "cpus",       Unit::Processors, {}},
}};
// clang-format on

std::array<Limit, amount_count> Policy::default_limits() {
  std::array<Limit, amount_count> limits;
  std::ranges::transform(amount_rows, limits.begin(), &AmountRow::built_in);
  return limits;
}

std::array<std::optional<std::int64_t>, resource_count> Policy::default_quotas() {
  std::array<std::optional<std::int64_t>, resource_count> quotas;
  std::ranges::transform(resource_rows, quotas.begin(), &ResourceRow::built_in);
  return quotas;
}

std::string amount_text(Unit unit, std::int64_t number) {
  switch (unit) {
    case Unit::Count:
      break;
    case Unit::Bytes:
      return size_text(number);
    case Unit::Processors:
      return decimal_text(number);
    case Unit::Seconds:
      return std::to_string(number) + "s";
    case Unit::Nanoseconds:
      return decimal_text(number) + "s";
  }
  return std::to_string(number);
}

std::vector<std::string_view> openings(const Policy& policy) {
  std::vector<std::string_view> names;
  for (const Opening& opening : opening_table)
    if (opening.is_on(policy)) names.push_back(opening.name);
  return names;
}

std::vector<std::string> opening_texts(const Policy& policy) {
  std::vector<std::string> texts;
  for (const Opening& opening : opening_table)
    if (opening.is_on(policy)) texts.push_back(std::string(opening.name) + " is on: " + std::string(opening.meaning));
  return texts;
}

}  // namespace podfence::rules
