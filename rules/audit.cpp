#include "rules/audit.hpp"

#include <string_view>

#include "rules/escaped.hpp"
#include "rules/json.hpp"

namespace podfence::rules {
namespace {

/// These quote what could not be read, whatever it was.
bool quotes_anything(const Refusal& rule) {
  return rule.id.starts_with("http.") || rule.id == "content.json" || rule.id == "content.encoding" ||
         rule.id == "env.host";
}

json::Value count(std::uint64_t value) { return json::Number{std::to_string(value)}; }

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
  line.set("project", escaped(record.project));
  line.set("listener", escaped(record.listener));
  if (!record.identity.empty()) line.set("identity", escaped(record.identity));
  if (!record.remote.empty()) line.set("remote", escaped(record.remote));
  line.set("peer_uid", json::Value::integer(record.peer_uid));
  line.set("peer_pid", json::Value::integer(record.peer_pid));
  line.set("method", escaped(record.method, 16));
  line.set("endpoint", escaped(record.endpoint));
  line.set("target", escaped(record.target, 512));
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

std::string write_audit_line(const AuditRecord& record) { return json::write(audit_document(record)); }

}  // namespace podfence::rules
