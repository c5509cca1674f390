#include "rules/trace.hpp"

#include <algorithm>

#include "rules/ascii.hpp"
#include "rules/body/table.hpp"
#include "rules/container/words.hpp"
#include "rules/json_pointer.hpp"
#include "rules/query_table.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {
namespace {

using json::Difference;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

json::Value one_or_list(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  json::Value list = json::Value::array();
  for (const auto& text : texts) list.push(text);
  return list;
}

std::string parameter_sentence(Query query, std::string_view name) {
  const auto parameters = parameters_of(query);
  const auto row = std::ranges::find_if(
      parameters, [&](const Parameter& parameter) { return ascii::equal_caseless(parameter.name, name); });
  if (row == parameters.end()) return "";
  if (row->type == ParameterType::Filters) return "written anew, with the project's label where the endpoint needs it";
  if (row->type == ParameterType::Containers || row->type == ParameterType::Pods)
    return "objects of yours, sent on as their full ids; without any, all of yours that run";
  switch (row->rule) {
    case ParameterRule::Pass:
      return row->type == ParameterType::Boolean ? "written as true or false" : "written in Podman's form";
    case ParameterRule::Drop:
      return "accepted and not sent";
    case ParameterRule::OnlyUnset:
      return "accepted where it says nothing, and not sent";
    case ParameterRule::OnlyTrue:
      return "accepted where it is true, and not sent";
    case ParameterRule::Judged:
      return "judged, and written anew";
    case ParameterRule::Force:
      return "always `" + std::string(row->forced) + "`";
  }
  return "";
}

/// What is sent first, in Podman's spelling.
std::vector<std::string> names_of(const Target& before, const Target& after) {
  std::vector<std::string> names;
  for (const auto* target : {&after, &before})
    for (const auto& pair : target->query)
      if (std::ranges::none_of(names, [&](const auto& name) { return ascii::equal_caseless(name, pair.name); }))
        names.push_back(pair.name);
  return names;
}

std::string spelling_in(const Target& target, std::string_view name) {
  for (const auto& pair : target.query)
    if (ascii::equal_caseless(pair.name, name)) return pair.name;
  return "";
}

std::vector<Rewrite> rewritten_query(Query query, const Target& before, const Target& after) {
  std::vector<Rewrite> rewrites;
  for (const auto& name : names_of(before, after)) {
    const auto old_values = values_of(before, name), new_values = values_of(after, name);
    if (const auto old_name = spelling_in(before, name); !new_values.empty() && !old_name.empty() && old_name != name)
      rewrites.push_back({{Difference::Kind::Respelled, name, old_name, name}, "Podman's spelling"});
    if (old_values == new_values) continue;
    Difference difference{Difference::Kind::Changed, name, std::nullopt, std::nullopt};
    if (!old_values.empty()) difference.before = one_or_list(old_values);
    if (!new_values.empty()) difference.after = one_or_list(new_values);
    if (old_values.empty()) difference.kind = Difference::Kind::Added;
    if (new_values.empty()) difference.kind = Difference::Kind::Removed;
    rewrites.push_back({std::move(difference), parameter_sentence(query, name)});
  }
  return rewrites;
}

/// The limit that is written at a place when a client says none.
std::string default_sentence(Body body, const std::vector<std::string>& names) {
  const Words* words = words_of(body);
  std::string path;
  for (const auto& name : names) path += (path.empty() ? "" : ".") + name;
  for (const AmountWord& word : words ? words->amounts : std::span<const AmountWord>())
    if (word.role == AmountRole::Written && word.path == path)
      return "the default of limits." + std::string(amount_rows[static_cast<std::size_t>(word.amount)].key);
  return "";
}

/// Of what is new the rule of the whole content tells, unless it is forced there.
std::string field_sentence(const Table& table, const Difference& difference) {
  if (difference.kind == Difference::Kind::Respelled) return "Podman's spelling";
  if (difference.kind == Difference::Kind::Removed && difference.before->is_zero()) return "says nothing: left out";
  const auto names = json::names_of_pointer(difference.where);
  const Row* row = row_at(table, names);
  const bool is_forced = row && row->rule.kind == Rule::Kind::Forced;
  const bool is_new = difference.kind == Difference::Kind::Added && !is_forced;
  if (const auto says = is_new ? default_sentence(table.body, names) : std::string(); !says.empty()) return says;
  if (is_new)
    if (const Row* whole = row_at(table, {}); whole && whole->rule.kind == Rule::Kind::Checked) row = whole;
  return row ? what_becomes(row->rule) : "";
}

std::vector<Rewrite> rewritten_content(Body body, const json::Value& before, const std::string& after) {
  const Table* table = table_of(body);
  const auto parsed = json::parse(after);
  const auto* value = std::get_if<json::Value>(&parsed);
  std::vector<Rewrite> rewrites;
  if (!table || !value) return rewrites;
  for (auto& difference : json::differences(before, *value)) {
    auto says = field_sentence(*table, difference);
    rewrites.push_back({std::move(difference), std::move(says)});
  }
  return rewrites;
}

void add_rewrites(Trace& trace, const Judged& judged) {
  const auto* forward = std::get_if<Forward>(&trace.decision);
  if (!forward || !judged.request || !judged.match) return;
  const auto& endpoint = *judged.match->endpoint;
  const auto before = path_of(judged.target), after = path_of(forward->request.target);
  if (before != after)
    trace.path = {{Difference::Kind::Changed, "", std::string(before), std::string(after)},
                  "objects are named so that the word cannot come to mean another one"};
  const auto sent =
      parse_target(forward->request.target, forward->request.target.size());  // longer than a client's may be
  if (const auto* target = std::get_if<Target>(&sent))
    trace.query = rewritten_query(endpoint.query, judged.request->target, *target);
  if (judged.request->content && forward->request.content)
    trace.content = rewritten_content(endpoint.body, *judged.request->content, *forward->request.content);
}

void add_references(Trace& trace, const Facts& facts) {
  for (const auto& [question, fact] : facts.known()) {
    if (question.ask != Question::Ask::Object) continue;
    const auto labelled = question.kind == Kind::Image ? "" : labelled_project(facts.project(), fact.document);
    const bool is_own = fact.ownership == Ownership::Own;
    trace.references.push_back(
        {question.kind, question.name, fact.ownership, is_own ? facts.project().id : std::string(labelled), fact.id});
  }
}

std::string truth_about(const Reference& reference) {
  const std::string what = std::string(text(reference.kind)) + " " + reference.name;
  switch (reference.ownership) {
    case Ownership::Missing:
      return what + " does not exist";
    case Ownership::Foreign:
      if (reference.kind == Kind::Image) return what + " exists, and this project may not see it";
      if (reference.kind == Kind::Exec) return what + " exists, in a container that is not this project's";
      return what + " exists, and belongs to " +
             (reference.project.empty() ? "no project: it carries no label" : "the project " + reference.project);
    case Ownership::Shared:
      return what + " exists, and everybody may use it";
    case Ownership::Own:
      return what + " exists, and belongs to this project";
  }
  return what;
}

/// The references that the name in the refusal stands for; a foreign one tells most.
const Reference* hidden_reference(const Trace& trace, const Deny& deny) {
  const Reference* found = nullptr;
  for (const auto& reference : trace.references) {
    const bool is_it = reference.kind == deny.kind && (reference.name == deny.subject || reference.id == deny.subject);
    if (is_it && (!found || reference.ownership == Ownership::Foreign)) found = &reference;
  }
  return found;
}

void add_refusal(Trace& trace) {
  const auto* deny = std::get_if<Deny>(&trace.decision);
  if (!deny) return;
  trace.policy = deny->policy.empty() ? std::string(deny->rule->policy) : deny->policy;
  if (!deny->rule->hidden) return;
  const auto* reference = hidden_reference(trace, *deny);
  trace.truth = truth_about(reference ? *reference : Reference{deny->kind, deny->subject, Ownership::Missing, {}, {}});
  const bool could_be_shared =
      reference && reference->kind == Kind::Image && reference->ownership == Ownership::Foreign;
  if (could_be_shared) trace.policy = "images.shared";
}

}  // namespace

Trace trace_of(const Judged& judged, Decision decision) {
  Trace trace;
  trace.project = judged.project.id;
  trace.method = judged.method;
  trace.target = judged.target;
  trace.decision = std::move(decision);
  if (judged.match) trace.endpoint = judged.match->endpoint;
  if (judged.facts) add_references(trace, *judged.facts);
  add_rewrites(trace, judged);
  add_refusal(trace);
  return trace;
}

bool is_refused(const Trace& trace) { return std::holds_alternative<Deny>(trace.decision); }

}  // namespace podfence::rules
