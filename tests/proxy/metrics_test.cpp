#include "proxy/metrics.hpp"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <regex>

#include "rules/json.hpp"

using namespace podfence;
using namespace podfence::proxy;

namespace {

constexpr const char* three = R"({"projects": {
    "p1": {"privileges": {"insecure_new_privileges": true}, "quota": {"containers": 5, "streams": 3}}, "p10": {}, "p2": {}}})";

std::string file(const std::string& name) {
  std::ifstream stream(PODFENCE_SOURCE_DIR "/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What metrics look at, made up.
struct Stage {
  Stage() {
    configuration = std::get<rules::Configuration>(rules::read_configuration(three));
    for (const auto& project : configuration.projects) states.push_back({&project, nullptr, 4});
    show(100);
  }

  void show(std::size_t labelled) {
    std::vector<std::string_view> ids;
    for (const auto& state : states) ids.push_back(state.project->project.id);
    metrics.show(ids, labelled);
  }

  rules::AuditRecord record(const std::string& project, const std::string& decision,
                            const std::string& rule = "") const {
    rules::AuditRecord made;
    made.project = project;
    made.decision = decision;
    made.rule = rule;
    made.group = "containers";
    made.act = "create";
    made.bytes_out = 100;
    made.own_us = 300;
    made.upstream_us = 20'000;
    return made;
  }

  std::string text() const { return "\n" + metrics.text({states, 3, 2, usage, memory, ledger, health}); }

  void has(const std::string& line) const {
    const auto all = text();
    CHECK_MESSAGE(all.find("\n" + line + "\n") != std::string::npos, line, " is not in", all);
  }
  void lacks(const std::string& part) const {
    const auto all = text();
    CHECK_MESSAGE(all.find(part) == std::string::npos, part, " is in", all);
  }

  rules::Configuration configuration;
  std::vector<rules::ProjectState> states;
  Metrics metrics{"1.2.3"};
  rules::Usage usage;
  rules::OwnerMemory memory;
  SqliteLedger ledger{":memory:"};
  Upstream::Health health;
};

}  // namespace

TEST_CASE("metrics count decisions, refusals and classes of endpoints") {
  Stage stage;
  stage.metrics.count(stage.record("p1", "refuse", "mount.host-path"));
  stage.metrics.count(stage.record("p1", "refuse", "mount.host-path"));
  stage.metrics.count(stage.record("p10", "allow"));
  for (const auto* line : {R"(podfence_build_info{version="1.2.3"} 1)", "podfence_projects 3", "podfence_generation 3",
                           R"(podfence_insecure_opening{project="p1",opening="insecure_new_privileges"} 1)",
                           R"(podfence_decisions_total{project="p1",decision="refuse"} 2)",
                           R"(podfence_decisions_total{project="p10",decision="allow"} 1)",
                           R"(podfence_refusals_total{project="p1",rule="mount.host-path"} 2)",
                           R"(podfence_requests_total{group="containers",act="create",decision="refuse"} 2)",
                           R"(podfence_requests_total{group="containers",act="create",decision="allow"} 1)",
                           R"(podfence_sent_bytes_total{project="p1"} 200)"})
    stage.has(line);
  stage.lacks("insecure_bind_subpaths");
}

TEST_CASE("podfence's own time and Podman's are told apart") {
  Stage stage;
  stage.metrics.count(stage.record("p1", "allow"));
  auto unanswered = stage.record("p1", "error");
  unanswered.own_us = -1;
  stage.metrics.count(unanswered);
  stage.has(R"(podfence_own_seconds_count{act="create"} 1)");
  stage.has(R"(podfence_own_seconds_bucket{act="create",le="0.00025"} 0)");
  stage.has(R"(podfence_own_seconds_bucket{act="create",le="0.0005"} 1)");
  stage.has(R"(podfence_own_seconds_bucket{act="create",le="+Inf"} 1)");
  stage.has(R"(podfence_upstream_seconds_bucket{act="create",le="0.01"} 0)");
  stage.has(R"(podfence_upstream_seconds_bucket{act="create",le="0.025"} 1)");
}

TEST_CASE("the series of a project that is gone are gone") {
  Stage stage;
  stage.metrics.count(stage.record("p1", "allow"));
  stage.states.erase(stage.states.begin());
  stage.show(100);
  stage.lacks("\"p1\"");
  stage.has("podfence_projects 2");
  stage.metrics.count(stage.record("p1", "error"));  // its last clients are being cut off
  stage.has(R"(podfence_decisions_total{project="",decision="error"} 1)");
}

TEST_CASE("only so many projects have series of their own, and keep them") {
  Stage stage;
  stage.metrics.show(std::array<std::string_view, 1>{"p2"}, 1);  // it comes first
  stage.show(2);
  for (const auto* project : {"p1", "p10", "p2", "a stranger"}) stage.metrics.count(stage.record(project, "allow"));
  stage.has(R"(podfence_decisions_total{project="p1",decision="allow"} 1)");
  stage.has(R"(podfence_decisions_total{project="p2",decision="allow"} 1)");
  stage.has(R"(podfence_decisions_total{project="",decision="allow"} 2)");
  stage.lacks("\"p10\"");
  stage.show(0);
  stage.lacks("\"p1\"");
  stage.lacks("\"p2\"");
}

TEST_CASE("quotas, connections, stores and upstream are looked at") {
  Stage stage;
  stage.usage.counted("p1", rules::Resource::Containers, 2);
  const auto open = stage.usage.begin("p1", {{rules::Resource::Streams, 1}});
  stage.ledger.apply("p1", {{rules::Claim::Change::HoldImage, std::string(64, 'a')},
                            {rules::Claim::Change::HoldImage, std::string(64, 'b')},
                            {rules::Claim::Change::OwnTag, "docker.io/library/alpine:3"}});
  stage.memory.remember(rules::Kind::Container, "c", "p1");
  stage.memory.owner(rules::Kind::Container, "c");
  stage.memory.owner(rules::Kind::Container, "d");
  stage.health = {7, 1, 2, true, std::chrono::system_clock::time_point(std::chrono::seconds(5))};
  for (const auto* line :
       {R"(podfence_quota_used{project="p1",resource="containers"} 2)",
        R"(podfence_quota_limit{project="p1",resource="containers"} 5)",
        R"(podfence_quota_used{project="p1",resource="streams"} 1)", R"(podfence_streams{project="p1"} 1)",
        R"(podfence_streams{project="p2"} 0)", R"(podfence_connections{project="p10"} 4)",
        R"(podfence_ledger_rows{kind="image"} 2)", R"(podfence_ledger_rows{kind="secret"} 0)",
        R"(podfence_cache_lookups_total{result="hit"} 1)", R"(podfence_cache_lookups_total{result="miss"} 1)",
        "podfence_cache_entries 1", "podfence_upstream_up 1", R"(podfence_upstream_calls_total{outcome="answered"} 7)",
        R"(podfence_upstream_calls_total{outcome="unreachable"} 1)", "podfence_upstream_last_answer_seconds 5",
        "podfence_decision_readers 2"})
    stage.has(line);
}

TEST_CASE("docs/admin-api.md tells every metric with its labels") {
  const auto page = file("docs/admin-api.md");
  for (const auto& row : metric_rows()) {
    std::string labels;
    const std::string said(row.labels);
    const std::regex word("[a-z]+");
    for (std::sregex_iterator each(said.begin(), said.end(), word), end; each != end; ++each)
      labels += (labels.empty() ? "`" : ", `") + each->str() + "`";
    const auto line = "| `" + std::string(row.name) + "` | " + labels + (labels.empty() ? "" : " ") + "| ";
    CHECK_MESSAGE(page.find(line) != std::string::npos, line);
  }
  CHECK(metric_rows().size() == 24);
}

TEST_CASE("the dashboard of Grafana asks for metrics that there are, and for most of them") {
  const auto text = file("deploy/grafana/podfence.json");
  REQUIRE(std::holds_alternative<rules::json::Value>(rules::json::parse(text)));
  std::set<std::string> asked;
  const std::regex name("podfence_[a-z_]+");
  for (std::sregex_iterator each(text.begin(), text.end(), name), end; each != end; ++each) asked.insert(each->str());
  CHECK(asked.size() > 12);
  for (const auto& one : asked) {
    const auto is_it = [&](const MetricRow& row) {
      const bool histogram = row.kind == MetricRow::Kind::Histogram;
      return one == row.name ||
             (histogram && (one == std::string(row.name) + "_bucket" || one == std::string(row.name) + "_sum" ||
                            one == std::string(row.name) + "_count"));
    };
    CHECK_MESSAGE(std::ranges::any_of(metric_rows(), is_it), one);
  }
}
