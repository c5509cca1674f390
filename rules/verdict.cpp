#include "rules/verdict.hpp"

#include "rules/audit.hpp"
#include "rules/error_answer.hpp"
#include "rules/escaped.hpp"
#include "rules/json.hpp"
#include "rules/trace_words.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules {
namespace {

using json::Value;

void add_claims(Verdict& verdict, const std::vector<Claim>& claims, std::string_view when = "") {
  for (const auto& [change, what] : claims)
    verdict.ledger.push_back(std::string(claim_word(change)) + " " + what + std::string(when));
}

void add(Verdict& verdict, const Deny& deny) {
  auto reply = error_answer(deny, verdict.endpoint);
  verdict.status = reply.status;
  verdict.answer = std::move(reply.content);
  verdict.rule = deny.rule->id;
  verdict.subject = deny.subject;
}

void add(Verdict& verdict, const Reply& reply) {
  verdict.status = reply.status;
  verdict.answer = reply.content;
  add_claims(verdict, reply.claims);
}

void add(Verdict& verdict, const Forward& forward) {
  add_claims(verdict, forward.before);
  add_claims(verdict, forward.on_failure, ", on failure");
  verdict.members = forward.members;
}

void add(Verdict& verdict, const Batch& batch) {
  for (const auto& item : batch.items) add_claims(verdict, item.on_success, ", on success");
}

void add(Verdict& verdict, const Fetch& fetch) { verdict.fetched = fetch.reference; }

void add(Verdict&, const Ask&) {}

std::string status_text(int status) { return status == 0 ? "-" : std::to_string(status); }
std::string word(std::string_view text) { return text.empty() ? "-" : escaped(text); }

std::string line_of(std::initializer_list<std::string> columns) {
  std::string line;
  for (const auto& column : columns) {
    if (!line.empty()) line += '\t';
    line += column;
  }
  return line;
}

void set_escaped(Value& object, std::string_view name, std::string_view text) {
  if (!text.empty()) object.set(name, escaped(text));
}

Value escaped_list(const std::vector<std::string>& texts) {
  Value list = Value::array();
  for (const auto& text : texts) list.push(is_utf8(text) ? text : escaped(text));
  return list;
}

/// What is sent is canonical, and so it is UTF-8, but for the value of a secret.
void add_members(Value& object, const Verdict& verdict) {
  if (verdict.endpoint) object.set("endpoint", verdict.endpoint->path);
  object.set("decision", verdict.decision);
  if (verdict.status != 0) object.set("status", Value::integer(verdict.status));
  set_escaped(object, "rule", verdict.rule);
  set_escaped(object, "subject", verdict.subject);
  if (!verdict.answer.empty()) object.set("answer", is_utf8(verdict.answer) ? verdict.answer : escaped(verdict.answer));
  set_escaped(object, "fetch", verdict.fetched);
  if (!verdict.ledger.empty()) object.set("ledger", escaped_list(verdict.ledger));
  if (!verdict.sent.empty()) object.set("sent", escaped_list(verdict.sent));
  Value members = Value::object();
  for (const auto& [name, text] : verdict.members)
    members.set(name, !text ? Value() : is_utf8(*text) ? Value(*text) : Value(escaped(*text)));
  if (!verdict.members.empty()) object.set("members", std::move(members));
}

Value object_for(const RequestPlace& place, const Verdict& verdict) {
  Value object = Value::object();
  object.set("input", escaped(place.input));
  object.set("request", Value::integer(static_cast<std::int64_t>(place.number)));
  object.set("method", escaped(verdict.method));
  object.set("target", escaped(verdict.target));
  return object;
}

std::string_view difference_of(const Verdict* one, const Verdict* other) {
  return one && other ? difference_between(*one, *other) : "decision";
}

Value side_of(const Verdict* verdict) {
  Value object = Value::object();
  if (verdict)
    add_members(object, *verdict);
  else
    object.set("decision", "not read");
  return object;
}

std::string side_columns(const Verdict* verdict) {
  if (!verdict) return "not read\t-\t-";
  return line_of({std::string(verdict->decision), status_text(verdict->status), word(verdict->rule)});
}

}  // namespace

Verdict verdict_of(const Judged& judged, const Decision& decision) {
  Verdict verdict;
  verdict.method = judged.method;
  verdict.target = judged.target;
  if (judged.match) verdict.endpoint = judged.match->endpoint;
  const auto* deny = std::get_if<Deny>(&decision);
  verdict.decision = deny ? audit_decision(*deny) : audit_decision(decision, *verdict.endpoint);
  std::visit([&](const auto& each) { add(verdict, each); }, decision);
  return verdict;
}

std::string_view difference_between(const Verdict& one, const Verdict& other) {
  if (one.decision != other.decision || one.status != other.status || one.rule != other.rule ||
      one.subject != other.subject || one.endpoint != other.endpoint)
    return "decision";
  if (one.answer != other.answer) return "answer";
  if (one.ledger != other.ledger) return "ledger";
  return one.sent != other.sent || one.members != other.members || one.fetched != other.fetched ? "request" : "";
}

std::string verdict_tsv(const RequestPlace& place, const Verdict& verdict) {
  return line_of({escaped(place.input), std::to_string(place.number), word(verdict.method), word(verdict.target),
                  std::string(verdict.decision), status_text(verdict.status), word(verdict.rule),
                  word(verdict.subject)});
}

std::string verdict_json(const RequestPlace& place, const Verdict& verdict) {
  Value object = object_for(place, verdict);
  add_members(object, verdict);
  return json::write(object);
}

std::string difference_tsv(const RequestPlace& place, const Verdict* one, const Verdict* other) {
  const Verdict& known = one ? *one : *other;
  return line_of({escaped(place.input), std::to_string(place.number), word(known.method), word(known.target),
                  std::string(difference_of(one, other)), side_columns(one), side_columns(other)});
}

std::string difference_json(const RequestPlace& place, const Verdict* one, const Verdict* other) {
  Value object = object_for(place, one ? *one : *other);
  object.set("differs", difference_of(one, other));
  object.set("policy", side_of(one));
  object.set("against", side_of(other));
  return json::write(object);
}

}  // namespace podfence::rules
