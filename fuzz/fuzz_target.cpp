// Targets and queries: what is accepted is written and read again as the same, and a query that a row's rules accept is
// a fixpoint of theirs, holds nothing that its table does not have, and names nothing foreign.

#include <algorithm>
#include <array>

#include "fuzz/fuzz.hpp"
#include "fuzz/world.hpp"
#include "rules/filter_text.hpp"
#include "rules/query_table.hpp"
#include "rules/target.hpp"

using namespace podfence;
using namespace podfence::rules;
using fuzz::claim;

namespace {

constexpr auto methods = std::to_array<Method>({Method::Get, Method::Head, Method::Post, Method::Put, Method::Delete});

std::string path_of(const Target& target) {
  std::string path = target.version.empty() ? "" : "/" + target.version;
  for (const auto& segment : target.segments) {
    claim(segment != "." && segment != ".." && !segment.empty(), "no dot or empty segment", segment);
    claim(segment.find('\0') == std::string::npos, "no NUL", segment);
    path += "/" + encode(segment);
  }
  return path;
}

void check_target(const Target& target) {
  const auto text = write_target(path_of(target), target.query);
  if (text.size() > max_target_size) return;
  const auto again = parse_target(text);
  const auto* same = std::get_if<Target>(&again);
  claim(same && *same == target, "what was written is read as the same target", text);
}

bool may_repeat(ParameterType type) {
  return type == ParameterType::PsArguments || type == ParameterType::Texts || type == ParameterType::Containers ||
         type == ParameterType::Pods;
}

/// Free text: compared with what is listed, or opened inside a container.
bool names_an_object(ParameterType type) {
  return type == ParameterType::Containers || type == ParameterType::Pods || type == ParameterType::Filters;
}

void check_filters(const FilterTable& table, const std::string& text, const Project& project) {
  const auto read = read_filters(text);
  const auto* filters = std::get_if<Filters>(&read);
  claim(filters, "filters can be read again", text);
  std::size_t labels = 0;
  for (const auto& filter : filters->filters) {
    const auto key = std::ranges::find(table.keys, filter.name, &FilterKey::name);
    claim(key != table.keys.end() || filter.name == "label", "only filters of the table", text);
    for (const auto& value : filter.values) {
      if (filter.name == "label") labels += value == project.label_key + "=" + project.id;
      if (key != table.keys.end() && is_looked_up(key->value))
        claim(fuzz::foreign_in(value).empty(), "no filter names something foreign", text);
    }
  }
  claim(table.own_label != OwnLabel::Always || labels >= 1, "the project's label is among the filters", text);
}

void check_query(const Endpoint& endpoint, const JudgedQuery& judged, const Project& project) {
  const auto parameters = parameters_of(endpoint.query);
  for (const auto& [name, value] : judged.pairs) {
    const auto row = std::ranges::find(parameters, name, &Parameter::name);
    claim(row != parameters.end(), "only parameters of the table, in its spelling", name);
    claim(row->rule == ParameterRule::Pass || row->rule == ParameterRule::Force, "nothing that the table drops", name);
    claim(may_repeat(row->type) || std::ranges::count(judged.pairs, name, &QueryPair::name) == 1, "said once", name);
    if (row->type == ParameterType::Filters)
      check_filters(filters_of(endpoint.query), value, project);
    else if (names_an_object(row->type))
      claim(fuzz::foreign_in(value).empty(), "no parameter names something foreign", value);
  }
}

/// nullopt: refused.
std::optional<JudgedQuery> judge(fuzz::World& world, const fuzz::Setting& setting, const Match& match,
                                 const Target& target) {
  Request request;
  request.method = match.endpoint->method;
  request.target = target;
  auto knowledge = world.know(setting);
  Exchange exchange{setting.project, match, request, knowledge.facts};
  for (int round = 0; round < 8; ++round) {
    auto judged = judge_query(match.endpoint->query, exchange);
    if (std::holds_alternative<Deny>(judged)) return std::nullopt;
    if (knowledge.facts.complete()) return std::get<JudgedQuery>(std::move(judged));
    world.answer(setting, knowledge.facts, knowledge.facts.take_open());
  }
  claim(false, "a query settles within eight rounds");
  return std::nullopt;
}

void check_row(const Match& match, const Target& target) {
  static fuzz::World world;
  const auto& setting = fuzz::settings().front();
  const auto judged = judge(world, setting, match, target);
  if (!judged || judged->nothing) return;
  check_query(*match.endpoint, *judged, setting.project);
  const auto text = write_target(path_of(target), judged->pairs);
  const auto parsed = parse_target(text);
  const auto* sent = std::get_if<Target>(&parsed);
  if (!sent) claim(text.size() > max_target_size, "a judged query can be read", text);
  if (!sent) return;
  const auto again = judge(world, setting, match, *sent);
  claim(again && again->pairs == judged->pairs && !again->nothing, "a judged query is a fixpoint", text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = parse_target(fuzz::text_of(data, size));
  const auto* target = std::get_if<Target>(&parsed);
  if (!target) return 0;
  check_target(*target);
  for (const auto method : methods) {
    const auto routed = route(method, *target);
    if (const auto* match = std::get_if<Match>(&routed)) check_row(*match, *target);
  }
  return 0;
}
