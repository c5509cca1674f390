// The policies in deploy/profiles: each loads, says what it is for, and differs from a project that says nothing in
// what it is for, and in nothing else that opens something.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "policy_files.hpp"
#include "rules/configuration.hpp"

using namespace podfence::rules;
using namespace podfence::tests;

namespace {

Policy profile(const std::string& name) {
  auto result = configuration_of({.project = "p1", .policy = name}, policy_files("deploy/profiles"));
  const auto* error = std::get_if<ConfigurationError>(&result);
  REQUIRE_MESSAGE(error == nullptr, (error ? text_of(*error, "") : ""));
  return std::get<Configuration>(result).projects.front().project.policy;
}

/// Keys of the limits and quotas that are not the built-in ones.
std::set<std::string> changed_amounts(const Policy& policy) {
  std::set<std::string> keys;
  for (const AmountRow& row : amount_rows) {
    const Limit& limit = policy.limit(row.amount);
    if (limit.least != row.built_in.least) keys.insert(std::string(row.key) + ".least");
    if (limit.standard != row.built_in.standard) keys.insert(std::string(row.key) + ".default");
    if (limit.most != row.built_in.most) keys.insert(std::string(row.key) + ".most");
  }
  for (const ResourceRow& row : resource_rows)
    if (policy.quota(row.resource) != row.built_in) keys.insert("quota." + std::string(row.key));
  return keys;
}

constexpr std::int64_t mebi = 1024 * 1024, gibi = 1024 * mebi, processor = 1'000'000'000, second = 1'000'000'000;

}  // namespace

TEST_CASE("every profile loads, has no opening, and its head says its name and what it trades") {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(PODFENCE_SOURCE_DIR) + "/deploy/profiles")) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    CHECK(openings(profile(name)).empty());
    const std::string text = file_text(entry.path().string());
    CHECK(text.starts_with("// " + name + ": for "));
    CHECK(text.substr(0, text.find("\n{")).find("Trades: ") != std::string::npos);
    names.insert(name);
  }
  CHECK(names == std::set<std::string>{"builder", "ci-runner", "control-plane", "read-only"});
}

TEST_CASE("builder: room for images, builds and temporary files, bounded processes") {
  const Policy policy = profile("builder");
  CHECK(changed_amounts(policy) == std::set<std::string>{"memory.most", "pids.most", "tmpfs.default", "nofile.most",
                                                         "stop_timeout.most", "quota.containers", "quota.pods",
                                                         "quota.volumes", "quota.networks", "quota.images",
                                                         "quota.builds"});
  CHECK(policy.limit(Amount::Memory).most == 16 * gibi);
  CHECK(policy.limit(Amount::Tmpfs).standard == 4 * gibi);
  CHECK(policy.quota(Resource::Images) == 2000);
  CHECK(policy.quota(Resource::Builds) == 8);
  CHECK_FALSE(policy.read_only);
  CHECK(policy.network.egress.open);
  CHECK_FALSE(policy.network.project_network);
}

TEST_CASE("control-plane: many services on one network, no builds") {
  const Policy policy = profile("control-plane");
  CHECK(changed_amounts(policy) == std::set<std::string>{"log_size.default", "log_size.most", "health_interval.least",
                                                         "stop_timeout.most", "quota.containers", "quota.pods",
                                                         "quota.networks", "quota.images", "quota.execs",
                                                         "quota.streams", "quota.builds"});
  CHECK(policy.limit(Amount::HealthInterval).least == 5 * second);
  CHECK(policy.limit(Amount::LogSize).standard == 20 * mebi);
  CHECK(policy.quota(Resource::Containers) == 1000);
  CHECK(policy.quota(Resource::Streams) == 2000);
  CHECK(policy.quota(Resource::Builds) == 0);
  CHECK(policy.network.project_network);
  CHECK_FALSE(policy.read_only);
}

TEST_CASE("ci-runner: small bounds for jobs that nobody has read") {
  const Policy policy = profile("ci-runner");
  CHECK(changed_amounts(policy) ==
        std::set<std::string>{"memory.most",      "cpus.most",     "pids.most",     "shm.most",
                              "tmpfs.default",    "tmpfs.most",    "nofile.most",   "nproc.most",
                              "log_size.default", "log_size.most", "restarts.most", "stop_timeout.most",
                              "quota.containers", "quota.pods",    "quota.volumes", "quota.networks",
                              "quota.images",     "quota.execs",   "quota.streams", "quota.builds"});
  CHECK(policy.limit(Amount::Memory).most == 4 * gibi);
  CHECK(policy.limit(Amount::Cpus).most == 4 * processor);
  CHECK(policy.limit(Amount::StopTimeout).most == 30);
  CHECK(policy.quota(Resource::Containers) == 50);
  CHECK(policy.environment == std::vector<std::pair<std::string, std::string>>{{"CI", "true"}});
  for (const AmountRow& row : amount_rows) {  // never wider than what is built in
    CAPTURE(row.key);
    if (row.built_in.most) CHECK(policy.limit(row.amount).most <= row.built_in.most);
  }
}

TEST_CASE("read-only: nothing but reading, also where defaults open something") {
  const Policy policy = profile("read-only");
  CHECK(policy.read_only);
  CHECK(changed_amounts(policy) == std::set<std::string>{"quota.streams"});
  CHECK(policy.quota(Resource::Streams) == 50);
  const auto result = read_configuration(
      R"({"defaults": {"access": "full", "insecure_bind_subpaths": true,
                       "privileges": {"insecure_new_privileges": true, "insecure_capabilities": ["net_raw"]}},
          "projects": {"p1": {"policy": "read-only"}, "p2": {}}})",
      policy_files("deploy/profiles"));
  const auto& projects = std::get<Configuration>(result).projects;
  CHECK(projects[0].project.policy.read_only);
  CHECK(openings(projects[0].project.policy).empty());
  CHECK(openings(projects[1].project.policy).size() == 3);
}
