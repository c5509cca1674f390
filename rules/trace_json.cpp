// A trace for programs: one JSON object in one line. docs/explain.md tells its members; what there is nothing of is
// left out.

#include "rules/audit_replay.hpp"
#include "rules/error_answer.hpp"
#include "rules/json.hpp"
#include "rules/shown_request.hpp"
#include "rules/trace_words.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules {
namespace {

using json::Value;

/// A text as the client sent it can be anything.
Value text_of(std::string_view text) {
  if (is_utf8(text)) return text;
  std::string clean;
  for (const char c : text) clean += static_cast<unsigned char>(c) < 0x80 ? c : '?';
  return clean;
}

void set_text(Value& object, std::string_view name, std::string_view text) {
  if (!text.empty()) object.set(name, text_of(text));
}

void set_list(Value& object, std::string_view name, Value list) {
  if (!list.items()->empty()) object.set(name, std::move(list));
}

Value rewrite_of(const Rewrite& rewrite) {
  const auto& [kind, where, before, after] = rewrite.difference;
  Value object = Value::object();
  object.set("change", difference_word(kind));
  set_text(object, "where", where);
  if (before) object.set("before", *before);
  if (after) object.set("after", *after);
  set_text(object, "says", rewrite.says);
  return object;
}

template <typename Items, typename Make>
Value list_of(const Items& items, Make make) {
  Value list = Value::array();
  for (const auto& item : items) list.push(make(item));
  return list;
}

Value reference_of(const Reference& reference) {
  Value object = Value::object();
  object.set("kind", text(reference.kind));
  object.set("name", text_of(reference.name));
  object.set("ownership", ownership_word(reference.ownership));
  set_text(object, "project", reference.project);
  set_text(object, "id", reference.id);
  return object;
}

Value endpoint_of(const Endpoint& endpoint) {
  Value object = Value::object();
  object.set("method", text(endpoint.method));
  object.set("path", endpoint.path);
  object.set("api", endpoint.family == Family::Docker ? "docker" : "libpod");
  object.set("document", endpoint_document(endpoint));
  set_text(object, "content_document", content_document(endpoint));
  return object;
}

Value claim_of(const Claim& claim) {
  Value object = Value::object();
  object.set("change", claim_word(claim.change));
  object.set("what", claim.what);
  return object;
}

Value content_of(const std::string& content) {
  auto parsed = json::parse(content, json::answer_limits);
  if (auto* value = std::get_if<Value>(&parsed)) return std::move(*value);
  return text_of(content);
}

Value request_of(const UpstreamRequest& sent) {
  const auto request = as_shown(sent);
  Value object = Value::object(), fields = Value::object();
  object.set("method", text(request.method));
  object.set("target", request.target);
  for (const auto& field : request.fields) fields.set(field.name, printable_field(field));
  if (!fields.members()->empty()) object.set("fields", std::move(fields));
  if (request.content) object.set("content", content_of(*request.content));
  return object;
}

Value answer_of(int status, const std::string& content) {
  Value object = Value::object();
  object.set("status", Value::integer(status));
  if (!content.empty()) object.set("content", content_of(content));
  return object;
}

void add(Value& trace, const Needs& needs) {
  set_list(trace, "sources", list_of(needs.sources, [](const HostSource& source) {
             Value object = Value::object();
             object.set("client", source.client_path);
             object.set("host", host_path_of(source));
             return object;
           }));
  set_list(trace, "workspace_volumes",
           list_of(needs.workspace_volumes, [](const WorkspaceVolume& volume) { return Value(volume.name); }));
  set_list(trace, "volumes", list_of(needs.volumes, [](const NewVolume& volume) { return Value(volume.name); }));
  set_list(trace, "networks", list_of(needs.networks, [](const NewNetwork& network) { return Value(network.name); }));
}

void add(Value& trace, const Forward& forward) {
  add(trace, static_cast<const Needs&>(forward));
  set_list(trace, "ledger", list_of(forward.before, claim_of));
  set_list(trace, "ledger_on_failure", list_of(forward.on_failure, claim_of));
  Value requests = Value::array();
  requests.push(request_of(forward.request));
  trace.set("requests", std::move(requests));
}

void add(Value& trace, const Batch& batch) {
  add(trace, batch.needs);
  trace.set("requests", list_of(batch.items, [](const Batch::Item& item) {
              Value object = item.ledger_only ? Value::object() : request_of(item.request);
              object.set("name", item.name);
              set_list(object, "ledger", list_of(item.on_success, claim_of));
              return object;
            }));
}

void add(Value& trace, const Reply& reply) {
  trace.set("answer", answer_of(reply.status, reply.content));
  set_list(trace, "ledger", list_of(reply.claims, claim_of));
}

Value place_of(const PolicyPlace& place, std::string_view configuration) {
  Value object = Value::object();
  set_text(object, "file", place.file.empty() ? configuration : std::string_view(place.file));
  if (place.line > 0) object.set("line", Value::integer(static_cast<std::int64_t>(place.line)));
  object.set("where", place.where);
  object.set("stands", place.stands);
  return object;
}

void add(Value& object, const Trace& trace, const Deny& deny, std::string_view configuration) {
  const auto answer = answer_to(trace, deny);
  object.set("rule", deny.rule->id);
  set_text(object, "subject", deny.subject);
  if (!deny.rule->hidden) object.set("sentence", text_of(sentence_of(deny)));
  object.set("answer", answer_of(answer.status, answer.content));
  set_text(object, "truth", trace.truth);
  set_text(object, "policy", trace.policy);
  if (trace.place) object.set("policy_place", place_of(*trace.place, configuration));
}

Value recorded_of(const Recorded& recorded) {
  const auto& record = recorded.record;
  Value object = Value::object();
  object.set("time", record.time);
  object.set("request_id", record.request_id);
  object.set("generation", Value::integer(static_cast<std::int64_t>(record.generation)));
  object.set("decision", record.decision);
  set_text(object, "rule", record.rule);
  set_text(object, "subject", record.subject);
  set_list(object, "missing", list_of(recorded.missing, [](const std::string& part) { return Value(part); }));
  return object;
}

}  // namespace

std::string trace_json(const Trace& trace, std::string_view configuration) {
  Value object = Value::object();
  object.set("project", trace.project);
  object.set("method", text_of(trace.method));
  object.set("target", text_of(trace.target));
  set_list(object, "notes", list_of(trace.notes, [](const std::string& note) { return text_of(note); }));
  set_text(object, "framing", trace.framing);
  if (trace.endpoint) object.set("endpoint", endpoint_of(*trace.endpoint));
  if (trace.path) object.set("path", rewrite_of(*trace.path));
  set_list(object, "query", list_of(trace.query, rewrite_of));
  set_list(object, "content", list_of(trace.content, rewrite_of));
  set_list(object, "references", list_of(trace.references, reference_of));
  object.set("decision", decision_word(trace));
  if (const auto* deny = std::get_if<Deny>(&trace.decision)) add(object, trace, *deny, configuration);
  if (const auto* forward = std::get_if<Forward>(&trace.decision)) add(object, *forward);
  if (const auto* batch = std::get_if<Batch>(&trace.decision)) add(object, *batch);
  if (const auto* reply = std::get_if<Reply>(&trace.decision)) add(object, *reply);
  if (const auto* fetch = std::get_if<Fetch>(&trace.decision)) object.set("fetch", fetch->reference);
  if (trace.recorded) {
    object.set("recorded", recorded_of(*trace.recorded));
    object.set("verdict", comparison_word(compared(trace)));
  }
  return json::write(object);
}

}  // namespace podfence::rules
