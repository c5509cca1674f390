#include "rules/operator/call.hpp"

#include <algorithm>

#include "rules/audit.hpp"
#include "rules/contains.hpp"
#include "rules/project.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

using enum OperatorAction;

const std::vector<OperatorRow> rows = {
    {Health, Method::Get, "/healthz"},
    {Ready, Method::Get, "/readyz"},
    {Metrics, Method::Get, "/metrics"},
    {ListProjects, Method::Get, "/projects", false, {}, true},
    {ShowProject, Method::Get, "/projects/{id}", false, {}, true},
    {PutProject, Method::Put, "/projects/{id}", true},
    {RemoveProject, Method::Delete, "/projects/{id}", false, {"teardown"}},
    {RenewProject, Method::Post, "/projects/{id}/renew"},
    {Collect, Method::Post, "/gc", false, {"dry_run"}},
    {Reload, Method::Post, "/reload"},
    {Validate, Method::Post, "/validate", true},
    {Decisions, Method::Get, "/decisions", false, {"project", "decision", "rule", "recent"}, true},
    {History, Method::Get, "/history", false, {}, true},
    {Page, Method::Get, "/", false, {}, true},
};

/// Does the path have the row's form? `id` is what stands in the place of `{id}`.
bool fits(const OperatorRow& row, const std::vector<std::string>& segments, std::string& id) {
  std::string_view rest = row.path.substr(1);
  for (const auto& segment : segments) {
    const auto name = rest.substr(0, rest.find('/'));
    if (name == "{id}")
      id = segment;
    else if (name != segment)
      return false;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return rest.empty();
}

bool takes(const OperatorRow& row, Method method) {
  return row.method == method || (row.method == Method::Get && method == Method::Head);
}

std::optional<Deny> wrong_with(const OperatorCall& call) {
  if (call.row->path.find("{id}") != std::string_view::npos && !is_project_id(call.project))
    return Deny{refusal("operator.project"), call.project};
  for (auto pair = call.query.begin(); pair != call.query.end(); ++pair) {
    if (!contains(call.row->query, pair->name)) return Deny{refusal("query.unknown"), std::string(pair->name)};
    if (std::find_if(call.query.begin(), pair, [&](const auto& other) { return other.name == pair->name; }) != pair)
      return Deny{refusal("query.repeated"), std::string(pair->name)};
  }
  return std::nullopt;
}

/// The root has no segment, which no other target may do without.
std::variant<Target, Deny> target_of(std::string_view text) {
  if (text == "/") return Target{};
  return parse_target(text);
}

}  // namespace

std::span<const OperatorRow> operator_rows() { return rows; }
const OperatorRow* operator_row(OperatorAction action) {
  return &*std::ranges::find(rows, action, &OperatorRow::action);
}

std::string operator_target(const OperatorRow& row, std::string_view project) {
  constexpr std::string_view place = "{id}";
  std::string target(row.path);
  if (const auto at = target.find(place); at != std::string::npos) target.replace(at, place.size(), encode(project));
  return target;
}

std::string_view OperatorCall::said(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &QueryPair::name);
  return found == query.end() ? std::string_view() : found->value;
}

std::variant<OperatorCall, Deny> operator_call(Method method, std::string_view text) {
  auto parsed = target_of(text);
  if (auto* refused = std::get_if<Deny>(&parsed)) return std::move(*refused);
  auto& target = std::get<Target>(parsed);
  OperatorCall call{nullptr, {}, std::move(target.query)};
  bool known = false;
  for (const auto& row : rows) {
    std::string id;
    if (!target.version.empty() || !fits(row, target.segments, id)) continue;
    known = true;
    if (!takes(row, method)) continue;
    call.row = &row;
    call.project = std::move(id);
    break;
  }
  if (!call.row) return Deny{known ? refusal("operator.method") : refusal("operator.endpoint"), audit_target(text)};
  if (auto refused = wrong_with(call)) return *std::move(refused);
  return call;
}

}  // namespace podfence::rules
