#include "rules/audit.hpp"

#include <string_view>

#include "rules/escaped.hpp"
#include "rules/json.hpp"
#include "rules/json_schema.hpp"

namespace podfence::rules {
namespace {

/// These quote what could not be read, whatever it was.
bool quotes_anything(const Refusal& rule) {
  return rule.id.starts_with("http.") || rule.id == "content.json" || rule.id == "content.encoding" ||
         rule.id == "env.host";
}

json::Value count(std::uint64_t value) { return json::Number{std::to_string(value)}; }

/// A whole content is JSON in its own right.
std::string with_content(std::string line, std::string_view content) {
  line.back() = ',';
  return line.append(R"("content":)").append(content) += '}';
}

std::uint64_t count_of(const json::Value& line, std::string_view name) { return line.find(name)->uint64().value_or(0); }

std::optional<Redacted> query_of(const json::Value& line) {
  if (line.find("query")) return Redacted{std::string(line.text("query")), false};
  if (line.find("query_start")) return Redacted{std::string(line.text("query_start")), true};
  return std::nullopt;
}

std::optional<Redacted> content_of(const json::Value& line) {
  if (const auto* content = line.find("content")) return Redacted{json::write_printable(*content), false};
  if (line.find("content_start")) return Redacted{std::string(line.text("content_start")), true};
  return std::nullopt;
}

AuditRecord record_of(const json::Value& line) {
  AuditRecord record;
  const struct {
    std::string_view name;
    std::string& text;
  } texts[] = {{"time", record.time},         {"request_id", record.request_id},
               {"project", record.project},   {"listener", record.listener},
               {"identity", record.identity}, {"remote", record.remote},
               {"method", record.method},     {"endpoint", record.endpoint},
               {"target", record.target},     {"decision", record.decision},
               {"rule", record.rule},         {"subject", record.subject},
               {"aborted", record.aborted}};
  for (const auto& [name, text] : texts) text = line.text(name);
  for (const auto& id : line.list("objects")) record.objects.push_back(*id.string());
  record.generation = count_of(line, "generation");
  record.peer_uid = line.int64("peer_uid").value_or(-1);
  record.peer_pid = line.int64("peer_pid").value_or(-1);
  record.status = static_cast<int>(count_of(line, "status"));
  record.bytes_in = count_of(line, "bytes_in");
  record.bytes_out = count_of(line, "bytes_out");
  record.duration_us = line.int64("duration_us").value_or(0);
  record.query = query_of(line);
  record.content = content_of(line);
  return record;
}

}  // namespace

std::string audit_target(std::string_view target) {
  if (!target.starts_with('/')) return {};
  return std::string(target.substr(0, target.find('?')));
}

std::string audit_subject(const Deny& deny) {
  if (quotes_anything(*deny.rule)) return {};
  // A value stands behind '=', the user information of a reference or URI before '@'. In `name=user:secret@host`
  // nothing can be told apart for certain.
  const std::string_view subject = deny.subject;
  const auto equals = subject.find('=');
  const auto at = subject.rfind('@');
  if (at == std::string_view::npos) return std::string(subject.substr(0, equals));
  if (equals < at) return "...";
  return std::string("...").append(subject.substr(at, equals - at));
}

std::string_view audit_decision(const Deny& deny) {
  if (deny.rule->hidden) return "hide";
  return deny.rule->id.starts_with("upstream.") ? "error" : "refuse";
}

std::string_view audit_decision(const Decision& decision, const Endpoint& endpoint) {
  if (const auto* deny = std::get_if<Deny>(&decision)) return audit_decision(*deny);
  const auto relay = relay_of(endpoint.answer);
  const bool answer_passes = relay == Relay::Bytes || relay == Relay::Hijack;
  const auto* forward = std::get_if<Forward>(&decision);
  return forward && !forward->request.content && answer_passes ? "allow" : "rewrite";
}

json::Value audit_document(const AuditRecord& record) {
  json::Value line = json::Value::object();
  line.set("time", escaped(record.time));
  line.set("request_id", escaped(record.request_id));
  line.set("generation", count(record.generation));
  line.set("project", escaped(record.project));
  line.set("listener", escaped(record.listener));
  if (!record.identity.empty()) line.set("identity", escaped(record.identity));
  if (!record.remote.empty()) line.set("remote", escaped(record.remote));
  line.set("peer_uid", json::Value::integer(record.peer_uid));
  line.set("peer_pid", json::Value::integer(record.peer_pid));
  line.set("method", escaped(record.method, 16));
  line.set("endpoint", escaped(record.endpoint));
  line.set("target", escaped(record.target, max_audited_target));
  json::Value objects = json::Value::array();
  for (const auto& id : record.objects) objects.push(escaped(id));
  line.set("objects", std::move(objects));
  line.set("decision", escaped(record.decision));
  line.set("rule", escaped(record.rule));
  line.set("subject", escaped(record.subject, 200));
  line.set("status", json::Value::integer(record.status));
  line.set("aborted", escaped(record.aborted));
  line.set("bytes_in", count(record.bytes_in));
  line.set("bytes_out", count(record.bytes_out));
  line.set("duration_us", json::Value::integer(record.duration_us));
  return line;
}

std::string write_audit_line(const AuditRecord& record) {
  auto line = audit_document(record);
  if (record.query) line.set(record.query->cut ? "query_start" : "query", record.query->text);
  if (record.content && record.content->cut) line.set("content_start", record.content->text);
  const bool whole = record.content && !record.content->cut;
  return whole ? with_content(json::write(line), record.content->text) : json::write(line);
}

std::variant<AuditRecord, std::string> read_audit_line(std::string_view line) {
  static const json::Schema schema(audit_schema);
  const auto parsed = json::parse(line, {.depth = 128});  // a content and what it stands in
  if (const auto* error = std::get_if<json::Error>(&parsed)) return "it is not JSON: " + error->text();
  const auto& value = std::get<json::Value>(parsed);
  if (const auto wrong = schema.check(value))
    return "it is no line of an audit log: " + (wrong->where.empty() ? "the whole" : wrong->where) + " " + wrong->what;
  return record_of(value);
}

}  // namespace podfence::rules
