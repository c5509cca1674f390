#include "rules/operator/documents.hpp"

#include <array>
#include <utility>

#include "rules/quota_count.hpp"

namespace podfence::rules {

namespace {

using json::Value;

Value number(std::size_t number) { return Value::integer(static_cast<std::int64_t>(number)); }

/// Quotas by their names; an amount is a plain number, as the rules count it.
std::optional<Value> quota_document(Exchange& exchange) {
  auto document = Value::object();
  bool complete = true;
  for (const auto& row : resource_rows) {
    const auto most = exchange.project.policy.quota(row.resource);
    if (!most) continue;
    const auto used = lasts(row.resource) || row.resource == Resource::Images
                          ? count_of(exchange, row.resource, *most)
                          : exchange.facts.usage().running(exchange.project.id, row.resource);
    complete = complete && used;
    if (!used) continue;
    auto one = Value::object();
    one.set("used", Value::integer(*used));
    one.set("most", Value::integer(*most));
    document.set(row.key, std::move(one));
  }
  if (!complete) return std::nullopt;
  return document;
}

/// What has a list of its own, and by which member an item is known.
struct ObjectRow {
  Kind kind;
  std::string_view name;
  std::string_view identity;
};
constexpr auto object_rows = std::to_array<ObjectRow>({
    {Kind::Container, "containers", "Id"},
    {Kind::Pod, "pods", "Id"},
    {Kind::Network, "networks", "name"},
    {Kind::Volume, "volumes", "Name"},
});

std::optional<Value> objects_document(Facts& facts) {
  auto document = Value::object();
  bool complete = true;
  for (const auto& row : object_rows) {
    const auto* own = facts.count(row.kind);
    complete = complete && own;
    if (!own) continue;
    auto identities = Value::array();
    for (const auto& object : *own) identities.push(object.text(row.identity));
    document.set(row.name, std::move(identities));
  }
  if (!complete) return std::nullopt;
  return document;
}

template <typename Text>
Value texts(const std::vector<Text>& texts) {
  auto list = Value::array();
  for (const auto& text : texts) list.push(text);
  return list;
}

void set_report(Value& document, const TeardownReport& report) {
  auto done = Value::object();
  for (const auto& [name, things] : report.done) done.set(name, number(things));
  document.set("done", std::move(done));
  document.set("left", texts(report.left));
  document.set("kept", texts(report.kept));
}

}  // namespace

Value project_document(const ProjectState& state) {
  const auto& [project, socket, life] = *state.project;
  auto document = Value::object();
  document.set("id", project.id);
  document.set("socket", socket);
  document.set("source", state.definition ? "added" : "configuration");
  document.set("served", state.wrong.empty() && !state.ending);
  if (!state.wrong.empty()) document.set("wrong", state.wrong);
  if (state.ending) document.set("ending", text(*state.ending));
  if (!state.left.empty()) document.set("left", texts(state.left));
  if (state.lease_left) document.set("lease_left", Value::integer(*state.lease_left));
  if (state.definition) document.set("definition", *state.definition);
  document.set("openings", texts(openings(project.policy)));
  document.set("connections", number(state.connections));
  if (!state.last_request.empty()) document.set("last_request", state.last_request);
  return document;
}

Value projects_document(std::span<const ProjectState> states) {
  auto list = Value::array();
  for (const auto& state : states) list.push(project_document(state));
  auto document = Value::object();
  document.set("projects", std::move(list));
  return document;
}

std::optional<Value> project_document(const ProjectState& state, Facts& facts) {
  const Match match;
  const Request request;
  Exchange exchange{state.project->project, match, request, facts};
  auto quota = quota_document(exchange);
  auto objects = objects_document(facts);
  if (!quota || !objects) return std::nullopt;
  auto document = project_document(state);
  document.set("quota", *std::move(quota));
  document.set("objects", *std::move(objects));
  return document;
}

Value teardown_document(const std::string& id, Teardown how, const TeardownReport& report) {
  auto document = Value::object();
  document.set("id", id);
  document.set("teardown", text(how));
  set_report(document, report);
  return document;
}

Value collection_document(bool dry_run, const std::vector<std::string>& ending, std::span<const Orphan> orphans) {
  auto list = Value::array();
  for (const auto& orphan : orphans) {
    auto things = Value::object();
    for (const auto& [name, count] : orphan.things) things.set(name, number(count));
    auto one = Value::object();
    one.set("project", orphan.project);
    one.set("things", std::move(things));
    if (!dry_run) set_report(one, orphan.report);
    list.push(std::move(one));
  }
  auto document = Value::object();
  document.set("dry_run", dry_run);
  document.set("ending", texts(ending));
  document.set("orphans", std::move(list));
  return document;
}

Value configuration_document(const Configuration& configuration, std::size_t generation) {
  auto openings = Value::array();
  for (const auto& text : opening_texts(configuration)) openings.push(text);
  auto document = Value::object();
  document.set("valid", true);
  document.set("projects", number(configuration.projects.size()));
  document.set("openings", std::move(openings));
  if (generation > 0) document.set("generation", number(generation));
  return document;
}

}  // namespace podfence::rules
