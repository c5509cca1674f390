// Whole configuration files: broken ones, each of which says in its first line what a person must read about it, and
// good ones.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>

#include "policy_files.hpp"
#include "rules/configuration.hpp"
#include "rules/units.hpp"

using namespace podfence::rules;
using namespace podfence::tests;

namespace {

using Texts = std::vector<std::string>;
const std::string folder = std::string(PODFENCE_SOURCE_DIR) + "/tests/data/configurations/";

std::variant<Configuration, ConfigurationError> read(const std::string& text) {
  return read_configuration(text, policy_files("tests/data/configurations/policies"));
}

/// What the program says, without the name of the file itself.
std::string said_about(const std::string& text) {
  const auto result = read(text);
  const auto* error = std::get_if<ConfigurationError>(&result);
  if (!error) return "loaded";
  const std::string said = text_of(*error, "");
  return said.starts_with(':') ? said.substr(1) : said;
}

/// Behind "// expect: " in the first line.
std::string expected_of(const std::string& text) {
  constexpr std::string_view mark = "// expect: ";
  const std::string line = text.substr(0, text.find('\n'));
  const auto at = line.find(mark);
  return at == std::string::npos ? "" : line.substr(at + mark.size());
}

Configuration everything() {
  auto result = read(file_text(folder + "good/everything.json"));
  const auto* error = std::get_if<ConfigurationError>(&result);
  REQUIRE_MESSAGE(error == nullptr, (error ? text_of(*error, "") : ""));
  return std::get<Configuration>(std::move(result));
}

const Policy& policy(const Configuration& configuration, std::size_t index) {
  return configuration.projects.at(index).project.policy;
}

void check_limit(const Policy& policy, Amount amount, const Limit& expected) {
  CAPTURE(amount_rows[static_cast<std::size_t>(amount)].key);
  CHECK(policy.limit(amount).least == expected.least);
  CHECK(policy.limit(amount).standard == expected.standard);
  CHECK(policy.limit(amount).most == expected.most);
}

}  // namespace

TEST_CASE("broken configurations do not load, and each error is whole: line, pointer, what is wrong, what is allowed") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "broken")) {
    CAPTURE(entry.path().filename().string());
    const std::string text = file_text(entry.path().string());
    const std::string expected = expected_of(text);
    CHECK_FALSE(expected.empty());
    CHECK(said_about(text) == expected);
    ++files;
  }
  CHECK(files > 60);
}

TEST_CASE("good configurations load") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "good")) {
    CAPTURE(entry.path().filename().string());
    CHECK(said_about(file_text(entry.path().string())) == "loaded");
    ++files;
  }
  CHECK(files >= 2);
}

TEST_CASE("every key of a policy means what it says") {
  const Configuration configuration = everything();
  const Policy& p1 = policy(configuration, 0);
  CHECK(p1.read_only);
  CHECK(p1.shared_images == Texts{"docker.io/library/alpine:*"});
  REQUIRE(p1.workspaces.size() == 2);
  CHECK(p1.workspaces[0].client == "/workspace");
  CHECK(p1.workspaces[0].host == "/srv/demo");
  CHECK_FALSE(p1.workspaces[0].read_only);
  CHECK(p1.workspaces[1].read_only);
  CHECK(p1.bind_subpaths);
  CHECK(p1.privileges.capabilities == Texts{"chown", "net_bind_service", "sys_ptrace"});
  CHECK(p1.privileges.new_privileges);
  CHECK(p1.privileges.read_only_root);
  CHECK(p1.privileges.user_namespace == "keep-id");
  CHECK(p1.ports.first == 20000);
  CHECK(p1.ports.last == 20099);
  CHECK(p1.ports.own_range);
  CHECK_FALSE(p1.network.project_network);
  CHECK_FALSE(p1.network.egress.open);
  CHECK(p1.network.egress.gate == "egress-p1");
  CHECK(p1.network.subnets == Texts{"10.77.0.0/16", "fd12:3456::/32"});
}

TEST_CASE("the limits of http are read in their units") {
  const HttpLimits http = everything().http;
  const auto values = std::to_array<std::int64_t>(
      {32 * 1024, 50,         4096,      0,           2 * mebi,    20,         1000, 1024, 32 * mebi,
       2 * mebi,  512 * mebi, 64 * mebi, 4096 * mebi, 1024 * mebi, 256 * mebi, 2000, 500,  700,
       10,        90,         3600,      60,          600,         10,         300,  5,    20});
  REQUIRE(values.size() == http_limit_rows.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CAPTURE(http_limit_rows[i].key);
    CHECK(http_limit_rows[i].value(http) == values[i]);
  }
}

TEST_CASE("limits are read in their units, and the built-in default gives way to a smaller most") {
  const Configuration configuration = everything();
  const Policy& p1 = policy(configuration, 0);
  check_limit(p1, Amount::Memory, {8 * mebi, gibi, 2 * gibi});
  check_limit(p1, Amount::Cpus, {{}, second / 2, 2 * second});
  check_limit(p1, Amount::Processes, {{}, {}, 512});
  check_limit(p1, Amount::SharedMemory, {{}, 32 * mebi, 64 * mebi});
  check_limit(p1, Amount::Tmpfs, {{}, 512 * mebi, 512 * mebi});
  check_limit(p1, Amount::OpenFiles, {{}, 1024, 4096});
  check_limit(p1, Amount::UserProcesses, {{}, {}, 1024});
  check_limit(p1, Amount::LogSize, {{}, 10 * mebi, 50 * mebi});
  check_limit(p1, Amount::HealthInterval, {5 * second, {}, 5400 * second});
  check_limit(p1, Amount::Restarts, {{}, {}, 10});
  check_limit(p1, Amount::StopTimeout, {{}, {}, 300});
}

TEST_CASE("quotas are read in their units, and nothing may be nothing") {
  const Configuration configuration = everything();
  constexpr std::int64_t expected[] = {20, 5, 0, 3, 30, 40, 50, 60, 1, 16 * gibi, 8 * second};
  for (const ResourceRow& row : resource_rows) {
    CAPTURE(row.key);
    CHECK(policy(configuration, 0).quota(row.resource) == expected[static_cast<std::size_t>(row.resource)]);
  }
}

TEST_CASE("a project's keys count before its policy, that before defaults, and those before their policy") {
  const Configuration configuration = everything();
  using Environment = std::vector<std::pair<std::string, std::string>>;
  const Policy &own = policy(configuration, 0), &named = policy(configuration, 1), &silent = policy(configuration, 2);
  // Objects are merged: B is the project's, A the one of defaults.
  CHECK(own.environment == Environment{{"A", "1"}, {"B", "3"}, {"HTTP_PROXY", "http://gate:3128"}});
  CHECK(silent.environment == Environment{{"A", "1"}, {"B", "2"}});
  // p2 names the policy itself, so that it counts before defaults; p3 has it by defaults, which count before it.
  check_limit(named, Amount::Memory, {{}, 256 * mebi, gibi});
  check_limit(silent, Amount::Memory, {{}, 256 * mebi, 2 * gibi});
  // Lists are replaced.
  CHECK(named.shared_images == Texts{"localhost/small"});
  CHECK(silent.shared_images == Texts{"localhost/*"});
  CHECK(silent.network.project_network);
  CHECK(silent.network.subnets.empty());
  CHECK(silent.quota(Resource::Containers) == 2);
  CHECK(own.quota(Resource::Containers) == 20);
}

TEST_CASE("a project that names a policy has that one, and not the one of defaults") {
  const auto result = read(R"({"defaults": {"policy": "small"}, "projects": {"p1": {"policy": "empty"}, "p2": {}}})");
  const auto& configuration = std::get<Configuration>(result);
  CHECK(policy(configuration, 0).quota(Resource::Containers) == 500);
  CHECK(policy(configuration, 1).quota(Resource::Containers) == 2);
}

TEST_CASE("a project that says nothing has the built-in policy, without any opening") {
  const auto result = read(file_text(folder + "good/smallest.json"));
  const Configuration& configuration = std::get<Configuration>(result);
  const Policy& safe = policy(configuration, 0);
  CHECK_FALSE(safe.read_only);
  CHECK(safe.shared_images.empty());
  CHECK(safe.workspaces.empty());
  CHECK(safe.environment.empty());
  CHECK(safe.network.subnets == Texts{"10.89.0.0/16"});
  CHECK_FALSE(safe.ports.own_range);
  CHECK(safe.limit(Amount::Memory).most == 64 * gibi);
  CHECK(opening_texts(configuration).empty());
}

TEST_CASE("openings are told with the project that has them") {
  const auto texts = opening_texts(everything());
  REQUIRE(texts.size() == 3);
  CHECK(texts[0].starts_with("project p1: insecure_bind_subpaths is on: "));
  CHECK(texts[1].starts_with("project p1: insecure_new_privileges is on: "));
  CHECK(texts[2].starts_with("project p1: insecure_capabilities is on: "));
}

TEST_CASE("the command line can name a policy") {
  const auto files = policy_files("tests/data/configurations/policies");
  const auto said = [&](const ServeOptions& options) {
    const auto result = configuration_of(options, files);
    const auto* error = std::get_if<ConfigurationError>(&result);
    return error ? text_of(*error, "") : "loaded";
  };
  CHECK(said({.project = "p1", .policy = "small"}) == "loaded");
  CHECK(said({.project = "p1", .policy = "/elsewhere/small.json"}) == "loaded");
  CHECK(said({.project = "p1", .policy = "absent"}) ==
        "the command line: --policy names /policies/absent.json, which cannot be read");
  CHECK(said({.project = "p1", .policy = "./small"}).starts_with(": --policy must be the name of a policy file"));
  CHECK(said({.project = "p1", .policy = "order"}) ==
        "/policies/order.json:3: /limits/shm/default must not be more than most, 64m");
  const auto shares = configuration_of({.project = "p1", .policy = "small", .shared_images = {"localhost/a"}}, files);
  CHECK(policy(std::get<Configuration>(shares), 0).shared_images == Texts{"localhost/a"});
  CHECK(policy(std::get<Configuration>(shares), 0).quota(Resource::Containers) == 2);
}
