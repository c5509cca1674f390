// The tables of fields against the survey of every field that Podman 4.3, 5.4 and 6.0 read: each has a row, and none is
// let through that the survey says not to.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "rules/body/table.hpp"
#include "tests/rules/survey.hpp"
#include "tests/support/generated_document.hpp"

using namespace podfence::rules;
using namespace podfence::tests;

namespace {

const std::map<std::string, Body>& bodies() {
  static const std::map<std::string, Body> map = {
      {"compat-container", Body::ContainerCreateCompat},
      {"libpod-container", Body::ContainerCreateLibpod},
      {"update-compat", Body::ContainerUpdateCompat},
      {"update-libpod", Body::ContainerUpdateLibpod},
      {"libpod-pod", Body::PodCreate},
      {"compat-volume", Body::VolumeCreateCompat},
      {"libpod-volume", Body::VolumeCreateLibpod},
      {"compat-network", Body::NetworkCreateCompat},
      {"libpod-network", Body::NetworkCreateLibpod},
      {"network-connect-compat", Body::NetworkConnectCompat},
      {"network-connect-libpod", Body::NetworkConnectLibpod},
      {"network-disconnect-compat", Body::NetworkDisconnect},
      {"network-update-libpod", Body::NetworkUpdate},
      {"exec-compat", Body::ExecCreateCompat},
      {"exec-libpod", Body::ExecCreateLibpod},
      {"exec-start", Body::ExecStart},
  };
  return map;
}

/// Of the bodies that have a table; the others: create_fields_elsewhere_test.cpp.
std::vector<SurveyRow> tabled_survey() {
  auto rows = read_survey();
  std::erase_if(rows, [](const SurveyRow& row) { return !bodies().contains(row.body); });
  return rows;
}

using Rows = std::map<std::string, const Row*>;

Rows rows_of(Body body) {
  Rows rows;
  for (const Part& part : table_of(body)->parts)
    for (const Row& row : part.rows) rows[std::string(part.prefix) + std::string(row.path)] = &row;
  return rows;
}

/// The path without its last step; "" at the top.
std::string parent(const std::string& path) {
  if (path.ends_with("[]") || path.ends_with("{}")) return path.substr(0, path.size() - 2);
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

bool is_within(const std::string& path, const std::string& ancestor) {
  return path.size() > ancestor.size() && path.starts_with(ancestor) &&
         std::string_view(".[{").find(path[ancestor.size()]) != std::string_view::npos;
}

/// A row of a subtree that is refused, dropped or judged as a whole speaks for what is below.
const Row* ancestor_row(const Rows& rows, std::string path) {
  for (path = parent(path); !path.empty(); path = parent(path)) {
    const auto found = rows.find(path);
    if (found == rows.end()) continue;
    const Row& row = *found->second;
    if (row.shape == Shape::Any || row.shape == Shape::TextOrList || row.rule.kind == Rule::Kind::Checked) return &row;
  }
  return nullptr;
}

bool passes(const Row& row) { return row.rule.kind == Rule::Kind::Passed; }

/// What an agreeing row of ours may do. Stricter is never wrong but for what clients need, which the samples prove.
bool agrees(const std::string& decision, const Row& row, const Row* ancestor) {
  using Kind = Rule::Kind;
  const bool judged_above = ancestor && ancestor->rule.kind == Kind::Checked;
  if (decision == "pass") return true;
  if (decision == "clamp" || decision == "check-owned" || decision == "check-workspace-path")
    return !passes(row) || judged_above;
  if (decision == "force-value") return !passes(row) || judged_above;
  if (decision == "deny") return (!passes(row) && row.rule.kind != Kind::Bounded) || judged_above;
  return false;
}

/// Ours to the letter where the survey leaves it open: judged elsewhere, or a bound that has no meaning here.
constexpr auto judged_elsewhere = std::to_array<std::string_view>({
    "UnsetEnv[]",         // names are taken away, nothing is read
    "no_new_privileges",  // may be turned on, and is off otherwise: forcing it is for the project's policy
    "health_cmd",
    "health_startup_cmd",  // texts that run in the container
    "no_healthcheck",
    "startupHealthConfig.Test[]",
});

}  // namespace

TEST_CASE("every surveyed field has a row that agrees with the survey") {
  const auto survey = tabled_survey();
  if (survey.empty()) {
    MESSAGE("SKIPPED: no create-fields.tsv; set PODFENCE_SHARED to the folder that has podman-api/create-fields.tsv");
    return;
  }
  CHECK(survey.size() > 1000);
  std::map<Body, Rows> tables;
  for (const auto& field : survey) {
    const Body body = bodies().at(field.body);
    if (!tables.contains(body)) tables[body] = rows_of(body);
    const Rows& rows = tables[body];
    CAPTURE(field.body);
    CAPTURE(field.path);
    CAPTURE(field.decision);
    const auto found = rows.find(field.path);
    const Row* above = ancestor_row(rows, field.path);
    const Row* row = found != rows.end() ? found->second : above;
    const bool has_parts =
        std::ranges::any_of(rows, [&](const auto& each) { return is_within(each.first, field.path); });
    if (!row && has_parts) continue;  // an object, list or map whose parts have rows
    CHECK_MESSAGE(row, "unhandled");
    const bool excepted = std::ranges::find(judged_elsewhere, field.path) != judged_elsewhere.end();
    if (row && !excepted) CHECK(agrees(field.decision, *row, above));
  }
}

TEST_CASE("no field is known that the survey does not know") {
  const auto survey = tabled_survey();
  constexpr auto additions = std::to_array<std::string_view>({
      "ConsoleSize[]",       // exec start, as Docker sends it
      "VolumesFrom",         // dockerode
      "NetworkingConfig{}",  // docker-py
      "Container",           // docker-py
      "hijack",              // dockerode
      "stdin",               // dockerode
      "EndpointConfig",      // podman-py
  });
  for (const auto& [name, body] : bodies()) {
    for (const auto& [path, row] : rows_of(body)) {
      const bool surveyed =
          survey.empty() || path.empty() || std::ranges::any_of(survey, [&](const SurveyRow& each) {
            return each.body == name && (each.path == path || is_within(each.path, path) || is_within(path, each.path));
          });
      CAPTURE(name);
      CAPTURE(path);
      CHECK((surveyed || std::ranges::find(additions, path) != additions.end()));
    }
  }
}

TEST_CASE("docs/fields.md is what the tables say") {
  podfence::testing::check_document("fields.md", fields_markdown());
}
