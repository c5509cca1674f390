#include "rules/operator/orphans.hpp"

#include <array>

#include "rules/json.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

using json::Value;

constexpr auto survey_rows = std::to_array<OrphanSurvey::Row>({
    {"containers", "/v4.0.0/libpod/containers/json", "Labels"},
    {"pods", "/v4.0.0/libpod/pods/json", "Labels"},
    {"networks", "/v4.0.0/libpod/networks/json", "labels"},
    {"volumes", "/v4.0.0/libpod/volumes/json", "Labels"},
});

std::string_view name_of(LedgerEntry::Kind kind) {
  switch (kind) {
    case LedgerEntry::Kind::Image:
      return "images";
    case LedgerEntry::Kind::Tag:
      return "image names";
    case LedgerEntry::Kind::Secret:
      break;
  }
  return "secrets";
}

}  // namespace

std::span<const OrphanSurvey::Row> OrphanSurvey::rows() { return survey_rows; }

UpstreamRequest OrphanSurvey::request(const Row& row) const {
  auto labels = Value::array();
  labels.push(label_key_);
  auto filters = Value::object();
  filters.set("label", std::move(labels));
  std::vector<QueryPair> query = {{"filters", json::write(filters)}};
  if (row.name == "containers") query.push_back({"all", "true"});
  return {Method::Get, write_target(row.list, query), {}, std::nullopt};
}

bool OrphanSurvey::learn(const Row& row, int status, std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<Value>(&parsed);
  if (status != 200 || !document || (!document->items() && !document->is_null())) return false;
  if (document->is_null()) return true;
  for (const auto& object : *document->items()) {
    const auto* labels = object.find(row.labels);
    const auto* project = labels ? labels->find(label_key_) : nullptr;
    if (project && project->string()) ++projects_[*project->string()][row.name];
  }
  return true;
}

void OrphanSurvey::learn(const LedgerEntries& entries) {
  for (const auto& entry : entries) ++projects_[entry.project][name_of(entry.kind)];
}

std::string text_of(const OrphanSurvey::Things& things) {
  std::string text;
  for (const auto& [name, number] : things)
    text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + std::string(name);
  return text;
}

}  // namespace podfence::rules
