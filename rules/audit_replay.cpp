#include "rules/audit_replay.hpp"

#include <algorithm>
#include <optional>

#include "rules/ascii.hpp"
#include "rules/body/table.hpp"
#include "rules/query_table.hpp"
#include "rules/trace_words.hpp"
#include "rules/yaml.hpp"

namespace podfence::rules {
namespace {

/// Takes back what escaped() has made. nullopt: it is none of that.
std::optional<std::string> unescaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes;
  while (!text.empty()) {
    if (text.front() != '\\') {
      bytes += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (text.size() < 4 || text[1] != 'x') return std::nullopt;
    const auto high = digits.find(text[2]), low = digits.find(text[3]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    text.remove_prefix(4);
  }
  return bytes;
}

/// In a line that was changed by hand anything can stand.
bool fits_head(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return ascii::is_control(c) || c == ' '; });
}

/// "" for nothing that is in the way.
std::string wrong_with(const AuditRecord& record, const std::optional<std::string>& target) {
  if (record.rule.starts_with("http."))
    return "it was refused for its head (" + record.rule + "), of which the line has the method and the path only";
  if (!parse_method(record.method) || !target || target->empty()) return "the line has no method and path";
  if (!fits_head(*target) || (record.query && !fits_head(record.query->text)))
    return "its path and query cannot stand in a head";
  if (target->size() >= max_audited_target) return "the line has only the beginning of the path";
  return "";
}

const Endpoint* endpoint_of(std::string_view method, const std::string& path) {
  const auto target = parse_target(path);
  const auto known = parse_method(method);
  if (!known || !std::holds_alternative<Target>(target)) return nullptr;
  const auto match = route(*known, std::get<Target>(target));
  const auto* found = std::get_if<Match>(&match);
  return found ? found->endpoint : nullptr;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string missing_query(const Endpoint* endpoint) {
  std::vector<std::string> names;
  if (endpoint)
    for (const auto& parameter : parameters_of(endpoint->query)) names.emplace_back(parameter.name);
  return "the query" + (names.empty() ? "" : "; it could have said: " + listed(names));
}

/// The fields that are refused by that rule whenever they say something.
std::vector<std::string> fields_refused_by(const Table& table, std::string_view rule) {
  std::vector<std::string> fields;
  for (const Part& part : table.parts)
    for (const Row& row : part.rows)
      if (row.rule.refusal && row.rule.refusal->id == rule) fields.push_back(std::string(part.prefix).append(row.path));
  return fields;
}

std::string missing_content(const Endpoint* endpoint, const AuditRecord& record) {
  std::string text = "the content of " + std::to_string(record.bytes_in) + " bytes";
  const Table* table = endpoint ? table_of(endpoint->body) : nullptr;
  if (!table) return text;
  const auto fields = fields_refused_by(*table, record.rule);
  if (!fields.empty()) return text + "; refused by that rule are: " + listed(fields);
  return text + "; its fields are in " + content_document(*endpoint);
}

bool is_redacted(const std::optional<Redacted>& part) {
  return part && part->text.find(redacted_value) != std::string::npos;
}

/// What of the request is whole, and what is not.
std::vector<std::string> missing_from(const AuditRecord& record, const Endpoint* endpoint) {
  std::vector<std::string> missing;
  const bool has_parameters = !endpoint || !parameters_of(endpoint->query).empty();
  if (!record.query && has_parameters) missing.push_back(missing_query(endpoint));
  if (record.query && record.query->cut) missing.emplace_back("the end of the query");
  if (!record.content && record.bytes_in > 0) missing.push_back(missing_content(endpoint, record));
  if (record.content && record.content->cut)
    missing.push_back("the end of the content: the line has its first " + std::to_string(max_redacted_content) +
                      " bytes");
  if (is_redacted(record.query) || is_redacted(record.content))
    missing.push_back("values that may be secrets: " + std::string(redacted_value) + " stands for them");
  return missing;
}

/// Kubernetes YAML is recorded as the list of its documents.
std::string content_text(const Endpoint* endpoint, const std::string& recorded) {
  if (!endpoint || !is_yaml(endpoint->body)) return recorded;
  const auto parsed = json::parse(recorded, json::answer_limits);
  const auto* value = std::get_if<json::Value>(&parsed);
  std::string text;
  if (value && value->items())
    for (const auto& document : *value->items()) text += "---\n" + yaml::write(document);
  return text;
}

/// What it was, without what lay within Podman or in the form of what was sent.
std::string verdict_text(std::string_view decision, std::string_view rule) {
  if (decision == "allow" || decision == "rewrite") return "served";
  return std::string(decision) + (rule.empty() ? "" : ", " + std::string(rule));
}

std::string verdict_then(const Trace& trace) {
  return verdict_text(trace.recorded->record.decision, trace.recorded->record.rule);
}

std::string verdict_now(const Trace& trace) {
  const auto* deny = std::get_if<Deny>(&trace.decision);
  return verdict_text(decision_word(trace), deny ? deny->rule->id : "");
}

}  // namespace

std::variant<AuditedRequest, std::string> request_of(const AuditRecord& record) {
  const auto path = unescaped(record.target);
  if (auto wrong = wrong_with(record, path); !wrong.empty()) return wrong;
  const Endpoint* endpoint = endpoint_of(record.method, *path);
  AuditedRequest request;
  request.missing = missing_from(record, endpoint);
  std::string content;
  if (record.content && !record.content->cut) content = content_text(endpoint, record.content->text);
  request.bytes = record.method + " " + *path;
  if (record.query && !record.query->cut && !record.query->text.empty()) request.bytes += "?" + record.query->text;
  request.bytes += " HTTP/1.1\r\nHost: podfence\r\n";
  if (!content.empty()) request.bytes += "Content-Length: " + std::to_string(content.size()) + "\r\n";
  request.bytes += "\r\n" + content;
  return request;
}

Comparison compared(const Trace& trace) {
  const bool failed = trace.recorded->record.decision == "error";  // then, for reasons of then
  if (!failed && verdict_then(trace) == verdict_now(trace)) return Comparison::Same;
  return failed || !trace.recorded->missing.empty() ? Comparison::Unknown : Comparison::Other;
}

std::string_view comparison_word(Comparison comparison) {
  switch (comparison) {
    case Comparison::Same:
      return "same";
    case Comparison::Other:
      return "other";
    case Comparison::Unknown:
      return "unknown";
  }
  return "";
}

std::string comparison_text(const Trace& trace) {
  const auto comparison = compared(trace);
  if (comparison == Comparison::Same) return "the same verdict";
  const std::string both = "then " + verdict_then(trace) + "; now " + verdict_now(trace);
  const std::string since = "the policy (it was generation " + std::to_string(trace.recorded->record.generation) +
                            ") or what exists has changed since";
  if (comparison == Comparison::Other) return "another verdict: " + both + "; " + since;
  return "cannot be told: " + both + "; it may come of what is missing, or " + since;
}

}  // namespace podfence::rules
